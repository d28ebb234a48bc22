"""The skill library: generations, the state of each skill in each, and how often it was used.

A change is one transaction on top of version files that are already on disk; the working copies
follow it. Whatever a crash leaves undone, `reconcile` finishes at the next start.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from lull.core.errors import NotFound, SkillError
from lull.core.skill import (
    ChangeKind,
    Library,
    Skill,
    SkillGeneration,
    SkillKey,
    SkillStatus,
    SkillText,
)
from lull.core.trajectory import InjectedSkill
from lull.store.database import Database
from lull.store.skill_folders import Found, SkillFolders
from lull.store.skill_md import parse

Plan = Callable[[Library], Sequence[Skill]]
"""From the library as it stands, on the writer's thread, to the skills that change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryRow:
    generation: int
    at: str
    change: str
    detail: str
    version: int
    sha256: str
    status: SkillStatus
    pinned: bool


class Skills:
    """The tables `generations`, `skill_states`, `skill_folders`, `skill_uses`."""

    def __init__(self, database: Database, folders: SkillFolders) -> None:
        self._db = database
        self.folders = folders

    # Reading

    def library(self, generation: int | None = None) -> Library:
        """S as of a generation, the newest by default. Raises NotFound."""
        return self._db.read(lambda connection: self._library(connection, generation))

    def _library(self, connection: sqlite3.Connection, generation: int | None) -> Library:
        (newest,) = connection.execute(
            "SELECT coalesce(max(number), 0) FROM generations"
        ).fetchone()
        if generation is not None and not 0 <= generation <= newest:
            raise NotFound(f"There is no generation {generation}.", hint=f"The newest is {newest}.")
        at = newest if generation is None else generation
        rows = connection.execute(
            "SELECT s.* FROM skill_states s JOIN (SELECT client, name, max(generation) AS newest"
            " FROM skill_states WHERE generation <= ? GROUP BY client, name) n"
            " ON s.client = n.client AND s.name = n.name AND s.generation = n.newest",
            (at,),
        ).fetchall()
        skills = (self._skill(row) for row in rows)
        return Library(generation=at, skills={skill.key: skill for skill in skills})

    def _skill(self, row: sqlite3.Row) -> Skill:
        text = self.folders.text(row["sha256"])
        return Skill(
            client=row["client"],
            name=row["name"],
            version=row["version"],
            sha256=row["sha256"],
            description=text.description,
            body=text.body,
            status=SkillStatus(row["status"]),
            pinned=bool(row["pinned"]),
            since=row["generation"],
        )

    def generations(self) -> list[SkillGeneration]:
        rows = self._db.read(
            lambda connection: connection.execute(
                "SELECT * FROM generations ORDER BY number"
            ).fetchall()
        )
        return [
            SkillGeneration(
                number=row["number"],
                at=datetime.fromisoformat(row["at"]),
                change=ChangeKind(row["change"]),
                detail=row["detail"],
            )
            for row in rows
        ]

    def history(self, key: SkillKey) -> list[HistoryRow]:
        """Every state of one skill, newest first. Raises NotFound."""
        rows = self._db.read(
            lambda connection: connection.execute(
                "SELECT s.generation, g.at, g.change, g.detail, s.version, s.sha256, s.status,"
                " s.pinned FROM skill_states s JOIN generations g ON g.number = s.generation"
                " WHERE s.client = ? AND s.name = ? ORDER BY s.generation DESC",
                (key.client, key.name),
            ).fetchall()
        )
        if not rows:
            raise NotFound(
                f"There is no skill '{key.name}'.", hint="`lull skills list --all` shows them."
            )
        return [
            HistoryRow(
                **{
                    **dict(row),
                    "status": SkillStatus(row["status"]),
                    "pinned": bool(row["pinned"]),
                }
            )
            for row in rows
        ]

    def uses(self) -> dict[SkillKey, int]:
        rows = self._db.read(
            lambda connection: connection.execute("SELECT * FROM skill_uses").fetchall()
        )
        return {SkillKey(row["client"], row["name"]): int(row["uses"]) for row in rows}

    # Writing

    def used(self, keys: Iterable[SkillKey], *, at: datetime) -> None:
        """Count one use of each, soon."""
        values = [(key.client, key.name, at.isoformat()) for key in keys]
        if values:
            self._db.post(
                lambda connection: connection.executemany(
                    "INSERT INTO skill_uses VALUES (?, ?, 1, ?) ON CONFLICT (client, name)"
                    " DO UPDATE SET uses = uses + 1, last = excluded.last",
                    values,
                )
            )

    async def change(
        self, plan: Plan, *, kind: ChangeKind, detail: str, at: datetime
    ) -> tuple[Library, list[Skill]]:
        """Apply a plan as generation g + 1: all of it or nothing. The new library and what changed.

        The version files must be on disk before. Raises what the plan raises.
        """

        def work(connection: sqlite3.Connection) -> tuple[Library, list[Skill]]:
            library = self._library(connection, None)
            changed = list(plan(library))
            if not changed:
                return library, []
            number = library.generation + 1
            connection.execute(
                "INSERT INTO generations VALUES (?, ?, ?, ?)",
                (number, at.isoformat(), kind.value, detail),
            )
            connection.executemany(
                "INSERT INTO skill_states VALUES (?, ?, ?, ?, ?, ?, ?)",
                [
                    (s.client, s.name, number, s.version, s.sha256, s.status.value, int(s.pinned))
                    for s in changed
                ],
            )
            changed = [replace(skill, since=number) for skill in changed]
            skills = {**library.skills, **{skill.key: skill for skill in changed}}
            return Library(generation=number, skills=skills), changed

        library, changed = await self._db.write(work)
        await self._follow(changed)
        return library, changed

    async def _follow(self, changed: Sequence[Skill]) -> None:
        """Make the working copies read as the library, and remember that they do."""
        marks: list[tuple[str, str, str]] = []
        gone: list[tuple[str, str]] = []
        for skill in changed:
            if skill.status is SkillStatus.ARCHIVED:
                self.folders.put_away(skill.key)
                gone.append((skill.client, skill.name))
            else:
                self.folders.check_out(skill.key, skill.sha256)
                marks.append((skill.client, skill.name, skill.sha256))

        def work(connection: sqlite3.Connection) -> None:
            connection.executemany("INSERT OR REPLACE INTO skill_folders VALUES (?, ?, ?)", marks)
            connection.executemany("DELETE FROM skill_folders WHERE client = ? AND name = ?", gone)

        await self._db.write(work)

    async def reconcile(self, *, at: datetime) -> list[SkillError]:
        """Take in what was edited by hand, finish what a crash left; what could not be read.

        A copy that reads as we last wrote it is ours and follows the library; any other text is
        the user's and becomes the next version. A copy that is gone was deleted by the user.
        """
        library = self.library()
        written = self._written()
        found: dict[SkillKey, Found] = {}
        wrong: list[SkillError] = []
        broken: set[SkillKey] = set()
        for item in self.folders.found():
            if isinstance(item, SkillError):
                wrong.append(item)
                broken |= {k for k in library.skills if str(self.folders.folder(k)) in item.detail}
            else:
                found[item.key] = item
        changed = hand_edits(library, written, found, broken=broken)
        for skill in changed:
            if skill.status is not SkillStatus.ARCHIVED and skill.key in found:
                self.folders.keep_bytes(found[skill.key].data)
        if changed:
            names = ", ".join(sorted(skill.name for skill in changed))
            await self.change(
                lambda _: changed,
                kind=ChangeKind.HAND_EDIT,
                detail=f"edited by hand: {names}",
                at=at,
            )
        behind = [
            skill
            for key, skill in self.library().skills.items()
            if key not in broken and _lags(skill, found.get(key), written.get(key))
        ]
        if behind:
            await self._follow(behind)
        return wrong

    def _written(self) -> dict[SkillKey, str]:
        rows = self._db.read(
            lambda connection: connection.execute("SELECT * FROM skill_folders").fetchall()
        )
        return {SkillKey(row["client"], row["name"]): row["sha256"] for row in rows}


def hand_edits(
    library: Library,
    written: Mapping[SkillKey, str],
    found: Mapping[SkillKey, Found],
    *,
    broken: set[SkillKey],
) -> list[Skill]:
    """The skills that a person changed on disk since we last wrote there."""
    changed: list[Skill] = []
    for key, item in found.items():
        old = library.skills.get(key)
        if item.sha256 == written.get(key) or (old and item.sha256 == old.sha256):
            continue
        text = parse(item.data, where=key.name)
        changed.append(
            Skill(
                client=key.client,
                name=key.name,
                version=old.version + 1 if old else 1,
                sha256=item.sha256,
                description=text.description,
                body=text.body,
                status=old.status if old and old.status.value != "archived" else SkillStatus.ACTIVE,
                pinned=old.pinned if old else False,
            )
        )
    for key, skill in library.skills.items():
        gone = key in written and key not in found and key not in broken
        if gone and skill.status is not SkillStatus.ARCHIVED:
            changed.append(replace(skill, status=SkillStatus.ARCHIVED, pinned=False))
    return changed


def _lags(skill: Skill, found: Found | None, written: str | None) -> bool:
    if skill.status is SkillStatus.ARCHIVED:
        return found is not None and found.sha256 == written
    return found is None or found.sha256 != skill.sha256


def injected(skill: Skill) -> InjectedSkill:
    return InjectedSkill(name=skill.name, version=skill.version, sha256=skill.sha256)


def new_skill(text: SkillText, sha256: str, *, client: str, pinned: bool) -> Skill:
    """A skill of this text whose version the library will say."""
    return Skill(
        client=client,
        name=text.name,
        version=0,
        sha256=sha256,
        description=text.description.strip(),
        body=text.body.strip(),
        pinned=pinned,
    )
