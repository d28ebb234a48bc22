"""`python -m bench workweek`: simulated persons work for days with the real service, built-in
model, proofs and training, in several arms.

A run that was killed goes on where it was, as long as the code is the same; `--fresh` begins again.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from bench.report import RESULTS, ROOT, Goal, print_goals, report, write
from bench.workweek import finished_stretches, goals, judge, measures
from bench.workweek.arms import ARMS, MAIN, NIGHTS, SWITCHES
from bench.workweek.measures import Row
from bench.workweek.person import CARELESS, CHANGE_DAY, DAYS, SLIP
from bench.workweek.plan import Plan
from bench.workweek.plot import draw
from bench.workweek.service import SETTINGS
from bench.workweek.statistics import LEAST_PERSONS
from bench.workweek.week import REVIEWS, RUNS_A_NIGHT, Played

NAME: Final = "workweek"
PERSONS: Final = LEAST_PERSONS
QUICK_PERSONS: Final = 2
QUICK_SWITCHES: Final = ("no proof gate",)
"""The switches of a quick run: those whose week needs no second training."""
MINUTES: Final = 10.0
QUICK_MINUTES: Final = 2.0
"""Most minutes a quick run may take on two otherwise idle cores; `MINUTES` is for a full run."""
NOT_SHOWN: Final = (
    "The persons, their habits and the judge are simulated; the model is the built-in one, whose "
    "language has six kinds of request.",
    "A day is a batch of requests, and a night is begun by hand: how lulls are found is measured "
    "by `python -m bench lulls`.",
    "Nothing here says how much a real person with a larger model gains.",
)


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench workweek", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="two persons: a look, not a result")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seeds", type=int, help=f"how many persons; {PERSONS} without --quick")
    parser.add_argument("--arms", nargs="*", help="only these switches, besides the main arms")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="weeks at once")
    parser.add_argument("--fresh", action="store_true", help="forget what an earlier run has done")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / NAME, help="for going on")
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--strict", action="store_true", help="fail if a goal is missed")
    args = parser.parse_args(argv)
    persons = args.seeds or (QUICK_PERSONS if args.quick else PERSONS)
    wanted = _switches(parser, args.arms, QUICK_SWITCHES if args.quick else None)
    document = measure(
        wanted,
        [args.seed + number for number in range(persons)],
        at_once=args.jobs,
        work=args.work,
        fresh=args.fresh,
        out=args.out,
        quick=args.quick,
    )
    path = write(document, args.out)
    print_table(document)
    missed = print_goals(document)
    print(f"written to {path} and {args.out / 'workweek.png'}")
    return 1 if missed and args.strict else 0


def _switches(
    parser: argparse.ArgumentParser, wanted: Sequence[str] | None, default: Sequence[str] | None
) -> list[str]:
    """Return the switches to measure: those that are asked for, else the default, else all."""
    switches = [arm.name for arm in SWITCHES]
    if unknown := [name for name in wanted or () if name not in switches]:
        parser.error(f"there is no arm {unknown[0]!r}; there are: {', '.join(switches)}")
    chosen = default if wanted is None else wanted
    return [name for name in switches if chosen is None or name in chosen]


def measure(
    switches: Sequence[str],
    seeds: Sequence[int],
    *,
    at_once: int,
    work: Path,
    fresh: bool,
    out: Path,
    quick: bool,
) -> Row:
    state = finished_stretches.state_of_the_code()
    folder = work / state.mark
    if fresh:
        shutil.rmtree(folder, ignore_errors=True)
    weeks = _played([arm.name for arm in MAIN], seeds, folder, at_once)
    # A switch whose part did nothing where it was on is not worth a week without it.
    worth = [arm for arm in SWITCHES if arm.name in switches and _acted(arm.name, weeks)]
    weeks += _played([arm.name for arm in worth], seeds, folder, at_once)
    took_s = finished_stretches.spent_s(folder)
    first = seeds[0]
    found = measures.rows(weeks, first)
    contrasts, effects = measures.contrasts(weeks, first), measures.effects(weeks, first)
    in_time = Goal(
        goal="minutes that all of it takes",
        value=took_s / 60,
        limit=QUICK_MINUTES if quick else MINUTES,
        why_not="The limit was set for three persons; a result now needs eight.",
    )
    document = report(
        NAME,
        rows=[*found, *contrasts, *effects],
        goals=[*goals.goals(weeks, first), in_time],
        seeds=seeds,
        packages=("mlx", "mlx-lm"),
        simulated=True,
    )
    out.mkdir(parents=True, exist_ok=True)
    draw(found, [*contrasts, *effects], path=out / f"{NAME}.png")
    return document | {
        "commit": state.said,
        "look": _look(len(seeds), quick=quick),
        "floor": measures.floor(seeds),
        "days": DAYS,
        "rule_changes_on_day": CHANGE_DAY,
        "reviews_on_evenings": REVIEWS,
        "nights_after_days": NIGHTS,
        "runs_a_night": RUNS_A_NIGHT,
        "settings": SETTINGS,
        "judge_is_right": judge.RIGHT,
        "slips_of_the_tongue": SLIP,
        "wrong_of_a_careless_person": CARELESS,
        "took_s": took_s,
        "not_shown": NOT_SHOWN,
    }


def _look(persons: int, *, quick: bool) -> str:
    if persons >= LEAST_PERSONS:
        return ""
    by = f"`python -m bench {NAME}{' --quick' if quick else ''}`, {persons} persons"
    return f"A look, not a result: made by {by}, where a result needs {LEAST_PERSONS}."


def _acted(switch: str, weeks: Sequence[Played]) -> int:
    against = next(arm.against for arm in SWITCHES if arm.name == switch)
    return measures.acted(switch, measures.of_arm(weeks, against))


def _played(arms: Sequence[str], seeds: Sequence[int], folder: Path, at_once: int) -> list[Played]:
    """Play the weeks and return them person by person, whichever is done first."""
    by_name = {arm.name: arm for arm in ARMS}
    plan = Plan([(by_name[arm], seed) for seed in seeds for arm in arms])
    return plan.play(folder, at_once, tell=_say)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def print_table(document: Row) -> None:
    if document["look"]:
        print(document["look"])
    print("simulated persons; right answers in the second half of the days")
    print(
        f"{'arm':15} {'right':>6} {'95 %':>11} {'n':>5} {'said':>5} {'rated':>6} {'free':>5}"
        f" {'bad/offered':>12} {'bad/approved':>13} {'prompt':>10} {'seconds':>8}"
    )
    for row in (row for row in document["rows"] if "arm" in row):
        seconds = row["asking_s"] + row["proving_s"] + row["training_s"]
        print(
            f"{row['arm']:15} {row['right']:6.2f} {_between(row, 1, '.2f'):>11}"
            f" {row['requests']:5} {row['said']:5.2f} {row['only_rated']:6.2f}"
            f" {row['no_habit']:5.2f} {row['offered_bad']:6}/{row['offered']:<5}"
            f" {row['approved_bad']:7}/{row['approved']:<5} {row['prompt_tokens']:6.1f} tok"
            f" {seconds:8.0f}  {_runs(row)}"
        )
    print(f"{'floor':15} {document['floor']:6.2f}  every answer in its default style")
    for effect in (row for row in document["rows"] if "part" in row):
        print(_told(effect))


def _runs(row: Row) -> str:
    return ", ".join(f"{number} {what}" for what, number in sorted(row["runs"].items()))


def _told(effect: Row) -> str:
    if "effect" not in effect:
        return f"{effect['part']}: {effect['helps']}"
    acted = f", acted {effect['acted']} times" if "acted" in effect else ""
    return (
        f"{effect['part']}: {100 * effect['effect']:+.1f} points"
        f" ({_between(effect, 100, '+.1f')}; {effect['persons']} persons{acted}):"
        f" {effect['helps']}"
    )


def _between(row: Row, factor: float, form: str) -> str:
    if row["low"] is None:
        return "–"
    return f"{factor * row['low']:{form}}–{factor * row['high']:{form}}"
