"""Scores rounds, words the feedback on them, and computes a run's figures and baseline floors."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench.metaclaw_bench.data import Day, Round

REMINDER = "Your answer could not be read. Answer choices in the form \\bbox{X} or \\bbox{X,Y}."
DRAWS = 2000
_BOX = re.compile(r"\\bbox\s*\{([^{}]*)\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    day: str
    round: str
    choice: bool
    score: float
    """Score of the round, 0 to 1."""
    exact: bool
    feasible: bool
    crashed: bool = False
    steps: int = 0
    wrong: str = ""
    """What a check found wrong, for the report; never shown to a model."""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def picked(answer: str, letters: Sequence[str]) -> frozenset[str] | None:
    """Return the letters in the answer's last `\\bbox{}`; None if there is none."""
    boxes = _BOX.findall(answer)
    if not boxes:
        return None
    named = frozenset(re.findall(r"[A-Za-z]", boxes[-1].upper()))
    return named if named and named <= frozenset(letters) else None


def choice_score(chosen: frozenset[str] | None, asked: Round) -> float:
    """Score a multiple-choice answer: 1 − (false positives + false negatives) / options; 0 if it is
    unreadable.
    """
    return 0.0 if chosen is None else 1 - len(chosen ^ asked.answer) / len(asked.letters)


def scored(asked: Round, day: str, workspace: Path, answer: str, **more: Any) -> Scored:
    known = {"day": day, "round": asked.id, "feasible": not asked.infeasible, **more}
    if asked.is_choice:
        value = choice_score(picked(answer, asked.letters), asked)
        return Scored(**known, choice=True, score=value, exact=value == 1.0)
    wrong = failures(asked, workspace, answer)
    return Scored(
        **known, choice=False, score=float(not wrong), exact=not wrong, wrong="; ".join(wrong)
    )


def failures(asked: Round, workspace: Path, answer: str) -> list[str]:
    if not asked.assertions and not asked.checks:
        return [asked.infeasible or "nothing is checked"]
    wrong = [text for one in asked.assertions for text in one.failures(workspace)]
    return wrong + [text for check in asked.checks for text in check.failures(workspace, answer)]


def feedback(asked: Round, result: Scored, answer: str) -> str:
    """Return the person's feedback on an answer; for a multiple-choice round, option by option."""
    said = asked.feedback
    if not asked.is_choice or result.exact:
        return str(said["correct" if result.exact else "incorrect"])
    chosen = picked(answer, asked.letters)
    if chosen is None:
        return REMINDER
    options = said.get("options", {})
    lines = [f"missed {x}: {options.get(x, '')}" for x in sorted(asked.answer - chosen)]
    lines += [f"wrongly selected {x}: {options.get(x, '')}" for x in sorted(chosen - asked.answer)]
    return "\n".join(line.strip() for line in lines)


def stated(rounds: Sequence[Round]) -> str:
    """Return all that the feedback of these rounds can teach, in its own words and each line
    once.
    """
    texts: list[str] = []
    for asked in rounds:
        options = asked.feedback.get("options", {})
        texts += [str(asked.feedback.get("incorrect", "")), *map(str, options.values())]
    return "\n".join(dict.fromkeys(text.strip() for text in texts if text.strip()))


# -- a whole course ----------------------------------------------------------------------------


def figures(results: Sequence[Scored], seed: int) -> dict[str, Any]:
    """Return a run's shares with 95 % intervals, resampling whole days."""
    choices = [r for r in results if r.choice]
    files = [r for r in results if not r.choice]
    feasible = [r for r in files if r.feasible]
    row: dict[str, Any] = {"rounds": len(results), "crashed": sum(r.crashed for r in results)}
    for name, some, exact in (
        ("accuracy", results, False),
        ("choice", choices, False),
        ("choice_exact", choices, True),
        ("completion", files, True),
        ("completion_feasible", feasible, True),
    ):
        value, low, high = share(some, seed, exact=exact)
        row |= {name: value, f"{name}_low": low, f"{name}_high": high, f"{name}_n": len(some)}
    row["days"] = len({r.day for r in results})
    return row


def share(results: Sequence[Scored], seed: int, *, exact: bool) -> tuple[float, float, float]:
    """Return (mean, low, high) of the scores by bootstrap over days (Davison & Hinkley 1997,
    3.8).
    """
    days = sorted({r.day for r in results})
    if not days:
        return 0.0, 0.0, 0.0
    worth = [(r.day, float(r.exact) if exact else r.score) for r in results]
    sums = np.array([sum(value for day, value in worth if day == one) for one in days])
    counts = np.array([float(sum(day == one for day, _ in worth)) for one in days])
    drawn = np.random.default_rng(seed).integers(len(days), size=(DRAWS, len(days)))
    means = sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return float(sums.sum() / counts.sum()), float(low), float(high)


def floors(days: Sequence[tuple[Day, Path]]) -> dict[str, list[Scored]]:
    """Score two trivial strategies on untouched workspaces: ticking every option, and doing
    nothing.
    """
    every, nothing = [], []
    for day, workspace in days:
        for asked in day.rounds:
            box = f"\\bbox{{{','.join(asked.letters)}}}"
            every.append(scored(asked, day.id, workspace, box))
            nothing.append(scored(asked, day.id, workspace, ""))
    return {"ticks every letter": every, "does nothing": nothing}
