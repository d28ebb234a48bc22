"""Finds skill texts and states that were changed outside of Lull, and repairs them from undamaged
copies.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import sqlite3

from lull.core.errors import LullError
from lull.core.skills.skill import SkillKey
from lull.core.text.coded_text import TextSkillList, coded_text
from lull.store.rows.put_right import forget_put_right, noted_put_right
from lull.store.rows.readable_rows import DamagedRow
from lull.store.skills.skill_folders import SkillFolders
from lull.store.skills.skill_seals import STATES, repair_rows, sealed_states
from lull.store.sqlite.database import Database

log = logging.getLogger(__name__)


async def check_and_repair(database: Database, folders: SkillFolders) -> list[LullError]:
    """Compare every skill's stored text and state with what was approved, and repair what can be
    repaired.

    Returns errors for the rest.
    """
    mended = await database.write(repair_rows)
    lost = await asyncio.to_thread(_lost_versions, database, folders)
    wrong = await asyncio.to_thread(database.read, _lost_generations)
    if mended:
        log.warning("changed behind Lull's back and put right: %s", ", ".join(sorted(mended)))
    told: list[LullError] = []
    if wrong:
        numbers = ", ".join(str(number) for number in sorted(wrong)[:5])
        told.append(
            DamagedRow(
                f"The record of skills was changed outside of Lull, in generation {numbers}. It "
                "may have altered any skill, so only skills that were changed again after it are "
                "used.",
                hint="Restore it from a backup, or write the missing skills again.",
            )
        )
    if lost:
        names = TextSkillList(tuple(sorted({key.name for key, _ in lost})))
        told.append(
            DamagedRow(
                coded_text(
                    "skill-texts-changed",
                    "Texts of %1 were changed or removed outside of Lull, and no intact copy is "
                    "left. They are not used.",
                    names,
                ),
                hint="A backup brings them back; or write the skill again.",
            )
        )
    return told


async def put_right_error(database: Database) -> LullError | None:
    """Return the error that tells the user, once, which skills' rows other programs changed and
    were put right since the last call; None if there are none.
    """
    if not await asyncio.to_thread(database.read, lambda c: noted_put_right(c, STATES)):
        return None

    def work(connection: sqlite3.Connection) -> list[str]:
        names = noted_put_right(connection, STATES)
        forget_put_right(connection, STATES)
        return names

    names = await database.write(work)
    return DamagedRow(
        coded_text(
            "skill-states-put-right",
            "The record of %1 was changed outside of Lull and is put right from its sealed copy.",
            TextSkillList(tuple(names)),
        ),
        hint="Nothing of the change was used. If you did not make it, look for what did.",
    )


def _lost_generations(connection: sqlite3.Connection) -> frozenset[int]:
    return sealed_states(connection).lost


def _lost_versions(database: Database, folders: SkillFolders) -> list[tuple[SkillKey, str]]:
    """List the texts of valid states that cannot be restored."""

    sealed = database.read(sealed_states)
    found = dict.fromkeys(
        (SkillKey(client, name), sha256)
        for rows in sealed.states.values()
        for client, name, _, sha256, _, _ in rows
    )
    lost = []
    for key, sha256 in found:
        if not folders.ensure_intact(sha256, key) and not _from_proposal(database, folders, sha256):
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
