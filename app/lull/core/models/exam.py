"""An exam for a chat model: what is asked, what a right answer is, and what came of it.

Three roles, three sets of labelled items that ship with Lull (`resources/exams`). Whether a result
admits a model is `admission`'s business, who is examined `candidates`'.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from lull.core.feedback.exchange import Exchange
from lull.core.feedback.feedback import LIKELY, Heard
from lull.core.ports import Draft
from lull.core.reward import Vote, majority


class Role(StrEnum):
    """What a model may be asked to do. Also the names of the groups of settings."""

    READER = "reader"
    JUDGE = "judge"
    WRITER = "writer"


ROLES: Final = tuple(Role)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadItem:
    id: str
    exchange: Exchange
    correction: bool | None
    """None: arguable, and not counted."""
    lasting: bool
    scope: str | None
    quote: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeItem:
    id: str
    rule: str
    request: str
    answer: str
    kept: bool
    applies: bool
    """False: the rule says nothing of this request, so the answer cannot break it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteItem:
    id: str
    failures: tuple[Exchange, ...]
    must: tuple[tuple[str, ...], ...]
    """Of each group one must stand in a usable skill, whatever its case."""
    must_not: tuple[str, ...]
    """What holds for these turns alone, or comes from somebody else."""


Item = ReadItem | JudgeItem | WriteItem


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """One exam, and a name that changes with any word of it."""

    role: Role
    sha256: str
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """What came of one item."""

    item: str
    right: bool
    kept: bool | None = None
    """For a judge: the label, which tells the two kinds of error apart."""

    def as_json(self) -> list[object]:
        return [self.item, self.right, self.kept]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExamResult:
    """How a model did, or does so far."""

    model: str
    digest: str
    """Of the model; another one is examined anew."""
    role: Role
    exam: str
    """Sheet, prompt and rules; another one is taken anew."""
    marks: tuple[Mark, ...] = ()
    passed: bool | None = None
    """None: under way."""
    score: float | None = None
    low: float | None = None
    high: float | None = None
    sensitivity: float | None = None
    """For a judge: of answers that keep their rule, the share it finds."""
    specificity: float | None = None
    """For a judge: of those that break it."""
    why: str = ""
    at: datetime | None = None

    @property
    def n(self) -> int:
        return len(self.marks)


# Marking


def mark_read(item: ReadItem, heard: Heard | None) -> Mark:
    """Right where all of it is: correction, lasting, and of a lasting wish its scope and words."""
    return Mark(item=item.id, right=heard is not None and _read_rightly(item, heard))


def _read_rightly(item: ReadItem, heard: Heard) -> bool:
    corrects = heard.correction > LIKELY and not heard.unsure
    if item.correction is not None and corrects != item.correction:
        return False
    if heard.lasts != item.lasting:
        return False
    if not item.lasting:
        return True
    return heard.scope == item.scope and _same_words(heard.quote, item.quote)


def _same_words(said: Sequence[str], wanted: Sequence[str]) -> bool:
    """Every wanted sentence was found, and hardly anything besides."""
    found = all(any(_shares(one, other) for other in said) for one in wanted)
    room = 2 * sum(map(len, wanted)) + 30
    return found and sum(map(len, said)) <= room


def _shares(one: str, other: str) -> bool:
    a, b = one.strip(), other.strip()
    return bool(a and b) and (a in b or b in a) and 2 * min(len(a), len(b)) >= len(a)


def mark_judge(item: JudgeItem, votes: Sequence[Vote]) -> Mark:
    """No verdict is wrong: nothing is decided by a judge that does not speak. Of a rule that does
    not apply "neither" is as right as "kept"."""
    verdict = majority(votes)
    if not item.kept:
        right = verdict == -1
    elif item.applies:
        right = verdict == 1
    else:
        right = verdict in (0, 1)
    return Mark(item=item.id, right=right, kept=item.kept)


def mark_write(item: WriteItem, draft: Draft | None) -> Mark:
    if draft is None:
        return Mark(item=item.id, right=False)
    text = f"{draft.text.name}\n{draft.text.description}\n{draft.text.body}".casefold()
    has = all(any(one.casefold() in text for one in group) for group in item.must)
    clean = not any(one.casefold() in text for one in item.must_not)
    return Mark(item=item.id, right=has and clean)
