"""Defines English texts for users that the window can translate: each carries a code that
identifies its wording, and the values inserted in it.

The command line and scripts read the English text; the window builds the text in the user's
language from code and values.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Final, TypeAlias

from lull.core.text import durations as spans

_PLACE = re.compile(r"%([1-9])")


@dataclass(frozen=True, slots=True)
class TextDuration:
    """A duration inserted in a text for people, kept as a number so that the window can write it in
    the user's language.
    """

    seconds: float

    def __str__(self) -> str:
        return spans.format_duration(self.seconds)


@dataclass(frozen=True, slots=True)
class TextClock:
    """A time of day inserted in a text for people, written as seen from `now`, such as "tomorrow
    08:00".
    """

    at: datetime
    now: datetime

    def __str__(self) -> str:
        return spans.format_time(self.at, self.now)


@dataclass(frozen=True, slots=True)
class TextPercent:
    """A share from 0 to 1 inserted in a text for people, written as a percentage."""

    share: float

    def __str__(self) -> str:
        return f"{self.share:.0%}"


@dataclass(frozen=True, slots=True)
class TextSentence:
    """A whole English sentence by Lull that stands inside another text for the user, such as a
    reason. The window looks its translation up by the English words, because it has no message
    code; a plain `str` in such a place is a name or the user's own words and is not translated.
    """

    words: str

    def __str__(self) -> str:
        return self.words


@dataclass(frozen=True, slots=True)
class TextSkillName:
    """A skill inserted in a text for people: by its name, which commands take, and in the window by
    its title.
    """

    name: str

    def __str__(self) -> str:
        return self.name


MOST_SKILLS: Final = 5
"""Most skills that a text names."""


@dataclass(frozen=True, slots=True)
class TextSkillList:
    """Several skills inserted in a text for people, of which the first five are named: as commands
    take them, and in the window by their titles.
    """

    names: tuple[str, ...]

    def __str__(self) -> str:
        shown = ", ".join(self.names[:MOST_SKILLS])
        return f"{shown} and more" if len(self.names) > MOST_SKILLS else shown


Value: TypeAlias = (
    "str | int | TextDuration | TextClock | TextPercent | TextSentence | TextSkillName"
    " | TextSkillList"
)


class CodedText(str):
    """An English text for people that can be translated: it also carries a code that identifies its
    wording, and the values inserted in it.
    """

    __slots__ = ("code", "values")
    code: str
    values: tuple[Value, ...]


def coded_text(code: str, text: str, *values: Value) -> CodedText:
    """Build a text for people from a template by replacing `%1`, `%2` … with the values. The text
    also carries the values and `code`, which identifies the template, so that it can be translated.

    If the wording is changed, the code stays the same.
    """
    # In a single pass, because a value may itself contain %1.
    made = CodedText(_PLACE.sub(lambda m: str(values[int(m[1]) - 1]), text))
    made.code, made.values = code, values
    return made


def sentence(text: str) -> CodedText | TextSentence:
    """Return one of Lull's sentences as a value to insert in another text, so that it is translated
    there: by its code if it has one, else by its English wording.
    """
    return text if isinstance(text, CodedText) else TextSentence(text)


def coded(text: str, prefix: str = "") -> dict[str, object]:
    """Return the message code and the inserted values of a translatable text as JSON fields named
    `code` and `values`, each with this prefix; empty for a text that carries none.
    """
    if not isinstance(text, CodedText):
        return {}
    return {f"{prefix}code": text.code, f"{prefix}values": [_json(one) for one in text.values]}


def _json(value: Value) -> object:
    match value:
        case CodedText():
            return {"text": str(value), **coded(value)}
        case TextDuration(seconds):
            # JSON has no infinity.
            return {"length_s": round(seconds, 1) if seconds != float("inf") else None}
        case TextClock(at, now):
            return {"at": at.astimezone(now.tzinfo).isoformat(timespec="seconds")}
        case TextPercent(share):
            return {"share": round(share, 4)}
        case TextSkillName(name):
            return {"skill": name}
        case TextSkillList(names):
            return {"skills": list(names[:MOST_SKILLS]), "more": len(names) > MOST_SKILLS}
        case TextSentence(words):
            return {"sentence": words}
    return value
