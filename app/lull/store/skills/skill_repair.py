"""Finds skill texts and states that were changed outside of Lull, and repairs them from undamaged
copies.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import sqlite3

from lull.core.errors import LullError, StoreError
from lull.core.skills.skill import SkillKey
from lull.store.database import Database
from lull.store.skills.skill_folders import SkillFolders
from lull.store.skills.skill_seals import broken, mend

log = logging.getLogger(__name__)


async def look_through(database: Database, folders: SkillFolders) -> list[LullError]:
    """Compare every skill's stored text and state with what was approved, and repair what can be
    repaired.

    Returns errors for the rest.
    """
    mended = await database.write(lambda connection: _mended(connection, folders))
    lost = await asyncio.to_thread(_lost_versions, database, folders)
    wrong = await asyncio.to_thread(database.read, broken)
    if mended:
        log.warning("changed behind Lull's back and put right: %s", ", ".join(sorted(mended)))
    told: list[LullError] = []
    if wrong:
        numbers = ", ".join(str(number) for number in sorted(wrong)[:5])
        told.append(
            StoreError(
                f"The record of skills was changed outside of Lull, in generation {numbers}."
                " What it says there is not used.",
                hint="A backup brings it back; or add the skills that are missing again.",
            )
        )
    if lost:
        names = ", ".join(sorted({key.name for key, _ in lost})[:5])
        told.append(
            StoreError(
                f"Texts of {names} were changed or removed outside of Lull, and no whole copy"
                " is left. They are not used.",
                hint="A backup brings them back; or write the skill again.",
            )
        )
    return told


def _mended(connection: sqlite3.Connection, folders: SkillFolders) -> list[str]:
    rows = connection.execute(
        "SELECT sha256 FROM skill_states UNION SELECT sha256 FROM skill_folders"
        " UNION SELECT sha256 FROM proposals"
    ).fetchall()
    return mend(connection, [*(row[0] for row in rows), *folders.kept()])


def _lost_versions(database: Database, folders: SkillFolders) -> list[tuple[SkillKey, str]]:
    """List the texts of valid states that cannot be restored."""

    def states(connection: sqlite3.Connection) -> list[tuple[SkillKey, str]]:
        wrong = broken(connection)
        rows = connection.execute(
            "SELECT DISTINCT client, name, sha256, generation FROM skill_states"
        )
        found = [(SkillKey(r[0], r[1]), str(r[2])) for r in rows if r[3] not in wrong]
        return list(dict.fromkeys(found))

    lost = []
    for key, sha256 in database.read(states):
        if not folders.is_whole(sha256, key) and not _from_proposal(database, folders, sha256):
            lost.append((key, sha256))
    return lost


def _from_proposal(database: Database, folders: SkillFolders, sha256: str) -> bool:
    """Restore a text from the approved proposal; return whether that worked."""
    row = database.read(
        lambda connection: connection.execute(
            "SELECT bytes FROM proposals WHERE sha256 = ?", (sha256,)
        ).fetchone()
    )
    data = row["bytes"] if row is not None else b""
    if not isinstance(data, bytes) or hashlib.sha256(data).hexdigest() != sha256:
        return False
    return folders.keep_bytes(data) == sha256
