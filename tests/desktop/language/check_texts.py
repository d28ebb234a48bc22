"""Finds the texts in which checks of answers are described, with places for what differs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from lull.core.checks.check import Check, CheckKind, Part
from lull.core.checks.formats import DATE_FORMATS, UNITS
from lull.core.checks.language import CODES, name_of
from lull.core.checks.signs import QUOTE_STYLES, SIGNS
from lull.core.checks.wording import COUNTED, in_words, what_it_asks

FILE: Final = "lull/core/checks/wording.py"
_LEAST, _MOST, _VALUE = 7_001, 7_002, "VALUE"
_NOUNS: Final = ("bullets", "items", "emojis", *(many for _, many in COUNTED.values()))
_UNITS_NAMED: Final = range(1, 5)
"""How many units one check may name so that its sentence is translated."""
_VALUES: Final = {
    CheckKind.LANGUAGE: [_VALUE],
    CheckKind.NO_BULLETS: ["", "lists", "numbered"],
    CheckKind.NO_SIGN: [_VALUE],
    CheckKind.INDENT: ["tabs", "spaces"],
    CheckKind.DATE_FORMAT: [*DATE_FORMATS],
    CheckKind.TIME_FORMAT: ["24h", "12h"],
    CheckKind.UNITS: [
        *("metric", "imperial", "metric,only", "imperial,only"),
        *(",".join([_VALUE] * number) + only for only in ("", ",only") for number in _UNITS_NAMED),
    ],
    CheckKind.PLAIN_TEXT: ["", "bold", "headings", "bold headings", "tables", "links"],
    CheckKind.QUOTE_STYLE: [*QUOTE_STYLES],
    CheckKind.EMOJIS: ["", "start", "end"],
    CheckKind.JSON: ["", _VALUE],
    CheckKind.NOT_CONTAINS: [_VALUE, f"{_VALUE}\n{_VALUE}", f"{_VALUE}\n{_VALUE}\n{_VALUE}"],
}
_COUNTING: Final = (
    *COUNTED,
    CheckKind.BULLETS,
    CheckKind.NUMBERED_LIST,
    CheckKind.EMOJIS,
    CheckKind.INDENT,
)


def texts_of_checks() -> Iterator[str]:
    """Yield the sentences about parts of an answer, then what they ask of them, then its words."""
    for part in Part:
        for must in (True, False):
            whole = in_words(Check(kind=CheckKind.LOWER_CASE, must=must, part=part))
            yield whole.replace(what_it_asks(Check(kind=CheckKind.LOWER_CASE)), "%1")
    for kind in CheckKind:
        for value in _VALUES.get(kind, [_VALUE]):
            spans = _spans() if kind in _COUNTING else [(None, None)]
            if kind in COUNTED:
                spans = spans[1:]  # without a number it is no check
            for at_least, at_most in spans:
                asked = what_it_asks(
                    Check(kind=kind, value=value, at_least=at_least, at_most=at_most)
                )
                yield _with_places(asked.removeprefix("not "), counted=at_least or at_most)
    yield from (name for _, name in SIGNS.values())
    yield from (name for both in COUNTED.values() for name in both)
    yield from ("bullet", "bullets", "item", "items", "emoji", "emojis")
    yield from (_unit(name) for name in UNITS if name not in ("metric", "imperial", "only"))
    yield from sorted({name_of(code) for code in CODES.values()})


def _unit(name: str) -> str:
    """Return a unit's name as the sentence about a check writes it."""
    asked = what_it_asks(Check(kind=CheckKind.UNITS, value=name))
    return asked.removeprefix("give quantities in ")


def _spans() -> list[tuple[int | None, int | None]]:
    return [(None, None), (None, _MOST), (_LEAST, None), (_MOST, _MOST), (_LEAST, _MOST)]


def _with_places(text: str, *, counted: object) -> str:
    """Put places for numbers, for the value and, behind a number, for what is counted."""
    nouns = "|".join(_NOUNS) if counted else "(?!)"
    numbers = iter(range(1, 9))
    what = rf"{_LEAST}|{_MOST}|{_VALUE}|\b(?:{nouns})$"
    return re.sub(what, lambda _: f"%{next(numbers)}", text)
