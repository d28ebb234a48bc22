"""`python -m bench metaclaw_bench --data DIR`: days of work in a file workspace, with and without
Lull.

Without `--endpoint` a scripted student answers (simulated): it proves the plumbing, not a model.
Without `--data` a small rule set from the seed is made. A run that was killed goes on where it was;
`--fresh` begins again. Choices and files are shown apart, with floors, n and intervals over days;
arms are compared on the same days, and stand between who hears nothing and who hears everything.
"""

import argparse
import hashlib
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from bench.metaclaw_bench.agent import Form
from bench.metaclaw_bench.course import Played, course, workspace_of
from bench.metaclaw_bench.data import Bench, read
from bench.metaclaw_bench.rows import Arm, Row, arms_of, goals, rows_of, why_untrained
from bench.metaclaw_bench.scoring import figures, floors
from bench.metaclaw_bench.student import Student
from bench.metaclaw_bench.student_mind import JUDGE, STUDENT, WRITER
from bench.metaclaw_bench.table import print_table
from bench.models.endpoint import Endpoint
from bench.private_rules import rule_set
from bench.private_rules.folder import write as write_rules
from bench.report import RESULTS, ROOT, print_goals, report, write
from bench.through_lull.asked import add_endpoint, identity_of, named, scripted
from bench.through_lull.conditions import Condition, LullFailed, Upstream
from bench.through_lull.progress import Progress

NAME = "metaclaw_bench"
QUICK_DAYS = 4


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
        "--conditions",
        nargs="+",
        choices=list(Condition),
        type=Condition,
        help="all; without --endpoint all but full, as a script cannot be trained",
    )
    parser.add_argument("--feedback", nargs="+", choices=list(Form), default=list(Form), type=Form)
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
    conditions = _conditions(args)
    with _data(args) as bench, _asked(args, bench) as (endpoint, upstream, student):
        folder = args.work / _key(args, bench)
        if args.fresh:
            shutil.rmtree(folder, ignore_errors=True)
        arms = arms_of(args.feedback, conditions)
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
        rows = [*_floor_rows(bench, args.seed), *rows_of(played, args.seed)]
        leaks = sum(day.leaks for days in played.values() for day in days)
        document = report(
            NAME,
            rows=rows,
            goals=goals(rows, leaks if student else None),
            seeds=[args.seed],
            packages=("numpy",),
            simulated=student is not None,
        )
        return document | _about(bench, endpoint, student) | {"untrained": _untrained(played)}


def _conditions(args: argparse.Namespace) -> list[Condition]:
    """Return the conditions to play. Raises ValueError for `full` with the scripted student."""
    if args.endpoint is not None:
        return args.conditions or list(Condition)
    if Condition.FULL in (args.conditions or ()):
        raise ValueError("the scripted student cannot be trained: full wants --endpoint")
    return args.conditions or [one for one in Condition if one is not Condition.FULL]


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


def _untrained(played: Mapping[Arm, Sequence[Played]]) -> list[Row]:
    return [
        {"condition": arm[1].value, "feedback": arm[0].value, "why": why}
        for arm, days in played.items()
        if (why := why_untrained(arm, days))
    ]


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
