"""`python -m bench plainweek`: simulated persons chat for days in plain English with the model that
ships with Lull, through the real service, with proofs and training, in several arms.

A run that was killed goes on where it was, as long as the code is the same; `--fresh` begins again.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from bench.plainweek import goals, measures
from bench.plainweek.arms import ARMS, BASELINE, FULL, NIGHT, SKILLS
from bench.plainweek.measures import Row
from bench.plainweek.people import CHANGE_DAY, DAYS, VAGUE, WRONG
from bench.plainweek.week import MODEL, MOST_TOKENS, RUNS_A_NIGHT, play
from bench.report import RESULTS, ROOT, print_goals, report, write
from bench.workweek import finished_stretches
from bench.workweek.arms import Arm
from bench.workweek.plan import Plan
from bench.workweek.plot import draw
from bench.workweek.service import SETTINGS

NAME: Final = "plainweek"
QUICK_ARMS: Final = (BASELINE, SKILLS, FULL)
NOT_SHOWN: Final = (
    "The persons are simulated: an author who knew none of the code wrote what they ask and say, "
    "and exact programs say whether an answer is as they want it.",
    "The person approves all that is proved, unread, and in a blind test picks what they want.",
    "A day is a batch of requests, and the only night is begun by hand.",
    "The model has 135 million parameters; nothing follows for larger ones.",
)


def main(argv: Sequence[str]) -> int:
    """Play what is missing, then write and print what was found."""
    parser = argparse.ArgumentParser(prog="bench plainweek", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one person in three arms: a look")
    parser.add_argument("--seed", type=int, default=0, help="the first person's number")
    parser.add_argument("--seeds", type=int, help="how many persons; 6 without --quick")
    parser.add_argument("--jobs", type=int, default=1, help="weeks at once")
    parser.add_argument("--fresh", action="store_true", help="forget what an earlier run has done")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / NAME, help="for going on")
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--strict", action="store_true", help="fail if a goal is missed")
    args = parser.parse_args(argv)
    persons = args.seeds or (1 if args.quick else goals.PERSONS)
    seeds = [args.seed + number for number in range(persons)]
    arms = QUICK_ARMS if args.quick else ARMS
    document = _measured(
        arms, seeds, work=args.work, at_once=args.jobs, fresh=args.fresh, out=args.out
    )
    path = write(document, args.out)
    _print_table(document)
    missed = print_goals(document)
    print(f"written to {path}")
    return 1 if missed and args.strict else 0


def _measured(
    arms: Sequence[Arm],
    seeds: Sequence[int],
    *,
    work: Path,
    at_once: int,
    fresh: bool,
    out: Path,
) -> Row:
    state = finished_stretches.state_of_the_code()
    folder = work / state.mark
    if fresh:
        shutil.rmtree(folder, ignore_errors=True)
    plan = Plan([(arm, seed) for seed in seeds for arm in arms])
    weeks = plan.play(folder, at_once, tell=_say, stretch=play)
    found, contrasts = measures.rows(weeks, seeds[0]), measures.contrasts(weeks, seeds[0])
    document = report(
        NAME,
        rows=[*found, *contrasts, *measures.probed(folder, seeds)],
        goals=goals.goals(weeks, seeds[0]),
        seeds=seeds,
        packages=("mlx", "mlx-lm"),
        simulated=True,
    )
    out.mkdir(parents=True, exist_ok=True)
    draw(found, contrasts, path=out / f"{NAME}.png")
    return document | {
        "commit": state.said,
        "model": MODEL,
        "days": DAYS,
        "rule_changes_on_day": CHANGE_DAY,
        "night_after_day": NIGHT,
        "runs_a_night": RUNS_A_NIGHT,
        "most_tokens": MOST_TOKENS,
        "settings": SETTINGS,
        "vague": VAGUE,
        "wrong": WRONG,
        "took_s": finished_stretches.spent_s(folder),
        "not_shown": NOT_SHOWN,
    }


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _print_table(document: Row) -> None:
    print(
        f"{'arm':15} {'right':>6} {'n':>5} {'said':>5} {'rated':>6} {'free':>5}"
        f" {'bad/offered':>12} {'bad/approved':>13} {'prompt':>10} {'seconds':>8}"
    )
    for row in (row for row in document["rows"] if "arm" in row):
        seconds = row["asking_s"] + row["proving_s"] + row["training_s"]
        runs = ", ".join(f"{number} {what}" for what, number in sorted(row["runs"].items()))
        print(
            f"{row['arm']:15} {row['right']:6.2f} {row['requests']:5} {row['said']:5.2f}"
            f" {row['only_rated']:6.2f} {row['no_habit']:5.2f}"
            f" {row['offered_bad']:6}/{row['offered']:<5}"
            f" {row['approved_bad']:7}/{row['approved']:<5}"
            f" {row['prompt_tokens']:6.1f} tok {seconds:8.0f}  {runs}"
        )
    for row in (row for row in document["rows"] if "part" in row):
        print(f"{row['part']}: {100 * row['effect']:+.1f} points{_between(row)}: {row['helps']}")
    for row in (row for row in document["rows"] if "state" in row):
        print(
            f"{row['state']:22} said {row['kept_said']:.2f}"
            f"  only rated {row['kept_only_rated']:.2f}  of {row['probes']} probes"
        )


def _between(row: Row) -> str:
    if row["low"] is None:
        return ""
    return f" ({100 * row['low']:+.1f} to {100 * row['high']:+.1f})"
