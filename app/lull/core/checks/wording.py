"""Describes checks (exact tests of an answer) in words, for the person who approves them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from lull.core.checks.check import Check, CheckKind, CheckSet, Part
from lull.core.checks.formats import DATE_FORMATS
from lull.core.checks.language import name_of
from lull.core.checks.signs import QUOTE_STYLES, SIGNS

_PLAIN: Final[Mapping[CheckKind, str]] = {
    CheckKind.LOWER_CASE: "be in lower case throughout",
    CheckKind.UPPER_CASE: "be in capitals throughout",
    CheckKind.JSON: "be JSON and nothing else",
    CheckKind.CODE_ONLY: "be code and nothing else",
    CheckKind.NO_EMOJI: "have no emoji",
    CheckKind.TYPE_HINTS: "have type hints on every Python function",
    CheckKind.NO_CLOSING_QUESTION: "not end with a question",
    CheckKind.NO_APOLOGY: "not apologise",
    CheckKind.NO_PREAMBLE: "not open with a pleasantry or an announcement",
    CheckKind.NO_CODE_COMMENTS: "have no comments in its code",
    CheckKind.NO_CONTRACTIONS: "have no contractions (don't, it's)",
    CheckKind.CODE_PARSES: "have Python and JSON that parse",
}
COUNTED: Final[Mapping[CheckKind, tuple[str, str]]] = {
    CheckKind.WORDS: ("word", "words"),
    CheckKind.SENTENCES: ("sentence", "sentences"),
    CheckKind.PARAGRAPHS: ("paragraph", "paragraphs"),
    CheckKind.LINES: ("line", "lines"),
    CheckKind.CHARACTERS: ("character", "characters"),
}
"""Nouns for what each kind of check counts, as singular and plural."""
_PARTS: Final[Mapping[Part, str]] = {
    Part.WHOLE: "The answer",
    Part.FIRST_LINE: "The answer's first line",
    Part.FIRST_LETTER: "The first letter of the answer",
    Part.LAST_LINE: "The answer's last line",
    Part.LINES: "Each line of the answer",
    Part.ITEMS: "Each list item of the answer",
    Part.LIST: "A list in the answer",
    Part.SENTENCES: "Each sentence of the answer",
    Part.PARAGRAPHS: "Each paragraph of the answer",
    Part.HEADINGS: "Each heading of the answer",
    Part.CODE: "Code in the answer",
    Part.CODE_LINES: "Each line of code in the answer",
    Part.SQL_KEYWORDS: "SQL keywords in the answer",
    Part.SQL_NAMES: "Names of tables and columns in the answer's SQL",
}
_MARKS: Final = {"bold": "bold", "headings": "headings", "tables": "tables", "links": "links"}


def in_words(check: Check) -> str:
    """Describe a check in a sentence for people."""
    does, must = what_it_asks(check), check.must
    if does.startswith("not "):
        does, must = does.removeprefix("not "), not must
    return f"{_PARTS[check.part]} {'must' if must else 'must not'} {does}."


def all_in_words(rule: CheckSet) -> str:
    """Describe the checks that test one rule together in sentences for people, and say if they test
    only a part of it.
    """
    said = [in_words(check) for check in rule.checks]
    return " ".join(said if rule.whole else [*said, _ONLY_PART])


_ONLY_PART: Final = "The rest of the rule is not tested."


def what_it_asks(check: Check) -> str:
    """Return in words what a check (an exact test) demands of an answer; the words complete the
    sentence "The answer must".
    """
    value = check.value
    if check.kind is CheckKind.JSON and value:
        return f"be JSON with the keys {', '.join(value.split(chr(10)))} and nothing else"
    if check.kind in _PLAIN:
        return _PLAIN[check.kind]
    if check.kind in COUNTED:
        return f"have {_span(check, *COUNTED[check.kind])}"
    return {
        CheckKind.LANGUAGE: f"be in {name_of(value)}",
        CheckKind.BULLETS: f"be a list with {_items(check, 'bullet', 'bullets')}",
        CheckKind.NUMBERED_LIST: f"be a numbered list{_of_items(check)}",
        CheckKind.NO_BULLETS: {
            "": "have no bullet points",
            "lists": "have no lists",
            "numbered": "have no numbered list",
        }.get(value, "have no lists"),
        CheckKind.EMOJIS: f"have {_emojis(check)}",
        CheckKind.STARTS: f"start with the text “{value}”",
        CheckKind.ENDS: f"end with the text “{value}”",
        CheckKind.CONTAINS: f"have the text “{value}” in it",
        CheckKind.NOT_CONTAINS: "not have the text "
        + " or ".join(f"“{one}”" for one in value.split("\n"))
        + " in it",
        CheckKind.NO_SIGN: f"have no {SIGNS[value][1] if value in SIGNS else value}",
        CheckKind.JSON_SCHEMA: f"be JSON, and nothing else, of this form: {value}",
        CheckKind.INDENT: f"indent its code with {_indent(check)}",
        CheckKind.DATE_FORMAT: f"write dates {DATE_FORMATS.get(value, value)}",
        CheckKind.TIME_FORMAT: "write times of day "
        + ("with 24 hours (14:30)" if value == "24h" else "with am and pm (2:30 pm)"),
        CheckKind.UNITS: f"give quantities in {_units(value)}",
        CheckKind.PLAIN_TEXT: f"have no {_marks(value)}",
        CheckKind.QUOTE_STYLE: f"use {QUOTE_STYLES.get(value, value)}",
    }[check.kind]


def _span(check: Check, one: str, many: str) -> str:
    least, most = check.at_least, check.at_most
    if least is None:
        return f"at most {most} {one if most == 1 else many}"
    if most is None:
        return f"at least {least} {one if least == 1 else many}"
    if least == most:
        return f"exactly {least} {one if least == 1 else many}"
    return f"{least} to {most} {many}"


def _items(check: Check, one: str, many: str) -> str:
    return many if check.at_least is None and check.at_most is None else _span(check, one, many)


def _emojis(check: Check) -> str:
    if check.value:
        return f"an emoji at the {check.value}"
    return _items(check, "emoji", "emojis")


def _of_items(check: Check) -> str:
    if check.at_least is None and check.at_most is None:
        return ""
    return f" of {_span(check, 'item', 'items')}"


def _indent(check: Check) -> str:
    if check.value == "tabs":
        return "tabs"
    return f"{check.at_least} spaces a level" if check.at_least else "spaces"


def _units(value: str) -> str:
    if value in ("metric", "imperial"):
        return f"{value} units"
    given = [name for name in value.split(",") if name != "only"]
    names = [name.capitalize() if name in _CAPITAL else name for name in given]
    if "only" in value.split(","):
        return f"{_units(','.join(given))} only"
    return " or ".join(names)


_CAPITAL: Final = ("celsius", "fahrenheit", "kelvin")


def _marks(value: str) -> str:
    return " or ".join(_MARKS.get(name, name) for name in value.split()) or "markdown"
