"""Finds in stored conversations which texts a candidate skill was drafted from, who wrote these
texts, and on which past requests the candidate may be tested.
"""

from __future__ import annotations

from collections.abc import Sequence

from lull.core.feedback.reward import GREY
from lull.core.provenance.authorship import (
    Author,
    AuthoredSpan,
    SpanPlace,
    may_be_agent,
    spans_of,
)
from lull.core.provenance.authorship import is_mixed as mixes_authors
from lull.core.skills.failures import FailureSet
from lull.core.skills.rules import EvolveRule
from lull.core.skills.similarity import subject_similarity
from lull.core.skills.skill import Skill
from lull.store.feedback.rewards import Rewards

MOST_TURNS = 300
"""Maximum turns, newest first, that are searched for similar requests and past successes."""


class CandidateSources:
    """Looks up the turns of stored conversations from which a candidate skill was drafted, and the
    turns on whose requests it may be tested.
    """

    def __init__(self, rewards: Rewards, rule: EvolveRule) -> None:
        self._rewards = rewards
        self._rule = rule

    def spans(
        self, found: FailureSet, base: Skill | None, said: Sequence[str]
    ) -> tuple[AuthoredSpan, ...]:
        """Return every text that may have influenced the draft of a candidate skill, with its
        author (such as the user, a tool or the model).

        An approved skill counts as the user's, whoever wrote it.
        """
        spans: list[AuthoredSpan] = []
        if base is not None:
            approved = f"{base.description}\n{base.body}"
            spans.append(
                AuthoredSpan(text=approved, origin=Author.USER, turn="", place=SpanPlace.TYPED)
            )
        for failure in found.failures:
            spans += spans_of((*failure.messages, failure.answer), failure.turn)
        for served in self._rewards.served_briefly(said):
            spans += spans_of(served.turn.request[-1:], served.turn.id)
        return tuple(dict.fromkeys(spans))

    def is_mixed(self, found: FailureSet, *, mine: bool) -> bool:
        """Whether the texts from which a candidate skill was drafted mix the user's own words with
        those of others, such as pasted text or tool results.

        A draft from the user's words uses only the replies; a model saw whole conversations. With
        a client that uses tools the author of a line is unknown.
        """
        said = {f.said_turn for f in found.failures if f.said_turn}
        served = self._rewards.served(sorted(said))
        if any(one.turn.tools or may_be_agent(one.turn.request) for one in served):
            return True
        messages = [message for one in served for message in one.turn.request[-1:]]
        if not mine:
            messages += [message for failure in found.failures for message in failure.messages]
        return len(served) < len(said) or any(mixes_authors(message) for message in messages)

    def siblings(self, found: FailureSet, *, but: set[str]) -> tuple[str, ...]:
        """Return turns with requests similar to the failed ones from which a skill was drafted; the
        writer of the skill has not seen them, and they are not among the past successes.
        """
        newest = found.failures[0]
        others = self._rewards.recent(owner=found.client, model=newest.model, limit=MOST_TURNS)
        near = [
            (subject_similarity(newest.asked, one.asked), one.turn.id)
            for one in others
            if one.turn.id not in but
        ]
        near = [pair for pair in near if pair[0] >= self._rule.sibling_likeness]
        near.sort(key=lambda pair: -pair[0])
        return tuple(turn for _, turn in near[: self._rule.siblings])

    def successes(self, found: FailureSet) -> tuple[str, ...]:
        """Return turns that were answered well, on which a new skill is tested for harm, those most
        similar to the failed request first.
        """
        newest = found.failures[0]
        good = self._rewards.successes(
            owner=found.client, model=newest.model, above=GREY[1], limit=MOST_TURNS
        )
        near = sorted(good, key=lambda one: -subject_similarity(newest.asked, one.asked))
        return tuple(one.turn.id for one in near[: self._rule.successes])
