"""`python -m bench english`: how well the shipped English model keeps rules in Lull's block.

Without options: the table, on requests, wordings, values and families that it was not trained on.
With `--cases FILE --json` it reads lines of `{"rules": ["..."], "system": "", "request": "..."}`
and prints a line of `{"answer": "..."}` for each, through a real service.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.english.served import answered, read_cases, shipped
from bench.report import RESULTS, print_goals, write
from lull.core.errors import LullError


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench english", description=__doc__)
    parser.add_argument("--cases", type=Path, help="JSON lines of rules, system, request")
    parser.add_argument("--json", action="store_true", help="a JSON line for each case")
    parser.add_argument("--work", type=Path, help="keep the table's answers here, to go on later")
    parser.add_argument("--quick", action="store_true", help="a look, not a proof")
    parser.add_argument("--seed", type=int, default=0, help="which cases the table draws")
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--strict", action="store_true", help="fail if a goal is missed")
    args = parser.parse_args(argv)
    try:
        cases = read_cases(args.cases) if args.cases else None
        adapter = shipped()
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            if cases is not None:
                for answer in answered(cases, Path(folder) / "home"):
                    print(json.dumps({"answer": answer}) if args.json else answer, flush=True)
                return 0
            return _table(args, adapter, args.work or Path(folder))
    except LullError as error:
        hint = f" ({error.hint})" if error.hint else ""
        print(f"bench english: {error.detail}{hint}", file=sys.stderr)
        return 1


def _table(args: argparse.Namespace, adapter: Path, work: Path) -> int:
    """Measure the shipped adapter, write the report and print its goals."""
    from bench.english.measure import CASES, QUICK, measure
    from bench.english.model.speakers import worn

    work.mkdir(parents=True, exist_ok=True)
    document = measure(
        worn(adapter, work), work, count=QUICK if args.quick else CASES, seed=args.seed
    )
    print(f"written to {write(document, args.out)}")
    return 1 if print_goals(document) and args.strict else 0
