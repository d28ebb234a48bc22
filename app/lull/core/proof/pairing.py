"""Chooses which past request is answered next, with and without a skill, to test the skill, and
with which random seed.

Requests take turns: none gets a second seed before each has had its first. So a skill is proved on
as many distinct requests as there are, and a skill that helps half of them and harms the others
gains nothing by the order. Within a round, failures (requests that went wrong) and siblings
(similar requests) alternate; the order of requests changes from round to round. The choice is a
pure function of the candidate skill and the pairs done so far, so an interrupted proof resumes
exactly where it stopped, on any machine.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from lull.core.proof.last_look import LastLook
from lull.core.proof.pairs import Pair, PairPart, distinct_pairs, totals_of
from lull.core.proof.proof import ProofRule, ProofState, ShownBy, shown_by, verdict

Request = tuple[str, PairPart]
"""The id of a recorded turn that can be replayed, and its part in the proof: failure, sibling or
success.
"""


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
    look: LastLook | None = None,
) -> PlannedPair | None:
    """Choose which past request a skill's test answers next, with and without the skill, and the
    random seed for it. None if the test is decided or no request can be answered again.

    `pairs` are those already replayed. `key` identifies the skill's text, best by its sha256:
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
    return least_answered(done, requests, successes=shown, key=key)


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
    done: Iterable[Pair], requests: Iterable[Request], *, successes: bool, key: str
) -> PlannedPair | None:
    """Choose the past request that a skill's test has answered least often, with a seed not used
    for it yet: with `successes` among requests that went well, otherwise among those that went
    wrong and similar ones. None if there are none.
    """
    able = {request: part for request, part in requests if (part is PairPart.SUCCESS) is successes}
    if not able:
        return None
    seeds: dict[str, set[int]] = {request: set() for request in able}
    for pair in done:
        if pair.request in seeds:
            seeds[pair.request].add(pair.seed)
    number = min(len(used) for used in seeds.values())
    waiting = [request for request, used in seeds.items() if len(used) == number]
    part = _part_in_turn(able, waiting)
    request = min(
        (request for request in waiting if able[request] is part),
        key=lambda request: _number(key, "round", number, request),
    )
    return PlannedPair(request=request, part=part, seed=_fresh_seed(key, request, seeds[request]))


def _part_in_turn(able: dict[str, PairPart], waiting: Iterable[str]) -> PairPart:
    """The part with the fewest turns in this round that still has a request waiting."""
    left = dict.fromkeys(PairPart, 0)
    for request in waiting:
        left[able[request]] += 1
    had = {part: sum(p is part for p in able.values()) - left[part] for part in PairPart}
    return min((part for part in PairPart if left[part]), key=lambda part: had[part])


def _fresh_seed(key: str, request: str, used: Collection[int]) -> int:
    number = len(used)
    while (seed := _number(key, "seed", number, request) >> 225) in used:
        number += 1
    return seed


def _number(key: str, what: str, number: int, request: str) -> int:
    """A pseudo-random 256-bit number, the same on every machine."""
    text = "\0".join((key, what, str(number), request))
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest(), "big")
