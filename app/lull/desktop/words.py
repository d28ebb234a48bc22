"""Translates and formats the desktop's texts, numbers and times.

Every text for the user goes through `tr`, which uses Qt's translators.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime

from PySide6.QtCore import QCoreApplication

from lull.core import durations as spans

_PLACE = re.compile(r"%([1-9])")


def tr(text: str, *values: object) -> str:
    """Translate a text into the user's language; `%1`, `%2` … are replaced by the values.

    The placeholders may be in any order.
    """
    said = QCoreApplication.translate("Lull", text)
    # In a single pass, because a value may itself contain %1.
    return _PLACE.sub(lambda m: str(values[int(m[1]) - 1]), said) if values else said


def counted(number: int, one: str, many: str) -> str:
    """Return the singular or the plural text for a number, with %1 replaced by the number."""
    return tr(one if number == 1 else many, f"{number:,}")


def now() -> datetime:
    return datetime.now(UTC).astimezone()


def parsed(iso: str | None) -> datetime | None:
    """Parse an ISO time; None if it is not timezone-aware."""
    try:
        at = datetime.fromisoformat(iso) if iso else None
    except ValueError:
        return None
    return at if at is not None and at.tzinfo is not None else None


def clock(iso: str | None, at: datetime) -> str:
    """Format an ISO time as a time of day in the zone of `at`, with the day if it is another
    day.
    """
    moment = parsed(iso)
    return spans.clock(moment, at) if moment else ""


def ago(iso: str | None, at: datetime) -> str:
    """Describe how long ago an ISO time was.

    From one hour on it is given in whole hours, from one day on in whole days.
    """
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
    """Make a Qt slot that calls `do` and ignores the signal's arguments."""

    def call(*_: object) -> None:
        do()

    return call


_COMMAND = re.compile(r"`(?:lull ([a-z]+)((?: [^`]*)?)|rollback)`")
_OPTION = re.compile(r"`?(?<![\w-])--[a-z][\w-]*[^`.;,]*`?")
_SET = re.compile(r" set (?P<key>[\w.]+)(?: (?P<value>[^`]+))?")


def _places() -> dict[str, str]:
    """Where the window does what a command of `lull` does."""
    logs, review = tr("the Logs page"), tr("the Review page")
    learning, skills = tr("the Learning page"), tr("the Skills page")
    talk = tr("the Conversations page")
    return {
        **dict.fromkeys(("adapters", "train", "rollback"), learning),
        **dict.fromkeys(("conversations", "forget", "rate", "read", "show"), talk),
        **dict.fromkeys(("doctor", "logs"), logs),
        **dict.fromkeys(("prove", "review"), review),
        **dict.fromkeys(("skills", "verify"), skills),
        **dict.fromkeys(("connect", "model", "settings"), tr("the Settings page")),
        **dict.fromkeys(("open", "pause", "resume", "status", "why"), tr("the Today page")),
        "calendar": tr("the Schedule page"),
    }


def in_window(text: str) -> str:
    """Rewrite a text of the service for the window: terminal commands become names of pages or
    buttons.

    Clauses about what can only be done in a terminal are left out.
    """
    if "`" not in text and "--" not in text:
        return text
    said = ""
    # After a semicolon a clause stands on its own, as a sentence does.
    for one in re.split(r"(?<=[.!?;])\s+", text):
        told = _placed(one)
        if told and not said.endswith(";"):
            told = f"{told[0].upper()}{told[1:]}" if one[0] == "`" else told
        said = f"{said} {told}".strip()
    return f"{said[:-1]}." if said.endswith(";") else said


def _placed(clause: str) -> str:
    """The clause with places for its commands; empty if the window has none for one of them."""
    places = _places()
    private = tr("“This calendar is on my local network” ticked")
    clause = re.sub(r"`?--private`?", private, clause)
    if _OPTION.search(clause):
        return ""
    missing = False

    def place(found: re.Match[str]) -> str:
        nonlocal missing
        command = found[1] or "adapters"
        change = _SET.match(found[2]) if command == "settings" else None
        if change is not None:
            value = f" = {change['value']}" if change["value"] else ""
            return tr("“%1” in Settings", f"{change['key']}{value}")
        missing |= command not in places
        return places.get(command, "")

    told = _COMMAND.sub(place, clause)
    return "" if missing else told


_HIDERS = {"\u200e", "\u200f", "\u061c"}


def plain(text: str) -> str:
    """Replace characters in a text that could hide or reverse parts of it."""
    return "".join(c if _shows(c) else "\N{REPLACEMENT CHARACTER}" for c in text)


def _shows(character: str) -> bool:
    if character in "\n\t ":
        return True
    return character.isprintable() and character not in _HIDERS


__all__ = [
    "ago",
    "clock",
    "counted",
    "in_window",
    "now",
    "only",
    "parsed",
    "percent",
    "plain",
    "short_date",
    "signed",
    "tr",
]
