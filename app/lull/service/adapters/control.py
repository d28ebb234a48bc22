"""Answers the control API's requests about LoRA adapters (list, show, compare, promote, roll back),
and watches the adapters in use.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Final

from lull.contract.json_object import Json
from lull.core.errors import AdapterError, LullError, UsageError
from lull.core.ports import ProblemReporter
from lull.loops.adapters.promote import Promote
from lull.service.adapters.reloads import AdapterReloads
from lull.service.adapters.views import compared_view, listed_view, shown_view
from lull.store.adapters.adapters import Adapters
from lull.store.rows.readable_rows import DamagedRow

log = logging.getLogger(__name__)

BASE: Final = "base"
"""Id with which requests name the base model, that is, no adapter."""
RECORDS: Final = "adapter rows"
"""The key under which a problem with the records of adapters is shown."""
LOOK_AT_TRIALS_EVERY_S: Final = 600.0
"""Seconds between checks for LoRA adapters whose trial period is over or whose answers do harm."""


class AdapterControl:
    """Answers the requests of the desktop window and the command line about LoRA adapters."""

    def __init__(
        self,
        adapters: Adapters,
        promote: Promote,
        reloads: AdapterReloads,
        *,
        model: Callable[[], str],
        problems: ProblemReporter,
    ) -> None:
        """The function `model` returns the name of the model that is trained; `problems` shows the
        user an error about the records of adapters.
        """
        self._adapters = adapters
        self._promote = promote
        self._reloads = reloads
        self._model = model
        self._problems = problems
        self._put_right: LullError | None = None
        """What other programs had changed in the records of adapters, until the next start."""

    def list(self) -> Json:
        """Return the JSON of all LoRA adapters. Blocking: reads the database."""
        return listed_view(self._adapters, self._model())

    def show(self, adapter: str) -> Json:
        """Return the JSON of one LoRA adapter with its history. Blocking. Raises NotFound."""
        return shown_view(self._adapters, adapter)

    def compare(self, a: str, b: str) -> Json:
        """Return the JSON of two LoRA adapters' results in the gate (the checks that an adapter
        must pass before it answers users). Blocking. Raises NotFound, Conflict.
        """
        return compared_view(self._adapters, a, b)

    async def promote(self, wanted: Json) -> Json:
        """Put a LoRA adapter into use, by a request `{"adapter": ID}`.

        An adapter that did not pass the gate (the checks before it may answer users) needs
        `"anyway": true`. Raises AdapterError, NotFound, UsageError.
        """
        adapter = _text(wanted, "adapter")
        version = self._adapters.get(adapter)
        verdict = version.verdict
        if not (verdict is not None and verdict.accepted) and wanted.get("anyway") is not True:
            said = (
                f"it failed its test: {'; '.join(verdict.reasons)}"
                if verdict
                else ("it has not been tested yet")
            )
            raise AdapterError(
                f"{adapter} is not put into use because {said}.",
                hint="`--anyway` puts it into use all the same; `rollback` takes it out again.",
            )
        await self._promote.promote(adapter, why="you promoted it")
        await self._look_again()
        return await asyncio.to_thread(self.list)

    async def roll_back(self, wanted: Json) -> Json:
        """Roll a model back to an earlier LoRA adapter, by a request `{"to", "model"}`, both
        optional.

        `to` is an adapter's id, `base` for the model without an adapter, or by default the previous
        adapter. `model` names the model to roll back, by default the one that is trained.
        """
        to = wanted.get("to")
        if to is not None and not isinstance(to, str):
            raise UsageError(
                "`to` must be the id of an adapter.", hint="`lull adapters list` has them."
            )
        if to is not None and to != BASE:
            model = self._adapters.get(to).base_model
        else:
            model = str(wanted.get("model") or self._in_use())
        if to == BASE:
            await self._promote.to_base(model, why="you rolled it back")
        else:
            await self._promote.roll_back(model, to, why="you rolled it back")
        await self._look_again()
        return await asyncio.to_thread(self.list)

    def _in_use(self) -> str:
        """Return the model that learns, or if it has no adapters, one that has."""
        models = self._adapters.models()
        chosen = self._model()
        return chosen if chosen in models or not models else models[-1]

    def in_force(self) -> tuple[str | None, str | None]:
        """Return (sha256, id) of the LoRA adapter now in use for the model that is trained; (None,
        None) without one, or where its record is damaged, because then the base model answers.
        """
        try:
            active = self._adapters.active(self._in_use())
        except DamagedRow:  # told at the start
            active = None
        return (active.sha256, active.id) if active is not None else (None, None)

    # Watching

    async def check_records(self) -> None:
        """Undo changes that other programs made to the stored records of LoRA adapters, and tell
        the user of these changes and of records that cannot be repaired.
        """
        self._put_right = await self._adapters.repair() or self._put_right
        damage = await asyncio.to_thread(self._adapters.damage_error)
        self._problems.set_or_clear(RECORDS, damage or self._put_right)

    async def _look_again(self) -> None:
        """Check the records after a finished change; the change stands whatever the check finds."""
        try:
            await self.check_records()
        except LullError as error:
            log.warning("the records of adapters were not checked: %s", error)

    async def watch(self) -> None:
        """Background job: end the trial periods of LoRA adapters, roll back harmful adapters, and
        replace those that could not be loaded.
        """
        while True:
            await self.check_records()
            await self._promote.step()
            try:
                async with asyncio.timeout(LOOK_AT_TRIALS_EVERY_S):
                    sha256, error = await self._reloads.next_lost()
            except TimeoutError:
                continue
            await self._promote.on_load_failure(sha256, error)


def _text(wanted: Json, name: str) -> str:
    value = wanted.get(name)
    if not isinstance(value, str) or not value:
        raise UsageError(f"{name} is missing.", hint="`lull adapters list` has the ids.")
    return value
