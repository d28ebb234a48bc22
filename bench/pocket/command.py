"""`python -m bench pocket`: measures the shipped weights, or prints test cases for external
checks.
"""

import argparse
import json
import platform
import subprocess
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parents[2]
_PACKAGES = ("mlx", "mlx-lm", "numpy", "tokenizers")


def main(argv: Sequence[str]) -> int:
    """Run the command line of `python -m bench pocket`."""
    parser = argparse.ArgumentParser(prog="bench pocket", description=__doc__)
    parser.add_argument("--model", type=Path, default=_ROOT / "resources" / "pocket")
    parser.add_argument("--out", type=Path, default=_ROOT / "bench" / "results")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--quick", action="store_true", help="fewer cases: a look, not a proof")
    parser.add_argument("--strict", action="store_true", help="fail if a goal is missed")
    parser.add_argument("--cases", type=int, help="cases a row, or lines with --json")
    parser.add_argument("--json", action="store_true", help="print cases instead of measuring")
    args = parser.parse_args(argv)
    if args.json:
        return _print_cases(args.cases or 100, args.seed)
    report = measure(args.model, seed=args.seed, cases=args.cases or (100 if args.quick else 1000))
    args.out.mkdir(parents=True, exist_ok=True)
    (args.out / "pocket.json").write_text(json.dumps(report, indent=2) + "\n")
    print_table(report)
    missed = [goal["goal"] for goal in report["goals"] if not goal["holds"]]
    print(f"\nmissed: {', '.join(missed)}" if missed else "\nevery goal holds")
    return 1 if missed and args.strict else 0


def _print_cases(count: int, seed: int) -> int:
    # Cases need no model: whoever only asks for them should not wait for mlx.
    from bench.pocket.cases import case_lines

    for line in case_lines(count, seed):
        print(line)
    return 0


def measure(folder: Path, *, seed: int, cases: int) -> dict[str, Any]:
    """Measure the model in a folder and return the whole report."""
    from bench.pocket.loading import load
    from bench.pocket.table import Measuring

    began = time.process_time()
    model, tokenizer = load(folder)
    rows = list(Measuring(model=model, tokenizer=tokenizer, seed=seed).rows(cases, cases))
    return {
        "bench": "pocket",
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": _commit(),
        "machine": f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
        "versions": {name: version(name) for name in _PACKAGES},
        "seeds": [seed],
        "simulated": False,
        "cpu_s": round(time.process_time() - began, 1),
        "rows": [
            {
                "row": row.name,
                "n": row.n,
                "share": row.share,
                "interval": [round(edge, 4) for edge in row.interval],
            }
            for row in rows
        ],
        "goals": [
            {
                "goal": f"{row.name} {sign} {limit:.0%}",
                "value": row.share,
                "limit": limit,
                "holds": row.share >= limit if sign == "≥" else row.share <= limit,
            }
            for row in rows
            for sign, limit in (("≥", row.least), ("≤", row.most))
            if limit is not None
        ],
    }


def print_table(report: dict[str, Any]) -> None:
    """Print the report's rows for people."""
    for row in report["rows"]:
        low, high = row["interval"]
        print(f"{row['row']:<44} {row['share']:>7.1%}   {low:.1%} to {high:.1%}   n = {row['n']}")


def _commit() -> str:
    """Return the checkout's commit; "" outside of a git checkout."""
    asked = subprocess.run(
        ("git", "rev-parse", "--short", "HEAD"),
        cwd=_ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return asked.stdout.strip()
