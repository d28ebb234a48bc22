"""Counts which part of a rule the answers of a proposed skill's test kept, and how often.

A rule with "and" has several checks. That an answer broke the rule does not say which of them it
failed, so each is run once more on the answers that are kept for the user to read.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from lull.contract.json_object import Json
from lull.core.checks.check import CheckLibraries, CheckSet
from lull.core.checks.check_answer import kept_parts
from lull.core.checks.reading import parse_all
from lull.core.checks.wording import in_words
from lull.core.errors import SkillError
from lull.core.proof.pairs import BY_CHECK, Pair, PairPart
from lull.core.proof.proposal import Proposal
from lull.loops.chat.known_models import remember

MOST_KEPT = 200
"""Most proposals whose counts are remembered, because a list asks for each of them again."""


class PartCounts:
    """Counts how often the answers with a proposed skill kept each part of its rule."""

    def __init__(self, tools: CheckLibraries) -> None:
        self._tools = tools
        self._known: OrderedDict[tuple[str, str, int], Sequence[Json]] = OrderedDict()

    def of(self, proposal: Proposal, pairs: Sequence[Pair]) -> Sequence[Json]:
        """Return the JSON of each part of the rule (`check`) with the number of answers that kept
        it, `of` those of which that is known; empty for a rule of one part.
        """
        rule = _rule(proposal)
        if rule is None or len(rule.checks) < 2:
            return ()
        key = (proposal.id, proposal.sha256, len(pairs))
        if key not in self._known:
            remember(self._known, key, self._counted(rule, pairs), most=MOST_KEPT)
        return self._known[key]

    def _counted(self, rule: CheckSet, pairs: Sequence[Pair]) -> Sequence[Json]:
        answers = [
            pair.answers[1]
            for pair in pairs
            if pair.part is not PairPart.SUCCESS and pair.scored_by == BY_CHECK and pair.answers[1]
        ]
        found = [kept_parts(rule, answer, self._tools) for answer in answers]
        return [
            {
                "check": in_words(check),
                "kept": sum(one[at] is True for one in found),
                "of": sum(one[at] is not None for one in found),
            }
            for at, check in enumerate(rule.checks)
        ]


def _rule(proposal: Proposal) -> CheckSet | None:
    try:
        return parse_all(proposal.check) if proposal.check else None
    except SkillError:
        return None  # it is told where the check is shown
