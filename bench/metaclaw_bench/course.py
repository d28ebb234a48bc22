"""Plays all days under one condition; finished days are saved, so a killed run continues.

After a day its results, what the night taught and a copy of Lull's home are on disk, in that order
of names: a day counts when its line is in the journal. A day that was under way begins again.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.json_object import Json
from bench.metaclaw_bench.agent import Bound, Form, play
from bench.metaclaw_bench.data import CONSTANTS, NAME_UPSTREAM, Bench, Day, Round, identity
from bench.metaclaw_bench.scoring import Scored
from bench.metaclaw_bench.workspace import Workspace, copied
from bench.models.endpoint import Endpoint
from bench.through_lull.conditions import Condition, Upstream, learn
from bench.through_lull.going_on import append_line, behind, forget_before, keep, read_lines
from bench.through_lull.progress import Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    day: str
    results: tuple[Scored, ...]
    night: Json
    leaks: int = 0
    """Number of secret evaluation texts that were found in this day's prompts."""


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
    form: Form | Bound = Form.LABELLED,
    commands: bool = False,
    leaked: Callable[[], int] = lambda: 0,
) -> list[Played]:
    """Play all days, continuing from those saved in `folder`; `leaked` counts the leaks so far.

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
        with behind(condition, endpoint, upstream, folder, number) as (asked, service):
            results = _day(bench, number, asked, condition, progress, form, commands=commands)
            night = learn(service, condition) if service and condition.learns else {}
        keep(service, folder, number)
        found = leaked() - before
        one = Played(day=day.id, results=tuple(results), night=night, leaks=found)
        _append(journal, one)
        forget_before(folder, number)
        played.append(one)
    return played


def _day(
    bench: Bench,
    number: int,
    endpoint: Endpoint,
    condition: Condition,
    progress: Progress,
    form: Form | Bound,
    *,
    commands: bool,
) -> list[Scored]:
    day = bench.days[number]
    before = [asked for earlier in bench.days[:number] for asked in earlier.rounds]
    name = form if isinstance(form, Bound) else condition

    def heard(_: Round, result: Scored) -> None:
        mark = f"crashed ({result.wrong[:80]})" if result.crashed else f"{result.score:.2f}"
        progress.step(f"{name} {day.id} {result.round}: {mark}")

    with tempfile.TemporaryDirectory(prefix="metaclaw-day-") as made:
        home = workspace_of(bench, day, Path(made) / "workspace")
        workspace = Workspace(home=home, commands=commands)
        told = identity(bench.folder)
        return play(day, endpoint, workspace, identity=told, form=form, before=before, played=heard)


def read_journal(journal: Path) -> list[Played]:
    """Return the days recorded as finished in the journal."""
    return [
        Played(
            day=read["day"],
            results=tuple(Scored(**one) for one in read["results"]),
            night=read["night"],
            leaks=read["leaks"],
        )
        for read in read_lines(journal)
    ]


def _append(journal: Path, one: Played) -> None:
    append_line(
        journal,
        {
            "day": one.day,
            "results": [result.to_json() for result in one.results],
            "night": one.night,
            "leaks": one.leaks,
        },
    )
