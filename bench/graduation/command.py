"""`python -m bench graduation`: rules drawn anew, each corrected, proved, approved, trained in and
judged by the gate; what is left of the skill when its words are out of the prompt."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from bench.graduation.course import NoSkill, graduate
from bench.graduation.rules import TaughtRule, rules
from bench.json_object import Json
from bench.report import RESULTS, Goal, print_goals, report, write

RULES: Final = 20
QUICK_RULES: Final = 3
PROMOTED: Final = 0.8
KEPT: Final = 0.9


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench graduation", description=__doc__)
    parser.add_argument("--rules", type=int, help=f"how many; {RULES} without --quick")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tries", type=int, default=1, help="runs of a rule, each if rejected")
    parser.add_argument("--only", type=int, help="this one of the seed's rules alone, from 0")
    parser.add_argument("--homes", type=Path, help="keep each rule's home here, for a look")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_RULES} rules: a look")
    parser.add_argument("--json", action="store_true", help="print a JSON line a rule, no report")
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--strict", action="store_true", help="fail if a goal is missed")
    args = parser.parse_args(argv)
    count = args.rules or (QUICK_RULES if args.quick else RULES)
    drawn = rules(count, args.seed)
    if args.only is not None:
        drawn = drawn[args.only : args.only + 1]
    found = []
    with _homes(args.homes) as folder:
        for number, rule in enumerate(drawn):
            for row in _rows(rule, folder / f"{args.seed}-{number}", tries=args.tries):
                found.append(row)
                print(json.dumps(row) if args.json else _line(row), flush=True)
    if args.json:
        return 0
    document = measured(found, seed=args.seed)
    write(document, args.out)
    return 1 if print_goals(document) and args.strict else 0


@contextmanager
def _homes(kept: Path | None) -> Iterator[Path]:
    if kept is not None:
        yield kept
        return
    with TemporaryDirectory(prefix="lull-graduation-") as folder:
        yield Path(folder)


def _rows(rule: TaughtRule, home: Path, *, tries: int) -> list[Json]:
    """A row for each try; one that says why, where a rule came to no run."""
    try:
        return [
            row | {"try": number} for number, row in enumerate(graduate(rule, home, tries=tries), 1)
        ]
    except NoSkill as error:
        return [{"rule": rule.said, "promoted": False, "try": 1, "why": str(error)}]


def _line(row: Json) -> str:
    said = "promoted" if row["promoted"] else "rejected"
    kept = row.get("gain_kept")
    told = f", kept {kept:.0%}" if kept is not None else f": {row.get('why', '')}"
    return f"{said:9} {row['rule']}{told}"


def measured(rows: Sequence[Json], *, seed: int) -> Json:
    """The report: first tries count, what was kept by those that were promoted."""
    first = [row for row in rows if row["try"] == 1]
    good = [row for row in first if row["promoted"]]
    kept = [row["gain_kept"] for row in good if row["gain_kept"] is not None]
    worse = sum(not one["not_worse"] for row in good for one in row["canaries"].values())
    goals = [
        Goal(
            goal="promoted at the first try",
            value=len(good) / len(first) if first else 0.0,
            limit=PROMOTED,
            at_most=False,
        ),
        Goal(
            goal="of the skill's gain kept without it, mean of the promoted",
            value=sum(kept) / len(kept) if kept else 0.0,
            limit=KEPT,
            at_most=False,
        ),
        Goal(
            goal="tokens of the skill left in a prompt, most of any promoted",
            value=max((row["skill_tokens"] for row in good), default=0.0),
            limit=0.0,
        ),
        Goal(goal="canary families that got worse in the promoted", value=worse, limit=0.0),
    ]
    return report(
        "graduation",
        rows=[_flat(row) for row in rows],
        goals=goals,
        seeds=[seed],
        packages=("mlx", "mlx-lm"),
        simulated=True,
    )


def _flat(row: Json) -> Json:
    """A row of the table: the counts of all families together."""
    families = row.get("canaries", {}).values()
    return row | {"canaries_of": sum(one["of"] for one in families)}
