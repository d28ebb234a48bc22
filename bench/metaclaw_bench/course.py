"""All days under one condition, kept day by day so that a killed run goes on where it was.

After a day its results, what the night taught and a copy of Lull's home are on disk, in that order
of names: a day counts when its line is in the journal. A day that was under way begins again.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TextIO

from bench.metaclaw_bench.agent import Form, play
from bench.metaclaw_bench.conditions import Condition, Service, Upstream, copy_home, learn
from bench.metaclaw_bench.data import CONSTANTS, NAME_UPSTREAM, Bench, Day, Round, identity
from bench.metaclaw_bench.endpoint import Endpoint
from bench.metaclaw_bench.scoring import Scored
from bench.metaclaw_bench.workspace import Workspace, copied

Json = dict[str, Any]


@dataclass(slots=True)
class Progress:
    """On stderr: what was just played, how far it is, how long it will take."""

    total: int
    out: TextIO = field(default_factory=lambda: sys.stderr)
    clock: Callable[[], float] = time.monotonic
    done: int = 0
    skipped: int = 0
    _began: float | None = None

    def skip(self, rounds: int) -> None:
        self.done += rounds
        self.skipped += rounds

    def played(self, condition: Condition, day: str, result: Scored) -> None:
        now = self.clock()
        self._began = now if self._began is None else self._began
        self.done += 1
        played = self.done - self.skipped
        each = (now - self._began) / max(1, played - 1)
        left_s = each * (self.total - self.done)
        mark = f"crashed ({result.wrong[:80]})" if result.crashed else f"{result.score:.2f}"
        left = f"{left_s / 60:.0f} min left" if left_s >= 90 else f"{left_s:.0f} s left"
        print(
            f"{self.done}/{self.total} {condition} {day} {result.round}: {mark}, {left}",
            file=self.out,
            flush=True,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    day: str
    results: tuple[Scored, ...]
    night: Json
    leaks: int = 0
    """Texts of `eval` that were found in this day's prompts."""


def workspace_of(bench: Bench, day: Day, target: Path) -> Path:
    home = copied(bench.folder, day.id, target)
    constants = home / day.id / "constants.py"
    if bench.name == NAME_UPSTREAM and day.id == "day26" and not constants.exists():
        constants.write_text(CONSTANTS, "utf-8")
    return home


def course(
    bench: Bench,
    condition: Condition,
    endpoint: Endpoint,
    upstream: Upstream,
    folder: Path,
    *,
    progress: Progress,
    form: Form = Form.LABELLED,
    commands: bool = False,
    leaked: Callable[[], int] = lambda: 0,
) -> list[Played]:
    """`folder` keeps what is done, and is read first; `leaked` counts what was found so far.

    Raises LullFailed, OSError.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    journal = folder / "days.jsonl"
    played = read_journal(journal)
    progress.skip(sum(len(one.results) for one in played))
    for number, day in enumerate(bench.days):
        if number < len(played):
            continue
        before = leaked()
        with _behind(condition, endpoint, upstream, folder, number) as (asked, service):
            results = _day(bench, day, asked, condition, progress, form, commands=commands)
            night = learn(service, condition) if service and condition.learns else {}
        if service is not None:
            copy_home(service.home, folder / f"home-{number + 1}")
        found = leaked() - before
        one = Played(day=day.id, results=tuple(results), night=night, leaks=found)
        _append(journal, one)
        shutil.rmtree(folder / f"home-{number}", ignore_errors=True)
        played.append(one)
    return played


@contextmanager
def _behind(
    condition: Condition, endpoint: Endpoint, upstream: Upstream, folder: Path, number: int
) -> Iterator[tuple[Endpoint, Service | None]]:
    """Where the day's questions go: the model itself, or a Lull that knows what it had learned."""
    if not condition.through_lull:
        yield endpoint, None
        return
    service = Service(folder / "home", upstream)
    service.stop_orphan()
    shutil.rmtree(service.home, ignore_errors=True)
    before = folder / f"home-{number}"
    if before.exists():
        shutil.copytree(before, service.home)
    address = service.start(learns=condition.learns)
    try:
        yield replace(endpoint, address=address), service
    finally:
        service.stop()


def _day(
    bench: Bench,
    day: Day,
    endpoint: Endpoint,
    condition: Condition,
    progress: Progress,
    form: Form,
    *,
    commands: bool,
) -> list[Scored]:
    def heard(_: Round, result: Scored) -> None:
        progress.played(condition, day.id, result)

    with tempfile.TemporaryDirectory(prefix="metaclaw-day-") as made:
        home = workspace_of(bench, day, Path(made) / "workspace")
        workspace = Workspace(home=home, commands=commands)
        told = identity(bench.folder)
        return play(day, endpoint, workspace, identity=told, form=form, played=heard)


def read_journal(journal: Path) -> list[Played]:
    """The days that are done; a last line that a kill cut is none."""
    played: list[Played] = []
    lines = journal.read_text("utf-8").splitlines() if journal.exists() else []
    for line in lines:
        try:
            read = json.loads(line)
        except ValueError:
            break
        results = tuple(Scored(**one) for one in read["results"])
        known = {"day": read["day"], "night": read["night"], "leaks": read["leaks"]}
        played.append(Played(**known, results=results))
    if len(played) < len(lines):
        _rewrite(journal, lines[: len(played)])
    return played


def _rewrite(journal: Path, lines: Sequence[str]) -> None:
    half = journal.with_suffix(".half")
    half.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    half.replace(journal)


def _append(journal: Path, one: Played) -> None:
    document = {
        "day": one.day,
        "results": [result.to_json() for result in one.results],
        "night": one.night,
        "leaks": one.leaks,
    }
    with journal.open("a", encoding="utf-8") as out:
        out.write(json.dumps(document, ensure_ascii=False) + "\n")
        out.flush()
        os.fsync(out.fileno())
