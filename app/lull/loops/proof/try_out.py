"""Builds two prompts by which the user tries a proposed skill on any request: the prompt as it
would be sent today, and as it would be sent once the skill is approved.

Both are built by the code that serves real requests, which chooses skills by relevance, scope and
client. For the second prompt it gets the library as approval would make it, with an index of its
own. So the second prompt has the skill only if a real one would have it; but no skill is left out
at random to measure its effect. Nothing is stored.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass

from lull.core.adapters.model_facts import ModelFacts
from lull.core.chat.client import Client
from lull.core.chat.messages import ChatRequest
from lull.core.errors import Conflict
from lull.core.proof.proposal import (
    DECIDABLE,
    Proposal,
    ProposalKind,
    check_decidable,
    not_decidable,
)
from lull.core.skills.ports import LibraryInUse, SkillIndex
from lull.core.skills.prompt_block import Injection
from lull.core.skills.skill import ChangeKind, Library, Skill, SkillKey, switched
from lull.loops.chat.select_skills import SelectSkills
from lull.loops.skills.approve import approved_skill
from lull.loops.skills.proved_requests import ProvedRequests
from lull.store.proof.proposals import Proposals
from lull.store.skills.skills import new_skill


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedPrompt:
    """The text that Lull would add to a request on which the user tries a skill, and the skills
    that it comes from; made once with and once without the tried skill.
    """

    injection: Injection
    skills: tuple[SkillKey, ...]
    why: str
    """Why there is no skill; "" if there is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedPair:
    """The two prompts that are compared when the user tries a skill: what Lull would add to a
    request without the skill, and with it.
    """

    without: TriedPrompt
    with_: TriedPrompt

    @property
    def differ(self) -> bool:
        """Whether Lull would add something different to this request if the tried skill were
        active.
        """
        return self.without.injection != self.with_.injection


class TryOut:
    """Builds prompts with and without a skill, for a request on which the user tries it, for
    example before approving it.
    """

    def __init__(
        self,
        *,
        proposals: Proposals,
        in_use: LibraryInUse,
        fixing: SelectSkills,
        index: Callable[[Library], Awaitable[SkillIndex]],
        requests: ProvedRequests,
    ) -> None:
        """The function `index` makes a search index of a skill library, here of one as it would be
        after the tried change.
        """
        self._proposals = proposals
        self._in_use = in_use
        self._fixing = fixing
        self._index = index
        self._requests = requests
        self._indexed: tuple[tuple[int, Skill], SkillIndex] | None = None
        """The index made last, and for which change of which generation."""

    async def proposal(
        self, proposal_id: str, request: ChatRequest, *, sha256: str | None
    ) -> Callable[[ModelFacts], TriedPair]:
        """Return a function that builds for a given model the two prompts of a request: without a
        proposed skill, and with it.

        `sha256` names the text that the user has read. Raises NotFound, and Conflict for a proposal
        that cannot be tried, such as a quarantined one.
        """
        proposal = await asyncio.to_thread(self._proposals.get, proposal_id)
        library = self._in_use.library
        check_decidable(proposal, sha256=sha256, library=library)
        if proposal.in_quarantine:
            raise Conflict(
                f"'{proposal.key.name}' is quarantined, and nothing of it is given to a model.",
                hint="Read its warnings; if you edit it, it is checked again.",
            )
        if proposal.status not in DECIDABLE:
            raise not_decidable(proposal, hint="Wait a moment.")
        changed = _changed(proposal, library)
        index = await self._following(library, changed)
        if proposal.kind is not ProposalKind.RETIRE:
            asked = await asyncio.to_thread(self._requests.won_requests, proposal)
            index = _Remembering(index, proposal.key, asked)
        now = self._fixing.without_holdout()
        then = self._fixing.without_holdout(index)
        client = _client(proposal.key, await asyncio.to_thread(self._requests.asker, proposal))

        def made(model: ModelFacts) -> TriedPair:
            return TriedPair(
                without=_prompt(now, library, request, client, model),
                with_=_prompt(then, library.after([changed]), request, client, model),
            )

        return made

    async def skill(
        self, key: SkillKey, request: ChatRequest, *, asker: str
    ) -> Callable[[ModelFacts], TriedPair]:
        """Return a function that builds for a given model the two prompts of a request: without an
        active skill, and with it.

        If the skill is shared by all clients, the prompts are those that the client `asker` would
        get. Raises NotFound, Conflict.
        """
        library = self._in_use.library
        changed = switched(library, key, ChangeKind.DISABLE)
        index = await self._following(library, changed)
        now, then = self._fixing.without_holdout(), self._fixing.without_holdout(index)
        client = _client(key, asker)

        def made(model: ModelFacts) -> TriedPair:
            return TriedPair(
                without=_prompt(then, library.after([changed]), request, client, model),
                with_=_prompt(now, library, request, client, model),
            )

        return made

    async def _following(self, library: Library, changed: Skill) -> SkillIndex:
        """The index of the library after a change. Only the skills that requests of the same client
        choose from are indexed."""
        key = (library.generation, changed)
        if self._indexed is None or self._indexed[0] != key:
            after = library.after([changed])
            own = {k: skill for k, skill in after.skills.items() if k.client == changed.client}
            index = await self._index(Library(generation=after.generation, skills=own))
            self._indexed = (key, index)
        return self._indexed[1]


class _Remembering:
    """SkillIndex that finds the tried skill also by the very requests that its approval would
    remember; requests merely like them are found only after it.
    """

    def __init__(self, index: SkillIndex, key: SkillKey, asked: Collection[str]) -> None:
        self.lexical = index.lexical
        self.kinds = index.kinds
        self._index = index
        self._key = key
        self._asked = frozenset(map(_words, asked))

    def exemplars(
        self,
        text: str,
        *,
        client: Client,
        least: float = -1.0,
        also: Collection[SkillKey] = (),
    ) -> dict[SkillKey, float]:
        found = self._index.exemplars(text, client=client, least=least, also=also)
        return {**found, self._key: 1.0} if _words(text) in self._asked else found


def _words(text: str) -> str:
    return " ".join(text.split())


def _changed(proposal: Proposal, library: Library) -> Skill:
    """The skill as approving the proposal leaves it."""
    if proposal.kind is ProposalKind.RETIRE:
        return switched(library, proposal.key, ChangeKind.DISABLE)
    new = new_skill(proposal.text, proposal.sha256, client=proposal.key.client, pinned=False)
    return approved_skill(library, new)


def _client(key: SkillKey, asker: str) -> Client:
    """The client whose request is tried: the one whose skill it is, or else any that has no skills
    of its own."""
    return Client(name=key.client, apart=True) if key.client else Client(name=asker)


def _prompt(
    fixing: SelectSkills,
    library: Library,
    request: ChatRequest,
    client: Client,
    model: ModelFacts,
) -> TriedPrompt:
    fixed = fixing.determine_skills(
        request, client, library, None, model, trajectory="", injectable=True
    )
    return TriedPrompt(
        injection=fixed.injection(request), skills=fixed.joined, why=fixed.selection.why
    )
