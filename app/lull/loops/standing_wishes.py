"""What the user wants of a model's answers since they said so: the words of their corrections.

A wish stands until newer words say otherwise (loops/verify.py picks the newest that tells), and
until the user turns down what was made of it: rejects the proposal, or switches off or deletes the
skill. Scores that such a wish has given are then taken back (loops/score.py), but only where nobody
says the same any more: another room, another model and words said again keep theirs.
"""

from __future__ import annotations

import asyncio
import bisect
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from lull.core.proposal import Proposal, ProposalKind, ProposalStatus
from lull.core.skill import Library, SkillKey, SkillStatus
from lull.loops.verify import Verifier, Wish
from lull.store.feedback import FeedbackRows
from lull.store.proposals import Proposals
from lull.store.reward_rows import Served
from lull.store.rewards import Rewards
from lull.store.skills import Skills

MOST = 200
"""An answer is held to the newest wish that tells; so many, and older ones hardly ever do."""


Place = tuple[str, str]
"""A room and a model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawn:
    """What the user has turned down, and which verdicts no longer count because of it."""

    turns: frozenset[str]
    """Every turn whose words the user does not want to be held to any more."""
    verdicts: Mapping[str, frozenset[str]]
    """Turns that were held to such words since this was asked last, with the words."""


class StandingWishes:
    """By room and model."""

    def __init__(
        self,
        rewards: Rewards,
        heard: FeedbackRows,
        verifier: Verifier,
        *,
        turned_down: Callable[[], frozenset[str]],
        most: int = MOST,
    ) -> None:
        """`turned_down`: turns whose words the user does not want to be held to any more. It is
        asked in another thread. `most`: wishes remembered for each room and model."""
        self._rewards = rewards
        self._heard = heard
        self._verifier = verifier
        self._turned_down = turned_down
        self._most = most
        self._known: dict[Place, list[Wish]] = {}
        self._gone: frozenset[str] = frozenset()

    async def of(self, served: Served) -> list[Wish]:
        """What the user of this room said to this model when an answer was wrong, oldest first."""
        place = _place(served)
        while (known := self._known).get(place) is None:
            # What was forgotten meanwhile is not remembered by it: `clear` puts another dict there.
            known[place] = await asyncio.to_thread(self._said, place, self._gone, self._most)
        return known[place]

    async def add(self, served: Served, wish: Wish) -> list[Wish]:
        """What is wanted now, with this wish at its place: a message may be read late, or anew.
        One from a conversation that the user keeps out of learning is none."""
        wishes = await self.drop(served, wish.said)
        if not served.excluded:
            bisect.insort(wishes, wish, key=lambda one: one.said)
            del wishes[: -self._most]
        return wishes

    async def drop(self, served: Served, said: str) -> list[Wish]:
        """What is wanted now, without what was heard in this turn's message before."""
        wishes = await self.of(served)
        wishes[:] = [one for one in wishes if one.said != said]
        return wishes

    def clear(self) -> None:
        """A conversation was removed: look anew what the user still wants."""
        self._known = {}

    # What the user turned down

    def withdrawn(self) -> Withdrawn:
        """What has been turned down since `follow` was told. Blocks, and changes nothing."""
        turns = self._turned_down()
        verdicts: dict[str, frozenset[str]] = {}
        for place, words in self._words(turns - self._gone).items():
            verdicts |= self._lost(place, words, turns)
        return Withdrawn(turns=turns, verdicts=verdicts)

    def follow(self, withdrawn: Withdrawn) -> None:
        """The scores are without it now."""
        if withdrawn.turns != self._gone:
            self._gone = withdrawn.turns
            self.clear()

    def _words(self, turns: Collection[str]) -> dict[Place, set[str]]:
        """What was said in these turns, and where."""
        found: dict[Place, set[str]] = defaultdict(set)
        heard = self._heard.of([*turns])
        for one in self._rewards.served([*turns]):
            feedback = heard.get(one.turn.id)
            if feedback is not None:
                found[_place(one)].add(feedback.heard.rule)
        return found

    def _lost(
        self, place: Place, words: Collection[str], gone: frozenset[str]
    ) -> dict[str, frozenset[str]]:
        """The turns of one place that were held to these words, where nobody says the same there;
        however long ago that was."""
        room, model = place
        held = self._rewards.held_to(words, room=room, model=model)
        if not held:
            return {}
        still = {wish.words for wish in self._said(place, gone, None)}
        return {turn: lost for turn, those in held.items() if (lost := those - still)}

    def _said(self, place: Place, gone: frozenset[str], limit: int | None) -> list[Wish]:
        """What was wanted of answers, oldest first, but for what was said in turns that are
        gone."""
        room, model = place
        heard = self._heard.wishes(room=room, model=model, limit=limit)
        about = {one.turn.id: one.asked for one in self._rewards.served([f.before for f in heard])}
        return [
            self._verifier.wish_of(one, about=about[one.before])
            for one in reversed(heard)
            if one.turn not in gone and one.before in about and one.heard.rule
        ]


def _place(served: Served) -> Place:
    return served.room, served.turn.model


def turned_down(proposals: Proposals, library: Library, skills: Skills) -> frozenset[str]:
    """The turns in which the user said what they later rejected, switched off or deleted. A skill
    that Lull took out for harm is none of these: the words still are what the user said last."""
    decided = proposals.with_status({ProposalStatus.REJECTED, ProposalStatus.APPROVED})
    out = {p.key for p in decided if not _active(p.key, library)}
    if out:
        theirs = {p.key for p in decided if p.kind is ProposalKind.RETIRE and _approved(p)}
        out -= skills.retired() - theirs
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
