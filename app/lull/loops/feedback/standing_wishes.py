"""Keeps standing wishes: the user's corrections, which later answers of a model are checked
against.

A wish applies until a newer one contradicts it, or until the user turns down the skill that was
made of it: rejects the proposed skill, switches it off or deletes it. Then the scores that the wish
gave are removed, unless the user said the same words again; wishes of other clients and other
models stay.
"""

from __future__ import annotations

import asyncio
import bisect
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from lull.core.proof.proposal import Proposal, ProposalKind, ProposalStatus
from lull.core.skills.ports import LibraryInUse
from lull.core.skills.skill import Library, SkillKey, SkillStatus
from lull.loops.feedback.verify import Verifier, Wish
from lull.store.feedback.feedback import FeedbackRows
from lull.store.feedback.reward_rows import ServedTurn
from lull.store.feedback.rewards import Rewards
from lull.store.proof.proposals import Proposals
from lull.store.skills.skills import Skills

MOST_WISHES = 200
"""Maximum wishes remembered for each owner of skills and model.

Older ones hardly ever decide anything.
"""


WishPlace = tuple[str, str]
"""Key under which wishes are kept: (owner, model).

The owner is a client with skills of its own; "" stands for all clients that share theirs.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawn:
    """The user's corrections that no longer count, because the user turned down the skill made of
    them, and the scores of answers that rest on these corrections.
    """

    turns: frozenset[str]
    """Ids of all turns whose wish the user turned down."""
    verdicts: Mapping[str, frozenset[str]]
    """The texts of newly withdrawn wishes, by the id of the turn whose answer they scored."""


class StandingWishes:
    """Keeps the user's standing wishes (corrections that later answers are checked against), by
    client and model.
    """

    def __init__(
        self,
        rewards: Rewards,
        feedback: FeedbackRows,
        verifier: Verifier,
        *,
        turned_down: TurnedDownWishes,
        most: int = MOST_WISHES,
    ) -> None:
        """The argument `most` is the number of wishes remembered for each owner and model."""
        self._rewards = rewards
        self._feedback = feedback
        self._verifier = verifier
        self._turned_down = turned_down
        self._most = most
        self._known: dict[WishPlace, list[Wish]] = {}
        self._gone: frozenset[str] = frozenset()

    async def wishes_for(self, served: ServedTurn) -> list[Wish]:
        """Return the standing wishes (corrections by the user) that apply to a turn, by its client
        and model, oldest first.
        """
        place = _place(served)
        while (known := self._known).get(place) is None:
            # `clear` replaces the dict, so a result read before it is not kept.
            known[place] = await asyncio.to_thread(self._said, place, self._gone, self._most)
        return known[place]

    async def add(self, served: ServedTurn, wish: Wish) -> list[Wish]:
        """Add a wish (a correction by the user) in chronological order, replacing a wish that was
        found in the same message before; return all wishes.

        A wish from a conversation that is excluded from learning is not added.
        """
        wishes = await self.drop(served, wish.said)
        if not served.excluded:
            bisect.insort(wishes, wish, key=lambda one: one.said)
            del wishes[: -self._most]
        return wishes

    async def drop(self, served: ServedTurn, said: str) -> list[Wish]:
        """Remove the wish (a correction by the user) that was found in the turn with id `said`;
        return the remaining wishes for the client and model of the turn `served`.
        """
        wishes = await self.wishes_for(served)
        wishes[:] = [one for one in wishes if one.said != said]
        return wishes

    def clear(self) -> None:
        """Empty the cache of the user's standing wishes; they are read from the store again when
        needed.
        """
        self._known = {}

    # Wishes that the user turned down

    def find_withdrawn(self) -> Withdrawn:
        """Find the user's corrections that no longer count, because the user has turned down the
        skill made of them, and the answers' scores that rest on them.

        Only scores of corrections withdrawn since the last `apply_withdrawn` are included. Blocks,
        and changes nothing.
        """
        turns = self._turned_down.turns()
        verdicts: dict[str, frozenset[str]] = {}
        for place, words in self._words(turns - self._gone).items():
            verdicts |= self._lost(place, words, turns)
        return Withdrawn(turns=turns, verdicts=verdicts)

    def apply_withdrawn(self, withdrawn: Withdrawn) -> None:
        """Stop checking answers against the wishes that the user withdrew; called once the scores
        of answers that followed from these wishes were removed.
        """
        if withdrawn.turns != self._gone:
            self._gone = withdrawn.turns
            self.clear()

    def _words(self, turns: Collection[str]) -> dict[WishPlace, set[str]]:
        """Return the wishes said in these turns, by owner and model."""
        found: dict[WishPlace, set[str]] = defaultdict(set)
        read = self._feedback.of([*turns])
        for one in self._rewards.served_briefly([*turns]):
            feedback = read.get(one.turn.id)
            if feedback is not None:
                found[_place(one)].add(feedback.findings.rule)
        return found

    def _lost(
        self, place: WishPlace, words: Collection[str], gone: frozenset[str]
    ) -> dict[str, frozenset[str]]:
        """The turns of one client and model that were scored by these wishes, without wishes that
        were said again in the same words.

        Wishes of any age count.
        """
        owner, model = place
        held = self._rewards.scored_by_wishes(words, owner=owner, model=model)
        if not held:
            return {}
        still = {wish.words for wish in self._said(place, gone, None)}
        return {turn: lost for turn, those in held.items() if (lost := those - still)}

    def _said(self, place: WishPlace, gone: frozenset[str], limit: int | None) -> list[Wish]:
        """Return the stored wishes of an owner and model, oldest first, except those of turns in
        `gone`.
        """
        owner, model = place
        findings = self._feedback.wishes(owner=owner, model=model, limit=limit)
        about = {
            one.turn.id: one.asked
            for one in self._rewards.served_briefly([f.before for f in findings])
        }
        return [
            self._verifier.wish_of(one, about=about[one.before])
            for one in reversed(findings)
            if one.turn not in gone and one.before in about and one.findings.rule
        ]


def _place(served: ServedTurn) -> WishPlace:
    return served.owner, served.turn.model


class TurnedDownWishes:
    """Finds the user's corrections that no longer count, because the user turned down the skill
    (an instruction text) made of them.
    """

    def __init__(self, proposals: Proposals, skills: Skills, *, in_use: LibraryInUse) -> None:
        self._proposals = proposals
        self._skills = skills
        self._in_use = in_use

    def turns(self) -> frozenset[str]:
        """Return the ids of the turns with a correction whose skill the user later rejected,
        switched off or deleted. Blocking.

        A skill that Lull itself retired for harm does not count: the user still wants what they
        said.
        """
        library = self._in_use.library
        decided = self._proposals.with_status({ProposalStatus.REJECTED, ProposalStatus.APPROVED})
        out = {p.key for p in decided if not _active(p.key, library)}
        if out:
            theirs = {p.key for p in decided if p.kind is ProposalKind.RETIRE and _approved(p)}
            out -= self._skills.retired() - theirs
        return frozenset(
            turn
            for proposal in decided
            if not _approved(proposal) or proposal.key in out
            for turn in proposal.wish_turns
        )


def _approved(proposal: Proposal) -> bool:
    return proposal.status is ProposalStatus.APPROVED


def _active(key: SkillKey, library: Library) -> bool:
    skill = library.skills.get(key)
    return skill is not None and skill.status is SkillStatus.ACTIVE
