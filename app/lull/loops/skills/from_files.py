"""Makes proposals of skill files that were imported, edited on disk or put into the library's
folder.

Any program could have written a file, so its text is screened as foreign text and stays in
quarantine (not used anywhere) until the user approves its exact bytes; before that it goes into no
prompt, to no replay and to no writer. Secrets in it are replaced by placeholders before it is
stored, so those bytes are the redacted ones. Only skills that ship with Lull are active at once. If
the user rejects a file's text, the file is restored to the library's text.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lull.core.errors import LullError, NotFound
from lull.core.ports import Clock, Ids
from lull.core.proof.proposal import Proposal, ProposalKind, ProposalOrigin, ProposalStatus
from lull.core.provenance.redaction import redact_skill
from lull.core.provenance.screening import screen_file
from lull.core.skills.skill import (
    Skill,
    SkillKey,
    SkillStatus,
    SkillText,
    check_client,
    check_distinct_names,
    scope_of,
)
from lull.core.skills.skill_secrets import name_without_secrets
from lull.loops.skills.propose import flags_of, traces_of
from lull.store.disk.on_disk import is_same_folder
from lull.store.proof.proposals import Proposals
from lull.store.skills.copied_files import CopiedFiles
from lull.store.skills.skill_files import (
    check_beside,
    files_beside,
    read_skill_file,
    secret_beside,
    skill_files_below,
)
from lull.store.skills.skill_folders import WorkingCopy
from lull.store.skills.skill_md import parse, render
from lull.store.skills.skills import Skills

log = logging.getLogger(__name__)

WHY = "it comes from a file, and nobody has approved it yet"
SHOWN_BESIDE = 5
"""How many names of other files in an imported skill folder are shown at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportResult:
    """The result of importing skill files: the proposals made of them, and the skills that were
    unchanged.
    """

    proposals: tuple[Proposal, ...] = ()
    unchanged: tuple[str, ...] = ()
    """Names of skills that already had the same text."""


class FromFiles:
    """Turns skill files into proposals (candidate skills that wait for the user's approval)."""

    def __init__(
        self,
        skills: Skills,
        proposals: Proposals,
        *,
        clock: Clock,
        ids: Ids,
        tell: Callable[[Proposal], None] = lambda _: None,
    ) -> None:
        """The callback `tell` is called with each new proposal."""
        self._skills = skills
        self._proposals = proposals
        self._clock = clock
        self._ids = ids
        self._tell = tell
        self._one = asyncio.Lock()
        self._installed = False
        """Whether it was looked for additional files whose move a kill cut off."""

    async def propose_files(self, strange: Sequence[WorkingCopy]) -> None:
        """Make a proposal for each of these skill files, whose text was never approved; restore a
        file whose text the user has rejected.
        """
        async with self._one:
            if not self._installed:  # at the start, when no approval moves any
                await asyncio.to_thread(self._install_left)
                self._installed = True
            for item in strange:
                about = [
                    p
                    for p in self._of_file(item.key, item.sha256)
                    if p.base_sha256 == self._base(item.key)  # else it was about another change
                ]
                if any(p.open and p.status is not ProposalStatus.STALE for p in about):
                    continue
                if about and about[0].status is ProposalStatus.REJECTED:
                    log.info("the file of skill %s was turned down: put back", item.key.name)
                    await self._skills.put_back(item.key)
                    continue
                beside = self._skills.folders.folder(item.key)
                await self._propose(item.key, item.data, beside, from_folder=True)

    def _install_left(self) -> None:
        """Install the additional files that still wait although their skill's text was approved and
        is in force, or was copied to another chat app: a kill came in between. Remove those of
        rejected texts: until here the rejection could be undone with them.
        """
        copies, imported = CopiedFiles(self._skills.folders), self._skills.imported
        for key in copies.held():
            try:
                if self._standing(key) is None:
                    copies.drop(key)
                else:
                    copies.install(key)
            except LullError as error:
                log.info("files of the copy %s stay where they wait: %s", key.name, error)
        for name in imported.held():
            try:
                proposal = self._proposals.get(name)
                if proposal.status is ProposalStatus.REJECTED:
                    imported.drop(name)
                if proposal.status is not ProposalStatus.APPROVED:
                    continue
                skill = self._standing(proposal.key)
                if skill is not None and skill.sha256 == proposal.sha256:
                    imported.install(proposal.id, proposal.key)
            except NotFound:
                # A kill cut the import off. Of an emptied database nothing is thrown away.
                if self._proposals.undecided(everything=True):
                    imported.remove(name)
            except LullError as error:
                log.info("files that wait for %s stay there: %s", name, error)

    async def bring_in(self, folder: Path, *, client: str = "") -> ImportResult:
        """Propose the skill in a folder, or all skills in a folder of skill folders. Nothing is
        proposed if one of them cannot be read, or a file beside one contains a secret.
        """
        check_client(client)
        files, texts = await asyncio.to_thread(_read, folder)
        check_distinct_names(texts)
        for file in files:
            await asyncio.to_thread(check_beside, file.parent)
        unchanged, made = [], []
        async with self._one:
            for text, file in zip(texts, files, strict=True):
                key, data = SkillKey(client, text.name), render(text)
                sha256 = hashlib.sha256(data).hexdigest()
                old = self._standing(key)
                if old is not None and old.sha256 == sha256:
                    unchanged.append(text.name)
                    continue
                waits = [
                    p
                    for p in self._of_file(key, sha256)
                    if p.open and p.base_sha256 == self._base(key)
                ]
                whole = [p for p in waits if not self._skills.imported.were_dropped(p.id)]
                if whole and whole[0].status is not ProposalStatus.STALE:
                    made.append(whole[0])
                    continue
                made.append(await self._propose(key, data, file.parent, from_folder=False))
        return ImportResult(proposals=tuple(made), unchanged=tuple(unchanged))

    async def _propose(
        self, key: SkillKey, data: bytes, folder: Path, *, from_folder: bool
    ) -> Proposal:
        read = parse(data, where=key.name)
        text, file_sha256 = redact_skill(read), hashlib.sha256(data).hexdigest()
        if text != read:
            data = render(text)
        old, now = self._standing(key), self._clock.now()
        names = [path.relative_to(folder).as_posix() for path in files_beside(folder)]
        beside = [name_without_secrets(name) for name in names]
        screening = screen_file(
            text,
            approved=self._approved(old),
            beside=beside[:SHOWN_BESIDE] if not old else (),
            secret_beside=await asyncio.to_thread(secret_beside, folder) if from_folder else "",
        )
        proposal = Proposal(
            id=self._ids.new("prop"),
            kind=ProposalKind.EDIT if old else ProposalKind.NEW,
            key=key,
            base_sha256=old.sha256 if old else "",
            sha256=hashlib.sha256(data).hexdigest(),
            text=text,
            status=ProposalStatus.QUARANTINED,
            origin=ProposalOrigin.FILE,
            made_at=now,
            changed_at=now,
            scope=scope_of(text),
            flags=flags_of(screening),
            traces=traces_of(screening),
            mixed=True,
            reason=WHY,
            file_sha256=file_sha256,
        )
        gone = self._overtaken(key) if from_folder else []
        if not from_folder:  # before the proposal, which a kill would else leave without them
            await asyncio.to_thread(self._skills.imported.hold, proposal.id, folder)
        await self._proposals.add(proposal, data, gone=gone)
        log.info("proposal %s: a file of skill %s waits", proposal.id, key.name)
        self._tell(proposal)
        return proposal

    def _base(self, key: SkillKey) -> str:
        """Return the hash of the skill's current text, which a change of it replaces; "" for a new
        skill.
        """
        old = self._standing(key)
        return old.sha256 if old else ""

    def _of_file(self, key: SkillKey, sha256: str) -> list[Proposal]:
        """Proposals that were made of a file with exactly this hash, newest first."""
        every = (p for p in self._proposals.of_skill(key) if p.origin is ProposalOrigin.FILE)
        return [p for p in every if (p.file_sha256 or p.sha256) == sha256]

    def _overtaken(self, key: SkillKey) -> list[Proposal]:
        """Open proposals of earlier texts of an edited file, marked as stale."""
        return [
            replace(
                p,
                status=ProposalStatus.STALE,
                before=p.status,
                changed_at=self._clock.now(),
                reason="the file was edited again",
            )
            for p in self._proposals.of_skill(key)
            if p.origin is ProposalOrigin.FILE and p.open and p.status is not ProposalStatus.STALE
        ]

    def _standing(self, key: SkillKey) -> Skill | None:
        skill = self._skills.library().skills.get(key)
        return None if skill is None or skill.status is SkillStatus.ARCHIVED else skill

    def _approved(self, old: Skill | None) -> SkillText | None:
        if old is None:
            return None
        try:
            return self._skills.folders.text(old.sha256, old.key)
        except LullError:
            return None  # the approved text is lost, so there is nothing to compare with


def shipped(folder: Path, home: Path) -> list[SkillText] | None:
    """Return the texts of the skills in `folder` if it is `home`, the folder of the skills that
    ship with Lull; else None.
    """
    if not is_same_folder(folder, home):
        return None
    return _read(folder)[1]


def _read(folder: Path) -> tuple[list[Path], list[SkillText]]:
    """Read the skills in a folder: their files, and what each says. Blocking. Raises SkillError."""
    files = skill_files_below(folder)
    return files, [parse(read_skill_file(file), where=str(file)) for file in files]
