"""The families of rules: their values, their check and how an answer is changed to keep them.

What is named `held` is never trained on: wordings, values, and two whole families.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from bench.english import transforms
from bench.english.texts import values
from bench.english.texts.exam import EXAM_VALUES, EXAM_WORDINGS
from bench.english.texts.former import FORMER_VALUES
from bench.english.texts.wordings import GENERAL_WORDINGS, WORDINGS
from lull.core.checks.check import Check, CheckKind, Part


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
    kept_out: tuple[str, ...] = ()
    """Values that are never trained on, beside those of the exam."""
    held: bool = False

    @property
    def wordings(self) -> tuple[str, ...]:
        return WORDINGS.get(self.name, ())

    @property
    def general_wordings(self) -> tuple[str, ...]:
        """Wordings for every request that do not say so."""
        return GENERAL_WORDINGS.get(self.name, ())

    @property
    def held_values(self) -> tuple[str, ...]:
        """Values that only the exam has; empty where there are none to hold out, such as counts."""
        examined = (*EXAM_VALUES.get(self.name, ()), *self.kept_out)
        return tuple(value for value in examined if value not in self.values)

    @property
    def held_wordings(self) -> tuple[str, ...]:
        """The exam's, less those that are trained on by chance, whatever their marks; empty where
        none are measured.
        """
        known = {_words(one) for one in self.wordings}
        return tuple(one for one in EXAM_WORDINGS.get(self.name, ()) if _words(one) not in known)


def _words(wording: str) -> str:
    """Return a wording without its capitals and punctuation."""
    return re.sub(r"[^\w{} ]", "", wording).lower()


def _valued(kind: CheckKind, part: Part = Part.WHOLE) -> Callable[[str], Check]:
    return lambda value: Check(kind=kind, value=value, part=part)


def _exactly(kind: CheckKind) -> Callable[[str], Check]:
    return lambda value: Check(kind=kind, at_least=int(value), at_most=int(value))


def _fixed(
    kind: CheckKind, value: str = "", *, must: bool = True, part: Part = Part.WHOLE
) -> Callable[[str], Check]:
    return lambda _value: Check(kind=kind, value=value, must=must, part=part)


def _at_most(kind: CheckKind, part: Part = Part.WHOLE) -> Callable[[str], Check]:
    return lambda value: Check(kind=kind, at_most=int(value), part=part)


_HELD_SIGNS: Final = ("colon", "quotation mark")
_COMMON_SIGNS: Final = ("comma", "comma", "exclamation mark", "parenthesis", "hyphen", "apostrophe")
"""Signs that most answers have: a rule without them is one that is broken by itself."""
_TRAINED_SIGNS: Final = tuple(sign for sign in transforms.SIGNS_LEFT_OUT if sign not in _HELD_SIGNS)

FAMILIES: Final[tuple[Family, ...]] = (
    Family(
        name="ends",
        check=_valued(CheckKind.ENDS),
        change=transforms.ends,
        stage=Stage.EDGE,
        values=(*values.ENDINGS, *FORMER_VALUES["ends"]),
    ),
    Family(
        name="starts",
        check=_valued(CheckKind.STARTS),
        change=transforms.starts,
        stage=Stage.EDGE,
        values=(*values.OPENINGS, *FORMER_VALUES["starts"]),
    ),
    Family(
        name="sentences",
        check=_exactly(CheckKind.SENTENCES),
        change=transforms.sentence_count,
        stage=Stage.LENGTH,
        values=("1", "1", "1", "2", "2", "3", "3", "4", "5"),
    ),
    Family(
        name="words",
        check=lambda value: Check(kind=CheckKind.WORDS, at_most=int(value) - 1),
        change=transforms.fewer_words,
        stage=Stage.LENGTH,
        values=values.WORD_LIMITS,
    ),
    Family(
        name="lines",
        check=_exactly(CheckKind.LINES),
        change=transforms.line_count,
        stage=Stage.SHAPE,
        values=("2", "2", "3", "3", "4", "4", "5", "6"),
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
        values=(*values.KEYS, *FORMER_VALUES["json"]),
    ),
    Family(
        name="no_sign",
        check=_valued(CheckKind.NO_SIGN),
        change=transforms.no_sign,
        stage=Stage.SIGNS,
        values=(*_TRAINED_SIGNS, *_COMMON_SIGNS, *_COMMON_SIGNS),
        kept_out=_HELD_SIGNS,
    ),
    Family(
        name="not_contains",
        check=_valued(CheckKind.NOT_CONTAINS),
        change=transforms.not_contains,
        stage=Stage.SIGNS,
        values=(*values.AVOIDED, *FORMER_VALUES["not_contains"]),
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
        name="bullet_count",
        check=_exactly(CheckKind.BULLETS),
        change=transforms.bullet_count,
        stage=Stage.SHAPE,
        values=("2", "2", "3", "3", "4", "5"),
    ),
    Family(
        name="paragraphs",
        check=_exactly(CheckKind.PARAGRAPHS),
        change=transforms.paragraph_count,
        stage=Stage.SHAPE,
        values=("1", "2", "2", "3", "3", "4"),
    ),
    Family(
        name="lines_start",
        check=_valued(CheckKind.STARTS, Part.LINES),
        change=transforms.lines_start,
        stage=Stage.SHAPE,
        values=values.LINE_STARTS,
    ),
    Family(
        name="sentence_lines",
        check=lambda _value: Check(kind=CheckKind.SENTENCES, at_most=1, part=Part.LINES),
        change=transforms.sentence_lines,
        stage=Stage.SHAPE,
    ),
    Family(
        name="last_line",
        check=_valued(CheckKind.STARTS, Part.LAST_LINE),
        change=transforms.last_line,
        stage=Stage.SHAPE,
        values=values.LAST_LINES,
    ),
    Family(
        name="title",
        check=_fixed(CheckKind.PLAIN_TEXT, "headings", must=False, part=Part.FIRST_LINE),
        change=transforms.title,
        stage=Stage.EDGE,
    ),
    Family(
        name="first_letter",
        check=_valued(CheckKind.STARTS, Part.FIRST_LETTER),
        change=transforms.first_letter,
        stage=Stage.EDGE,
        values=tuple(transforms.OPENERS),
    ),
    Family(
        name="ends_question",
        check=_fixed(CheckKind.NO_CLOSING_QUESTION, must=False),
        change=transforms.ends_question,
        stage=Stage.EDGE,
    ),
    Family(
        name="no_preamble",
        check=_fixed(CheckKind.NO_PREAMBLE),
        change=transforms.no_preamble,
        stage=Stage.LENGTH,
    ),
    Family(
        name="characters",
        check=_at_most(CheckKind.CHARACTERS),
        change=transforms.fewer_characters,
        stage=Stage.LENGTH,
        values=("50", "60", "70", "80", "100", "120", "140", "150", "160", "180", "200", "250"),
    ),
    Family(
        name="short_sentences",
        check=_at_most(CheckKind.WORDS, Part.SENTENCES),
        change=transforms.short_sentences,
        stage=Stage.LENGTH,
        values=("6", "7", "8", "9", "10", "11", "12", "13", "15", "18"),
    ),
    Family(
        name="sentence_ends",
        check=_valued(CheckKind.ENDS, Part.SENTENCES),
        change=transforms.sentence_ends,
        stage=Stage.SIGNS,
        values=values.SENTENCE_ENDS,
    ),
    Family(
        name="bold_words",
        check=_fixed(CheckKind.PLAIN_TEXT, "bold", must=False),
        change=transforms.bold_words,
        stage=Stage.SIGNS,
    ),
    Family(
        name="no_contractions",
        check=_fixed(CheckKind.NO_CONTRACTIONS),
        change=transforms.no_contractions,
        stage=Stage.SIGNS,
    ),
    Family(
        name="contains",
        check=_valued(CheckKind.CONTAINS),
        change=transforms.contains,
        stage=Stage.EDGE,
        held=True,
        values=(),
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
