"""The goals of the workweek, each with its value, limit, n and interval."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bench.report import Goal
from bench.workweek import measures
from bench.workweek.arms import ALONE, BASELINE, FULL, SKILLS
from bench.workweek.measures import LATE, TRAINED
from bench.workweek.person import ANNA, CHANGE_DAY, CHANGING, CONTESTED
from bench.workweek.statistics import LEAST_PERSONS, PersonDays, estimate, interval
from bench.workweek.week import Done, Played

ABOVE: Final = 0.001
"""Least low end of an interval that counts as above 0: a tenth of a point, so that 0 does not."""
KEPT: Final = 0.9
"""Least share of right answers that counts as a changed rule being kept; the bench's own limit."""
FEWER: Final = -0.1
"""Difference in tokens from which a prompt counts as shorter, so that an equal one does not."""
DISTURBS: Final = 0.02
"""Most that a second client may cost the first."""


def goals(weeks: Sequence[Played], seed: int) -> list[Goal]:
    baseline, skills, full, alone = (
        measures.of_arm(weeks, arm.name) for arm in (BASELINE, SKILLS, FULL, ALONE)
    )
    return [
        _weights(full, skills, seed),
        _learns(full, baseline, seed),
        _changed(skills, seed),
        _second_client(alone, skills, seed),
        _tokens(full, skills, seed),
        Goal(
            goal="persons of whom these figures are",
            value=len(full),
            limit=LEAST_PERSONS,
            at_most=False,
            why_not="A look: fewer persons than a result needs.",
        ),
    ]


def _weights(full: list[Played], skills: list[Played], seed: int) -> Goal:
    of = measures.only_rated
    one, other = (measures.shares(arm, since=TRAINED, of=of) for arm in (full, skills))
    value, spread = measures.paired(one, other, seed)
    requests = measures.count(full, since=TRAINED, of=of)
    return Goal(
        goal="full less skills on what only weights can learn: low end of the interval",
        value=spread[0] if spread else value,
        limit=ABOVE,
        at_most=False,
        measured=_measured(value, spread, len(full), requests),
        why_not=_trained_on(full),
    )


def _trained_on(full: Sequence[Played]) -> str:
    began = "" if measures.acted("no separation", full) else " No run on ratings: not exercised."
    return f"Runs in full: {_runs(full)}.{began}"


def _runs(weeks: Sequence[Played]) -> str:
    found: dict[str, int] = {}
    for week in weeks:
        for what, number in week.runs.items():
            found[what] = found.get(what, 0) + number
    return ", ".join(f"{number} {what}" for what, number in sorted(found.items())) or "none began"


def _learns(full: list[Played], baseline: list[Played], seed: int) -> Goal:
    one, other = (measures.shares(arm, since=LATE) for arm in (full, baseline))
    value, spread = measures.paired(one, other, seed)
    return Goal(
        goal="full less baseline on all requests: low end of the interval",
        value=spread[0] if spread else value,
        limit=ABOVE,
        at_most=False,
        measured=_measured(value, spread, len(full), measures.count(full, since=LATE)),
    )


def _changed(skills: list[Played], seed: int) -> Goal:
    def changing(one: Done) -> bool:
        return one.kind == CHANGING

    day = CHANGE_DAY + 1
    found = measures.shares(skills, since=day, until=day, of=changing)
    requests = measures.count(skills, since=day, until=day, of=changing)
    return _share("the changed rule is kept on the day after it was said", found, requests, seed)


def _share(goal: str, found: PersonDays, requests: int, seed: int) -> Goal:
    value = estimate(found)
    return Goal(
        goal=goal,
        value=value,
        limit=KEPT,
        at_most=False,
        measured=_measured(value, interval(found, seed), len(found), requests),
    )


def _second_client(alone: list[Played], skills: list[Played], seed: int) -> Goal:
    def contested(one: Done) -> bool:
        return one.kind == CONTESTED and one.client == ANNA

    one, other = (measures.shares(arm, since=LATE, of=contested) for arm in (alone, skills))
    value, spread = measures.paired(one, other, seed)
    requests = measures.count(alone, since=LATE, of=contested)
    return Goal(
        goal="what a second client costs the first, against one client alone",
        value=value,
        limit=DISTURBS,
        measured=_measured(value, spread, len(alone), requests),
    )


def _tokens(full: list[Played], skills: list[Played], seed: int) -> Goal:
    value, spread = measures.paired(measures.tokens(full), measures.tokens(skills), seed)
    requests = measures.count(full, since=TRAINED)
    unit = "tokens"
    return Goal(
        goal="tokens of a prompt with trained weights, full less skills: high end of the interval",
        value=spread[1] if spread else value,
        limit=FEWER,
        measured=_measured(value, spread, len(full), requests, unit=unit, factor=1.0),
    )


def _measured(
    value: float,
    spread: tuple[float, float] | None,
    persons: int,
    requests: int,
    *,
    unit: str = "points",
    factor: float = 100.0,
) -> str:
    within = (
        f"95 % {factor * spread[0]:+.1f} to {factor * spread[1]:+.1f}"
        if spread
        else "no interval of one person"
    )
    return f"{factor * value:+.1f} {unit}, {within}; {persons} persons, {requests} requests"
