"""The families of rules: their values, their check and how an answer is changed to keep them.

What is named `held` is never trained on: wordings, values, and two whole families.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from itertools import product
from typing import Final

from bench.english import transforms
from bench.english.texts.wordings import HELD_WORDINGS, WORDINGS
from lull.core.checks.check import Check, CheckKind


class Stage(IntEnum):
    """The order in which the changes of several rules are made."""

    LENGTH = 1
    SIGNS = 2
    CASE = 3
    SHAPE = 4
    EDGE = 5
    WRAP = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    name: str
    check: Callable[[str], Check]
    """Makes the check of a value; "" where a wording has no value."""
    change: Callable[[str, str], str]
    """Changes (answer, value) so that the rule is kept; "" if it cannot."""
    stage: Stage
    values: tuple[str, ...] = ("",)
    held_values: tuple[str, ...] = ()
    held: bool = False

    @property
    def wordings(self) -> tuple[str, ...]:
        return WORDINGS.get(self.name, ())

    @property
    def held_wordings(self) -> tuple[str, ...]:
        return HELD_WORDINGS[self.name]


def _valued(kind: CheckKind) -> Callable[[str], Check]:
    return lambda value: Check(kind=kind, value=value)


def _exactly(kind: CheckKind) -> Callable[[str], Check]:
    return lambda value: Check(kind=kind, at_least=int(value), at_most=int(value))


def _fixed(kind: CheckKind, value: str = "") -> Callable[[str], Check]:
    return lambda _value: Check(kind=kind, value=value)


_GREETINGS: Final = ("Regards", "Yours", "Thanks", "Take care", "Bye", "All the best", "Cheers")
_NAMES: Final = ("Anna", "Tom", "Maria", "Lee", "Priya", "Ben", "Olga", "Sam", "Jorge", "Mei")
_CLOSINGS: Final = (
    "Done", "Over", "Amen", "The end.", "That's all.", "Good luck!", "Have a nice day!",
    "Stay curious.", "End of answer", "Over and out", "Ask me anything.", "Finished", "~ your bot",
)  # fmt: skip
_OPENINGS: Final = (
    "Note:", "Answer:", "Short version:", "In brief:", "Reply:", "Hi there!", "Sure thing:",
    "Well,", "Dear reader,", "Summary:", "Okay:", "Here goes:", "My view:", "Boss,", "Listen:",
    "Captain:",
)  # fmt: skip

FAMILIES: Final[tuple[Family, ...]] = (
    Family(
        name="ends",
        check=_valued(CheckKind.ENDS),
        change=transforms.ends,
        stage=Stage.EDGE,
        values=(*map(", ".join, product(_GREETINGS, _NAMES)), *_CLOSINGS, *_CLOSINGS),
        held_values=(
            "Kind regards, Ruth", "Warmly, Pavel", "Sincerely, Ines", "So long!", "Fin",
            "Till next time.", "Love, Grandpa", "Yours truly, Omar",
        ),
    ),
    Family(
        name="starts",
        check=_valued(CheckKind.STARTS),
        change=transforms.starts,
        stage=Stage.EDGE,
        values=_OPENINGS,
        held_values=("Attention:", "My friend,", "Verdict:", "Ahoy!", "To sum up:", "Dear all,"),
    ),
    Family(
        name="sentences",
        check=_exactly(CheckKind.SENTENCES),
        change=transforms.sentence_count,
        stage=Stage.LENGTH,
        values=("1", "1", "1", "2", "2", "3"),
    ),
    Family(
        name="words",
        check=lambda value: Check(kind=CheckKind.WORDS, at_most=int(value) - 1),
        change=transforms.fewer_words,
        stage=Stage.LENGTH,
        values=("10", "12", "15", "18", "20", "25", "30", "40"),
        held_values=("14", "16", "22", "28", "35"),
    ),
    Family(
        name="lines",
        check=_exactly(CheckKind.LINES),
        change=transforms.line_count,
        stage=Stage.SHAPE,
        values=("2", "2", "3", "3", "4"),
    ),
    Family(
        name="bullets",
        check=_fixed(CheckKind.BULLETS),
        change=transforms.bullets,
        stage=Stage.SHAPE,
    ),
    Family(
        name="lower_case",
        check=_fixed(CheckKind.LOWER_CASE),
        change=transforms.lower,
        stage=Stage.CASE,
    ),
    Family(
        name="upper_case",
        check=_fixed(CheckKind.UPPER_CASE),
        change=transforms.upper,
        stage=Stage.CASE,
    ),
    Family(
        name="json",
        check=_valued(CheckKind.JSON),
        change=transforms.as_json,
        stage=Stage.WRAP,
        values=("answer", "reply", "text", "output"),
        held_values=("result", "message", "content"),
    ),
    Family(
        name="no_sign",
        check=_valued(CheckKind.NO_SIGN),
        change=transforms.no_sign,
        stage=Stage.SIGNS,
        values=("comma", "comma", "exclamation mark", "parenthesis", "hyphen", "apostrophe"),
        held_values=("colon", "quotation mark"),
    ),
    Family(
        name="not_contains",
        check=_valued(CheckKind.NOT_CONTAINS),
        change=transforms.not_contains,
        stage=Stage.SIGNS,
        values=("important", "also", "many", "example", "however", "great", "people", "best"),
        held_values=("make", "help", "time", "good"),
    ),
    Family(
        name="emoji",
        check=_valued(CheckKind.EMOJIS),
        change=transforms.emoji,
        stage=Stage.EDGE,
        values=("end", "start"),
    ),
    Family(
        name="no_bold",
        check=_fixed(CheckKind.PLAIN_TEXT, "bold"),
        change=transforms.no_bold,
        stage=Stage.SIGNS,
    ),
    Family(
        name="no_lists",
        check=_fixed(CheckKind.NO_BULLETS, "lists"),
        change=transforms.no_lists,
        stage=Stage.LENGTH,
    ),
    Family(
        name="contains",
        check=_valued(CheckKind.CONTAINS),
        change=transforms.contains,
        stage=Stage.EDGE,
        held=True,
        values=(),
        held_values=("sunshine", "teamwork", "by the way", "pineapple", "my opinion", "patience"),
    ),
    Family(
        name="numbered_list",
        check=_fixed(CheckKind.NUMBERED_LIST),
        change=transforms.numbered,
        stage=Stage.SHAPE,
        held=True,
    ),
)  # fmt: skip
BY_NAME: Final = {family.name: family for family in FAMILIES}
