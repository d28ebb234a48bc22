"""Defines a check: a program that tests one exact property of a model's answer, such as its number
of words, given by its kind and parameters.

A check passes (True), fails (False) or does not apply (None), such as a check of type hints in an
answer without functions. A check that does not apply counts neither for nor against an answer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class CheckKind(StrEnum):
    """The properties of an answer that a check can test without a model."""

    LANGUAGE = "language"
    WORDS = "words"
    SENTENCES = "sentences"
    PARAGRAPHS = "paragraphs"
    LINES = "lines"
    BULLETS = "bullets"
    NO_BULLETS = "no_bullets"
    NUMBERED_LIST = "numbered_list"
    STARTS = "starts_with"
    ENDS = "ends_with"
    CONTAINS = "contains"
    NOT_CONTAINS = "not_contains"
    LOWER_CASE = "lower_case"
    UPPER_CASE = "upper_case"
    NO_SIGN = "no_sign"
    JSON = "json"
    """The answer is JSON and nothing else; a code fence around it is allowed."""
    JSON_SCHEMA = "json_schema"
    """The whole answer is JSON that fits a given schema, without a code fence."""
    CODE_ONLY = "code_only"
    NO_EMOJI = "no_emoji"
    TYPE_HINTS = "type_hints"
    INDENT = "indent"
    DATE_FORMAT = "date_format"
    TIME_FORMAT = "time_format"
    UNITS = "units"
    NO_CLOSING_QUESTION = "no_closing_question"
    NO_APOLOGY = "no_apology"
    NO_PREAMBLE = "no_preamble"
    PLAIN_TEXT = "plain_text"
    NO_CODE_COMMENTS = "no_code_comments"
    NO_CONTRACTIONS = "no_contractions"
    QUOTE_STYLE = "quote_style"
    CODE_PARSES = "code_parses"
    CHARACTERS = "characters"
    EMOJIS = "emojis"
    """Limits the number of emoji; with `value` "start" or "end", there must be an emoji at that
    place.
    """

    @property
    def fixed_property(self) -> str:
        """The property of an answer that this kind of check constrains, such as its letter case; ""
        if it constrains none. Two different checks that constrain the same property contradict each
        other.
        """
        return _MATTERS.get(self, "")

    @property
    def exclusive(self) -> bool:
        """Whether two rules that become this kind of check with different values contradict each
        other where both apply, as "answer in German" and "answer in French" do.
        """
        return bool(self.fixed_property)


class Part(StrEnum):
    """The part of a model's answer that a check tests, such as the whole answer or each bullet. If
    there are several such parts (bullets, lines), each must pass.
    """

    WHOLE = ""
    FIRST_LINE = "first_line"
    FIRST_LETTER = "first_letter"
    LAST_LINE = "last_line"
    LINES = "lines"
    ITEMS = "items"
    SENTENCES = "sentences"
    PARAGRAPHS = "paragraphs"
    HEADINGS = "headings"
    LIST = "list"
    """All list items of the answer, as one text."""
    CODE = "code"
    """All code of the answer, without the contents of its strings."""
    CODE_LINES = "code_lines"
    SQL_KEYWORDS = "sql_keywords"
    SQL_NAMES = "sql_names"


_MATTERS: Final = {
    CheckKind.LANGUAGE: "language",
    CheckKind.WORDS: "words",
    CheckKind.SENTENCES: "sentences",
    CheckKind.PARAGRAPHS: "paragraphs",
    CheckKind.LINES: "lines",
    CheckKind.BULLETS: "list",
    CheckKind.NO_BULLETS: "list",
    CheckKind.NUMBERED_LIST: "list",
    CheckKind.STARTS: "start",
    CheckKind.ENDS: "end",
    CheckKind.LOWER_CASE: "case",
    CheckKind.UPPER_CASE: "case",
    CheckKind.JSON: "json",
    CheckKind.JSON_SCHEMA: "json",
    CheckKind.INDENT: "indent",
    CheckKind.DATE_FORMAT: "dates",
    CheckKind.TIME_FORMAT: "times",
    CheckKind.UNITS: "units",
    CheckKind.QUOTE_STYLE: "quotes",
    CheckKind.CHARACTERS: "characters",
    CheckKind.EMOJIS: "emoji",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A test of one property of an answer, made from a user's rule, that a program carries out."""

    kind: CheckKind
    value: str = ""
    """The check's parameter: a text, a schema's JSON text, a language code, or the name of a sign,
    unit, format or style; "" if the kind has none.
    """
    must: bool = True
    """Whether the answer must do what the check describes; False: it must not."""
    at_least: int | None = None
    at_most: int | None = None
    """Largest count that passes the check, as `at_least` is the smallest: of words, lines, items or
    spaces, depending on the kind.
    """
    part: Part = Part.WHOLE

    @property
    def fixed_property(self) -> str:
        """The property of an answer that this check constrains, with the part of the answer that it
        tests, such as the length of each bullet; "" for none. Two checks contradict each other only
        if property and part are the same: 50 words in all and 20 words per bullet do not.
        """
        matter = self.kind.fixed_property
        return f"{matter} of {self.part}" if matter and self.part else matter


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckSet:
    """The checks that together test a user's rule: an answer keeps the rule only if it passes all
    of them.
    """

    checks: tuple[Check, ...]
    whole: bool = True
    """Whether they test the whole rule. False: some of what the rule asks for has no check, so an
    answer that fails a check breaks the rule, and one that passes all may keep it or not.
    """


Detect = Callable[[str], tuple[str, float] | None]
"""Type of a function that detects a text's language: text → (ISO 639-1 code, confidence from 0 to
1); None: it cannot tell.
"""
FitsSchema = Callable[[object, object], bool | None]
"""Type of a function: (JSON schema, JSON value) → whether the value fits the schema; None: it
cannot tell.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckLibraries:
    """Functions of third-party libraries that some checks of answers need: language detection and
    JSON Schema validation.
    """

    detect: Detect
    fits_schema: FitsSchema


NO_LIBRARIES: Final = CheckLibraries(
    detect=lambda text: None, fits_schema=lambda schema, value: None
)
"""Used where the third-party libraries are missing; checks of answers that need one
then do not apply.
"""
