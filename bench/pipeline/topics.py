"""The research topics: a question, two arms, a measure, and notes of which four are relevant."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).with_name("topics")
_NOTE = re.compile(r"## (?P<id>n\d+) (?P<year>\d{4}) (?P<bears>bears|off)\n(?P<text>.+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    id: str
    year: int
    text: str
    bears: bool
    """Whether the note is relevant to the question; never shown to the model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    id: str
    question: str
    arms: tuple[str, ...]
    measure: str
    unit: str
    low: float
    high: float
    """Upper limit of the values that a sound experiment can measure."""
    notes: tuple[Note, ...]


def topics() -> tuple[Topic, ...]:
    """Return all topics, sorted by id. Raises ValueError for an invalid file."""
    return tuple(_read(file) for file in sorted(FOLDER.glob("*.md")))


def _read(file: Path) -> Topic:
    text = file.read_text("utf-8")
    head = dict(re.findall(r"(?m)^(question|arms|measure|unit|range): (.+)$", text))
    notes = tuple(
        Note(id=n["id"], year=int(n["year"]), text=n["text"].strip(), bears=n["bears"] == "bears")
        for n in _NOTE.finditer(text)
    )
    if len(head) != 5 or not notes:
        raise ValueError(f"{file}: a topic has question, arms, measure, unit, range and notes")
    low, high = head["range"].split()
    return Topic(
        id=file.stem,
        question=head["question"],
        arms=tuple(head["arms"].split(", ")),
        measure=head["measure"],
        unit=head["unit"],
        low=float(low),
        high=float(high),
        notes=notes,
    )
