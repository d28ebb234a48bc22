"""`python -m bench all [--quick]` runs every benchmark and builds the report page; `report` only
builds the page.

Each bench runs in a process of its own: one that fails is told and stops no other. What it printed
goes by as it comes. `--data DIR` goes to the benches that take a folder of MetaClaw-Bench's shape.
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench.all.page import page
from bench.report import RESULTS, ROOT

PAGE = ROOT / "docs" / "benchmarks.md"
TAKES_DATA = frozenset({"retrieval", "metaclaw_bench"})
FULL: Mapping[str, tuple[str, ...]] = {
    "lulls": ("--days", "60"),
    "metaclaw_bench": ("--fresh",),
    "pipeline": ("--fresh",),
}
"""Options that the full run passes to a benchmark whose defaults do not cover everything."""


def main(argv: Sequence[str], benches: Mapping[str, str]) -> int:
    args = _parser("all", __doc__).parse_args(argv)
    names = [name for name in benches if not args.only or name in args.only]
    failed = [name for name in names if _run(name, args)]
    _write(benches, args.out, args.page)
    for name in failed:
        print(f"bench {name} could not measure", file=sys.stderr)
    return 1 if failed else 0


def report_main(argv: Sequence[str], benches: Mapping[str, str]) -> int:
    parser = argparse.ArgumentParser(prog="bench report", description=__doc__)
    _places(parser)
    args = parser.parse_args(argv)
    _write(benches, args.out, args.page)
    return 0


def refresh(benches: Mapping[str, str]) -> None:
    """Rebuild the report page from the files in bench/results, if its text has changed."""
    text = page(benches, RESULTS, PAGE)
    if not PAGE.exists() or PAGE.read_text("utf-8") != text:
        PAGE.write_text(text, "utf-8")


def _parser(name: str, text: str | None) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=f"bench {name}", description=text)
    parser.add_argument("--quick", action="store_true", help="a look, not a proof")
    parser.add_argument("--seed", type=int, help="for every bench; else each one's own")
    parser.add_argument("--data", type=Path, help="a folder in the shape of MetaClaw-Bench")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these benches")
    parser.add_argument("--strict", action="store_true", help="a missed goal is a failure, too")
    _places(parser)
    return parser


def _places(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", type=Path, default=RESULTS, help="where the results are")
    parser.add_argument("--page", type=Path, help="the page; docs/benchmarks.md for bench/results")


def words_for(name: str, args: argparse.Namespace) -> list[str]:
    """Return the command-line arguments with which one benchmark is run."""
    words = [name, "--out", str(args.out)]
    words += ["--quick"] if args.quick else FULL.get(name, ())
    words += ["--seed", str(args.seed)] if args.seed is not None else []
    words += ["--data", str(args.data)] if args.data and name in TAKES_DATA else []
    return [*words, "--strict"] if args.strict else words


def _run(name: str, args: argparse.Namespace) -> int:
    print(f"\n== {name}", flush=True)
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "bench", *words_for(name, args)], cwd=ROOT, check=False
    )
    print(f"== {name}: {time.monotonic() - began:.0f} s", flush=True)
    return done.returncode


def _write(benches: Mapping[str, str], results: Path, place: Path | None) -> None:
    results = results.resolve()
    if place is None:
        place = PAGE if results == RESULTS.resolve() else results / "benchmarks.md"
    place.write_text(page(benches, results, place.resolve()), "utf-8")
    print(f"the report is in {place}")
