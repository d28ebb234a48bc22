"""What the user wants of a model's answers since they said so: the words of their corrections.

A wish stands until newer words say otherwise (loops/verify.py picks the newest that tells), and
until the user turns down what was made of it: rejects the proposal, or switches off or deletes the
skill. Scores that such a wish has given are then taken back (loops/score.py).
"""

from __future__ import annotations

from collections.abc import Callable

from lull.core.proposal import ProposalStatus
from lull.core.signals import SignalKind
from lull.core.skill import Library, SkillKey, SkillStatus
from lull.core.trust import typed_in
from lull.loops.verify import Verifier, Wish
from lull.store.proposals import Proposals
from lull.store.reward_rows import Served
from lull.store.rewards import Rewards

LOOKED_AT = 2000
"""Newest turns among which wishes are sought after a start."""
MOST = 200
"""Wishes remembered for each room."""


class StandingWishes:
    """By room and model; only for models with a verifier that reads wishes. Blocks."""

    def __init__(
        self, rewards: Rewards, verifier: Verifier, *, turned_down: Callable[[], frozenset[str]]
    ) -> None:
        """`turned_down`: turns whose words the user does not want to be held to any more."""
        self._rewards = rewards
        self._verifier = verifier
        self._turned_down = turned_down
        self._known: dict[tuple[str, str], list[Wish]] = {}
        self._gone: frozenset[str] = frozenset()

    def of(self, served: Served) -> list[Wish]:
        """What the user of this room said to this model when an answer was wrong, oldest first."""
        model = served.turn.model
        if not self._verifier.speaks_for(model):
            return []
        key = (served.room, model)
        if key not in self._known:
            self._known[key] = self._said(*key)
        return self._known[key]

    def add(self, served: Served, wish: Wish) -> None:
        if self._verifier.speaks_for(served.turn.model):
            wishes = self.of(served)
            wishes.append(wish)
            del wishes[:-MOST]

    def clear(self) -> None:
        """A conversation was removed: look anew what the user still wants."""
        self._known.clear()

    def withdrawn(self) -> frozenset[str]:
        """The turns whose words have been turned down since this was asked last."""
        before, self._gone = self._gone, self._turned_down()
        if self._gone != before:
            self.clear()
        return self._gone - before

    def _said(self, room: str, model: str) -> list[Wish]:
        said = []
        for one in reversed(self._rewards.recent(room=room, model=model, limit=LOOKED_AT)):
            if any(s.kind is SignalKind.CORRECTION for s in one.reward.signals):
                following = self._rewards.following(one.turn)
                if following is not None and following.id not in self._gone:
                    said.append(Wish(typed_in(following.request), one.asked))
        return [wish for wish in said if wish.words][-MOST:]


def turned_down(proposals: Proposals, library: Library) -> frozenset[str]:
    """The turns in which the user said what they later rejected, switched off or deleted."""
    decided = proposals.with_status({ProposalStatus.REJECTED, ProposalStatus.APPROVED})
    return frozenset(
        turn
        for proposal in decided
        if proposal.status is ProposalStatus.REJECTED or not _active(proposal.key, library)
        for turn in proposal.wish_turns
    )


def _active(key: SkillKey, library: Library) -> bool:
    skill = library.skills.get(key)
    return skill is not None and skill.status is SkillStatus.ACTIVE
