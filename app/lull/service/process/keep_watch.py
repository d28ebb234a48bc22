"""Writes the database's witness file (its row counts, by which a later loss of rows is noticed),
checkpoints SQLite's write-ahead log (WAL), and tells if the database's file is removed meanwhile.

The witness file lies outside the database.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Final

from lull.core.errors import StoreError
from lull.core.ports import Clock
from lull.service.process.problems import Problems
from lull.store.backups.witness import Witness
from lull.store.sqlite.database import Database

log = logging.getLogger(__name__)

WITNESS_EVERY_S: Final = 5.0
CHECKPOINT_EVERY_S: Final = 300.0


class WitnessWriter:
    """Writes the witness file (the database's row counts, by which a loss is noticed) and looks
    whether the database's file is still there every few seconds, and checkpoints the WAL (SQLite's
    write-ahead log) every few minutes.
    """

    def __init__(
        self, database: Database, witness: Witness, problems: Problems, clock: Clock
    ) -> None:
        self._database = database
        self._problems = problems
        self._witness = witness
        self._clock = clock
        self._failing = False

    async def run(self) -> None:
        """Write the witness file (the database's row counts) every few seconds and checkpoint the
        WAL (SQLite's write-ahead log) every few minutes, until cancelled.
        """
        checkpointed_s = float("-inf")
        while True:
            now_s = self._clock.monotonic_s()
            # Checkpoint right at the start: until then all data may exist only in the WAL.
            if now_s - checkpointed_s >= CHECKPOINT_EVERY_S:
                self._database.checkpoint_soon()
                checkpointed_s = now_s
            await self._write(running=True)
            moved = await asyncio.to_thread(self._database.place.error)
            self._problems.set_or_clear("database file", moved)
            await asyncio.sleep(WITNESS_EVERY_S)

    async def stop(self) -> None:
        """Write the witness file (the database's row counts) a last time, marked as not running,
        before the database closes.
        """
        await self._write(running=False)

    async def _write(self, *, running: bool) -> None:
        at = self._clock.now().isoformat()
        try:
            await asyncio.to_thread(self._witness.write, self._database, at=at, running=running)
        except StoreError as error:
            # Usually a full disk, which the store reports itself; the next round retries.
            if not self._failing:
                log.warning("the witness could not be written: %s", error.detail)
            self._failing = True
        else:
            self._failing = False
