"""Summarises the weeks of all persons: shares with intervals, and differences between arms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import Any, Final

from bench.workweek.arms import ARMS, NIGHTS, SWITCHES, Arm
from bench.workweek.person import DAYS, FREE, RATED, Fault, person
from bench.workweek.statistics import (
    PersonDays,
    difference,
    estimate,
    interval,
    verdict,
)
from bench.workweek.week import Done, Played
from lull.core.training.spec import RunKind
from lull.pocket import language as pocket

Row = dict[str, Any]
Which = Callable[[Done], bool]
LATE: Final = DAYS // 2 + 1
"""First day of the second half of the week."""
TRAINED: Final = NIGHTS[0] + 1
"""First day on which trained weights can answer."""


def _any(_: Done) -> bool:
    return True


def only_rated(one: Done) -> bool:
    """Whether the habit for this request was never said, so that only weights can learn it."""
    return one.kind in RATED


def said(one: Done) -> bool:
    """Whether the habit for this request is said when it is not kept."""
    return one.kind not in (*RATED, FREE)


def free(one: Done) -> bool:
    """Whether there is no habit for this request, so that it can only get worse."""
    return one.kind == FREE


def shares(
    weeks: Sequence[Played], *, since: int, until: int = DAYS, of: Which = _any
) -> dict[int, dict[int, float]]:
    """Return the share of requests that were done as the person wants, by person and day."""
    return by_day(weeks, lambda one: float(one.right), since=since, until=until, of=of)


def by_day(
    weeks: Sequence[Played],
    figure: Callable[[Done], float],
    *,
    since: int,
    until: int = DAYS,
    of: Which = _any,
) -> dict[int, dict[int, float]]:
    """Return a figure's mean over the requests of each person's day."""
    found: dict[int, dict[int, list[float]]] = {}
    for week in weeks:
        days = found.setdefault(week.seed, {day: [] for day in range(since, until + 1)})
        for one in week.done:
            if since <= one.day <= until and of(one):
                days[one.day].append(figure(one))
    return {
        seed: {day: fmean(values) for day, values in days.items()} for seed, days in found.items()
    }


def count(weeks: Sequence[Played], *, since: int, until: int = DAYS, of: Which = _any) -> int:
    return sum(since <= one.day <= until and of(one) for week in weeks for one in week.done)


def of_arm(weeks: Sequence[Played], arm: str) -> list[Played]:
    return [week for week in weeks if week.arm == arm]


# -- the arms ----------------------------------------------------------------------------------


def rows(weeks: Sequence[Played], seed: int) -> list[Row]:
    return [_row(arm, own, seed) for arm in ARMS if (own := of_arm(weeks, arm.name))]


def _row(arm: Arm, weeks: Sequence[Played], seed: int) -> Row:
    late = shares(weeks, since=LATE)
    found = interval(late, seed)
    days = range(1, DAYS + 1)
    offered = Counter(one.fault for week in weeks for one in week.reviewed)
    approved = Counter(one.fault for week in weeks for one in week.reviewed if one.approved)
    return {
        "arm": arm.name,
        "what": arm.what,
        "persons": len(weeks),
        "requests": count(weeks, since=LATE),
        "right": estimate(late),
        "low": found.low if found else None,
        "high": found.high if found else None,
        "said": estimate(shares(weeks, since=LATE, of=said)),
        "only_rated": estimate(shares(weeks, since=TRAINED, of=only_rated)),
        "no_habit": estimate(shares(weeks, since=LATE, of=free)),
        "right_by_day": [estimate(shares(weeks, since=day, until=day)) for day in days],
        "prompt_tokens": estimate(tokens(weeks)),
        "offered": offered.total(),
        "offered_bad": offered.total() - offered[Fault.NONE],
        "approved": approved.total(),
        "approved_bad": approved.total() - approved[Fault.NONE],
        "runs": dict(sum((Counter(week.runs) for week in weeks), Counter[str]())),
        "judge_asked": sum(week.judged for week in weeks),
        "asking_s": sum(week.asking_s for week in weeks),
        "proving_s": sum(week.proving_s for week in weeks),
        "training_s": sum(week.training_s for week in weeks),
    }


def tokens(weeks: Sequence[Played]) -> dict[int, dict[int, float]]:
    """Return the mean length of a prompt on the days with trained weights, by person and day."""
    return by_day(weeks, lambda one: float(one.prompt_tokens), since=TRAINED)


def floor(seeds: Sequence[int]) -> float:
    """Return the share of right answers of a model that always uses the default style."""
    plain = [
        someone.wants(request) == pocket.render(request.kind, request.words)
        for someone in map(person, seeds)
        for day in range(LATE, DAYS + 1)
        for request in someone.day(day)
    ]
    return fmean(plain)


# -- differences -------------------------------------------------------------------------------

CONTRASTS: Final = (
    ("full", "skills"),
    ("skills", "pasted by hand"),
    ("skills", "everything"),
    ("full", "pasted by hand"),
    ("full", "everything"),
    ("oracle", "full"),
)
"""Arms that are compared though they differ in more than one switch."""


def contrasts(weeks: Sequence[Played], seed: int) -> list[Row]:
    """Return how much better one arm is than another, over all requests of the second half."""
    return [
        {"part": f"{one}, over {other}", "against": other, **_effect(a, b, seed)}
        for one, other in CONTRASTS
        if (a := of_arm(weeks, one)) and (b := of_arm(weeks, other))
    ]


def effects(weeks: Sequence[Played], seed: int) -> list[Row]:
    """Return what each part of Lull contributes: the arm with it minus the arm without it, paired
    by person and day. A part that never acted contributed nothing that could be measured.
    """
    found = []
    for arm in SWITCHES:
        with_, without = of_arm(weeks, arm.against), of_arm(weeks, arm.name)
        times = acted(arm.name, with_)
        named = {"part": arm.name.removeprefix("no "), "against": arm.against, "acted": times}
        if with_ and not times:
            found.append({**named, "helps": "not exercised"})
        elif without:
            found.append({**named, **_effect(with_, without, seed)})
    return found


def _effect(one: Sequence[Played], other: Sequence[Played], seed: int) -> Row:
    found = difference(shares(one, since=LATE), shares(other, since=LATE))
    spread = interval(found, seed)
    return {
        "effect": estimate(found),
        "low": spread.low if spread else None,
        "high": spread.high if spread else None,
        "persons": len(found),
        "helps": verdict(spread),
    }


def acted(switch: str, with_: Sequence[Played]) -> int:
    """Return how often the part that a switch takes out did anything in the arm that has it: an
    arm without it differs by nothing but chance where it never did.
    """
    return _ACTED[switch](with_)


def _runs(weeks: Sequence[Played], *kinds: RunKind) -> int:
    return sum(
        number for week in weeks for what, number in week.runs.items() if what.split()[0] in kinds
    )


def _withheld(weeks: Sequence[Played]) -> int:
    return sum(not one.approved for week in weeks for one in week.reviewed)


_ACTED: Final[Mapping[str, Callable[[Sequence[Played]], int]]] = {
    "no judge": lambda weeks: sum(week.judged for week in weeks),
    "no proof gate": _withheld,
    "no graduation": lambda weeks: _runs(weeks, RunKind.GRADUATION),
    "no separation": lambda weeks: _runs(weeks, RunKind.GRPO, RunKind.KTO),
    "no KL": lambda weeks: _runs(weeks, RunKind.GRPO),
}


def paired(
    one: PersonDays, other: PersonDays, seed: int
) -> tuple[float, tuple[float, float] | None]:
    """Return the mean difference on each person's day, and its interval."""
    found = difference(one, other)
    return estimate(found), interval(found, seed)
