"""Reads a folder in MetaClaw-Bench's format: days, rounds, and how each is judged.

What stands under `eval` is parsed here into checks and letters; nothing of it is kept in a form
that a prompt could be made of (`Round.question` and `Round.feedback` are all that is ever said).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.metaclaw_bench.checks.commands import Assertion, NotACheck, read_command
from bench.private_rules import checks as private

NAME_UPSTREAM = "MetaClaw-Evolution-Bench"
NEVER_SHIPPED = {("day22", ""), ("day23", "r2")}
"""(day, round) of file checks that expect a log that the data lacks; round "" means the whole
day.
"""
CONSTANTS = """SPRINT_NUMBER = 9
SPRINT_START = "2026-04-13"
SPRINT_END = "2026-04-17"
SPRINT_LENGTH_DAYS = 5
TEAM_SIZE = 4
TIMEZONE = "Asia/Shanghai"
"""
"""Content of the file that day 26 asks to change but that the data lacks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    id: str
    question: str
    feedback: Mapping[str, Any]
    letters: tuple[str, ...] = ()
    """Letters of a multiple-choice round's options; () for a file check."""
    answer: frozenset[str] = frozenset()
    assertions: tuple[Assertion, ...] = ()
    checks: tuple[private.Check, ...] = ()
    infeasible: str = ""
    """Why the round cannot be passed by anybody; "" if it can."""

    @property
    def is_choice(self) -> bool:
        return bool(self.letters)


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    id: str
    opening: tuple[tuple[str, str], ...]
    """Opening messages of the day as (role, text)."""
    rounds: tuple[Round, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    name: str
    folder: Path
    days: tuple[Day, ...]
    digest: str
    """Hash of all data that was read; only results with the same digest are comparable."""
    secrets: frozenset[str] = field(default_factory=frozenset)
    """Texts that occur only in the `eval` folder and must never appear in a prompt."""


def read(folder: Path) -> Bench:
    """Read the benchmark's folder. Raises OSError, KeyError or ValueError if it has another
    format.
    """
    whole = json.loads((folder / "days.json").read_text("utf-8"))
    digest = hashlib.sha256()
    days, hidden, shown = [], set[str](), [json.dumps(whole, ensure_ascii=False)]
    for one in whole["days"]:
        text = (folder / "eval" / one["id"] / "questions.json").read_text("utf-8")
        digest.update(text.encode())
        rounds = json.loads(text)["rounds"]
        for asked in rounds:
            # The options' texts are a model's own words sooner or later.
            hidden.update(_leaves({k: v for k, v in asked["eval"].items() if k != "options"}))
            shown.append(json.dumps([asked["question"], asked["feedback"]], ensure_ascii=False))
        days.append(_day(folder, whole["name"], one, rounds))
    said = "\n".join((*shown, *_workspace_texts(folder)))
    return Bench(
        name=str(whole["name"]),
        folder=folder,
        days=tuple(days),
        digest=digest.hexdigest(),
        secrets=frozenset(text for text in hidden if len(text) >= 12 and _plain(text, said)),
    )


def identity(folder: Path) -> str:
    """Return the files that describe the assistant, as one system text."""
    files = sorted((folder / "workspaces").glob("*.md"))
    return "\n\n".join(file.read_text("utf-8").strip() for file in files)


def _plain(text: str, said: str) -> bool:
    return text not in said and json.dumps(text, ensure_ascii=False)[1:-1] not in said


def _leaves(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner)


def _workspace_texts(folder: Path) -> Iterator[str]:
    for file in sorted((folder / "workspaces").rglob("*")):
        if file.is_file() and not file.is_symlink():
            yield file.read_text("utf-8", errors="replace")


def _day(
    folder: Path, name: str, one: Mapping[str, Any], rounds: Sequence[Mapping[str, Any]]
) -> Day:
    opening = tuple(
        (turn["role"], "".join(part["text"] for part in turn["content"])) for turn in one["opening"]
    )
    made: list[Round] = []
    for asked in rounds:
        files = 1 + sum(not earlier.is_choice for earlier in made)
        made.append(_round(folder, name, str(one["id"]), asked, files))
    return Day(id=str(one["id"]), opening=opening, rounds=tuple(made))


def _round(folder: Path, name: str, day: str, asked: Mapping[str, Any], files: int) -> Round:
    """Parse one round; `files` is the number of file checks asked so far on its day, this one
    included.
    """
    known = {"id": str(asked["id"]), "question": asked["question"], "feedback": asked["feedback"]}
    eval_ = asked["eval"]
    if "answer" in eval_:
        letters = tuple(eval_["options"])
        return Round(**known, letters=letters, answer=frozenset(eval_["answer"]))
    if "checks" in eval_:
        checks = tuple(private.from_json(check) for check in eval_["checks"])
        return Round(**known, checks=checks)
    try:
        assertions = read_command(eval_["command"])
    except NotACheck as error:
        return Round(**known, infeasible=f"its check is not understood: {error}")
    upstream = name == NAME_UPSTREAM and not NEVER_SHIPPED.isdisjoint(
        {(day, ""), (day, str(asked["id"]))}
    )
    return Round(
        **known,
        assertions=assertions,
        infeasible=_lacks_log(folder, day, assertions, files, upstream),
    )


def _lacks_log(
    folder: Path, day: str, assertions: Sequence[Assertion], files: int, upstream: bool
) -> str:
    wanted = [a for a in assertions if a.script == "check_done_log"]
    if not wanted:
        return ""
    if not upstream and max(a.least for a in wanted) <= files:
        return ""
    shipped = [folder / "workspaces" / place / a.path for a in wanted for place in ("", day)]
    if any(file.exists() for file in shipped):
        return ""
    least = max(a.least for a in wanted)
    return f"it wants {least} lines in a log after {files} tasks, and the log was never shipped"
