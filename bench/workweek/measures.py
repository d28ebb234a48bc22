"""Summarises the weeks of all seeds: shares with intervals, and the effect of each switch."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from statistics import mean
from typing import Any, Final

from bench.report import Goal
from bench.workweek.arms import ARMS, BASELINE, FULL, SKILLS, SWITCHES, Arm
from bench.workweek.person import CHANGE_DAY, CHANGING, CLIENTS, CONTESTED, person
from bench.workweek.week import Done, Played
from lull.pocket import language as pocket

Row = dict[str, Any]
Days = list[list[Done]]
"""Requests grouped by day, over all seeds; days are the unit of resampling."""
RESAMPLED: Final = 2000
LEAST_LEARNED_SHARE: Final = 0.7
"""Least share of right answers, as a goal, for requests of a kind from the second day of its new
rule on.
"""


def late(days: int) -> int:
    """Return the first day of the second half of the week."""
    return days // 2 + 1


def rows(weeks: Sequence[Played], seed: int) -> list[Row]:
    return [
        _row(arm, [week for week in weeks if week.arm == arm.name], seed)
        for arm in ARMS
        if any(week.arm == arm.name for week in weeks)
    ]


def _row(arm: Arm, weeks: Sequence[Played], seed: int) -> Row:
    days = weeks[0].days
    second = _days(weeks, since=late(days))
    low, high = interval(second, right, seed)
    runs: dict[str, int] = {}
    for week in weeks:
        for what, count in week.runs.items():
            runs[what] = runs.get(what, 0) + count
    return {
        "arm": arm.name,
        "what": arm.what,
        "seeds": len(weeks),
        "requests": sum(map(len, second)),
        "right": right(second),
        "low": low,
        "high": high,
        "right_by_day": [right(_days(weeks, since=d, until=d)) for d in range(1, days + 1)],
        "changed_rule_by_day": [
            right(_days(weeks, since=d, until=d, kind=CHANGING)) for d in range(1, days + 1)
        ],
        "prompt_tokens_by_day": [
            prompt_tokens(_days(weeks, since=d, until=d)) for d in range(1, days + 1)
        ],
        "approved": sum(week.approved for week in weeks),
        "runs": runs,
        "judge_asked": sum(week.judged for week in weeks),
        "asking_s": sum(week.asking_s for week in weeks),
        "proving_s": sum(week.proving_s for week in weeks),
        "training_s": sum(week.training_s for week in weeks),
    }


def effects(weeks: Sequence[Played], seed: int) -> list[Row]:
    """Return what each part of Lull contributes: the arm with it minus the arm without it, paired
    by day.
    """
    found = []
    for arm in SWITCHES:
        with_ = _days([w for w in weeks if w.arm == arm.against], since=late(weeks[0].days))
        without = _days([w for w in weeks if w.arm == arm.name], since=late(weeks[0].days))
        if not without:
            continue
        pairs = [mean(_rights(a)) - mean(_rights(b)) for a, b in zip(with_, without, strict=True)]
        low, high = _bootstrap(pairs, mean, seed)
        found.append(
            {
                "part": arm.name.removeprefix("no "),
                "against": arm.against,
                "effect": mean(pairs),
                "low": low,
                "high": high,
                "days": len(pairs),
                "helps": "yes" if low > 0 else "no: it harms" if high < 0 else "not shown",
            }
        )
    return found


def floor(seeds: Sequence[int], days: int) -> float:
    """Return the share of right answers of a model that always uses the default style."""
    plain = [
        someone.wants(request) == pocket.render(request.kind, request.words)
        for someone in map(person, seeds)
        for day in range(late(days), days + 1)
        for request in someone.day(day)
    ]
    return mean(plain)


def goals(weeks: Sequence[Played], found: Sequence[Row]) -> list[Goal]:
    by = {row["arm"]: row for row in found}
    baseline, skills, full = by[BASELINE.name], by[SKILLS.name], by[FULL.name]
    days = weeks[0].days
    made = [
        Goal(
            goal="skills: right, as a multiple of baseline",
            value=_ratio(skills["right"], baseline["right"]),
            limit=1.3,
            at_most=False,
        ),
        Goal(
            goal="full: right, as a multiple of baseline",
            value=_ratio(full["right"], baseline["right"]),
            limit=2.0,
            at_most=False,
        ),
        Goal(
            goal="skills: low end of the interval less baseline's high end",
            value=skills["low"] - baseline["high"],
            limit=0.0,
            at_most=False,
        ),
        Goal(
            goal="full: low end of the interval less baseline's high end",
            value=full["low"] - baseline["high"],
            limit=0.0,
            at_most=False,
        ),
        Goal(
            goal="tokens of a prompt on the last day, full less skills",
            value=full["prompt_tokens_by_day"][-1] - skills["prompt_tokens_by_day"][-1],
            limit=0.0,
        ),
    ]
    if days > CHANGE_DAY:
        made += [
            Goal(
                goal=f"{arm}: the changed rule is kept from its second day on",
                value=mean(by[arm]["changed_rule_by_day"][CHANGE_DAY:]),
                limit=LEAST_LEARNED_SHARE,
                at_most=False,
            )
            for arm in (SKILLS.name, FULL.name)
        ]
    made += [
        Goal(
            goal=f"full: what {client} wants and the other client does not",
            value=right(_days(_of(weeks, FULL), since=late(days), kind=CONTESTED, client=client)),
            limit=LEAST_LEARNED_SHARE,
            at_most=False,
        )
        for client in CLIENTS
    ]
    return made


def _of(weeks: Sequence[Played], arm: Arm) -> list[Played]:
    return [week for week in weeks if week.arm == arm.name]


def _ratio(one: float, other: float) -> float:
    return one / other if other else float("inf")


def _days(
    weeks: Sequence[Played],
    *,
    since: int,
    until: int | None = None,
    kind: str | None = None,
    client: str | None = None,
) -> Days:
    return [
        [
            one
            for one in week.done
            if one.day == day and kind in (None, one.kind) and client in (None, one.client)
        ]
        for week in weeks
        for day in range(since, (until or week.days) + 1)
    ]


def _rights(day: Sequence[Done]) -> list[float]:
    return [float(one.right) for one in day]


def right(days: Days) -> float:
    return mean(float(one.right) for day in days for one in day)


def prompt_tokens(days: Days) -> float:
    return mean(one.prompt_tokens for day in days for one in day)


def interval(days: Days, of: Callable[[Days], float], seed: int) -> tuple[float, float]:
    """Return a 95 % percentile interval from resampling days with replacement."""
    return _bootstrap(days, lambda drawn: of(list(drawn)), seed)


def _bootstrap(
    units: Sequence[Any], of: Callable[[Sequence[Any]], float], seed: int
) -> tuple[float, float]:
    chance = random.Random(f"{seed}:bootstrap")
    drawn = sorted(of(chance.choices(units, k=len(units))) for _ in range(RESAMPLED))
    return drawn[int(0.025 * RESAMPLED)], drawn[int(0.975 * RESAMPLED) - 1]
