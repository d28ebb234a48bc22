"""What a check is: one kind of the catalogue and its few parameters.

A check says of an answer whether it holds (True), does not (False), or does not apply (None): type
hints where no function stands. What does not apply counts neither for nor against an answer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class CheckKind(StrEnum):
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
    """JSON and nothing else; a code fence around it is allowed."""
    JSON_SCHEMA = "json_schema"
    """The whole answer is JSON of this form, bare."""
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
    """So many emoji; `value` start or end: one stands there."""

    @property
    def matter(self) -> str:
        """What two contradicting kinds are both about; "" where two rules of a kind may stand
        side by side."""
        return _MATTERS.get(self, "")

    @property
    def exclusive(self) -> bool:
        """Whether two different rules about this matter, on the same requests, contradict."""
        return bool(self.matter)


class Part(StrEnum):
    """Of what in an answer a check speaks. Where there are several of them, each must keep it."""

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
    """The list items alone, as a text."""
    CODE = "code"
    """All code, without what stands in its strings."""
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
    kind: CheckKind
    value: str = ""
    """The text, the schema's JSON text, a language's code, the name of a sign, unit, format or
    style; "" where the kind has none."""
    must: bool = True
    """False: the answer must not do it."""
    at_least: int | None = None
    at_most: int | None = None
    """Both in what the kind counts: words, lines, items, spaces."""
    part: Part = Part.WHOLE

    @property
    def matter(self) -> str:
        """As of its kind, for its part: 50 words in all and 20 a bullet go together."""
        matter = self.kind.matter
        return f"{matter} of {self.part}" if matter and self.part else matter


Detect = Callable[[str], tuple[str, float] | None]
"""A text → its language (ISO 639-1) and how sure that is, 0 to 1; None: cannot tell."""
FitsSchema = Callable[[object, object], bool | None]
"""(JSON schema, JSON value) → whether it fits; None: cannot tell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """What the catalogue needs from libraries, which stand at the edge."""

    detect: Detect
    fits_schema: FitsSchema


NO_TOOLS: Final = Tools(detect=lambda text: None, fits_schema=lambda schema, value: None)
"""Checks that need a library then tell nothing."""
