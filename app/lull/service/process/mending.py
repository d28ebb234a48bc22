"""Puts the database right when something fails that should not: another program may have damaged a
value or removed a table while the service runs.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time

from lull.core.errors import StoreError
from lull.service.process.problems import Problems
from lull.store.sqlite.database import Database
from lull.store.sqlite.writer import DatabaseWork

log = logging.getLogger(__name__)

REST_FACTOR = 9.0
"""Looking rests for this many times its own duration; a look reads all tables but the messages."""
LONGEST_REST_S = 5.0


class DatabaseMending:
    """Mends the running service's database, and tells the user what it found."""

    def __init__(
        self, database: Database, problems: Problems, *, repair: DatabaseWork[object]
    ) -> None:
        """`repair` puts rows right that have sealed copies."""
        self._database = database
        self._problems = problems
        self._repair = repair
        self._looking = asyncio.Lock()
        self._began_s, self._rests_until_s = 0.0, 0.0
        self._found = False

    async def mend(self) -> bool:
        """Look for damaged values and removed tables, put them right and report them as a problem;
        return whether there were any, so that what failed is worth another try.
        """
        failed_s = time.monotonic()
        async with self._looking:
            if self._began_s < failed_s:  # else another has looked since
                await asyncio.sleep(self._rests_until_s - failed_s)
                self._began_s = time.monotonic()
                self._found = await self._look()
                now_s = time.monotonic()
                rest_s = min(LONGEST_REST_S, REST_FACTOR * (now_s - self._began_s))
                self._rests_until_s = now_s + rest_s
            return self._found

    async def _look(self) -> bool:
        try:
            found = await asyncio.to_thread(self._database.mend)
            repaired = await self._database.write(self._repaired)
        except StoreError as error:
            log.info("the database could not be looked through: %s", error)
            return False
        for key, worry in found.items():
            self._problems.report(f"mended {key}", worry)
        return bool(found) or repaired

    def _repaired(self, connection: sqlite3.Connection) -> bool:
        before = connection.total_changes
        self._repair(connection)
        if repaired := connection.total_changes > before:
            log.warning("rows were changed behind Lull's back and put right")
        return repaired
