"""Texts for people that also say how they were made: a code and the values in them.

The English text is what the command line and scripts read; from code and values the window says it
in the user's language.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from lull.core import durations as spans

_PLACE = re.compile(r"%([1-9])")


@dataclass(frozen=True, slots=True)
class SaidLength:
    """A duration in a text."""

    seconds: float

    def __str__(self) -> str:
        return spans.length(self.seconds)


@dataclass(frozen=True, slots=True)
class SaidClock:
    """A time in a text, written as seen from `now`, such as "tomorrow 08:00"."""

    at: datetime
    now: datetime

    def __str__(self) -> str:
        return spans.clock(self.at, self.now)


@dataclass(frozen=True, slots=True)
class SaidShare:
    """A part of a whole in a text, from 0 to 1."""

    share: float

    def __str__(self) -> str:
        return f"{self.share:.0%}"


Value: TypeAlias = "str | int | SaidLength | SaidClock | SaidShare"


class CodedText(str):
    """A string for people that also carries the code of its wording and the values in it."""

    __slots__ = ("code", "values")
    code: str
    values: tuple[Value, ...]


def said(code: str, text: str, *values: Value) -> CodedText:
    """Return a text in which `%1`, `%2` … are replaced by the values.

    The code is kept when the wording changes.
    """
    # In a single pass, because a value may itself contain %1.
    made = CodedText(_PLACE.sub(lambda m: str(values[int(m[1]) - 1]), text))
    made.code, made.values = code, values
    return made


def coded(text: str, prefix: str = "") -> dict[str, object]:
    """Return a text's code and values for JSON, under the keys `code` and `values`, each with this
    prefix; empty for a text without them.
    """
    if not isinstance(text, CodedText):
        return {}
    return {f"{prefix}code": text.code, f"{prefix}values": [_json(one) for one in text.values]}


def _json(value: Value) -> object:
    match value:
        case CodedText():
            return {"text": str(value), **coded(value)}
        case SaidLength(seconds):
            # JSON has no infinity.
            return {"length_s": round(seconds, 1) if seconds != float("inf") else None}
        case SaidClock(at, now):
            return {"at": at.astimezone(now.tzinfo).isoformat(timespec="seconds")}
        case SaidShare(share):
            return {"share": round(share, 4)}
    return value
