"""Decides whether a chat model may find corrections in users' messages, judge answers or write
skills for Lull, by the model's result in an exam (labelled items that ship with Lull).

A reader of users' messages must beat Lull's own small model on the same items, a judge of answers
must surely be better than chance on both good and bad answers, a writer must write usable skills
(instruction texts). For readers and judges the low end of the confidence interval decides. An exam
that can no longer be passed is broken off, and the result says so.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from lull.core.feedback.calibration import Estimate, Prior, wilson
from lull.core.models.exam import ExamMark, ExamResult, ExamSheet, ModelRole

LEAST_BALANCED: Final = 0.7
"""A judge is admitted if its balanced accuracy (0.5 is guessing) is at least this, at the low end
of the interval around what was measured.
"""
LEAST_USABLE: Final = 0.8
"""Smallest share of usable skills that a model must write in its exam."""
MOST_PRIOR_WEIGHT: Final = 12.0
"""Upper limit of the weight of an exam result, in user's ratings, because the exam's rules are not
the user's own.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SmallReaderFigures:
    """How many items of an exam were answered rightly by the small model that ships with Lull and
    finds corrections in users' messages; a chat model must do better to replace it.
    """

    name: str
    exam: str
    right: int
    n: int

    @property
    def found(self) -> Estimate:
        """How well the small reader did in the same exam, with the confidence interval."""
        return wilson(self.right, self.n)


NOTHING_TO_COMPARE: Final = (
    "There is nothing to compare with: the small reader has not taken this test."
)


def balanced_accuracy(marks: Iterable[ExamMark]) -> tuple[Estimate, Estimate, Estimate]:
    """Return the balanced accuracy, sensitivity and specificity of a model that is to judge
    answers, measured on the labelled items of its exam, each with a confidence interval.

    Balanced accuracy is the mean of the other two; its interval is built from the Wilson interval
    of each by square-and-add (Newcombe 1998, method 10).
    """
    known = list(marks)
    kept = [mark.right for mark in known if mark.kept]
    broken = [mark.right for mark in known if mark.kept is False]
    se, sp = wilson(sum(kept), len(kept)), wilson(sum(broken), len(broken))
    value = (se.value + sp.value) / 2
    down = math.hypot(se.value - se.low, sp.value - sp.low) / 2
    up = math.hypot(se.high - se.value, sp.high - sp.value) / 2
    whole = Estimate(
        value=value, low=max(0.0, value - down), high=min(1.0, value + up), n=len(known)
    )
    return whole, se, sp


def measured(role: ModelRole, marks: Sequence[ExamMark]) -> Estimate:
    """Estimate how well a model has done in an exam for a role, with its confidence interval."""
    if role is ModelRole.JUDGE:
        return balanced_accuracy(marks)[0]
    return wilson(sum(mark.right for mark in marks), len(marks))


def passes(role: ModelRole, found: Estimate, small: SmallReaderFigures | None) -> bool:
    """Return whether an exam's result suffices for a role."""
    match role:
        case ModelRole.READER:
            return small is not None and found.low > small.found.value
        case ModelRole.JUDGE:
            return found.low >= LEAST_BALANCED
        case ModelRole.WRITER:
            return found.n > 0 and found.value >= LEAST_USABLE


def cannot_pass(
    role: ModelRole,
    marks: Sequence[ExamMark],
    left: Sequence[ExamMark],
    small: SmallReaderFigures | None,
) -> bool:
    """Whether a model can no longer pass its exam (a test on labelled items), even if it answered
    every remaining item right.

    `marks` are the results so far; `left` are those of the items not asked yet, all set to right.
    """
    return not passes(role, measured(role, (*marks, *left)), small)


def with_verdict(
    result: ExamResult, sheet: ExamSheet, small: SmallReaderFigures | None
) -> ExamResult:
    """Return a model's exam result (a test on labelled items) with its score and confidence
    interval filled in, and with the verdict as soon as it is certain.
    """
    role, marks = result.role, result.marks
    if not marks:
        return result
    found = measured(role, marks)
    told = replace(result, score=found.value, low=found.low, high=found.high)
    if role is ModelRole.JUDGE:
        _, se, sp = balanced_accuracy(marks)
        told = replace(told, sensitivity=se.value, specificity=sp.value)
    asked = {mark.item for mark in marks}
    left = [_as_if_right(item.id, item) for item in sheet.items if item.id not in asked]
    if left and not cannot_pass(role, marks, left, small):
        return told
    passed = not left and passes(role, found, small)
    return replace(told, passed=passed, why=_why(role, found, small, of=len(sheet.items)))


def _as_if_right(name: str, item: object) -> ExamMark:
    return ExamMark(item=name, right=True, kept=getattr(item, "kept", None))


def _why(role: ModelRole, found: Estimate, small: SmallReaderFigures | None, *, of: int) -> str:
    short = "" if found.n == of else f" Stopped after {found.n} of {of}: it can no longer pass."
    if role is ModelRole.READER:
        if small is None:
            return NOTHING_TO_COMPARE
        return (
            f"It read {share(found)} correctly, the small reader {small.found.value:.0%}; the "
            f"whole interval must lie above that.{short}"
        )
    if role is ModelRole.JUDGE:
        return (
            f"Its accuracy, with good and bad answers weighted equally, is {share(found)}; the low "
            f"end of the interval must be at least {LEAST_BALANCED:.0%}.{short}"
        )
    return (
        f"Of the skills it wrote, {share(found)} are usable; at least {LEAST_USABLE:.0%} must "
        f"be.{short}"
    )


def share(found: Estimate) -> str:
    """Describe an estimated share with its confidence interval."""
    return f"{found.value:.0%} ({found.low:.0%}–{found.high:.0%}, n = {found.n})"


def judge_prior(result: ExamResult | None) -> Prior | None:
    """Return how reliable a model that judges answers is assumed to be before the user has rated
    any, from its exam (labelled items); None unless the model passed it.

    One right and one wrong answer are added to each kind, because no exam of this length proves
    that a judge never errs.
    """
    if result is None or result.role is not ModelRole.JUDGE or not result.passed:
        return None
    kept = [mark.right for mark in result.marks if mark.kept]
    broken = [mark.right for mark in result.marks if mark.kept is False]
    return Prior(
        right=(sum(kept) + 1) / (len(kept) + 2),
        specificity=(sum(broken) + 1) / (len(broken) + 2),
        weight=min(MOST_PRIOR_WEIGHT, len(kept), len(broken)),
    )
