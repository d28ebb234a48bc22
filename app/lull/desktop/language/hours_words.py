"""Writes lines of weekly hours with the days' names of the window's language, and reads what users
type of them.

The settings keep the form "mon-fri 23:00-07:00", whatever language the window speaks.
"""

from __future__ import annotations

import re
from datetime import date
from typing import Final

from lull.core.idle.hours import reads
from lull.desktop.language.words import on_day, tr

_DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WORD: Final = re.compile(r"[^\W\d_]+\.?")
_LEAST_LETTERS: Final = 2
"""Fewest letters by which a day is told from the others in any language of the window."""


def hours_words(line: str) -> str:
    """Return a setting's line of hours, such as "mon-fri 23:00-07:00", with the short names of the
    days in the window's language; a line that says no hours is returned unchanged.
    """
    return _WORD.sub(lambda word: _local(word[0]), line) if reads(line) else line


def days_words(days: str) -> str:
    """Return in words on which days of the week hours begin; `days` is the part of a setting's line
    before the times, such as "mon-fri".
    """
    usual = {
        "daily": tr("every day"),
        "mon-fri": tr("Monday to Friday"),
        "sat-sun": tr("Saturday and Sunday"),
    }
    return usual.get(days) or _WORD.sub(lambda word: _local(word[0]), days)


def hours_typed(text: str) -> str:
    """Return a typed line of hours as the settings keep it; days may have their names in English or
    in the window's language, whole or shortened.
    """
    text = text.strip().replace("–", "-")
    return text if reads(text) else _WORD.sub(lambda word: _english(word[0]), text)


def example_hours() -> str:
    """Return an example of hours that the user can type."""
    return ", ".join(map(hours_words, ("mon-fri 23:00-07:00", "sat-sun 00:00-09:30")))


def _local(word: str) -> str:
    name = word.lower()
    named = {"daily": tr("daily"), "weekdays": tr("weekdays"), "weekends": tr("weekends")}
    if name in named:
        return named[name]
    number = next((n for n, day in enumerate(_DAYS) if day.startswith(name)), None)
    return word if number is None else _day(number, "ddd").rstrip(".")


def _english(word: str) -> str:
    name = word.rstrip(".").lower()
    for english, local in (
        ("daily", tr("daily")),
        ("weekdays", tr("weekdays")),
        ("weekends", tr("weekends")),
    ):
        if name == local.lower():
            return english
    found = [n for n in range(len(_DAYS)) if _day(n, "dddd").lower().startswith(name)]
    exact = len(name) >= _LEAST_LETTERS and len(found) == 1
    return _DAYS[found[0]][:3] if exact else word


def _day(number: int, form: str) -> str:
    return on_day(date(2024, 1, 1 + number), form)  # a Monday, and the days after it
