"""Summarises all pipeline runs: figures with intervals, and differences between conditions run by
run.

Seeds and topics are both drawn again, crossed: a run stands or falls with its seed's house and its
topic alike (Owen 2007, the pigeonhole bootstrap). Differences are of the same seed and topic.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from bench.pipeline.course import Played, of
from bench.pipeline.run import MOST_ATTEMPTS, Ran
from bench.pipeline.work import Stage
from bench.report import Goal
from bench.through_lull.conditions import Condition

DRAWS: Final = 2000
LEAST_GAIN: Final = 0.01
"""Smallest gain over the baseline that meets the goal, so that a gain of zero does not."""
Row = dict[str, Any]
Measure = Callable[[Sequence[Ran]], float]


def retry_rate(runs: Sequence[Ran]) -> float:
    return sum(one.retries for one in runs) / max(1, sum(one.attempts for one in runs))


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if len(values) else 0.0


MEASURES: Final[Mapping[str, Measure]] = {
    "composite": lambda runs: _mean([one.composite for one in runs]),
    "stages": lambda runs: _mean([one.completed for one in runs]),
    "completed": lambda runs: _mean([_whole(one) for one in runs]),
    "retry_rate": retry_rate,
    "cycles": lambda runs: _mean([one.cycles for one in runs]),
    # A run that ended early was sent back less often, but not because it was better.
    "cycles_completed": lambda runs: _mean([one.cycles for one in runs if _whole(one)]),
}


def _whole(ran: Ran) -> bool:
    return ran.completed == len(Stage)


def silent(topic: str) -> Ran:
    """Return the worst possible run: a model that says nothing and fails the first stage."""
    return Ran(
        topic=topic,
        completed=0,
        attempts=MOST_ATTEMPTS,
        retries=MOST_ATTEMPTS - 1,
        cycles=0,
        crashed=False,
        ended="",
    )


def rows(played: Sequence[Played], seed: int) -> list[Row]:
    """Return the table's rows: the floor first, then one row per condition."""
    topics = sorted({one.ran.topic for one in played})
    floor = [silent(topic) for topic in topics]
    made: list[Row] = [
        {"condition": "floor: says nothing", **{name: one(floor) for name, one in MEASURES.items()}}
    ]
    for condition in dict.fromkeys(one.condition for one in played):
        made.append(_row(condition, of(played, condition), seed))
    return made


def _row(condition: Condition, played: Sequence[Played], seed: int) -> Row:
    row: Row = {"condition": condition.value, "runs": len(played)}
    drawn = _drawn(played, seed)
    for name, measure in MEASURES.items():
        values = [measure([one.ran for one in some]) for some in drawn]
        row |= {name: measure([one.ran for one in played])} | _interval(name, values)
    row["crashed"] = sum(one.ran.crashed for one in played)
    positions = sorted({one.position for one in played})
    by_position = {p: [one.ran for one in played if one.position == p] for p in positions}
    row["composite_by_run"] = [MEASURES["composite"](some) for some in by_position.values()]
    row["told_by_run"] = [
        _mean([one.told for one in played if one.position == p]) for p in positions
    ]
    if condition.learns:
        row["approved"] = sum(one.night.get("approved", 0) for one in played)
        row["held_back"] = _held_back(played)
    return row


def _held_back(played: Sequence[Played]) -> dict[str, int]:
    """Count the proposals that were not approved in the last night of each series, by status. How
    far a proof came varies between runs by a pair or two, because turn ids differ.
    """
    last = {one.seed: one for one in sorted(played, key=lambda one: one.position)}
    held = (one for run in last.values() for one in run.night.get("not_approved", ()))
    return dict(sorted(Counter(str(one["status"]) for one in held).items()))


def differences(played: Sequence[Played], seed: int) -> list[Row]:
    """Return each condition's difference from the baseline on the same seeds and topics."""
    base = {(one.seed, one.ran.topic): one for one in of(played, Condition.BASELINE)}
    found = []
    for condition in dict.fromkeys(one.condition for one in played):
        mine = of(played, condition)
        if condition is Condition.BASELINE or not base:
            continue
        drawn = _drawn(mine, seed)
        row: Row = {"condition": f"{condition} - baseline", "runs": len(mine)}
        for name, measure in MEASURES.items():
            both = name == "cycles_completed"
            apart = [_apart(measure, some, base, both=both) for some in (mine, *drawn)]
            row |= {name: apart[0]} | _interval(name, apart[1:])
        found.append(row)
    return found


def _apart(
    measure: Measure, mine: Sequence[Played], base: Mapping[Any, Played], *, both: bool
) -> float:
    """Return a measure's difference between a condition and the baseline; `both`: only over pairs
    of completed runs.
    """
    pairs = [(one.ran, base[one.seed, one.ran.topic].ran) for one in mine]
    if both:
        pairs = [pair for pair in pairs if all(map(_whole, pair))]
    return measure([ours for ours, _ in pairs]) - measure([theirs for _, theirs in pairs])


def _interval(name: str, values: Sequence[float]) -> Row:
    low, high = np.quantile(values, [0.025, 0.975])
    return {f"{name}_low": float(low), f"{name}_high": float(high)}


def _drawn(played: Sequence[Played], seed: int) -> list[list[Played]]:
    """Draw bootstrap samples of runs by resampling seeds and topics."""
    cells = {(one.seed, one.ran.topic): one for one in played}
    seeds, topics = sorted({s for s, _ in cells}), sorted({t for _, t in cells})
    draw = np.random.default_rng(seed)
    found = []
    for _ in range(DRAWS):
        rows_, columns = (
            draw.integers(len(seeds), size=len(seeds)),
            draw.integers(len(topics), size=len(topics)),
        )
        pairs = ((seeds[r], topics[c]) for r in rows_ for c in columns)
        some = [cells[pair] for pair in pairs if pair in cells]
        found.append(some or list(played))
    return found


# -- goals -------------------------------------------------------------------------------------


def goals(played: Sequence[Played], apart: Sequence[Row], *, simulated: bool) -> list[Goal]:
    """Return the goals: the benchmark itself works, and the scripted student profits from what Lull
    learns.
    """
    crashed = float(sum(one.ran.crashed for one in played))
    made = [Goal(goal="runs that crashed", value=crashed, limit=0.0)]
    if not simulated:
        return made
    untaught = [one for one in played if not one.condition.learns or one.position == 1]
    made.append(
        Goal(
            goal="conventions in a first prompt before anybody had said them",
            value=float(sum(one.told for one in untaught)),
            limit=0.0,
        )
    )
    by_name = {row["condition"]: row for row in apart}
    if through := by_name.get("passthrough - baseline"):
        made.append(
            Goal(
                goal="passthrough and baseline, composite apart",
                value=abs(through["composite"]),
                limit=0.0,
            )
        )
    if learned := by_name.get("skills - baseline"):
        made += _of_skills(played, learned)
    return made


def _of_skills(played: Sequence[Played], learned: Row) -> list[Goal]:
    approved = sum(one.night.get("approved", 0) for one in of(played, Condition.SKILLS))
    why = "" if approved else "nothing was approved"
    return [
        Goal(
            goal="skills over baseline, composite, low end of 95 %",
            value=learned["composite_low"],
            limit=LEAST_GAIN,
            at_most=False,
            why_not=why,
        ),
        Goal(
            goal="skills over baseline, stage retry rate, high end of 95 %",
            value=learned["retry_rate_high"],
            limit=0.0,
            why_not=why,
        ),
        Goal(
            goal="skills over baseline, refine cycles of runs completed in both, high end of 95 %",
            value=learned["cycles_completed_high"],
            limit=0.0,
            why_not=why,
        ),
        Goal(
            goal=f"skills over baseline, stages completed of {len(Stage)}, low end of 95 %",
            value=learned["stages_low"],
            limit=0.0,
            at_most=False,
            why_not=why,
        ),
    ]
