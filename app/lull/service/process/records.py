"""Looks at the stored records at the start and every ten minutes, and tells the user of those that
are damaged or that other programs changed.

The records of adapters are looked at by `service.adapters.control`, which also looks after each
change of them, and those of the skill library by `service.skills.watch_library`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Final

from lull.core.errors import LullError
from lull.service.process.problems import Problems

LOOK_AT_RECORDS_EVERY_S: Final = 600.0


async def _no_repair() -> None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordChecks:
    """How one kind of records is repaired, and how those that cannot be repaired are found."""

    repair: Callable[[], Awaitable[LullError | None]] = _no_repair
    """Puts right what other programs changed; returns what to tell the user of it."""
    damage: Callable[[], LullError | None] = lambda: None
    """Returns what to tell of records that stay damaged. Blocking: reads the database."""
    at_start: bool = True
    """Whether the service looks before it accepts requests; False where a look takes long and who
    reads leaves out what is damaged anyway.
    """


class WatchRecords:
    """Background job: repairs records that other programs changed, and shows the user what was
    repaired, until the next start, and what cannot be, as long as it lasts.
    """

    def __init__(self, checks: Mapping[str, RecordChecks], problems: Problems) -> None:
        """`checks` says how each kind of records is checked, by the key of its problem."""
        self._checks = checks
        self._problems = problems
        self._put_right: dict[str, LullError] = {}

    async def run(self) -> None:
        """Look at the records every ten minutes until cancelled, and at once at those that the
        start left out.
        """
        await self._look({key: one for key, one in self._checks.items() if not one.at_start})
        while True:
            await asyncio.sleep(LOOK_AT_RECORDS_EVERY_S)
            await self._look(self._checks)

    async def look(self) -> None:
        """Look once at all records that are looked at before the service accepts requests."""
        await self._look({key: one for key, one in self._checks.items() if one.at_start})

    async def _look(self, all_: Mapping[str, RecordChecks]) -> None:
        """Look at these records. That one kind cannot be looked at now is shown as its problem, and
        keeps nobody from looking at the others.
        """
        for key, checks in all_.items():
            try:
                if (put_right := await checks.repair()) is not None:
                    self._put_right[key] = put_right
                damage = await asyncio.to_thread(checks.damage)
            except LullError as error:
                damage = error
            self._problems.set_or_clear(key, damage or self._put_right.get(key))
