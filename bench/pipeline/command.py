"""`python -m bench pipeline`: research in twelve stages over bundled notes, with and without Lull.

Without `--endpoint` a scripted student does the research (simulated): it proves that what Lull
learned arrives, not that a model would do better. A run that was killed goes on where it was;
`--fresh` begins again. Topics and seeds are paired and drawn again together for the intervals.
"""

import argparse
import hashlib
import json
import shutil
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from bench.models.endpoint import Endpoint
from bench.pipeline import course as courses
from bench.pipeline.course import Played, course
from bench.pipeline.house import house
from bench.pipeline.measures import differences, goals, rows
from bench.pipeline.plot import draw
from bench.pipeline.run import FORMULA, MOST_ATTEMPTS, MOST_REFINEMENTS
from bench.pipeline.student import JUDGE, SLIP, STUDENT, Student
from bench.pipeline.topics import FOLDER, topics
from bench.report import RESULTS, ROOT, print_goals, report, write
from bench.through_lull.asked import add_endpoint, identity_of, named, scripted
from bench.through_lull.conditions import Condition, LullFailed, Upstream
from bench.through_lull.progress import Progress

Row = dict[str, Any]
NAME: Final = "pipeline"
SEEDS, QUICK_SEEDS = 5, 2
QUICK_TOPICS: Final = 4
ARMS: Final = (Condition.BASELINE, Condition.PASSTHROUGH, Condition.SKILLS)
COLUMNS: Final = ("composite", "stages", "completed", "retry_rate", "cycles_completed")
NOT_SHOWN: Final = (
    "The scripted student obeys whatever convention it is told and forgets nothing within a prompt:"
    " the gain is that of a rule that arrives, not that of a real model.",
    "The conventions are form, and the person says each in one clear sentence; people say less.",
    "Notes, topics and experiments are small, so that no stage is beyond anybody: how good the"
    " research is, nothing here says.",
    "The composite is ours; the paper's is not published, so its figures stand in no column here.",
)


def main(argv: Sequence[str]) -> int:
    args = _parser().parse_args(argv)
    try:
        document = measure(args)
    except (LullFailed, OSError, ValueError, KeyError) as error:
        print(f"bench {NAME}: {error}", file=sys.stderr)
        return 1
    path = write(document, args.out)
    draw(document["rows"], path=args.out / f"{NAME}.png", simulated=document["simulated"])
    print_table(document)
    missed = print_goals(document)
    print(f"written to {path} and {args.out / f'{NAME}.png'}")
    return 1 if missed and args.strict else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=f"bench {NAME}", description=__doc__)
    add_endpoint(parser)
    parser.add_argument(
        "--conditions", nargs="+", choices=list(Condition), default=list(ARMS), type=Condition
    )
    parser.add_argument("--topics", type=int, help="only so many topics for each seed")
    parser.add_argument("--seeds", type=int, help=f"how many; {SEEDS} without --quick")
    parser.add_argument("--seed", type=int, default=0, help="the first")
    parser.add_argument("--jobs", type=int, help="courses at once; 1 for an endpoint")
    parser.add_argument("--fresh", action="store_true", help="forget what an earlier run has done")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / NAME, help="for going on")
    parser.add_argument(
        "--quick", action="store_true", help=f"{QUICK_SEEDS} seeds, {QUICK_TOPICS} topics"
    )
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--strict", action="store_true", help="fail if a goal is missed")
    return parser


def measure(args: argparse.Namespace) -> Row:
    """Run the whole benchmark and return its document. Raises LullFailed, OSError or ValueError."""
    count = args.topics or (QUICK_TOPICS if args.quick else len(topics()))
    if not 1 <= count <= len(topics()):
        raise ValueError(f"--topics is from 1 to {len(topics())}, not {count}")
    seeds = [args.seed + n for n in range(args.seeds or (QUICK_SEEDS if args.quick else SEEDS))]
    folder = args.work / _key(args, count)
    if args.fresh:
        shutil.rmtree(folder, ignore_errors=True)
    conditions = list(dict.fromkeys(args.conditions))
    played = _played(args, seeds, conditions, count, folder)
    simulated = args.endpoint is None
    apart = differences(played, args.seed)
    document = report(
        NAME,
        rows=[*rows(played, args.seed), *apart],
        goals=goals(played, apart, simulated=simulated),
        seeds=seeds,
        packages=("numpy",),
        simulated=simulated,
    )
    return document | _about(args, seeds, count, played)


def _played(
    args: argparse.Namespace,
    seeds: Sequence[int],
    conditions: Sequence[Condition],
    count: int,
    folder: Path,
) -> list[Played]:
    """Play all series and return them by seed and condition."""
    progress = Progress(len(seeds) * len(conditions) * count)
    jobs = args.jobs or (2 if args.endpoint is None else 1)

    def one(seed: int, condition: Condition) -> list[Played]:
        with _asked(args) as (endpoint, upstream, student):
            return course(
                seed,
                condition,
                count,
                endpoint,
                upstream,
                folder / f"seed-{seed}-{condition}",
                progress=progress,
                told=lambda: student.told if student else 0,
            )

    with ThreadPoolExecutor(jobs) as pool:
        waiting = [pool.submit(one, seed, arm) for seed in seeds for arm in conditions]
        return [run for done in waiting for run in done.result()]


@contextmanager
def _asked(args: argparse.Namespace) -> Iterator[tuple[Endpoint, Upstream, Student | None]]:
    """Yield the model to ask; a scripted student counts the conventions that it was told."""
    if args.endpoint is not None:
        with named(args) as (endpoint, upstream):
            yield endpoint, upstream, None
        return
    with Student() as student:
        # No writer: what becomes a skill here are the person's own words.
        endpoint, upstream = scripted(args, student.address, (STUDENT, JUDGE, ""))
        yield endpoint, upstream, student


def _key(args: argparse.Namespace, count: int) -> str:
    """Return the key of a run's folder; runs with the same key ask the same model about the same
    topics and may be continued.
    """
    known = hashlib.sha256()
    here = Path(__file__).parent
    for file in sorted([*FOLDER.glob("*.md"), *here.glob("*.py")]):
        known.update(file.read_bytes())
    told = [known.hexdigest(), count, *identity_of(args)]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:16]


def _about(
    args: argparse.Namespace, seeds: Sequence[int], count: int, played: Sequence[Played]
) -> Row:
    return {
        "model": "scripted student (simulated)" if args.endpoint is None else args.model,
        "composite_formula": FORMULA,
        "most_attempts": MOST_ATTEMPTS,
        "most_refinements": MOST_REFINEMENTS,
        "slips": SLIP if args.endpoint is None else None,
        "houses": {str(seed): [rule.said for rule in house(seed)] for seed in seeds},
        "topics": {str(seed): [one.id for one in courses.order(seed, count)] for seed in seeds},
        "runs": [one.to_json() for one in played],
        "not_shown": NOT_SHOWN,
    }


def print_table(document: Row) -> None:
    simulated = ", simulated" if document["simulated"] else ""
    print(f"{document['model']}{simulated}; 95 % intervals over seeds and topics")
    print(document["composite_formula"])
    print(f"{'':24} {'runs':>5}" + "".join(f"{name:>24}" for name in COLUMNS))
    for row in document["rows"]:
        cells = "".join(f"{_cell(row, name):>24}" for name in COLUMNS)
        print(f"{row['condition']:24} {row.get('runs', ''):>5}{cells}")
    for text in document["not_shown"]:
        print(f"not shown: {text}")


def _cell(row: Row, name: str) -> str:
    if f"{name}_low" not in row:
        return f"{row[name]:.3f}"
    return f"{row[name]:.3f} [{row[f'{name}_low']:.3f}, {row[f'{name}_high']:.3f}]"
