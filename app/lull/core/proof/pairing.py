"""Chooses which past request is answered next, with and without a skill, to test the skill, and
with which random seed.

Requests take turns: none gets a second seed before each has had its first. So a skill is proved on
as many distinct requests as there are, and a skill that helps half of them and harms the others
gains nothing by the order. Within a round, failures (requests that went wrong) and siblings
(similar requests) alternate; the order of requests changes from round to round. The choice is a
pure function of the candidate skill and the tries so far, so an interrupted proof resumes exactly
where it stopped, on any machine.

A try whose answers nothing could score is undecided: it counts neither for nor against the skill,
only as a turn and a seed of its request. `still_asked` says when to give up for want of scores.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from lull.core.proof.last_look import LastLook
from lull.core.proof.pairs import Pair, PairPart, distinct_pairs, totals_of
from lull.core.proof.proof import ProofRule, ProofState, ShownBy, shown_by, verdict

Request = tuple[str, PairPart]
"""The id of a recorded turn that can be replayed, and its part in the proof: failure, sibling or
success.
"""


UNDECIDED_AT_FIRST: Final = 24
"""Number of undecided tries, of all requests together, with which a proof gives up that has not one
score yet.
"""
UNDECIDED_OF_ONE: Final = 3
"""Number of undecided tries with which a request that has no score yet gives way to others."""
UNDECIDED_PER_PAIR: Final = 9
"""Number of further undecided tries that each scored pair allows."""
UNDECIDED_AT_MOST: Final = 120
"""Number of undecided tries with which a proof gives up at the latest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedPair:
    """The pair of answers that a proof needs next: one past request, to be answered with and
    without a skill.
    """

    request: str
    part: PairPart
    seed: int
    """Seed of the replay, 0 to 2³¹ - 1, the same for both answers."""


def next_pair(
    pairs: Iterable[Pair],
    rule: ProofRule,
    *,
    requests: Sequence[Request],
    key: str,
    undecided: Iterable[str] = (),
    look: LastLook | None = None,
) -> PlannedPair | None:
    """Choose which past request a skill's test answers next, with and without the skill, and the
    random seed for it. None if the test is decided or no request can be answered again.

    `pairs` are those already replayed; `undecided` names the request of each try whose answers
    nothing could score. `key` identifies the skill's text, best by its sha256:
    another text gets another order and other seeds. Requests that went wrong and similar ones come
    first; past successes are used once a benefit is shown.
    """
    done = distinct_pairs(pairs)
    totals = totals_of(done)
    successes = count_successes(requests)
    state, _ = verdict(totals, rule, successes=successes, look=look)
    if state is not ProofState.UNDECIDED:
        return None
    shown = shown_by(totals, rule, successes=successes, look=look) is not ShownBy.NOTHING
    return least_answered(done, requests, successes=shown, key=key, undecided=undecided)


def still_asked(
    requests: Sequence[Request], pairs: Iterable[Pair], undecided: Iterable[str]
) -> set[Request]:
    """Return those of the requests that a skill's test goes on asking, given its scored `pairs` and
    the request of each undecided try, whose answers nothing could score.

    Past successes are judged by themselves, since other programs score them. The test gives up when
    undecided tries far outnumber scored pairs; before that, a request of which this is so waits as
    long as there are others. Which answer was better has no say in it.
    """
    decided = Counter(pair.request for pair in distinct_pairs(pairs))
    failed = Counter(undecided)
    asked: set[Request] = set()
    for successes in (False, True):
        side = [one for one in requests if (one[1] is PairPart.SUCCESS) is successes]
        turns = {turn for turn, _ in side}
        scored, unscored = (sum(tries[turn] for turn in turns) for tries in (decided, failed))
        allowed = UNDECIDED_AT_FIRST + UNDECIDED_PER_PAIR * scored
        if unscored < min(allowed, UNDECIDED_AT_MOST):
            able = [
                one
                for one in side
                if failed[one[0]] < UNDECIDED_OF_ONE + UNDECIDED_PER_PAIR * decided[one[0]]
            ]
            asked.update(able or side)
    return asked


def plan_several(
    pairs: Sequence[Pair], choose: Callable[[Sequence[Pair]], PlannedPair | None], *, most: int
) -> list[PlannedPair]:
    """Choose at most `most` past requests that are answered at the same time, with and without a
    skill.

    They are those that the function `choose` would choose one after the other, given all pairs so
    far, if each of them showed no difference. As their scores come in, the rest may turn out not to
    be needed: such a pair is in no later plan, and is to be thrown away.
    """
    planned: list[PlannedPair] = []
    while len(planned) < most:
        plan = choose([*pairs, *(_showing_nothing(plan) for plan in planned)])
        if plan is None:
            break
        planned.append(plan)
    return planned


def _showing_nothing(plan: PlannedPair) -> Pair:
    return Pair(
        request=plan.request, part=plan.part, seed=plan.seed, without=0.0, with_=0.0, scored_by=""
    )


def count_successes(requests: Iterable[Request]) -> int:
    """Return how many past requests that had good answers can be answered again, to test whether
    the skill does harm. Each request counts once.
    """
    return len({request for request, part in requests if part is PairPart.SUCCESS})


def least_answered(
    done: Iterable[Pair],
    requests: Iterable[Request],
    *,
    successes: bool,
    key: str,
    undecided: Iterable[str] = (),
) -> PlannedPair | None:
    """Choose the past request that a skill's test has answered least often, with a seed not used
    for it yet: with `successes` among requests that went well, otherwise among those that went
    wrong and similar ones. None if there are none. `undecided` names the request of each try that
    could not be scored.
    """
    able = {request: part for request, part in requests if (part is PairPart.SUCCESS) is successes}
    if not able:
        return None
    seeds: dict[str, set[int]] = {request: set() for request in able}
    for pair in done:
        if pair.request in seeds:
            seeds[pair.request].add(pair.seed)
    failed = Counter(undecided)
    tries = {request: len(used) + failed[request] for request, used in seeds.items()}
    number = min(tries.values())
    waiting = [request for request, count in tries.items() if count == number]
    part = _part_in_turn(able, waiting)
    request = min(
        (request for request in waiting if able[request] is part),
        key=lambda request: _number(key, "round", number, request),
    )
    seed = _fresh_seed(key, request, seeds[request], number=number)
    return PlannedPair(request=request, part=part, seed=seed)


def _part_in_turn(able: dict[str, PairPart], waiting: Iterable[str]) -> PairPart:
    """The part with the fewest turns in this round that still has a request waiting."""
    left = dict.fromkeys(PairPart, 0)
    for request in waiting:
        left[able[request]] += 1
    had = {part: sum(p is part for p in able.values()) - left[part] for part in PairPart}
    return min((part for part in PairPart if left[part]), key=lambda part: had[part])


def _fresh_seed(key: str, request: str, used: Collection[int], *, number: int) -> int:
    """The seed of try `number` of a request; that of an undecided try is among the lower numbers,
    and would only give the same answers again."""
    while (seed := _number(key, "seed", number, request) >> 225) in used:
        number += 1
    return seed


def _number(key: str, what: str, number: int, request: str) -> int:
    """A pseudo-random 256-bit number, the same on every machine."""
    text = "\0".join((key, what, str(number), request))
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest(), "big")
