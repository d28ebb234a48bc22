"""The goals of the plain week, each with its value, limit, n and interval."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bench.plainweek import measures
from bench.plainweek.arms import BASELINE, FULL, SKILLS
from bench.plainweek.measures import LATE, Which
from bench.plainweek.people import CHANGES, CLIENT, DAYS, FREE, RATED, SAID
from bench.report import Goal
from bench.workweek.measures import count, of_arm
from bench.workweek.person import Fault
from bench.workweek.week import Played
from lull.core.training.record import RunStatus
from lull.core.training.spec import RunKind

SKILLS_GAIN: Final = 0.25
WEIGHTS_GAIN: Final = 0.10
WORST: Final = -0.03
"""Most that the weights may cost any one habit."""
BAD: Final = 0.05
"""Largest share of wrong or vague corrections among the approved."""
TRAINED: Final = 0.5
"""Least share of persons for whom a run on ratings or groups is promoted."""
PERSONS: Final = 6
"""Fewest persons that make a result."""


def goals(weeks: Sequence[Played], seed: int) -> list[Goal]:
    """Return all goals with what was measured."""
    baseline, skills, full = (of_arm(weeks, arm.name) for arm in (BASELINE, SKILLS, FULL))
    return [
        _gain("skills less baseline", skills, baseline, SKILLS_GAIN, measures.wanted, seed),
        _gain("full less skills", full, skills, WEIGHTS_GAIN, measures.wanted, seed),
        _worst(full, skills, seed),
        _bad(full),
        _trained(full),
        Goal(
            goal="persons of whom these figures are",
            value=len(full),
            limit=PERSONS,
            at_most=False,
            why_not="A look: fewer persons than a result needs.",
        ),
    ]


def _gain(
    name: str,
    one: Sequence[Played],
    other: Sequence[Played],
    limit: float,
    of: Which,
    seed: int,
) -> Goal:
    found = measures.effect(one, other, of, seed)
    within = (
        "no interval of one person"
        if found["low"] is None
        else (f"95 % {100 * found['low']:+.1f} to {100 * found['high']:+.1f}")
    )
    requests = count(one, since=LATE, until=DAYS, of=of)
    return Goal(
        goal=f"{name}, share of answers as wanted",
        value=found["effect"],
        limit=limit,
        at_most=False,
        measured=f"{100 * found['effect']:+.1f} points, {within}; {len(one)} persons, "
        f"{requests} requests",
    )


def _worst(full: Sequence[Played], skills: Sequence[Played], seed: int) -> Goal:
    by_habit = {
        habit: measures.effect(full, skills, measures.of_habit(habit), seed)
        for habit in (*SAID, CHANGES, CLIENT, *RATED, FREE)
    }
    habit, worst = min(by_habit.items(), key=lambda one: float(one[1]["effect"]))
    return Goal(
        goal="full less skills, the habit that lost most",
        value=worst["effect"],
        limit=WORST,
        at_most=False,
        measured=f"{habit}: {100 * worst['effect']:+.1f} points; {len(full)} persons",
    )


def _bad(full: Sequence[Played]) -> Goal:
    approved = [one for week in full for one in week.reviewed if one.approved]
    bad = sum(one.fault is not Fault.NONE for one in approved)
    return Goal(
        goal="wrong or vague corrections among the approved",
        value=bad / len(approved) if approved else 0.0,
        limit=BAD,
        measured=f"{bad} of {len(approved)}" if approved else "not exercised: none was approved",
    )


def _trained(full: Sequence[Played]) -> Goal:
    promoted = [
        any(
            number
            and what
            in (f"{RunKind.KTO} {RunStatus.PROMOTED}", f"{RunKind.GRPO} {RunStatus.PROMOTED}")
            for what, number in week.runs.items()
        )
        for week in full
    ]
    runs = _runs(full)
    return Goal(
        goal="share of persons with a promoted run on ratings or groups",
        value=sum(promoted) / len(promoted) if promoted else 0.0,
        limit=TRAINED,
        at_most=False,
        measured=f"runs: {runs}",
        why_not="" if "kto" in runs or "grpo" in runs else "No such run began: not exercised.",
    )


def _runs(weeks: Sequence[Played]) -> str:
    """Return all finished runs by kind and outcome, in words."""
    found: dict[str, int] = {}
    for week in weeks:
        for what, number in week.runs.items():
            found[what] = found.get(what, 0) + number
    return ", ".join(f"{number} {what}" for what, number in sorted(found.items())) or "none began"
