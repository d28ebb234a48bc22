"""`python -m bench window [--quick] [--seed N] [--out DIR] [--strict] [--home DIR]`: measures the
window.

The real window in a process of its own, offscreen, in front of a control API that answers a played
week and tells 50 events a second. Measured: from the start of the process to its first painting
with content, its memory, and the longest time in which it did nothing for its user. With --home the
same is measured on a week that `lull demo --home DIR` has played, beside the real service. The last
row opens every page in turn, with 1,000 skills and 20,000 conversations.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from bench.report import RESULTS, Goal, print_goals, report, write
from bench.window.child import TOUR
from lull.config.paths import Paths
from lull.contract import routes
from tests.desktop.played.week import play
from tests.desktop.scripted import Scripted
from tests.running import RunningLull

PAINT_S: Final = 1.0
MEMORY_MB: Final = 150.0
FREEZE_S: Final = 0.05
KILLED_S: Final = 2.0
EVENTS_S: Final = 50
KINDS: Final = ("turn-recorded", "lull", "training", "proposal", "generation")
PAGES: Final = ("today", "review", "skills", "learning", "conversations")
SKILLS: Final = 1_000
CONVERSATIONS: Final = 20_000


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench window", description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--seed", type=int, default=1, help="nothing here is drawn by chance")
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--strict", action="store_true")
    parser.add_argument("--home", type=Path, help="a week that `lull demo --home DIR` has played")
    options = parser.parse_args(argv)
    seconds = 2.0 if options.quick else 8.0
    document = measure(seconds=seconds, seed=options.seed, home=options.home)
    for row in document["rows"]:
        print(json.dumps(row))
    missed = print_goals(document)
    print(write(document, options.out))
    return 1 if options.strict and missed else 0


def measure(*, seconds: float, seed: int = 1, home: Path | None = None) -> dict[str, Any]:
    """Measure every page of the window for `seconds` of events each."""
    rows = [measure_page(page, seconds=seconds) for page in PAGES]
    if home is not None:
        rows += [_played(page, seconds, home) for page in PAGES]
    worst = max(row["longest_gap_s"] for row in rows)
    rows.append(measure_many(seconds=seconds))
    killed = _killed(3)
    today, many = rows[0], rows[-1]
    goals = [
        Goal(goal="s from start to first paint", value=today["first_paint_s"], limit=PAINT_S),
        Goal(goal="MB with the played week", value=today["rss_mb"], limit=MEMORY_MB),
        Goal(
            goal=f"MB after every page, {SKILLS:,} skills, {CONVERSATIONS:,} conversations",
            value=many["rss_mb"],
            limit=MEMORY_MB,
        ),
        Goal(goal="longest freeze in s under 50 events/s", value=worst, limit=FREEZE_S),
        Goal(
            goal="longest freeze in s while pages are opened for the first time",
            value=many["longest_gap_s"],
            limit=FREEZE_S,
        ),
        Goal(goal="s until a killed service is shown", value=killed["shown_s"], limit=KILLED_S),
    ]
    packages = ["PySide6-Essentials"]
    return report(
        "window",
        rows=[*rows, killed],
        goals=goals,
        seeds=[seed],
        packages=packages,
        simulated=False,
    )


def _change(scripted: Scripted, number: int) -> None:
    """Change everything that the window shows with each event, so that no redrawing is saved."""
    answers = scripted.answers
    now = answers[routes.STATUS]
    learning = now["learning"]
    gates = [{**gate, "text": f"{number} of {gate['name']}"} for gate in learning["gates"]]
    changed = {"turns": number, "learning": {**learning, "gates": gates}}
    answers[routes.STATUS] = {**now, **changed}
    answers[routes.SKILLS] = _counted(answers[routes.SKILLS], "skills", "uses", number)
    answers[routes.TRAIN] = _counted(answers[routes.TRAIN], "runs", "steps", number)
    answers[routes.PROPOSALS] = _counted(
        answers[routes.PROPOSALS], "proposals", "description", str(number)
    )
    if not callable(answers[routes.CONVERSATIONS]):
        answers[routes.CONVERSATIONS] = _counted(
            answers[routes.CONVERSATIONS], "conversations", "turns", number
        )


def _counted(answer: dict[str, Any], rows: str, key: str, value: object) -> dict[str, Any]:
    return {**answer, rows: [{**row, key: value} for row in answer[rows]]}


def _child(paths: Paths, page: str, seconds: float) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "bench.window.child", str(paths.home), page]
    return subprocess.Popen(
        [*command, str(time.monotonic()), str(seconds)],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def _killed(times: int) -> dict[str, Any]:
    """Measure a window whose real service is killed `times` times."""
    with tempfile.TemporaryDirectory(prefix="lull-") as folder:
        home = str(Path(folder) / "home")
        done = subprocess.run(
            [sys.executable, "-m", "bench.window.killed", home, str(times)],
            env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
            capture_output=True,
            text=True,
            check=True,
        )
    said: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return {"page": "a service killed", **said}


def _played(page: str, seconds: float, home: Path) -> dict[str, Any]:
    """Measure a page beside a real service, which sends only as many events as it has."""
    paths = Paths.from_environment({}, "linux", home=str(home))
    with RunningLull.cleaned_up(paths.home) as lull:
        lull.serve()
        child = _child(paths, page, seconds)
        said: dict[str, Any] = json.loads(child.communicate()[0].splitlines()[-1])
    return {"page": f"{page}, a week of lull demo", "events": None, **said}


def measure_many(*, seconds: float) -> dict[str, Any]:
    """Measure a window that opens every page in turn in a Lull in which very much has happened."""
    said = measure_page(TOUR, seconds=seconds, fill=fill_with_many)
    return {**said, "page": f"every page, {SKILLS:,} skills, {CONVERSATIONS:,} conversations"}


def fill_with_many(scripted: Scripted) -> None:
    """Give the played week many more skills and conversations, which are read in pages."""
    answers = scripted.answers
    known = answers[routes.SKILLS]["skills"]
    rows = [
        {**known[number % len(known)], "name": f"skill-number-{number}"} for number in range(SKILLS)
    ]
    answers[routes.SKILLS] = {**answers[routes.SKILLS], "skills": rows}
    said = answers[routes.CONVERSATIONS]["conversations"]

    def page(asked: dict[str, Any]) -> dict[str, Any]:
        first, most = int(asked.get("after") or 0), int(asked.get("limit") or 100)
        after = min(first + most, CONVERSATIONS)
        rows = [
            {**said[number % len(said)], "id": f"conv_{number}"} for number in range(first, after)
        ]
        return {"conversations": rows, "next": str(after) if after < CONVERSATIONS else None}

    answers[routes.CONVERSATIONS] = page
    answers[routes.STATUS] = {**answers[routes.STATUS], "conversations": CONVERSATIONS}


def measure_page(
    page: str, *, seconds: float, fill: Callable[[Scripted], None] = lambda _: None
) -> dict[str, Any]:
    """Measure a page for `seconds` of events, in front of a played week that `fill` may add to."""
    with tempfile.TemporaryDirectory(prefix="lull-") as folder:
        paths = Paths.from_environment({}, "linux", home=str(Path(folder) / "home"))
        paths.prepare()
        with Scripted(paths.control_socket).open() as scripted:
            play(scripted, paths.logs)
            fill(scripted)
            with _child(paths, page, seconds) as child:
                assert child.stdout is not None
                assert child.stdout.readline().strip() == "ready"
                told = 0
                while child.poll() is None:
                    _change(scripted, told)
                    scripted.tell(KINDS[told % len(KINDS)], n=told)
                    told += 1
                    time.sleep(1 / EVENTS_S)
                said: dict[str, Any] = json.loads(child.stdout.read())
    return {"page": page, "events": told, **said}
