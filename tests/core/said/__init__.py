"""What users said next, and what it means: labelled by hand, half of it traps."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Means(StrEnum):
    CORRECTION = "correction"
    THANKS = "thanks"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    text: str
    means: Means
    asked: str = ""
    answer: str = ""


def table(means: Means, lines: str, *, asked: str = "", answer: str = "") -> tuple[Said, ...]:
    r"""One for each line; `\n` in a line is a line break."""
    texts = (line.strip().replace("\\n", "\n") for line in lines.strip().splitlines())
    return tuple(Said(text=text, means=means, asked=asked, answer=answer) for text in texts if text)
