"""Decides which rated answers train a model and which are kept out to test it, and pairs a good
with a bad one for the test.

Ratings alone say of each answer whether it was good, not how it should have been. Whether a model
has learned them is seen from rated answers that it was not trained on: it must have come to prefer
the good one of a pair to the bad one. A kind of request whose answers are all good, or all bad, can
show nothing of that sort, and is not trained on either.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from lull.core.skills.similarity import subject_similarity
from lull.core.training.rollout import held_out, normalised_words

LEAST_OF_A_KIND: Final = 5
"""Fewest good and fewest bad answers to a kind of request that is trained on: fewer may be slips,
and do not say what of an answer was meant.
"""
ALIKE: Final = 0.35
"""Least similarity (0 to 1) of two requests of no known kind, at which their answers are held
against one another.
"""
MOST_OF_A_LABEL: Final = 200
"""Most good and most bad answers, newest first, among which pairs are looked for: each is compared
with each.
"""

RATED_STEPS: Final = 40
"""Fewest steps of a run on ratings; a small batch is passed over several times.

Its learning rate falls to almost nothing; so 15 steps learned nothing, 30 all (measured:
docs/adr/0075).
"""
RATED_REPLAY_SHARE: Final = 0.75
"""Least share of replay examples in a run on ratings, which nothing else holds to what the model
was (measured: docs/adr/0075).
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedTurn:
    """One recorded answer that is known to be good or bad."""

    turn: str
    """Id of the turn (the request with its answer)."""
    kind: str
    """What kind of request it is, as one word; "" if that is not known."""
    asked: str
    good: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedPair:
    """Turns with a good and a bad answer to requests of the same kind, neither of which trained a
    model: a model that learned the ratings prefers the good answer more than before.
    """

    good: str
    bad: str


def rating_held_out(request: str) -> bool:
    """Whether the rated answers to a request are kept out of training on ratings, so that the
    result can be tested on them; half are, among them those to all requests that are kept out of
    every training.

    The choice depends only on the request's words, so that equal requests are always on the same
    side. Half, because a test needs as many answers of the rarer label as training does.
    """
    digest = hashlib.sha256(normalised_words(request).encode("utf-8", "replace")).digest()
    return held_out(request) or digest[1] % 8 < 3


def passes_over_ratings(answers: int, answers_a_step: int) -> int:
    """Return how often a run on ratings passes over its answers, to make enough steps."""
    return max(1, math.ceil(RATED_STEPS * answers_a_step / max(1, answers)))


def learnable_kinds(ratings: Collection[RatedTurn]) -> frozenset[str]:
    """Return the kinds of request with enough good and enough bad answers to learn from."""
    count = Counter((one.kind, one.good) for one in ratings)
    return frozenset(
        kind for kind, _ in count if min(count[kind, True], count[kind, False]) >= LEAST_OF_A_KIND
    )


def pair_ratings(ratings: Sequence[RatedTurn], kinds: Collection[str]) -> list[RatedPair]:
    """Pair good with bad answers to requests of the same kind, the most similar first; `ratings`
    are newest first, and only these `kinds` count.

    Each request gives at most one good and one bad answer, the newest, and each is in one pair at
    most: answers to the same request, rated together, would be the same evidence twice.
    """
    sides: defaultdict[str, tuple[dict[str, RatedTurn], dict[str, RatedTurn]]]
    sides = defaultdict(lambda: ({}, {}))
    for one in ratings:
        if one.kind in kinds:
            side = sides[one.kind][not one.good]
            if len(side) < MOST_OF_A_LABEL:
                side.setdefault(normalised_words(one.asked), one)
    found: list[tuple[float, RatedPair]] = []
    for kind, (good, bad) in sides.items():
        found += _nearest([*good.values()], [*bad.values()], 0.0 if kind else ALIKE)
    # Those that are most alike first: only so many are measured.
    return [pair for _, pair in sorted(found, key=lambda one: (-one[0], one[1].good))]


def _nearest(
    good: Sequence[RatedTurn], bad: Sequence[RatedTurn], least: float
) -> list[tuple[float, RatedPair]]:
    likeness = sorted(
        (
            (-alike, g.turn, b.turn)
            for g in good
            for b in bad
            if (alike := subject_similarity(g.asked, b.asked)) >= least
        ),
    )
    taken: set[tuple[str, str]] = set()
    found = []
    for less, g_turn, b_turn in likeness:
        if ("good", g_turn) not in taken and ("bad", b_turn) not in taken:
            taken |= {("good", g_turn), ("bad", b_turn)}
            found.append((-less, RatedPair(good=g_turn, bad=b_turn)))
    return found
