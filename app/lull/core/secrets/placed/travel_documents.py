"""Patterns of the machine-readable lines of passports and identity cards, which hold the document's
number, the day of birth and the day on which it ends, each with a check digit.

Their form is that of ICAO Doc 9303, parts 4 to 7: two lines of 44 or 36 signs, or three of 30.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from lull.core.secrets.values.pattern import LINE_END, Pattern

_BETWEEN: Final = rf"(?:[ \t]{{0,4}}{LINE_END}[ \t>#+/*|-]{{0,40}}|[ ]{{1,4}}|\\{{0,7}}[\"'`]?,[ ]?\\{{0,7}}[\"'`]?)"
_BEGINS: Final = r"(?:(?<=\\[nrt])|(?<![A-Z0-9<]))"
_ENDS: Final = r"(?![A-Z0-9]|<[A-Z0-9<])"
_STATE: Final = r"[A-Z][A-Z<]{2}"
_DAYS: Final = r"(\d{6})(\d)[MFX<](\d{6})(\d)"
_TWO_LINES: Final = re.compile(
    rf"{_BEGINS}(?:[PVACI][A-Z<]{_STATE}[A-Z<]{{31,39}}{_BETWEEN})?"
    rf"([A-Z0-9<]{{9}})([\d<]){_STATE}{_DAYS}[A-Z0-9<]{{8}}(?:[A-Z0-9<]{{8}})?{_ENDS}"
)
_THREE_LINES: Final = re.compile(
    rf"{_BEGINS}[IAC][A-Z0-9<]{_STATE}([A-Z0-9<]{{9}})([\d<])[A-Z0-9<]{{15}}{_BETWEEN}"
    rf"{_DAYS}{_STATE}[A-Z0-9<]{{11}}[\d<](?:{_BETWEEN}[A-Z][A-Z<]{{29}})?{_ENDS}"
)
_FRENCH: Final = re.compile(
    rf"{_BEGINS}(?:IDFRA[A-Z<]{{25}}[A-Z0-9<]{{6}}{_BETWEEN})?\d{{4}}[A-Z0-9]{{3}}\d{{6}}[A-Z<]{{14}}(\d{{6}})(\d)[MF]\d{_ENDS}"
)
"""The two lines of France's identity cards before 2021."""
_WEIGHTS: Final = (7, 3, 1)


def check_digit(field: str) -> str:
    """Return the check digit of a field of a travel document (ICAO Doc 9303, part 3)."""
    total = 0
    for at, sign in enumerate(field):
        total += (0 if sign == "<" else int(sign, 36)) * _WEIGHTS[at % 3]
    return str(total % 10)


def _documents(text: str, low: str, names: list[int]) -> Iterator[tuple[int, int]]:
    for form in (_TWO_LINES, _THREE_LINES):
        for found in form.finditer(text):
            number, of_number, birth, of_birth, end, of_end = found.groups()
            fields = ((number, of_number), (birth, of_birth), (end, of_end))
            right = sum(check_digit(field) == digit for field, digit in fields)
            # One sign that a camera misread spoils one digit.
            if right >= _FEWEST_RIGHT:
                yield found.span()

    for found in _FRENCH.finditer(text):
        if check_digit(found[1]) == found[2]:
            yield found.span()


_FEWEST_RIGHT: Final = 2

TRAVEL_DOCUMENTS: Final = (
    Pattern(
        kind="personal-number",
        find=_documents,
        hints=("<<",),
        has_digits=True,
        holds="«P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<\nL898902C36UTO7408122F1204159ZE184226B<<<<<10»",
        spares="L898902C35UTO7408121F1204150ZE184226B<<<<<10",
    ),
    Pattern(
        kind="personal-number",
        find=_documents,
        hints=("<<",),
        has_digits=True,
        holds="«I<UTOD231458907<<<<<<<<<<<<<<<\n7408122F1204159UTO<<<<<<<<<<<6\nERIKSSON<<ANNA<MARIA<<<<<<<<<<»",
        spares="I<UTOD231458907 << 740812 << 'ERIKSSON'",
    ),
)
