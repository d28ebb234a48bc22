"""Carries out changes to the user's skills (instruction texts); every approved change makes a new
generation (version) of the skill library.

A skill's file is written first, then one transaction makes generation g + 1, then the search index
is updated, so a crash leaves no half-done change. Changes that the user types come here at once;
proposals and files come here when they are approved.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from lull.core.errors import Conflict, NotFound, SkillError, StoreError
from lull.core.ports import Clock
from lull.core.skills.skill import (
    ChangeKind,
    Library,
    Skill,
    SkillKey,
    SkillStatus,
    SkillText,
    added,
    check_client,
    check_name,
    check_text,
    edited,
    rolled_back,
    switched,
)
from lull.core.skills.skill_secrets import check_no_secrets
from lull.loops.skills.from_files import FromFiles
from lull.store.disk.on_disk import is_there
from lull.store.disk.uninterrupted import uninterrupted
from lull.store.skills.copied_files import CopiedFiles
from lull.store.skills.skills import Also, Skills, new_skill


class PutsIntoUse(Protocol):
    """Interface that makes requests use a changed skill library."""

    async def put_into_use(self, library: Library) -> None:
        """Make requests use this skill library; the change is in force when it returns."""


def approved_skill(library: Library, new: Skill) -> Skill:
    """Return the active skill that a proposed skill becomes in the library when it is approved: a
    new skill, or the next version of the skill of the same name.
    """
    old = library.skills.get(new.key)
    if old is None or old.status is SkillStatus.ARCHIVED:
        return added(library, new)
    return replace(edited(library, new.key, new), status=SkillStatus.ACTIVE)


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillChange:
    """The result of changing the skill library: its new generation (version number) and the changed
    skills.
    """

    generation: int
    skills: tuple[Skill, ...]


class Approve:
    """Makes the user's changes to the skill library (the instruction texts that Lull adds to
    prompts).
    """

    def __init__(
        self,
        skills: Skills,
        clock: Clock,
        *,
        in_use: PutsIntoUse | None,
        files: FromFiles | None = None,
    ) -> None:
        """`in_use` is None where no service runs; without `files`, skill files that were edited and
        not approved are ignored, since no prompt gets them.
        """
        self._skills = skills
        self._clock = clock
        self._in_use = in_use
        self._files = files
        # One change at a time, so that the change approved last is in force.
        self._turn = asyncio.Lock()
        self._copying = asyncio.Lock()

    async def add(
        self, name: str, *, description: str, body: str, client: str = "", pinned: bool = False
    ) -> SkillChange:
        """Add a skill (an instruction text) in the user's own words to the library."""
        check_client(client)
        text = check_text(SkillText(name=name, description=description, body=body))
        check_no_secrets(text)
        await self.propose_file_edits()
        sha256 = await asyncio.to_thread(self._skills.folders.keep, text)
        new = new_skill(text, sha256, client=client, pinned=pinned)
        return await self._change(lambda s: [added(s, new)], ChangeKind.ADD, f"add {name}")

    async def edit(
        self, key: SkillKey, *, description: str | None = None, body: str | None = None
    ) -> SkillChange:
        """Change a skill's description (which requests it is for) or body (the instruction for the
        prompt); an argument of None leaves that part as it is.
        """
        await self.propose_file_edits()
        old = self._skills.library().get(key)
        text = self._skills.folders.text(old.sha256)
        text = check_text(
            replace(
                text,
                description=text.description if description is None else description,
                body=text.body if body is None else body,
            )
        )
        check_no_secrets(text)
        sha256 = await asyncio.to_thread(self._skills.folders.keep, text)
        new = new_skill(text, sha256, client=key.client, pinned=False)
        plan = self._unchanged_since(old, lambda s: [edited(s, key, new)])
        return await self._change(plan, ChangeKind.EDIT, f"edit {key.name}")

    @staticmethod
    def _unchanged_since(
        old: Skill, plan: Callable[[Library], Sequence[Skill]]
    ) -> Callable[[Library], Sequence[Skill]]:
        def checked(library: Library) -> Sequence[Skill]:
            if library.get(old.key).sha256 != old.sha256:
                raise Conflict(f"'{old.name}' changed meanwhile.", hint="Look at it and try again.")
            return plan(library)

        return checked

    async def switch(self, key: SkillKey, change: ChangeKind) -> SkillChange:
        """Pin a skill (put it into every prompt, as far as there is room), unpin, disable, enable
        or delete (archive) it.
        """
        await self.propose_file_edits()
        return await self._change(
            lambda s: [switched(s, key, change)], change, f"{change.value} {key.name}"
        )

    async def copy(self, key: SkillKey, *, to: str) -> SkillChange:
        """Copy a skill to the library of another client (a chat program), or, for "", to the
        library that clients share; a client gets another one's skills in no other way.
        """
        check_client(to)
        await self.propose_file_edits()
        old = self._skills.library().get(key)
        if old.status is SkillStatus.ARCHIVED:
            raise Conflict(
                f"'{key.name}' was deleted.",
                hint="Add it again, or go back to an earlier generation.",
            )
        new = replace(old, client=to, pinned=False, status=SkillStatus.ACTIVE)
        detail = f"copy {key.name} to {to or 'everybody'}"
        files = CopiedFiles(self._skills.folders)
        await self.check_extra_files(key)

        async def copied() -> SkillChange:
            added(self._skills.library(), new)  # its files wait only if it is not there yet
            return await files.taken_along(
                key,
                new.key,
                lambda: self._change(lambda s: [added(s, new)], ChangeKind.ADD, detail),
            )

        async with self._copying:
            return await uninterrupted(copied())

    async def roll_back(self, generation: int | None = None) -> SkillChange:
        """Restore the skill library of a generation (version number), by default the one before.

        A rollback makes a new generation, so rolling back twice undoes the rollback.
        """
        await self.propose_file_edits()
        now = self._skills.library()
        if generation is None:
            generation = now.generation - 1
        if generation < 0:
            raise NotFound("There is no generation before this one.", hint="Nothing was changed.")
        then = self._skills.library(generation)

        def plan(library: Library) -> Sequence[Skill]:
            if library.generation != now.generation:
                raise Conflict("The library changed meanwhile.", hint="Look at it and try again.")
            changes = rolled_back(library, then)
            if not changes:
                raise Conflict(
                    f"The library is already the same as in generation {generation}.",
                    hint="`lull skills history` shows the generations.",
                )
            return changes

        detail = f"roll back to generation {generation}"
        return await self._change(plan, ChangeKind.ROLLBACK, detail)

    async def bring_in_shipped(
        self, texts: Sequence[SkillText], *, client: str = ""
    ) -> SkillChange:
        """Add the skills that ship with Lull to the library, as one change; those already there
        with the same text stay.
        """
        check_client(client)
        await self.propose_file_edits()
        new: list[Skill] = []
        for text in texts:
            sha256 = await asyncio.to_thread(self._skills.folders.keep, text)
            new.append(new_skill(text, sha256, client=client, pinned=False))

        def plan(library: Library) -> Sequence[Skill]:
            changes = []
            for skill in new:
                old = library.skills.get(skill.key)
                if old is None or old.status is SkillStatus.ARCHIVED:
                    changes.append(added(library, skill))
                elif old.sha256 != skill.sha256:
                    changes.append(edited(library, skill.key, skill))
            return changes

        return await self._change(plan, ChangeKind.IMPORT, f"import {len(new)} that Lull ships")

    async def export_skills(
        self, folder: Path, *, names: Sequence[str], client: str = ""
    ) -> list[Path]:
        """Export skills as folders below `folder`, for use by other tools; return these folders.

        If one of them exists, Conflict is raised before anything is written, and SkillError if a
        file beside a skill contains a secret.
        """
        library = self._skills.library()
        distinct = dict.fromkeys(names)
        chosen = [library.get(SkillKey(client, check_name(name))) for name in distinct] or [
            skill
            for skill in library.skills.values()
            if skill.client == client and skill.status is SkillStatus.ACTIVE
        ]
        if not chosen:
            raise NotFound(
                "There is no active skill to export.", hint="`lull skills list` shows the skills."
            )
        targets = [(skill, folder / skill.name) for skill in chosen]
        taken = [str(target) for _, target in targets if is_there(target)]
        if taken:
            raise Conflict(f"{taken[0]} is there already.", hint="Export to an empty folder.")
        for skill in chosen:
            await self.check_extra_files(skill.key)
        for skill, target in targets:
            try:
                await asyncio.to_thread(
                    self._skills.folders.copy_out, skill.key, skill.sha256, target
                )
            except OSError as error:
                raise SkillError(
                    f"{target}: {error.strerror}.", hint="Export to a folder you may write to."
                ) from error
        return [target for _, target in targets]

    async def propose_file_edits(self) -> list[SkillError]:
        """Make proposals of skill files that were edited by hand; return errors for files that
        could not be read.

        So the edits wait for the user's approval, and no later change overwrites a text that nobody
        has seen.
        """
        async with self._turn:
            wrong = await uninterrupted(self._reconciled())
            if self._files is not None:
                await self._files.propose_files(self._skills.strange)
        return wrong

    async def _reconciled(self) -> list[SkillError]:
        before = self._skills.library().generation
        wrong = await self._skills.reconcile(at=self._clock.now())
        library = self._skills.library()
        if library.generation != before:
            await self._put_into_use(library)
        return wrong

    async def activate(
        self,
        text: SkillText,
        key: SkillKey,
        *,
        data: bytes,
        sha256: str,
        check: Callable[[Library], None],
        evidence: bytes,
        also: Also,
    ) -> SkillChange:
        """Make an approved proposal an active skill: a new skill, or a new version of an existing
        skill.

        `data` are the skill file's exact bytes, `sha256` is their hash, and `text` is what they
        say. `evidence` is the proof's document, stored with the skill. `check` gets the library
        within the transaction and raises if the change must not be made. `also` writes the user's
        decision in the same transaction.
        """
        await self.propose_file_edits()
        if (lies := hashlib.sha256(data).hexdigest()) != sha256:
            raise StoreError(
                f"The text of '{key.name}' is not the one that was read: its sha256 is {lies}.",
                hint="Reject it. Nothing was changed.",
            )
        check_no_secrets(text)
        check(self._skills.library())  # before any of its bytes are kept
        await asyncio.to_thread(self._skills.folders.keep_bytes, data)
        if evidence:
            await self._skills.record_proof(sha256, evidence)
            await asyncio.to_thread(self._skills.folders.keep_evidence, sha256, evidence)
        new = new_skill(text, sha256, client=key.client, pinned=False)

        def plan(library: Library) -> Sequence[Skill]:
            check(library)
            return [approved_skill(library, new)]

        return await self._change(plan, ChangeKind.APPROVE, f"approve {key.name}", also)

    async def check_extra_files(self, key: SkillKey, proposal: str = "") -> None:
        """Raise SkillError if an additional file of a skill, or one that waits with its proposal,
        contains a password or a key; Conflict if those that waited were removed.
        """
        await asyncio.to_thread(self._skills.imported.check, key, proposal)

    async def move_extra_files(self, proposal: str, key: SkillKey) -> None:
        """Move the additional files of an imported skill, which waited with its proposal, into the
        folder of the approved skill.
        """
        await asyncio.to_thread(self._skills.imported.install, proposal, key)

    async def retire(self, key: SkillKey, *, why: str, also: Also | None = None) -> SkillChange:
        """Disable a skill, so that no prompt gets it; its text stays, and `enable` restores it."""
        await self.propose_file_edits()

        def plan(library: Library) -> Sequence[Skill]:
            return [switched(library, key, ChangeKind.DISABLE)]

        return await self._change(plan, ChangeKind.RETIRE, f"retire {key.name}: {why}", also)

    async def undo_change(self, key: SkillKey, *, generation: int, also: Also) -> SkillChange:
        """Undo the change that a generation (version number) of the library made to a skill, and
        keep all other changes.

        `also` writes more in the same transaction. Raises Conflict if the skill has changed again
        since.
        """
        await self.propose_file_edits()
        then = self._skills.library(generation - 1)

        def plan(library: Library) -> Sequence[Skill]:
            now = library.get(key)
            if now.since != generation:
                raise Conflict(
                    f"'{key.name}' changed after that.",
                    hint="`lull skills rollback` goes back to a whole generation.",
                )
            before = then.skills.get(key)
            if before is None:
                before = replace(now, status=SkillStatus.ARCHIVED, pinned=False)
            return [before]

        return await self._change(plan, ChangeKind.UNDO, f"take back {key.name}", also)

    async def restore_texts(self, texts: Mapping[SkillKey, str | None], *, why: str) -> SkillChange:
        """Restore an earlier text of each of these skills, as one change of the library. `texts`
        gives that text's sha256 by skill; None archives the skill.
        """
        await self.propose_file_edits()

        def plan(library: Library) -> Sequence[Skill]:
            changes = []
            for key, sha256 in texts.items():
                old = library.get(key)
                if sha256 is None:
                    if old.status is not SkillStatus.ARCHIVED:
                        changes.append(replace(old, status=SkillStatus.ARCHIVED, pinned=False))
                elif old.sha256 != sha256:
                    text = self._skills.folders.text(sha256, key)
                    new = new_skill(text, sha256, client=key.client, pinned=old.pinned)
                    changes.append(edited(library, key, new))
            return changes

        return await self._change(plan, ChangeKind.ROLLBACK, f"set back: {why}")

    async def follow(self) -> None:
        """Reload the skill library from the database, so that new requests use it as it is stored
        now.
        """
        async with self._turn:
            await self._put_into_use(await asyncio.to_thread(self._skills.library))

    async def _put_into_use(self, library: Library) -> None:
        if self._in_use is not None:
            await self._in_use.put_into_use(library)

    async def _change(
        self,
        plan: Callable[[Library], Sequence[Skill]],
        kind: ChangeKind,
        detail: str,
        also: Also | None = None,
    ) -> SkillChange:
        """Make a change and put it in force; a caller that is cancelled does not stop this."""

        async def made() -> SkillChange:
            library, changed = await self._skills.change(
                plan, kind=kind, detail=detail, at=self._clock.now(), also=also
            )
            await self._put_into_use(library)
            return SkillChange(generation=library.generation, skills=tuple(changed))

        async with self._turn:
            return await uninterrupted(made())
