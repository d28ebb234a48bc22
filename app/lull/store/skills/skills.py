"""Changes the skill library in the database: its numbered versions (generations), each skill's
state in each of them, and how often a skill was used.

A change is one transaction on top of version files already on disk; the working copies are updated
after it. `reconcile` finishes at the next start what a crash interrupted. Unapproved working copies
are never used.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from lull.core.chat.trajectory import InjectedSkill
from lull.core.errors import LullError, SkillError, StoreError
from lull.core.skills.skill import (
    ChangeKind,
    Library,
    Skill,
    SkillKey,
    SkillStatus,
    SkillText,
    scope_of,
)
from lull.store.skills.imported_files import ImportedFiles
from lull.store.skills.library_reader import LibraryReader
from lull.store.skills.proof_records import record_earlier_proofs, record_proof
from lull.store.skills.skill_folders import SkillFolders, UnreadableSkill, WorkingCopy
from lull.store.skills.skill_repair import check_and_repair, put_right_error
from lull.store.skills.skill_seals import create_seals, remove_planted, seal
from lull.store.sqlite.database import Database
from lull.store.sqlite.writer import insert

log = logging.getLogger(__name__)

Plan = Callable[[Library], Sequence[Skill]]
"""Function from the current library to the skills that change; runs on the writer's thread."""
Also = Callable[[sqlite3.Connection, int], None]
"""Callback that writes further rows in the transaction that makes a generation."""


class Skills(LibraryReader):
    """Reads and writes the tables of the skill library: its numbered versions (generations), skill
    states, folders and how often each skill was used.
    """

    def __init__(self, database: Database, folders: SkillFolders) -> None:
        super().__init__(database, folders)
        self.imported = ImportedFiles(folders)
        database.submit(create_seals).result()
        record_earlier_proofs(database, folders.kept_proofs)
        self.strange: tuple[WorkingCopy, ...] = ()
        """Working copies with unapproved text, from the last scan. They are never put into prompts
        and stay as they are until the user decides."""
        # A change and a folder scan must not see each other's intermediate state.
        self._changing = asyncio.Lock()
        self._uses = database.inbox(_write_uses)

    # Writing

    def count_uses(self, keys: Iterable[SkillKey], *, by: str, at: datetime) -> None:
        """Count one more use of each of these skills by a client; the database is written later,
        without waiting.
        """
        self._uses.put((by, tuple(keys), at.isoformat()))

    async def change(
        self,
        plan: Plan,
        *,
        kind: ChangeKind,
        detail: str,
        at: datetime,
        also: Also | None = None,
    ) -> tuple[Library, list[Skill]]:
        """Apply a plan (a function from the library to its changed skills) as the next generation
        of the skill library.

        Return the new library and the changed skills. The version files must already be on disk.
        `also` writes further rows in the same transaction. Raises what the plan raises.
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
            for skill in changed:
                self._check_whole(skill)
            number = library.generation + 1
            remove_planted(connection, library.generation)
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
            seal(connection, number)
            if also is not None:
                also(connection, number)
            after = library.after(changed)
            return after, [after.skills[skill.key] for skill in changed]

        library, changed = await self._db.write_synced(work)
        await self._follow(changed)
        return library, changed

    def _check_whole(self, skill: Skill) -> None:
        """Raise StoreError if an active skill's text is not the approved one."""
        in_force = skill.status is SkillStatus.ACTIVE
        if in_force and not (skill.body and self.folders.ensure_intact(skill.sha256, skill.key)):
            raise StoreError(
                f"The text of '{skill.name}' v{skill.version} is not what was approved: its file"
                " or its record was changed or is lost.",
                hint="Nothing was changed. Another version of it, or a new text, can be used.",
            )

    async def record_proof(self, sha256: str, data: bytes) -> None:
        """Record a proof document of a skill's text, which is about to be stored, as Lull's own."""
        await record_proof(self._db, sha256, data)

    async def check_and_repair(self) -> list[LullError]:
        """Compare every skill's stored text and state with what was approved, and repair what can
        be repaired.

        Returns errors for the rest.
        """
        return await check_and_repair(self._db, self.folders)

    async def put_right_error(self) -> LullError | None:
        """Return the error that tells the user, once, which skills' rows other programs changed and
        were put right since the last call; None if there are none.
        """
        return await put_right_error(self._db)

    async def _follow(self, changed: Sequence[Skill]) -> None:
        """Write the changed skills to their working copies and record that.

        A copy that cannot be written is not recorded, so `reconcile` tries again.
        """
        done = await asyncio.to_thread(self._written_out, changed)
        marks = [(s.client, s.name, s.sha256) for s in done if s.status is not SkillStatus.ARCHIVED]
        gone = [(s.client, s.name) for s in done if s.status is SkillStatus.ARCHIVED]

        def work(connection: sqlite3.Connection) -> None:
            connection.executemany("INSERT OR REPLACE INTO skill_folders VALUES (?, ?, ?)", marks)
            connection.executemany("DELETE FROM skill_folders WHERE client = ? AND name = ?", gone)

        await self._db.write_synced(work)

    def _written_out(self, changed: Sequence[Skill]) -> list[Skill]:
        done = []
        for skill in changed:
            try:
                if skill.status is SkillStatus.ARCHIVED:
                    self.folders.move_to_archive(skill.key)
                else:
                    self.folders.check_out(skill.key, skill.sha256)
            except (OSError, StoreError) as error:
                log.error("the folder of skill %s could not be written: %s", skill.name, error)
            else:
                done.append(skill)
        return done

    async def reconcile(self, *, at: datetime) -> list[SkillError]:
        """Compare the skill folders with the library and finish what a crash interrupted.

        Return errors for what could not be read. A working copy with the text that Lull last wrote
        is updated to the library's; one with any other text goes into the attribute `strange`,
        until the user decides. A missing folder counts as deleted by the user, unless the whole
        folder of its client is gone: then it is written again. If the database was lost or damaged,
        no skill text is used: only the database knew which were approved.
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
                wrong.append(
                    UnreadableSkill(key=key, error=_without_file(self.folders.folder(key)))
                )
                broken.add(key)

        def plan(library: Library) -> list[Skill]:
            return list(archived_if_deleted(library, deleted))

        changed = plan(self.library())
        if changed:
            names = ", ".join(sorted(skill.name for skill in changed))
            detail = f"removed by hand: {names}"
            await self._change(plan, kind=ChangeKind.HAND_EDIT, detail=detail, at=at)
            written = self._written()
        library = self.library()
        unknown = unapproved_copies(library, written, found)
        self.strange = tuple(unknown.values())
        behind = [
            skill
            for key, skill in library.skills.items()
            if key not in broken
            and key not in unknown
            and _lags(skill, found.get(key), written.get(key))
        ]
        if behind:
            await self._follow(behind)
        return [item.error for item in wrong]

    async def put_back(self, key: SkillKey) -> None:
        """Overwrite a skill's working copy (SKILL.md) with the library's approved text; an
        unapproved text there is archived first.

        If the library does not have the skill, its whole folder is moved to the archive.
        """
        async with self._changing:
            skill = self.library().skills.get(key)
            if skill is not None and skill.status is not SkillStatus.ARCHIVED:
                await self._follow([skill])
            else:
                await asyncio.to_thread(self.folders.move_to_archive, key)

    def _look(self) -> tuple[dict[SkillKey, WorkingCopy], list[UnreadableSkill]]:
        found: dict[SkillKey, WorkingCopy] = {}
        wrong: list[UnreadableSkill] = []
        for item in self.folders.working_copies():
            if isinstance(item, UnreadableSkill):
                wrong.append(item)
            else:
                found[item.key] = item
        return found, wrong

    def _written(self) -> dict[SkillKey, str]:
        rows = self._db.read(
            lambda connection: connection.execute("SELECT * FROM skill_folders").fetchall()
        )
        return {SkillKey(row["client"], row["name"]): row["sha256"] for row in rows}


def unapproved_copies(
    library: Library, written: Mapping[SkillKey, str], found: Mapping[SkillKey, WorkingCopy]
) -> dict[SkillKey, WorkingCopy]:
    """Return the working copies (SKILL.md files) with an unapproved text, which somebody other than
    Lull wrote: it is neither the library's nor the last text that Lull wrote.
    """
    unknown = {}
    for key, item in found.items():
        old = library.skills.get(key)
        stands = old is not None and old.status is not SkillStatus.ARCHIVED
        if item.sha256 != written.get(key) and not (stands and old and item.sha256 == old.sha256):
            unknown[key] = item
    return unknown


def archived_if_deleted(library: Library, deleted: set[SkillKey]) -> list[Skill]:
    """Return the skills whose folders were deleted from disk, as values with the status archived;
    nothing is stored.
    """
    gone = (library.skills.get(key) for key in sorted(deleted))
    return [
        replace(skill, status=SkillStatus.ARCHIVED, pinned=False)
        for skill in gone
        if skill is not None and skill.status is not SkillStatus.ARCHIVED
    ]


def _lags(skill: Skill, found: WorkingCopy | None, written: str | None) -> bool:
    """Return whether the working copy, or the record of it, differs from the library."""
    if skill.status is SkillStatus.ARCHIVED:
        return written is not None
    return found is None or found.sha256 != skill.sha256 or written != skill.sha256


Use = tuple[str, tuple[SkillKey, ...], str]
"""One use of skills: (asking client, skills, time)."""


def _write_uses(connection: sqlite3.Connection, uses: Sequence[Use]) -> None:
    counts = Counter((by, key) for by, keys, _ in uses for key in keys)
    last = {(by, key): at for by, keys, at in uses for key in keys}
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
    """Return what a turn records of a skill that was put into its prompt."""
    return InjectedSkill(name=skill.name, version=skill.version, sha256=skill.sha256)


def new_skill(text: SkillText, sha256: str, *, client: str, pinned: bool) -> Skill:
    """Build a `Skill` object with this text, not stored yet; the library assigns its version
    number.
    """
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
