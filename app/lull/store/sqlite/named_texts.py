"""Stores a few named text values that must outlive a restart, such as the model that was last
chosen for training, in the table `facts`.
"""

from __future__ import annotations

from lull.store.sqlite.database import Database


class NamedTexts:
    """A few texts that are kept under names over restarts: rows of the table `facts`."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def get(self, name: str) -> str:
        """Return the text that was stored under this name in the table `facts`, "" if none was.
        Blocking.
        """
        row = self._db.read(
            lambda connection: connection.execute(
                "SELECT value FROM facts WHERE name = ?", (name,)
            ).fetchone()
        )
        return bytes(row["value"]).decode() if row else ""

    async def put(self, name: str, value: str) -> None:
        """Store a text under this name, in place of the one before."""
        await self._db.write(
            lambda connection: connection.execute(
                "INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, value.encode())
            )
        )
