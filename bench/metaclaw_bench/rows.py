"""What comes out of a run: its rows, compared with the model alone and the bounds, and its goals.

Two gaps begin at the model alone, which has today's feedback in its conversation and nothing of
earlier days. The reachable one, of which a share is asked, ends at who hears everything, each day's
own rules before its first round among it; the other at who hears all that was said, as soon as it
is said (`agent.Bound`). The second is shown and never asked for: its share is the more flattering
one (docs/adr/0067). Who hears nothing stands in the table, but no gap begins there: the
conversation alone closes half of that one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bench.metaclaw_bench.agent import Bound, Form
from bench.metaclaw_bench.course import Played
from bench.metaclaw_bench.paired import Estimate, over, share_of_gap
from bench.metaclaw_bench.scoring import Scored, figures
from bench.report import Goal
from bench.through_lull.conditions import Condition

Row = dict[str, Any]
Arm = tuple[Form | Bound, Condition]
LEAST_GAIN = 0.01
"""Smallest low end of the gain over the baseline that meets the goal, so that zero does not."""
LEAST_SHARE = {Form.OWN: 0.5, Form.LABELLED: 0.6}
"""Share of the reachable gap that skills are to close."""
GAPS = {"share_of_gap": Bound.BEFOREHAND, "share_of_said": Bound.SAID}
"""Name in a row, and upper end, of each gap; the first is the reachable one."""
GAIN = "skills over baseline, accuracy, low end of 95 %"
SHARE = "share of the reachable gap that skills close"
"""What two goals are called, before the form of the feedback."""
IN_GOALS = {
    Form.OWN: "feedback in a message of its own",
    Form.LABELLED: "feedback as the benchmark has it",
}
"""How goals name the form of the feedback, in the order of the report."""


def arms_of(forms: Sequence[Form], conditions: Sequence[Condition]) -> list[Arm]:
    """Return what is played, in the order of the report: the bounds, then feedback as people
    write it, then as the benchmark labels it.
    """
    ordered = [form for form in (Form.OWN, Form.LABELLED) if form in forms]
    bounds: list[Arm] = [(bound, Condition.BASELINE) for bound in Bound]
    return bounds + [(form, one) for form in ordered for one in dict.fromkeys(conditions)]


def rows_of(played: Mapping[Arm, Sequence[Played]], seed: int) -> Iterator[Row]:
    """Return a row for each arm; `full` with a model that never could be trained is none."""
    of = {arm: [result for day in days for result in day.results] for arm, days in played.items()}
    for arm, days in played.items():
        form, condition = arm
        if why_untrained(arm, days):
            continue
        row: Row = {"condition": condition.value, "feedback": form.value}
        if isinstance(form, Bound):
            row = {"condition": f"bound: {form.value}"}
        row |= figures(of[arm], seed) | _compared(of, arm, seed)
        later = [result for day in days[len(days) // 2 :] for result in day.results]
        row["accuracy_second_half"] = figures(later, seed)["accuracy"]
        row["steps"] = sum(result.steps for result in of[arm])
        if condition.learns:
            row |= _learned(days)
        if condition is Condition.FULL:
            row["trained"] = days[-1].night["trained"]
            row["why_not_trained"] = days[-1].night["why_not_trained"]
        row["by_day"] = {day.day: _mean([r.score for r in day.results]) for day in days}
        yield row


def why_untrained(arm: Arm, days: Sequence[Played]) -> str:
    """Return why an arm `full` was never trained in any night, so that it is no condition of its
    own; "" if it was, and for every other arm.
    """
    if arm[1] is not Condition.FULL:
        return ""
    whys = [str(day.night["why_not_trained"]) for day in days]
    return whys[-1] if all(whys) else ""


def _compared(of: Mapping[Arm, Sequence[Scored]], arm: Arm, seed: int) -> Row:
    form, condition = arm
    alone = of.get((form, Condition.BASELINE))
    if alone is None or condition is Condition.BASELINE:
        return {}
    row = _named("over_baseline", over(of[arm], alone, seed))
    for name, bound in GAPS.items():
        top = of.get((bound, Condition.BASELINE))
        closed = share_of_gap(of[arm], alone, top, seed) if top is not None else None
        row |= _named(name, closed) if closed else {}
    return row


def _named(name: str, found: Estimate) -> Row:
    return {name: found.value, f"{name}_low": found.low, f"{name}_high": found.high}


def _learned(days: Sequence[Played]) -> Row:
    nights = [day.night for day in days]
    held_back = {
        f"{one['status']}: {one['why']}" for night in nights for one in night["not_approved"]
    }
    return {
        "skills": nights[-1]["skills"],
        "approved": sum(night["approved"] for night in nights),
        "held_back": sorted(held_back),
    }


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


# -- goals -------------------------------------------------------------------------------------


def goals(rows: Sequence[Row], leaks: int | None) -> list[Goal]:
    """Return the goals: the benchmark itself works, and the scripted student profits from what Lull
    learns. `leaks` is None for a real model, from which nothing is asked.
    """
    nothing = next(row for row in rows if row["condition"] == "floor: does nothing")
    crashed = float(sum(row["crashed"] for row in rows))
    made = [
        Goal(goal="file checks passed by doing nothing", value=nothing["completion"], limit=0.0),
        Goal(goal="rounds that crashed", value=crashed, limit=0.0),
    ]
    if leaks is None:
        return made
    made.append(Goal(goal="texts of eval that stood in a prompt", value=float(leaks), limit=0.0))
    named = {row["condition"]: row for row in rows if "feedback" not in row}
    for form in IN_GOALS:
        of = {row["condition"]: row for row in rows if row.get("feedback") == form}
        made += _of_student(named | of, form)
    return made


def _of_student(of: Mapping[str, Row], form: Form) -> Iterator[Goal]:
    said = IN_GOALS[form]
    if {"baseline", "passthrough"} <= of.keys():
        apart = abs(of["passthrough"]["accuracy"] - of["baseline"]["accuracy"])
        yield Goal(goal=f"passthrough and baseline, accuracy apart, {said}", value=apart, limit=0.0)
    if not {"baseline", "skills"} <= of.keys():
        return
    skills = of["skills"]
    why = "" if skills["approved"] else _why_nothing(skills)
    yield Goal(
        goal=f"{GAIN}, {said}",
        value=skills["over_baseline_low"],
        limit=LEAST_GAIN,
        at_most=False,
        measured=f"{_estimated(skills, 'over_baseline')}, {_counted(skills)}",
        why_not=why,
    )
    reached = "share_of_gap" in skills
    yield Goal(
        goal=f"{SHARE}, {said}",
        value=skills["share_of_gap"] if reached else 0.0,
        limit=LEAST_SHARE[form],
        at_most=False,
        measured=_of_gaps(of) if reached else "",
        why_not=why if reached else "there is no gap in these days",
    )


def _of_gaps(of: Mapping[str, Row]) -> str:
    """Return the interval of the share that is asked, its ends, and the other share beside it."""
    skills = of["skills"]
    places = ["baseline", "skills", *(f"bound: {bound.value}" for bound in GAPS.values())]
    said = ", ".join(f"{one} {of[one]['accuracy']:.3f}" for one in places)
    other = "share_of_said"
    beside = f"; of the gap to {GAPS[other].value}: {_estimated(skills, other)}"
    return (
        f"95 % {_interval(skills, 'share_of_gap')}, {_counted(skills)}; {said}"
        f"{beside if other in skills else ''}"
    )


def _estimated(row: Row, name: str) -> str:
    return f"{row[name]:.3f} {_interval(row, name)}"


def _interval(row: Row, name: str) -> str:
    return f"[{row[f'{name}_low']:.3f}, {row[f'{name}_high']:.3f}]"


def _counted(row: Row) -> str:
    return f"paired over {row['days']} days, n = {row['rounds']}"


def _why_nothing(row: Row) -> str:
    return f"nothing was approved; proposed was: {'; '.join(row['held_back']) or 'nothing'}"
