"""From the user's word to a skill in force: every approved change is one new generation.

The version file is written first, then one transaction makes g + 1, then the index follows. A
crash in between leaves nothing half-done. What the user changes by hand comes this way too; what
Lull proposes will end here when it is approved.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lull.core.errors import Conflict, NotFound, SkillError, StoreError
from lull.core.ports import Clock
from lull.core.skill import (
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
    distinct_names,
    edited,
    rolled_back,
    switched,
)
from lull.store.skill_folders import read_skill_file, skill_files_below
from lull.store.skill_md import parse
from lull.store.skills import Also, Skills, new_skill

Follower = Callable[[Library], Awaitable[None]]
"""Makes a new library the one that answers; when it returns, the change is in force."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    generation: int
    skills: tuple[Skill, ...]
    unchanged: tuple[str, ...] = ()
    """Names of an import that were there already, word for word."""


class Approve:
    """The user's changes to the library S."""

    def __init__(self, skills: Skills, clock: Clock, *, follower: Follower) -> None:
        self._skills = skills
        self._clock = clock
        self._follower = follower
        # One change after the other, so that the one approved last is the one in force.
        self._turn = asyncio.Lock()

    async def add(
        self, name: str, *, description: str, body: str, client: str = "", pinned: bool = False
    ) -> Changed:
        check_client(client)
        text = check_text(SkillText(name=name, description=description, body=body))
        await self._take_in()
        sha256 = await asyncio.to_thread(self._skills.folders.keep, text)
        new = new_skill(text, sha256, client=client, pinned=pinned)
        return await self._change(lambda s: [added(s, new)], ChangeKind.ADD, f"add {name}")

    async def edit(
        self, key: SkillKey, *, description: str | None = None, body: str | None = None
    ) -> Changed:
        """Change the text; what is not given stays."""
        await self._take_in()
        old = self._skills.library().get(key)
        text = self._skills.folders.text(old.sha256)
        text = check_text(
            replace(
                text,
                description=text.description if description is None else description,
                body=text.body if body is None else body,
            )
        )
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

    async def switch(self, key: SkillKey, change: ChangeKind) -> Changed:
        """Pin, unpin, disable, enable or delete (to the archive)."""
        await self._take_in()
        return await self._change(
            lambda s: [switched(s, key, change)], change, f"{change.value} {key.name}"
        )

    async def copy(self, key: SkillKey, *, to: str) -> Changed:
        """Share a skill with another client: the only way one client's reaches another."""
        check_client(to)
        await self._take_in()
        old = self._skills.library().get(key)
        if old.status is SkillStatus.ARCHIVED:
            raise Conflict(f"'{key.name}' was deleted.", hint="Add it again, or roll back.")
        new = replace(old, client=to, pinned=False, status=SkillStatus.ACTIVE)
        whom = to or "everybody"
        detail = f"copy {key.name} to {whom}"
        changed = await self._change(lambda s: [added(s, new)], ChangeKind.ADD, detail)
        folders = self._skills.folders
        await asyncio.to_thread(folders.copy_in, new.key, folders.folder(key))
        return changed

    async def roll_back(self, generation: int | None = None) -> Changed:
        """Make the library read as it did in a generation, by default the one before.

        The one before a roll-back is what stood before it, so twice is there and back again.
        """
        await self._take_in()
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
                    f"The library already reads as in generation {generation}.",
                    hint="`lull skills history` shows the generations.",
                )
            return changes

        detail = f"roll back to generation {generation}"
        return await self._change(plan, ChangeKind.ROLLBACK, detail)

    async def bring_in(self, folder: Path, *, client: str = "") -> Changed:
        """Import a skill folder or a folder of them, as one change: all or none."""
        check_client(client)
        await self._take_in()
        files = await asyncio.to_thread(skill_files_below, folder)
        texts = [parse(read_skill_file(file), where=str(file)) for file in files]
        distinct_names(texts)
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

        changed = await self._change(plan, ChangeKind.IMPORT, f"import {len(new)} from {folder}")
        for skill, file in zip(new, files, strict=True):
            await asyncio.to_thread(self._skills.folders.copy_in, skill.key, file.parent)
        taken = {skill.key for skill in changed.skills}
        unchanged = tuple(skill.name for skill in new if skill.key not in taken)
        return replace(changed, unchanged=unchanged)

    async def take_out(self, folder: Path, *, names: Sequence[str], client: str = "") -> list[Path]:
        """Export skill folders. Raises Conflict before anything is written if one is there."""
        library = self._skills.library()
        distinct = dict.fromkeys(names)
        chosen = [library.get(SkillKey(client, check_name(name))) for name in distinct] or [
            skill
            for skill in library.skills.values()
            if skill.client == client and skill.status is SkillStatus.ACTIVE
        ]
        if not chosen:
            raise NotFound("There is no active skill to export.", hint="`lull skills list`.")
        targets = [(skill, folder / skill.name) for skill in chosen]
        taken = [str(target) for _, target in targets if os.path.lexists(target)]
        if taken:
            raise Conflict(f"{taken[0]} exists.", hint="Export to an empty folder.")
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

    async def _take_in(self) -> None:
        """What was edited by hand first becomes a generation of its own: a change must not write
        over a text that nobody has seen yet. What cannot be read is the service's to tell."""
        async with self._turn:
            before = self._skills.library().generation
            await self._skills.reconcile(at=self._clock.now())
            library = self._skills.library()
            if library.generation != before:
                await self._follower(library)

    async def propose_in(
        self,
        text: SkillText,
        key: SkillKey,
        *,
        sha256: str,
        check: Callable[[Library], None],
        evidence: bytes,
        also: Also,
    ) -> Changed:
        """An approved proposal: the exact bytes of this hash as a new skill or its next version.

        `check` sees the library in the very transaction and raises what speaks against it; what
        `also` writes (the decision) stands or falls with the generation.
        """
        await self._take_in()
        kept = await asyncio.to_thread(self._skills.folders.keep, text)
        if kept != sha256:
            raise StoreError(
                f"The text of '{key.name}' is not the one that was read: its sha256 is {kept}.",
                hint="Reject it. Nothing was changed.",
            )
        if evidence:
            await asyncio.to_thread(self._skills.folders.keep_evidence, sha256, evidence)
        new = new_skill(text, sha256, client=key.client, pinned=False)

        def plan(library: Library) -> Sequence[Skill]:
            check(library)
            old = library.skills.get(key)
            if old is None or old.status is SkillStatus.ARCHIVED:
                return [added(library, new)]
            return [replace(edited(library, key, new), status=SkillStatus.ACTIVE)]

        return await self._change(plan, ChangeKind.APPROVE, f"approve {key.name}", also)

    async def retire(self, key: SkillKey, *, why: str, also: Also | None = None) -> Changed:
        """Take a skill out of the prompts; its text stays, and `enable` brings it back."""
        await self._take_in()

        def plan(library: Library) -> Sequence[Skill]:
            return [switched(library, key, ChangeKind.DISABLE)]

        return await self._change(plan, ChangeKind.RETIRE, f"retire {key.name}: {why}", also)

    async def take_back(self, key: SkillKey, *, generation: int, also: Also) -> Changed:
        """Make one skill stand as before a generation, whatever else has changed since."""
        await self._take_in()
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

    async def set_back(self, texts: Mapping[SkillKey, str | None], *, why: str) -> Changed:
        """Make each of these read as this version, or go to the archive (None), in one change."""
        await self._take_in()

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
        """Make the library as it is stored the one that answers."""
        async with self._turn:
            await self._follower(await asyncio.to_thread(self._skills.library))

    async def _change(
        self,
        plan: Callable[[Library], Sequence[Skill]],
        kind: ChangeKind,
        detail: str,
        also: Also | None = None,
    ) -> Changed:
        async with self._turn:
            library, changed = await self._skills.change(
                plan, kind=kind, detail=detail, at=self._clock.now(), also=also
            )
            await self._follower(library)
        return Changed(generation=library.generation, skills=tuple(changed))
