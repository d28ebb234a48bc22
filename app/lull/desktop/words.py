"""How the desktop says things: every text for a person goes through `tr`, numbers through here.

Qt's own `translate` is behind it, so that a translator that is installed changes every text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime

from PySide6.QtCore import QCoreApplication

from lull.core import spans

_PLACE = re.compile(r"%([1-9])")


def tr(text: str, *values: object) -> str:
    """The text in the user's language; `%1`, `%2` … stand for the values, in any order."""
    said = QCoreApplication.translate("Lull", text)
    # In one go: a value may itself hold %1.
    return _PLACE.sub(lambda m: str(values[int(m[1]) - 1]), said) if values else said


def counted(number: int, one: str, many: str) -> str:
    """`one` or `many`, each with %1."""
    return tr(one if number == 1 else many, f"{number:,}")


def now() -> datetime:
    return datetime.now(UTC).astimezone()


def parsed(iso: str | None) -> datetime | None:
    """None for what is no time."""
    try:
        at = datetime.fromisoformat(iso) if iso else None
    except ValueError:
        return None
    return at if at is not None and at.tzinfo is not None else None


def clock(iso: str | None, at: datetime) -> str:
    """The time of day in the zone of `at`, with its day where that is another one."""
    moment = parsed(iso)
    return spans.clock(moment, at) if moment else ""


def ago(iso: str | None, at: datetime) -> str:
    """In whole hours from an hour on, and in whole days from a day on: how long ago something was
    is not asked to the minute, and there is little room where it stands."""
    moment = parsed(iso)
    if moment is None:
        return ""
    seconds = (at - moment).total_seconds()
    if seconds < 60:
        return tr("just now")
    unit = next((one for one in (86_400, 3_600) if seconds >= one), 1)
    return tr("%1 ago", spans.length(seconds // unit * unit))


def short_date(iso: str | None) -> str:
    moment = parsed(iso)
    return f"{moment.astimezone():%Y-%m-%d %H:%M}" if moment else ""


def signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", "−")


def percent(share: float) -> str:
    return f"{share:.0%}"


def only(do: Callable[[], object]) -> Callable[..., None]:
    """A slot that hears nothing of what a signal says besides."""

    def call(*_: object) -> None:
        do()

    return call


_HIDERS = {"\u200e", "\u200f", "\u061c"}


def plain(text: str) -> str:
    """Text that a model or a client wrote, without characters that would hide or turn around what
    a person must be able to read before a decision."""
    return "".join(c if _shows(c) else "\N{REPLACEMENT CHARACTER}" for c in text)


def _shows(character: str) -> bool:
    if character in "\n\t ":
        return True
    return character.isprintable() and character not in _HIDERS


__all__ = [
    "ago",
    "clock",
    "counted",
    "now",
    "only",
    "parsed",
    "percent",
    "plain",
    "short_date",
    "signed",
    "tr",
]
