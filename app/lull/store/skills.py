"""The skill library: generations, the state of each skill in each, and how often it was used.

A change is one transaction on top of version files that are already on disk; the working copies
follow it. Whatever a crash leaves undone, `reconcile` finishes at the next start.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from lull.core.errors import NotFound, SkillError, StoreError
from lull.core.skill import (
    ChangeKind,
    Library,
    Skill,
    SkillGeneration,
    SkillKey,
    SkillStatus,
    SkillText,
    rewritten,
    scope_of,
)
from lull.core.trajectory import InjectedSkill
from lull.store.database import Database
from lull.store.skill_folders import Found, SkillFolders, Unreadable
from lull.store.skill_md import parse
from lull.store.writer import insert

log = logging.getLogger(__name__)

Plan = Callable[[Library], Sequence[Skill]]
"""From the library as it stands, on the writer's thread, to the skills that change."""
Also = Callable[[sqlite3.Connection, int], None]
"""What else is written in the transaction that makes this generation."""


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
        self._lost: set[str] = set()
        # A change and the look at the folders must not see each other half done.
        self._changing = asyncio.Lock()
        self._uses = database.inbox(_write_uses)

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
            "SELECT s.*, (SELECT max(version) FROM skill_states v"
            "  WHERE v.client = s.client AND v.name = s.name) AS latest"
            " FROM skill_states s JOIN (SELECT client, name, max(generation) AS newest"
            " FROM skill_states WHERE generation <= ? GROUP BY client, name) n"
            " ON s.client = n.client AND s.name = n.name AND s.generation = n.newest",
            (at,),
        ).fetchall()
        skills = (self._skill(row) for row in rows)
        return Library(generation=at, skills={skill.key: skill for skill in skills})

    def _skill(self, row: sqlite3.Row) -> Skill:
        text = self._text(SkillKey(row["client"], row["name"]), row["sha256"])
        return Skill(
            client=row["client"],
            name=row["name"],
            version=row["version"],
            sha256=row["sha256"],
            description=text.description,
            body=text.body,
            status=SkillStatus(row["status"]),
            pinned=bool(row["pinned"]),
            scope=scope_of(text),
            since=row["generation"],
            latest=row["latest"],
        )

    def _text(self, key: SkillKey, sha256: str) -> SkillText:
        """One lost version must not take the whole library away: that skill stays without text,
        which no prompt gets, until it is edited or its file is back."""
        try:
            return self.folders.text(sha256, key)
        except (StoreError, SkillError) as error:
            if sha256 not in self._lost:
                self._lost.add(sha256)
                log.error("skill %s cannot be used: %s", key.name, error)
            return SkillText(name=key.name, description="", body="")

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

    def retired(self) -> set[SkillKey]:
        """Those that stand as a retirement has left them."""
        rows = self._db.read(
            lambda connection: connection.execute(
                "SELECT s.client, s.name FROM skill_states s"
                " JOIN generations g ON g.number = s.generation"
                " WHERE g.change = ? AND s.generation = (SELECT max(generation) FROM skill_states"
                " WHERE client = s.client AND name = s.name)",
                (ChangeKind.RETIRE.value,),
            ).fetchall()
        )
        return {SkillKey(row["client"], row["name"]) for row in rows}

    def uses(self) -> dict[SkillKey, int]:
        """How often each skill went into a conversation, over all clients."""
        total: dict[SkillKey, int] = {}
        for counts in self.uses_by_client().values():
            for key, count in counts.items():
                total[key] = total.get(key, 0) + count
        return total

    def uses_by_client(self) -> dict[str, dict[SkillKey, int]]:
        """The same by the client that asked: statistics are kept apart like skills."""
        rows = self._db.read(
            lambda connection: connection.execute("SELECT * FROM skill_uses").fetchall()
        )
        found: dict[str, dict[SkillKey, int]] = {}
        for row in rows:
            counts = found.setdefault(row["asker"], {})
            counts[SkillKey(row["client"], row["name"])] = int(row["uses"])
        return found

    # Writing

    def used(self, keys: Iterable[SkillKey], *, by: str, at: datetime) -> None:
        """Count one use of each by a client, soon."""
        for key in keys:
            self._uses.put((by, key, at.isoformat()))

    async def change(
        self,
        plan: Plan,
        *,
        kind: ChangeKind,
        detail: str,
        at: datetime,
        also: Also | None = None,
    ) -> tuple[Library, list[Skill]]:
        """Apply a plan as generation g + 1: all of it or nothing. The new library and what changed.

        The version files must be on disk before. What `also` writes stands or falls with the
        change. Raises what the plan raises.
        """
        async with self._changing:
            return await self._change(plan, kind=kind, detail=detail, at=at, also=also)

    async def _change(
        self,
        plan: Plan,
        *,
        kind: ChangeKind,
        detail: str,
        at: datetime,
        also: Also | None = None,
    ) -> tuple[Library, list[Skill]]:
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
            changed = [
                replace(skill, since=number, latest=max(skill.latest, skill.version))
                for skill in changed
            ]
            if also is not None:
                also(connection, number)
            skills = {**library.skills, **{skill.key: skill for skill in changed}}
            return Library(generation=number, skills=skills), changed

        library, changed = await self._db.write(work)
        await self._follow(changed)
        return library, changed

    async def _follow(self, changed: Sequence[Skill]) -> None:
        """Make the working copies read as the library, and remember that they do.

        The change is in force already. A copy that cannot be written now is not remembered, so
        that `reconcile` tries again.
        """
        done = await asyncio.to_thread(self._written_out, changed)
        marks = [(s.client, s.name, s.sha256) for s in done if s.status is not SkillStatus.ARCHIVED]
        gone = [(s.client, s.name) for s in done if s.status is SkillStatus.ARCHIVED]

        def work(connection: sqlite3.Connection) -> None:
            connection.executemany("INSERT OR REPLACE INTO skill_folders VALUES (?, ?, ?)", marks)
            connection.executemany("DELETE FROM skill_folders WHERE client = ? AND name = ?", gone)

        await self._db.write(work)

    def _written_out(self, changed: Sequence[Skill]) -> list[Skill]:
        done = []
        for skill in changed:
            try:
                if skill.status is SkillStatus.ARCHIVED:
                    self.folders.put_away(skill.key)
                else:
                    self.folders.check_out(skill.key, skill.sha256)
            except (OSError, StoreError) as error:
                log.error("the folder of skill %s could not be written: %s", skill.name, error)
            else:
                done.append(skill)
        return done

    async def reconcile(self, *, at: datetime) -> list[SkillError]:
        """Take in what was edited by hand, finish what a crash left; what could not be read.

        A copy that reads as we last wrote it is ours and follows the library; any other text is
        the user's and becomes the next version. A folder that is gone was deleted by the user,
        unless the room around it is gone, too: that is a loss, and it is written again.
        """
        async with self._changing:
            return await self._reconcile(at)

    async def _reconcile(self, at: datetime) -> list[SkillError]:
        written = self._written()
        found, wrong = await asyncio.to_thread(self._look)
        broken = {item.key for item in wrong}
        deleted = {key for key in written if self.folders.was_deleted(key)}
        for key in written.keys() - found.keys() - broken - deleted:
            if self.folders.folder(key).exists():  # an editor may be about to write it
                wrong.append(Unreadable(key=key, error=_without_file(self.folders.folder(key))))
                broken.add(key)

        def plan(library: Library) -> list[Skill]:
            return hand_edits(library, written, found, deleted=deleted)

        changed = plan(self.library())
        for skill in changed:
            if skill.status is not SkillStatus.ARCHIVED:
                await asyncio.to_thread(self.folders.keep_bytes, found[skill.key].data)
        if changed:
            names = ", ".join(sorted(skill.name for skill in changed))
            await self._change(
                plan, kind=ChangeKind.HAND_EDIT, detail=f"edited by hand: {names}", at=at
            )
            written = self._written()
        behind = [
            skill
            for key, skill in self.library().skills.items()
            if key not in broken and _lags(skill, found.get(key), written.get(key))
        ]
        if behind:
            await self._follow(behind)
        return [item.error for item in wrong]

    def _look(self) -> tuple[dict[SkillKey, Found], list[Unreadable]]:
        found: dict[SkillKey, Found] = {}
        wrong: list[Unreadable] = []
        for item in self.folders.found():
            if isinstance(item, Unreadable):
                wrong.append(item)
            else:
                found[item.key] = item
        return found, wrong

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
    deleted: set[SkillKey],
) -> list[Skill]:
    """The skills that a person changed on disk since we last wrote there."""
    changed: list[Skill] = []
    for key, item in found.items():
        old = library.skills.get(key)
        stands = old is not None and old.status is not SkillStatus.ARCHIVED
        if item.sha256 == written.get(key) or (stands and old and item.sha256 == old.sha256):
            continue
        text = parse(item.data, where=key.name)
        new = new_skill(text, item.sha256, client=key.client, pinned=False)
        changed.append(rewritten(old, new))
    for key in sorted(deleted):
        skill = library.skills.get(key)
        if skill is not None and skill.status is not SkillStatus.ARCHIVED:
            changed.append(replace(skill, status=SkillStatus.ARCHIVED, pinned=False))
    return changed


def _lags(skill: Skill, found: Found | None, written: str | None) -> bool:
    """True when the working copy, or what we remember of it, is not as the library says."""
    if skill.status is SkillStatus.ARCHIVED:
        return written is not None
    return found is None or found.sha256 != skill.sha256 or written != skill.sha256


Use = tuple[str, SkillKey, str]
"""(who asked, the skill, when)"""


def _write_uses(connection: sqlite3.Connection, uses: Sequence[Use]) -> None:
    counts = Counter((by, key) for by, key, _ in uses)
    last = {(by, key): at for by, key, at in uses}
    rows = [(by, *key, counts[by, key], at) for (by, key), at in last.items()]
    again = (
        "ON CONFLICT (asker, client, name)"
        " DO UPDATE SET uses = uses + excluded.uses, last = excluded.last"
    )
    insert(connection, "skill_uses (asker, client, name, uses, last)", rows, again)


def _without_file(folder: Path) -> SkillError:
    return SkillError(
        f"{folder} holds no SKILL.md.",
        hint="Put the file back, or remove the folder to delete the skill.",
    )


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
        scope=scope_of(text),
    )
