"""Makes the adapter in one go: `python -m bench.english.make --work DIR`.

Samples the small model's own answers, makes lessons of them, trains and measures, and says how much
processor time each stage took. A run that was cut off goes on where it was; the same seed gives the
same answers and lessons. A training ends with its minutes, whether all lessons are made or not, and
its learning rate with them; another run then gives another adapter of the same kind. Nothing is
shipped by it. It needs PyTorch (`pip install torch`), which nothing else here does. A processor
minute does most where there are matrix instructions in bfloat16 (AMX).
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from bench.english import build
from bench.english.measure import CASES, measure
from bench.english.model.small import folder
from bench.english.model.speakers import worn
from bench.english.own_answers import sample
from bench.english.training.plan import ADAPTER, CPU_MINUTES, PROCESSES, Plan
from bench.english.training.teach import command, small_of, teach
from bench.english.training.team import led
from bench.report import print_goals

QUESTIONS: Final = 1_900
LESSONS: Final = 9_000


@contextmanager
def timed(name: str, work: Path) -> Iterator[None]:
    """Add a stage's processor time, with that of its ended children, to DIR/times.json, over all
    runs, and print it.
    """
    file = work / "times.json"
    began_s = _spent_s()
    try:
        yield
    finally:
        times = json.loads(file.read_text("utf-8")) if file.exists() else {}
        times[name] = round(times.get(name, 0.0) + _spent_s() - began_s, 1)
        file.write_text(json.dumps(times, indent=1) + "\n", "utf-8")
        print(f"{name}: {times[name] / 60:.1f} CPU min in all", flush=True)


def _spent_s() -> float:
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def make(
    work: Path, *, seed: int, asked: int, count: int, cases: int, minutes: float, processes: int
) -> bool:
    """Run every stage in a folder; False if the training ran out of processor time.

    Raises LullError, and ValueError where the folder holds another seed's answers.
    """
    work.mkdir(parents=True, exist_ok=True)
    plan = Plan(seed=seed)
    base = folder(work / "models")
    small = small_of(plan, base)
    with timed("own answers", work):
        small.wear(adapter=False)
        own = sample(small, asked, work / "own.jsonl", seed=seed)
        small.wear(adapter=True)
    with timed("lessons", work):
        made = build.lessons(own, count, seed=seed, tokens_of=lambda text: len(small.tokens(text)))
        build.write(made, work)
        print(json.dumps(build.counts(made)), flush=True)
    with timed("training", work), led(processes, command(plan, base, work, minutes)) as team:
        whole = teach(plan, small, made, work, minutes=minutes, team=team)
    with timed("measurement", work):
        document = measure(worn(work / ADAPTER, work), work, count=cases, seed=seed)
    (work / "measured.json").write_text(json.dumps(document, indent=1) + "\n", "utf-8")
    print_goals(document)
    return whole


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True, help="where everything is kept")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--questions", type=int, default=QUESTIONS)
    parser.add_argument("--lessons", type=int, default=LESSONS)
    parser.add_argument("--minutes", type=float, default=CPU_MINUTES, help="CPU minutes to train")
    parser.add_argument("--processes", type=int, default=PROCESSES, help="that share a step")
    parser.add_argument("--cases", type=int, default=CASES, help="cases of each group measured")
    args = parser.parse_args()
    whole = make(
        args.work,
        seed=args.seed,
        asked=args.questions,
        count=args.lessons,
        cases=args.cases,
        minutes=args.minutes,
        processes=args.processes,
    )
    return 0 if whole else 1


if __name__ == "__main__":
    raise SystemExit(main())
