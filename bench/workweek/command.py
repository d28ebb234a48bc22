"""`python -m bench workweek`: a simulated person works for days with the real service, built-in
model, proofs and training, in several arms.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from bench.report import RESULTS, Goal, print_goals, report, write
from bench.workweek import judge, measures
from bench.workweek.arms import ARMS, GROUPS_NIGHT, SKILLS_NIGHT, SWITCHES
from bench.workweek.measures import Row
from bench.workweek.person import CHANGE_DAY, DAYS, SLIP
from bench.workweek.plan import Plan
from bench.workweek.plot import draw
from bench.workweek.week import REVIEWS, RUNS_A_NIGHT, SETTINGS, Played

SEEDS: Final = 3
MINUTES: Final = 10.0
QUICK_MINUTES: Final = 2.0
"""Most minutes a quick run may take on two otherwise idle cores; `MINUTES` is for a full run."""
NOT_SHOWN: Final = (
    "The person, their habits and the judge are simulated; the model is the built-in one, whose "
    "language has six kinds of request.",
    "A day is a batch of requests, and a night is begun by hand: how lulls are found is measured "
    "by `python -m bench lulls`.",
    "Nothing here says how much a real person with a larger model gains.",
)


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench workweek", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one seed: a look, not a result")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seeds", type=int, help=f"how many persons; {SEEDS} without --quick")
    parser.add_argument("--arms", nargs="*", help="only these, besides baseline, skills and full")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="weeks at once")
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--strict", action="store_true", help="fail if a goal is missed")
    args = parser.parse_args(argv)
    count = args.seeds or (1 if args.quick else SEEDS)
    wanted = args.arms if args.arms is not None else [] if args.quick else None
    seeds = [args.seed + number for number in range(count)]
    document = measure(
        _arms(parser, wanted),
        seeds,
        at_once=args.jobs,
        out=args.out,
        minutes=QUICK_MINUTES if args.quick else MINUTES,
    )
    path = write(document, args.out)
    print_table(document)
    missed = print_goals(document)
    print(f"written to {path} and {args.out / 'workweek.png'}")
    return 1 if missed and args.strict else 0


def _arms(parser: argparse.ArgumentParser, wanted: Sequence[str] | None) -> list[str]:
    switches = [arm.name for arm in SWITCHES]
    if wanted is None:
        return [arm.name for arm in ARMS]
    if unknown := [name for name in wanted if name not in switches]:
        parser.error(f"there is no arm {unknown[0]!r}; there are: {', '.join(switches)}")
    return [arm.name for arm in ARMS if arm.name not in switches or arm.name in wanted]


def measure(
    arms: Sequence[str], seeds: Sequence[int], *, at_once: int, out: Path, minutes: float
) -> Row:
    began_s = time.monotonic()
    weeks = _played([(arm, seed) for seed in seeds for arm in arms], at_once)
    took_s = time.monotonic() - began_s
    found, effects = measures.rows(weeks, seeds[0]), measures.effects(weeks, seeds[0])
    in_time = Goal(goal="minutes that all of it takes", value=took_s / 60, limit=minutes)
    document = report(
        "workweek",
        rows=[*found, *effects],
        goals=[*measures.goals(weeks, found), in_time],
        seeds=seeds,
        packages=("mlx", "mlx-lm"),
        simulated=True,
    )
    out.mkdir(parents=True, exist_ok=True)
    draw(found, effects, path=out / "workweek.png")
    return document | {
        "floor": measures.floor(seeds, DAYS),
        "days": DAYS,
        "rule_changes_on_day": CHANGE_DAY,
        "reviews_on_days": REVIEWS,
        "nights_after_days": (SKILLS_NIGHT, GROUPS_NIGHT),
        "runs_a_night": RUNS_A_NIGHT,
        "settings": SETTINGS,
        "judge_is_right": judge.RIGHT,
        "slips_of_the_tongue": SLIP,
        "took_s": took_s,
        "not_shown": NOT_SHOWN,
    }


def _played(weeks: Sequence[tuple[str, int]], at_once: int) -> list[Played]:
    """Play the weeks and return them in the order of `weeks`, whichever is done first."""
    by_name = {arm.name: arm for arm in ARMS}
    plan = Plan([(by_name[arm], seed) for arm, seed in weeks])
    with TemporaryDirectory(prefix="lull-workweek-") as folder:
        return plan.play(Path(folder), at_once, tell=_say)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def print_table(document: Row) -> None:
    print("simulated person; right answers in the second half of the days")
    print(f"{'arm':15} {'right':>6} {'95 %':>13} {'n':>5} {'last prompt':>12} {'seconds':>8}")
    for row in (row for row in document["rows"] if "arm" in row):
        seconds = row["asking_s"] + row["proving_s"] + row["training_s"]
        print(
            f"{row['arm']:15} {row['right']:6.2f} {row['low']:6.2f}–{row['high']:.2f}"
            f" {row['requests']:6} {row['prompt_tokens_by_day'][-1]:8.1f} tok {seconds:8.0f}"
        )
    print(f"{'floor':15} {document['floor']:6.2f}  every answer in its default style")
    for effect in (row for row in document["rows"] if "part" in row):
        print(
            f"{effect['part']}: {100 * effect['effect']:+.1f} points"
            f" ({100 * effect['low']:+.1f} to {100 * effect['high']:+.1f}) over"
            f" {effect['against']} without it; helps: {effect['helps']}"
        )
