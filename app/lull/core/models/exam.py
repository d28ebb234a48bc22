"""Exams that decide whether a chat model may read messages, judge answers or write skills for Lull:
the items, how the model's replies are marked, and the results.

Each of the three roles has a set of labelled items that ships with Lull.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from lull.core.feedback.exchange import Exchange
from lull.core.feedback.feedback import LIKELY, MessageFindings
from lull.core.feedback.reward import Vote, majority
from lull.core.skills.ports import SkillDraft


class ModelRole(StrEnum):
    """The jobs that a chat model may do for Lull: read users' messages, judge answers, write
    skills. The values are also the names of the settings groups.
    """

    READER = "reader"
    JUDGE = "judge"
    WRITER = "writer"


ROLES: Final = tuple(ModelRole)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadItem:
    """An exam question for a model that is to find feedback in users' messages, with the right
    answer.
    """

    id: str
    exchange: Exchange
    correction: bool | None
    """Whether the user's message is a correction; None: arguable, and not counted."""
    lasting: bool
    scope: str | None
    quote: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeItem:
    """An exam question for a model that is to judge whether an answer keeps a rule, with the right
    answer.
    """

    id: str
    rule: str
    request: str
    answer: str
    kept: bool
    applies: bool
    """Whether the rule is about this request; if not, no answer can break it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteItem:
    """An exam question for a model that is to write skills from failed answers, with what a good
    skill says.
    """

    id: str
    failures: tuple[Exchange, ...]
    must: tuple[tuple[str, ...], ...]
    """Groups of texts: a usable skill must contain one text of each group, ignoring case."""
    must_not: tuple[str, ...]
    """Texts that a usable skill must not contain: they apply to these turns only, or come from
    somebody else.
    """


Item = ReadItem | JudgeItem | WriteItem


@dataclass(frozen=True, slots=True, kw_only=True)
class ExamSheet:
    """The labelled items of the exam that a chat model must pass for one role. `sha256` changes if
    any word of them does.
    """

    role: ModelRole
    sha256: str
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExamMark:
    """The result of one item of a chat model's exam: whether the model's reply was right."""

    item: str
    right: bool
    kept: bool | None = None
    """In a judge's exam: whether the item's answer keeps the rule. So it can be counted separately
    how often the judge errs on answers that keep a rule and on answers that break one.
    """

    def as_json(self) -> list[object]:
        """Return the JSON in which a mark is stored."""
        return [self.item, self.right, self.kept]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExamResult:
    """A chat model's result in one exam (labelled items for a role), complete or under way."""

    model: str
    digest: str
    """Digest of the examined model; a model with another digest is examined again."""
    role: ModelRole
    exam: str
    """Hash of the exam's sheet, prompts and rules; after a change the exam is taken again."""
    marks: tuple[ExamMark, ...] = ()
    passed: bool | None = None
    """Whether the model passed; None: the exam is under way."""
    score: float | None = None
    low: float | None = None
    high: float | None = None
    sensitivity: float | None = None
    """In a judge's exam: share of rule-keeping answers that the model calls kept."""
    specificity: float | None = None
    """In a judge's exam: share of rule-breaking answers that the model calls broken."""
    why: str = ""
    at: datetime | None = None

    @property
    def n(self) -> int:
        """The number of questions that were answered."""
        return len(self.marks)


# Marking


def mark_reading(item: ReadItem, findings: MessageFindings | None) -> ExamMark:
    """Mark what a model found in the user message of an exam item. It is right if the model
    recognised whether the message is a correction and whether it states a wish for later answers;
    if it states one, which requests it is for and the words that state it must be right, too.
    """
    return ExamMark(item=item.id, right=findings is not None and _read_rightly(item, findings))


def _read_rightly(item: ReadItem, findings: MessageFindings) -> bool:
    corrects = findings.correction > LIKELY and not findings.unsure
    if item.correction is not None and corrects != item.correction:
        return False
    if findings.lasts != item.lasting:
        return False
    if not item.lasting:
        return True
    return findings.scope == item.scope and _same_words(findings.quote, item.quote)


def _same_words(said: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether every expected sentence was quoted, with little besides."""
    found = all(any(_shares(one, other) for other in said) for one in wanted)
    most = 2 * sum(map(len, wanted)) + 30
    return found and sum(map(len, said)) <= most


def _shares(one: str, other: str) -> bool:
    a, b = one.strip(), other.strip()
    return bool(a and b) and (a in b or b in a) and 2 * min(len(a), len(b)) >= len(a)


def mark_judge(item: JudgeItem, votes: Sequence[Vote]) -> ExamMark:
    """Mark a judge model's votes on an exam item, which is an answer that keeps or breaks a given
    rule. Votes without a majority count as wrong.

    If the item's rule does not apply to the request, the vote "neither" is as right as "kept".
    """
    verdict = majority(votes)
    if not item.kept:
        right = verdict == -1
    elif item.applies:
        right = verdict == 1
    else:
        right = verdict in (0, 1)
    return ExamMark(item=item.id, right=right, kept=item.kept)


def mark_write(item: WriteItem, draft: SkillDraft | None) -> ExamMark:
    """Mark a model's answer to an exam question that asked it to write a skill."""
    if draft is None:
        return ExamMark(item=item.id, right=False)
    text = f"{draft.text.name}\n{draft.text.description}\n{draft.text.body}".casefold()
    has = all(any(one.casefold() in text for one in group) for group in item.must)
    clean = not any(one.casefold() in text for one in item.must_not)
    return ExamMark(item=item.id, right=has and clean)
