"""Which request is replayed next, and under which seed.

Requests take turns: nobody's second seed comes before everybody's first, so a skill is proved on as
many distinct requests as there are, and one that helps half of them and harms the other half earns
nothing by the order. Within a round failures and siblings alternate; which request comes first
changes from round to round. The order is a function of the candidate and of what was replayed
already: an interrupted proof goes on exactly where it stopped, on any machine.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from lull.core.proof import (
    Pair,
    Part,
    ProofRule,
    ProofState,
    benefit_shown,
    once,
    totals_of,
    verdict,
)

Request = tuple[str, Part]
"""The id of a recorded turn that can be replayed, and what it is evidence of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedPair:
    request: str
    part: Part
    seed: int
    """0 to 2³¹ - 1, for both answers."""


def next_pair(
    pairs: Iterable[Pair], rule: ProofRule, *, requests: Sequence[Request], key: str
) -> PlannedPair | None:
    """The pair to replay now; None when the proof is decided or no request can be replayed.

    `pairs` are those replayed already. `key` names the text under proof, best by its sha256:
    another text gets another order and other seeds. Failures and siblings come first, past
    successes as soon as a benefit is shown.
    """
    done = once(pairs)
    totals = totals_of(done)
    state, _ = verdict(totals, rule, successes=successes_of(requests))
    if state is not ProofState.UNDECIDED:
        return None
    return planned(done, requests, successes=benefit_shown(totals, rule), key=key)


def successes_of(requests: Iterable[Request]) -> int:
    """How many past successes there are: what `decide` must be told."""
    return len({request for request, part in requests if part is Part.SUCCESS})


def planned(
    done: Iterable[Pair], requests: Iterable[Request], *, successes: bool, key: str
) -> PlannedPair | None:
    """The next in the round, among past successes or among the rest; None: there are none."""
    able = {request: part for request, part in requests if (part is Part.SUCCESS) is successes}
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


def _part_in_turn(able: dict[str, Part], waiting: Iterable[str]) -> Part:
    """The part that had the fewest turns in this round and still has a request waiting."""
    left = dict.fromkeys(Part, 0)
    for request in waiting:
        left[able[request]] += 1
    had = {part: sum(p is part for p in able.values()) - left[part] for part in Part}
    return min((part for part in Part if left[part]), key=lambda part: had[part])


def _fresh_seed(key: str, request: str, used: Collection[int]) -> int:
    number = len(used)
    while (seed := _number(key, "seed", number, request) >> 225) in used:
        number += 1
    return seed


def _number(key: str, what: str, number: int, request: str) -> int:
    """256 bits that look like chance and are the same everywhere."""
    text = "\0".join((key, what, str(number), request))
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest(), "big")
