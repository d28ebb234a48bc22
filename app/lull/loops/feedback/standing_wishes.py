"""Keeps standing wishes: the user's corrections, which later answers of a model are checked
against.

A wish applies until a newer one contradicts it, or until the user turns down the skill that was
made of it: rejects the proposed skill, switches it off or deletes it. It applies to all requests
or to one kind of them, as the reader heard it, until the user chooses the other for that skill. The
scores that a wish then should not have given are removed, unless the user said the same words
again; wishes of other clients and other models stay.
"""

from __future__ import annotations

import asyncio
import bisect
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from lull.core.feedback.feedback import Scope
from lull.core.proof.proposal import OPEN_STATUSES, Proposal, ProposalKind, ProposalStatus
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
_TURNS_AT_ONCE = 500
"""Most turns that are read at once to look at what their scores rest on."""


WishPlace = tuple[str, str]
"""Key under which wishes are kept: (owner, model).

The owner is a client with skills of its own; "" stands for all clients that share theirs.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawn:
    """The scores of answers that rest on corrections which no longer count for them, because of
    what the user decided about the skill made of the correction.
    """

    verdicts: Mapping[str, frozenset[str]]
    """The texts of newly withdrawn wishes, by the id of the turn whose answer they scored."""
    decided: WishDecisions
    """The decisions from which this follows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WishDecisions:
    """What the user decided about the skills (instruction texts) that were made of their
    corrections.
    """

    turned_down: frozenset[str] = frozenset()
    """Ids of the turns with a correction whose skill the user rejected, switched off or deleted."""
    scopes: Mapping[str, Scope] = field(default_factory=dict)
    """The scope of the skill that was made of a correction, by the id of the turn with it."""

    def scope_of(self, wish: Wish) -> Scope:
        """Return to which requests a wish applies: those that its skill is for."""
        return self.scopes.get(wish.said, wish.scope)

    def withdrawn_since(self, before: WishDecisions) -> frozenset[str]:
        """Return the ids of the turns with a correction that may apply to fewer requests than it
        did by earlier decisions.
        """
        narrowed = {
            turn
            for turn, scope in self.scopes.items()
            if scope is Scope.KIND and before.scopes.get(turn) is not scope
        }
        return (self.turned_down - before.turned_down) | narrowed


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
        decisions: DecisionsOnWishes,
        most: int = MOST_WISHES,
    ) -> None:
        """The argument `most` is the number of wishes remembered for each owner and model."""
        self._rewards = rewards
        self._feedback = feedback
        self._verifier = verifier
        self._decisions = decisions
        self._most = most
        self._known: dict[WishPlace, list[Wish]] = {}
        self._decided = WishDecisions()

    async def wishes_for(self, served: ServedTurn) -> list[Wish]:
        """Return the standing wishes (corrections by the user) that apply to a turn, by its client
        and model, oldest first.
        """
        place = _place(served)
        while (known := self._known).get(place) is None:
            # `clear` replaces the dict, so a result read before it is not kept.
            known[place] = await asyncio.to_thread(self._said, place, self._decided, self._most)
        return known[place]

    async def add(self, served: ServedTurn, wish: Wish) -> list[Wish]:
        """Add a wish (a correction by the user) in chronological order, replacing a wish that was
        found in the same message before; return all wishes.

        A wish from a conversation that is excluded from learning is not added.
        """
        wishes = await self.drop(served, wish.said)
        wish = wish._replace(scope=self._decided.scope_of(wish))  # also where it is heard anew
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

    # What the user decided about the skills made of wishes

    def find_withdrawn(self) -> Withdrawn:
        """Find the answers' scores that rest on corrections which no longer count for them, because
        the user has turned down the skill made of the correction, or chose another scope for it.

        Only what was decided since the last `apply_withdrawn` is looked at. Blocks, and changes
        nothing.
        """
        decided = self._decisions.read()
        verdicts: dict[str, frozenset[str]] = {}
        for place, words in self._words(decided).items():
            verdicts |= self._lost(place, words, decided)
        return Withdrawn(verdicts=verdicts, decided=decided)

    def apply_withdrawn(self, withdrawn: Withdrawn) -> None:
        """From now on check answers as the user decided about the wishes' skills; called once the
        scores of answers that no longer follow from these wishes were removed.
        """
        if withdrawn.decided != self._decided:
            self._decided = withdrawn.decided
            self.clear()

    def _words(self, decided: WishDecisions) -> dict[WishPlace, set[str]]:
        """Return the wishes that apply to fewer requests by these decisions than before, by owner
        and model.
        """
        found: dict[WishPlace, set[str]] = defaultdict(set)
        turns = [*decided.withdrawn_since(self._decided)]
        read = self._feedback.of(turns)
        for one in self._rewards.served_briefly(turns):
            feedback = read.get(one.turn.id)
            if feedback is None:
                continue
            before = self._decided.scopes.get(one.turn.id, feedback.findings.scope)
            if one.turn.id in decided.turned_down or before is Scope.ALL:
                found[_place(one)].add(feedback.findings.rule)
        return found

    def _lost(
        self, place: WishPlace, words: Collection[str], decided: WishDecisions
    ) -> dict[str, frozenset[str]]:
        """The turns of one client and model that were scored by these wishes, each with the words
        that no wish states any more that applies to its request.

        Wishes of any age count.
        """
        owner, model = place
        held = self._rewards.scored_by_wishes(words, owner=owner, model=model)
        if not held:
            return {}
        said = self._said(place, decided, None)
        lost, turns = {}, [*held]
        for start in range(0, len(turns), _TURNS_AT_ONCE):
            for one in self._rewards.served_briefly(turns[start : start + _TURNS_AT_ONCE]):
                still = {w.words for w in said if self._verifier.covers(model, w, one.asked)}
                lost[one.turn.id] = held[one.turn.id] - still
        return {turn: those for turn, those in lost.items() if those}

    def _said(self, place: WishPlace, decided: WishDecisions, limit: int | None) -> list[Wish]:
        """Return the stored wishes of an owner and model, oldest first, except those whose skill
        the user turned down.
        """
        owner, model = place
        findings = self._feedback.wishes(owner=owner, model=model, limit=limit)
        about = {
            one.turn.id: one.asked
            for one in self._rewards.served_briefly([f.before for f in findings])
        }
        wishes = [
            self._verifier.wish_of(one, about=about[one.before])
            for one in reversed(findings)
            if one.turn not in decided.turned_down and one.before in about and one.findings.rule
        ]
        return [one._replace(scope=decided.scope_of(one)) for one in wishes]


def _place(served: ServedTurn) -> WishPlace:
    return served.owner, served.turn.model


class DecisionsOnWishes:
    """Finds what the user decided about the skills (instruction texts) that were made of their
    corrections.
    """

    def __init__(self, proposals: Proposals, skills: Skills, *, in_use: LibraryInUse) -> None:
        self._proposals = proposals
        self._skills = skills
        self._in_use = in_use

    def read(self) -> WishDecisions:
        """Return which corrections the user turned down as a skill, and the scopes of the skills
        made of the others. Blocking.
        """
        proposals = self._proposals.with_status(frozenset(ProposalStatus) - {ProposalStatus.STALE})
        decided = [p for p in proposals if p.status not in OPEN_STATUSES]
        oldest_first = sorted(proposals, key=lambda p: (p.made_at, p.id))
        return WishDecisions(
            turned_down=self._turned_down(decided),
            scopes={
                turn: p.scope
                for p in oldest_first
                for turn in p.wish_turns
                if p.status is not ProposalStatus.REJECTED and p.kind is not ProposalKind.RETIRE
            },
        )

    def _turned_down(self, decided: Sequence[Proposal]) -> frozenset[str]:
        """The turns with a correction whose skill the user rejected, switched off or deleted.

        A skill that Lull itself retired for harm does not count: the user still wants what they
        said.
        """
        library = self._in_use.library
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
