"""Summarises the plain weeks of all persons: shares with intervals, and differences of arms."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from bench.plainweek.arms import ARMS, FULL, NIGHT
from bench.plainweek.people import CHANGES, CLIENT, DAYS, FREE, RATED, SAID
from bench.plainweek.week import PROBED
from bench.workweek.finished_stretches import folder_name
from bench.workweek.measures import by_day, count, of_arm, paired
from bench.workweek.person import Fault
from bench.workweek.statistics import PersonDays, estimate, interval, verdict
from bench.workweek.week import Done, Played

Row = dict[str, Any]
Which = Callable[[Done], bool]
LATE: Final = NIGHT + 1
"""First day of the second half, and the first on which trained weights can answer."""
CONTRASTS: Final = (
    ("skills", "baseline"),
    ("full", "skills"),
    ("full", "baseline"),
    ("skills", "pasted by hand"),
    ("skills", "everything"),
    ("full", "everything"),
    ("oracle", "full"),
)
"""Arms that are compared, the first less the second."""


_STATES: Final = {
    (True, True): "skills, trained",
    (False, True): "no skills, trained",
    (True, False): "skills, as before",
    (False, False): "no skills, as before",
}


def wanted(one: Done) -> bool:
    """Whether the person has a habit there."""
    return one.kind != FREE


def said(one: Done) -> bool:
    """Whether the habit for this request is said when it is not kept."""
    return one.kind in (*SAID, CHANGES, CLIENT)


def only_rated(one: Done) -> bool:
    """Whether the habit for this request was never said, so that only weights can learn it."""
    return one.kind in RATED


def of_habit(habit: str) -> Which:
    """Return what picks the requests of one of the person's habits."""
    return lambda one: one.kind == habit


def free(one: Done) -> bool:
    """Whether the person has no habit there, so that it can only get worse."""
    return one.kind == FREE


def shares(
    weeks: Sequence[Played], of: Which, *, since: int = LATE, until: int = DAYS
) -> dict[int, dict[int, float]]:
    """Return the share of requests that were done as the person wants, by person and day."""
    return by_day(weeks, lambda one: float(one.right), since=since, until=until, of=of)


def tokens(weeks: Sequence[Played]) -> dict[int, dict[int, float]]:
    """Return the mean tokens of a prompt in the second half, by person and day."""
    return by_day(weeks, lambda one: float(one.prompt_tokens), since=LATE, until=DAYS)


def rows(weeks: Sequence[Played], seed: int) -> list[Row]:
    """Return a row for each arm."""
    return [_row(arm.name, arm.what, own, seed) for arm in ARMS if (own := of_arm(weeks, arm.name))]


def _row(name: str, what: str, weeks: Sequence[Played], seed: int) -> Row:
    late = shares(weeks, wanted)
    found = interval(late, seed)
    reviewed = [one for week in weeks for one in week.reviewed]
    approved = [one for one in reviewed if one.approved]
    return {
        "arm": name,
        "what": what,
        "persons": len(weeks),
        "requests": count(weeks, since=LATE, until=DAYS, of=wanted),
        "right": estimate(late),
        "low": found.low if found else None,
        "high": found.high if found else None,
        "said": estimate(shares(weeks, said)),
        "only_rated": estimate(shares(weeks, only_rated)),
        "no_habit": estimate(shares(weeks, free)),
        "by_habit": {
            habit: estimate(shares(weeks, of_habit(habit)))
            for habit in (*SAID, CHANGES, CLIENT, *RATED, FREE)
        },
        "right_by_day": [
            estimate(shares(weeks, wanted, since=day, until=day)) for day in range(1, DAYS + 1)
        ],
        "prompt_tokens": estimate(tokens(weeks)),
        "offered": len(reviewed),
        "offered_bad": sum(one.fault is not Fault.NONE for one in reviewed),
        "approved": len(approved),
        "approved_bad": sum(one.fault is not Fault.NONE for one in approved),
        "picked": sum(week.judged for week in weeks),
        "runs": dict(sum((Counter(week.runs) for week in weeks), Counter[str]())),
        "asking_s": sum(week.asking_s for week in weeks),
        "proving_s": sum(week.proving_s for week in weeks),
        "training_s": sum(week.training_s for week in weeks),
    }


def contrasts(weeks: Sequence[Played], seed: int) -> list[Row]:
    """Return how much better one arm is than another in the second half, on the same person's
    days.
    """
    return [
        {"part": f"{one}, over {other}", **effect(a, b, wanted, seed)}
        for one, other in CONTRASTS
        if (a := of_arm(weeks, one)) and (b := of_arm(weeks, other))
    ]


def effect(one: Sequence[Played], other: Sequence[Played], of: Which, seed: int) -> Row:
    """Return the paired difference of two arms with its interval over persons and days."""
    value, spread = paired(shares(one, of), shares(other, of), seed)
    return {
        "effect": value,
        "low": spread[0] if spread else None,
        "high": spread[1] if spread else None,
        "persons": len(one),
        "helps": verdict(interval(_less(shares(one, of), shares(other, of)), seed)),
    }


def _less(one: PersonDays, other: PersonDays) -> dict[int, dict[int, float]]:
    return {p: {d: v - other[p][d] for d, v in days.items()} for p, days in one.items()}


def probed(folder: Path, seeds: Sequence[int]) -> list[Row]:
    """Return the last evening's probes with and without skills in the prompt and trained weights:
    the share that is as the person wants it, over all persons.
    """
    files = [folder / folder_name(seed, FULL.stretches) / PROBED for seed in seeds]
    states: dict[tuple[bool, bool], list[Mapping[str, list[bool]]]] = {}
    for file in files:
        for row in json.loads(file.read_text("utf-8")) if file.exists() else ():
            states.setdefault((row["block"], row["weights"]), []).append(row["right"])
    return [
        {
            "state": _STATES[block, weights],
            "probes": sum(len(one) for right in found for one in right.values()),
            "kept_said": fmean(v for right in found for v in right["said_1"]),
            "kept_only_rated": fmean(v for right in found for v in right[RATED[0]]),
        }
        for (block, weights), found in sorted(states.items(), reverse=True)
    ]
