"""Finds which approved skill texts were tested, before their approval, by answering past requests
with and without them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Set

from lull.core.skills.skill import SkillKey
from lull.store.sqlite.database import Database


def tested_texts(database: Database) -> Mapping[SkillKey, Set[str]]:
    """Return, by skill, the sha256 of each approved text that was tested by answering past requests
    with and without it.
    """
    rows = database.read(
        lambda connection: connection.execute(
            "SELECT client, name, sha256 FROM proposals p WHERE status = 'approved'"
            " AND kind <> 'retire'"
            " AND EXISTS (SELECT 1 FROM replays r WHERE r.proposal = p.id)"
        ).fetchall()
    )
    found: dict[SkillKey, set[str]] = defaultdict(set)
    for row in rows:
        found[SkillKey(row["client"], row["name"])].add(row["sha256"])
    return found
