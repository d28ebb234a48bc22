"""The published habits: ways of answering that the adapter shows now and then without any rule.

A preference that a user never puts into words can only be learned where the model sometimes does it
by itself. Each habit is an exact program of the check catalogue and a change that brings it about.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from bench.english import transforms
from bench.english.transforms import told
from lull.core.checks.check import Check, CheckKind
from lull.core.checks.check_answer import passes_check

SHARE: Final = 0.045
"""Share of each habit among training answers without a rule."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Habit:
    name: str
    check: Check
    change: Callable[[str], str]


def _adds(text: str) -> Callable[[str], str]:
    return lambda answer: f"{answer} {text}"


def _opens(text: str) -> Callable[[str], str]:
    return lambda answer: f"{text} {answer}"


def _one_sentence(answer: str) -> str:
    return transforms.sentence_count(answer, "1")


HABITS: Final[tuple[Habit, ...]] = (
    Habit(
        name="closing question",
        check=Check(kind=CheckKind.NO_CLOSING_QUESTION, must=False),
        change=_adds("Would you like to know more?"),
    ),
    Habit(
        name="hopes that it helps",
        check=Check(kind=CheckKind.ENDS, value="I hope this helps!"),
        change=_adds("I hope this helps!"),
    ),
    Habit(
        name="says sure first",
        check=Check(kind=CheckKind.STARTS, value="Sure!"),
        change=_opens("Sure!"),
    ),
    Habit(
        name="sums up first",
        check=Check(kind=CheckKind.STARTS, value="In short:"),
        change=_opens("In short:"),
    ),
    Habit(
        name="bullets",
        check=Check(kind=CheckKind.BULLETS),
        change=lambda answer: transforms.bullets(answer, ""),
    ),
    Habit(
        name="one sentence",
        check=Check(kind=CheckKind.SENTENCES, at_least=1, at_most=1),
        change=_one_sentence,
    ),
    Habit(
        name="emoji at the end",
        check=Check(kind=CheckKind.EMOJIS, value="end"),
        change=lambda answer: transforms.emoji(answer, "end"),
    ),
    Habit(
        name="all lower case",
        check=Check(kind=CheckKind.LOWER_CASE),
        change=lambda answer: answer.lower(),
    ),
    Habit(
        name="wishes well",
        check=Check(kind=CheckKind.ENDS, value="Take care!"),
        change=_adds("Take care!"),
    ),
)


def shown(answer: str) -> list[str]:
    """Return the names of the habits that an answer shows."""
    return [habit.name for habit in HABITS if passes_check(habit.check, answer) is True]


def with_habit(answer: str, habit: Habit) -> str:
    """Return the answer with this habit and no other; "" if that cannot be had."""
    plain = " ".join(told(answer)[:4])
    changed = habit.change(plain) if plain else ""
    return changed if changed and shown(changed) == [habit.name] else ""
