"""The test's own book of which skills are in force, worked out from decisions and never from the
store.

Each change is computed here from the library before it, by the product's own rules ("deleting
archives", "an approval puts these bytes in force"); the real library must then read the same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache

from lull.core.chat.client import Client
from lull.core.proof.proposal import Proposal, ProposalKind
from lull.core.skills.skill import ChangeKind, Library, SkillKey, SkillStatus, SkillText
from lull.store.skills.skill_md import parse, render


@dataclass(frozen=True, slots=True, kw_only=True)
class Stands:
    """One skill as it is in one generation."""

    data: bytes
    version: int
    status: SkillStatus = SkillStatus.ACTIVE
    pinned: bool = False

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.data).hexdigest()

    @property
    def text(self) -> SkillText:
        return _read(self.data)

    @property
    def active(self) -> bool:
        return self.status is SkillStatus.ACTIVE


@cache
def _read(data: bytes) -> SkillText:
    return parse(data, where="the book")


Page = Mapping[SkillKey, Stands]
"""The library in one generation."""


@dataclass(slots=True)
class Book:
    pages: list[Page] = field(default_factory=lambda: [{}])
    """The library in each generation, from generation 0 on."""

    @property
    def generation(self) -> int:
        return len(self.pages) - 1

    @property
    def page(self) -> Page:
        return self.pages[-1]

    def turn(self, page: Page) -> None:
        self.pages.append(dict(page))

    def bodies(self) -> dict[str, str]:
        """The body of every text that was ever in force, by its sha256."""
        return {s.sha256: s.text.body for page in self.pages for s in page.values()}

    def overtook(self, proposal: Proposal) -> bool:
        """Whether the proposal's skill has gone or changed since, or, if new, exists already."""
        now = self.page.get(proposal.key)
        there = now is not None and now.status is not SkillStatus.ARCHIVED
        if proposal.kind is ProposalKind.NEW:
            return there
        return now is None or not there or now.sha256 != proposal.base_sha256

    # What the next page says

    def add(self, key: SkillKey, text: SkillText, *, pinned: bool) -> Page:
        return self._with(key, self._next(key, render(text), pinned=pinned))

    def edit(self, key: SkillKey, body: str) -> Page:
        old = self.page.get(key)
        if old is None:
            return self.page
        data = render(replace(old.text, body=body))
        return self._with(key, replace(old, data=data, version=self._version(key)))

    def switch(self, key: SkillKey, change: ChangeKind) -> Page:
        old = self.page.get(key)
        if old is None:
            return self.page
        new = {
            ChangeKind.PIN: replace(old, pinned=True),
            ChangeKind.UNPIN: replace(old, pinned=False),
            ChangeKind.DISABLE: replace(old, status=SkillStatus.DISABLED),
            ChangeKind.ENABLE: replace(old, status=SkillStatus.ACTIVE),
            ChangeKind.DELETE: archived(old),
        }
        return self._with(key, new[change])

    def copy(self, key: SkillKey, to: str) -> Page:
        old = self.page.get(key)
        if old is None:
            return self.page
        other = SkillKey(to, key.name)
        return self._with(other, self._next(other, old.data))

    def roll_back(self, generation: int) -> Page:
        then = self.pages[generation] if generation < len(self.pages) else {}
        return {key: then.get(key, archived(now)) for key, now in self.page.items()}

    def approve(self, proposal: Proposal, data: bytes) -> Page:
        old = self.page.get(proposal.key)
        if proposal.kind is ProposalKind.RETIRE:
            return self.switch(proposal.key, ChangeKind.DISABLE)
        kept = old is not None and old.status is not SkillStatus.ARCHIVED and old.pinned
        return self._with(proposal.key, self._next(proposal.key, data, pinned=kept))

    def take_back(self, key: SkillKey, generation: int) -> Page:
        before = self.pages[generation - 1].get(key)
        return self._with(key, before if before is not None else archived(self.page[key]))

    def _with(self, key: SkillKey, stands: Stands) -> Page:
        return {**self.page, key: stands}

    def _next(self, key: SkillKey, data: bytes, *, pinned: bool = False) -> Stands:
        return Stands(data=data, version=self._version(key), pinned=pinned)

    def _version(self, key: SkillKey) -> int:
        """The next version number of a skill; a number never stands for two texts."""
        return 1 + max((page[key].version for page in self.pages if key in page), default=0)


def archived(stands: Stands) -> Stands:
    return replace(stands, status=SkillStatus.ARCHIVED, pinned=False)


def visible(page: Page, client: Client) -> dict[SkillKey, Stands]:
    """The skills that may reach this client's prompts: its own when it is kept apart, else
    everybody's, whatever name the program gives itself.
    """
    room = client.name if client.apart else ""
    return {k: s for k, s in page.items() if k.client == room and s.active}


def same(page: Page, library: Library) -> bool:
    """Whether the real library equals this page of the book."""
    real = {
        key: (s.sha256, s.version, s.status, s.pinned, s.body) for key, s in library.skills.items()
    }
    return real == {
        key: (s.sha256, s.version, s.status, s.pinned, s.text.body) for key, s in page.items()
    }
