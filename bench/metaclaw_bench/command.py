"""`python -m bench metaclaw_bench --data DIR`: days of work in a file workspace, with and without
Lull.

Without `--endpoint` a scripted student answers (simulated): it proves the plumbing, not a model.
Without `--data` a small rule set from the seed is made. A run that was killed goes on where it was;
`--fresh` begins again. Choices and files are shown apart, with floors, n and intervals over days.
"""

import argparse
import hashlib
import itertools
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench.metaclaw_bench.agent import Form
from bench.metaclaw_bench.course import Played, course, workspace_of
from bench.metaclaw_bench.data import Bench, read
from bench.metaclaw_bench.scoring import figures, floors
from bench.metaclaw_bench.student import Student
from bench.metaclaw_bench.student_mind import JUDGE, STUDENT, WRITER
from bench.metaclaw_bench.table import print_table
from bench.models.endpoint import Endpoint
from bench.private_rules import rule_set
from bench.private_rules.folder import write as write_rules
from bench.report import RESULTS, ROOT, Goal, print_goals, report, write
from bench.through_lull.asked import add_endpoint, identity_of, named, scripted
from bench.through_lull.conditions import Condition, LullFailed, Upstream
from bench.through_lull.progress import Progress

Row = dict[str, Any]
NAME = "metaclaw_bench"
QUICK_DAYS = 4
LEAST_GAIN = 0.01
"""Smallest gain over the baseline that meets the goal, so that a gain of zero does not."""


def main(argv: Sequence[str]) -> int:
    args = _parser().parse_args(argv)
    try:
        document = measure(args)
    except (LullFailed, OSError, ValueError, KeyError) as error:
        print(f"bench {NAME}: {error}", file=sys.stderr)
        return 1
    path = write(document, args.out)
    print_table(document)
    missed = print_goals(document)
    print(f"written to {path}")
    return 1 if missed and args.strict else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=f"bench {NAME}", description=__doc__)
    parser.add_argument("--data", type=Path, help="a folder in the shape of MetaClaw-Bench")
    parser.add_argument("--days", type=int, help="only the first so many days")
    add_endpoint(parser)
    parser.add_argument(
        "--allow-commands", action="store_true", help="a tool run_command, unjailed"
    )
    parser.add_argument(
        "--conditions", nargs="+", choices=list(Condition), default=list(Condition), type=Condition
    )
    parser.add_argument(
        "--feedback", nargs="+", choices=list(Form), default=[Form.LABELLED], type=Form
    )
    parser.add_argument("--fresh", action="store_true", help="forget what an earlier run has done")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / NAME, help="for going on")
    parser.add_argument("--quick", action="store_true", help=f"the first {QUICK_DAYS} days")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--strict", action="store_true", help="fail if a goal is missed")
    return parser


def measure(args: argparse.Namespace) -> Row:
    """Run the whole benchmark. Raises OSError, KeyError or ValueError for an invalid data folder,
    and LullFailed.
    """
    with _data(args) as bench, _asked(args, bench) as (endpoint, upstream, student):
        folder = args.work / _key(args, bench)
        if args.fresh:
            shutil.rmtree(folder, ignore_errors=True)
        arms = list(itertools.product(dict.fromkeys(args.feedback), dict.fromkeys(args.conditions)))
        progress = Progress(sum(len(day.rounds) for day in bench.days) * len(arms))
        played = {
            (form, one): course(
                bench,
                one,
                endpoint,
                upstream,
                folder / form.name.lower() / one,
                progress=progress,
                form=form,
                commands=args.allow_commands,
                leaked=lambda: len(student.leaks) if student else 0,
            )
            for form, one in arms
        }
        rows = [*_floor_rows(bench, args.seed), *_rows(played, args.seed)]
        leaks = sum(day.leaks for days in played.values() for day in days)
        document = report(
            NAME,
            rows=rows,
            goals=goals(rows, leaks if student else None),
            seeds=[args.seed],
            packages=("numpy",),
            simulated=student is not None,
        )
        return document | _about(bench, endpoint, student)


# -- who is asked, and what --------------------------------------------------------------------


@contextmanager
def _data(args: argparse.Namespace) -> Iterator[Bench]:
    most = args.days or (QUICK_DAYS if args.quick else None)
    if args.data is not None:
        bench = read(args.data)
        yield replace(bench, days=bench.days[:most])
        return
    with tempfile.TemporaryDirectory(prefix="private-rules-") as made:
        write_rules(rule_set(args.seed), Path(made))
        bench = read(Path(made))
        yield replace(bench, days=bench.days[:most])


@contextmanager
def _asked(
    args: argparse.Namespace, bench: Bench
) -> Iterator[tuple[Endpoint, Upstream, Student | None]]:
    if args.endpoint is not None:
        with named(args) as (endpoint, upstream):
            yield endpoint, upstream, None
        return
    with Student(bench) as student:
        endpoint, upstream = scripted(args, student.address, (STUDENT, JUDGE, WRITER))
        yield endpoint, upstream, student


def _key(args: argparse.Namespace, bench: Bench) -> str:
    """Return the key of a run's folder; runs with the same key ask the same model the same
    questions and may be continued.
    """
    told = [bench.digest, len(bench.days), args.allow_commands, *identity_of(args)]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:16]


# -- what comes out ----------------------------------------------------------------------------


def _floor_rows(bench: Bench, seed: int) -> Iterator[Row]:
    with tempfile.TemporaryDirectory(prefix="metaclaw-floors-") as made:
        days = [(day, workspace_of(bench, day, Path(made) / day.id)) for day in bench.days]
        for name, results in floors(days).items():
            yield {"condition": f"floor: {name}", **figures(results, seed)}


Arm = tuple[Form, Condition]


def _rows(played: dict[Arm, list[Played]], seed: int) -> Iterator[Row]:
    for (form, condition), days in played.items():
        results = [result for day in days for result in day.results]
        half = len(days) // 2
        later = [result for day in days[half:] for result in day.results]
        row: Row = {"condition": condition.value, "feedback": form.value, **figures(results, seed)}
        row["accuracy_second_half"] = figures(later, seed)["accuracy"]
        row["steps"] = sum(result.steps for result in results)
        if condition.learns:
            nights = [day.night for day in days]
            row["skills"] = nights[-1]["skills"]
            row["approved"] = sum(night["approved"] for night in nights)
            row["held_back"] = sorted(
                {
                    f"{one['status']}: {one['why']}"
                    for night in nights
                    for one in night["not_approved"]
                }
            )
        if condition is Condition.FULL:
            row["trained"] = days[-1].night["trained"]
            row["why_not_trained"] = days[-1].night["why_not_trained"]
        row["by_day"] = {day.day: _mean([r.score for r in day.results]) for day in days}
        yield row


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def goals(rows: Sequence[Row], leaks: int | None) -> list[Goal]:
    """Return the goals: the benchmark itself works, and the scripted student profits from what Lull
    learns.
    """
    nothing = next(row for row in rows if row["condition"] == "floor: does nothing")
    made = [
        Goal(
            goal="file checks passed by doing nothing",
            value=nothing["completion"],
            limit=0.0,
        ),
        Goal(
            goal="rounds that crashed",
            value=float(sum(row["crashed"] for row in rows)),
            limit=0.0,
        ),
    ]
    if leaks is None:
        return made
    made.append(Goal(goal="texts of eval that stood in a prompt", value=float(leaks), limit=0.0))
    for form in dict.fromkeys(row["feedback"] for row in rows if "feedback" in row):
        made += _of_student({r["condition"]: r for r in rows if r.get("feedback") == form}, form)
    return made


def _of_student(of: Mapping[str, Row], form: str) -> Iterator[Goal]:
    said = (
        f"feedback {'in a message of its own' if form == Form.OWN else 'as the benchmark has it'}"
    )
    if {"baseline", "passthrough"} <= of.keys():
        apart = abs(of["passthrough"]["accuracy"] - of["baseline"]["accuracy"])
        yield Goal(goal=f"passthrough and baseline, accuracy apart, {said}", value=apart, limit=0.0)
    if {"baseline", "skills"} <= of.keys():
        yield Goal(
            goal=f"skills over baseline, accuracy, {said}",
            value=of["skills"]["accuracy"] - of["baseline"]["accuracy"],
            limit=LEAST_GAIN,
            at_most=False,
            why_not="" if of["skills"]["approved"] else _why_nothing(of["skills"]),
        )


def _why_nothing(row: Row) -> str:
    return f"nothing was approved; proposed was: {'; '.join(row['held_back']) or 'nothing'}"


def _about(bench: Bench, endpoint: Endpoint, student: Student | None) -> Row:
    infeasible = [
        {"day": day.id, "round": asked.id, "why": asked.infeasible}
        for day in bench.days
        for asked in day.rounds
        if asked.infeasible
    ]
    return {
        "data": {"name": bench.name, "digest": bench.digest[:16], "days": len(bench.days)},
        "model": "scripted student (simulated)" if student else endpoint.model,
        "infeasible": infeasible,
    }
