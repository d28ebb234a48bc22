"""When a result admits a model: its interval decides, never its share alone.

A reader must beat the small reader on the same sheet; a judge must be surely better than a coin at
both kinds of answer; a writer must write skills that can be used. An exam that cannot be passed any
more is broken off, and says so.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from lull.core.calibration import Estimate, Prior, wilson
from lull.core.models.exam import ExamResult, Mark, Role, Sheet

LEAST_BALANCED: Final = 0.7
"""Low end of a judge's balanced accuracy (READER.md)."""
LEAST_USABLE: Final = 0.8
"""Of the skills that a writer writes."""
MOST_PRIOR_WEIGHT: Final = 12.0
"""Labels of the user that weigh as much as the exam: its rules are not theirs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SmallReader:
    """How the small reader did on the sheet of this `exam`."""

    name: str
    exam: str
    right: int
    n: int

    @property
    def found(self) -> Estimate:
        return wilson(self.right, self.n)


NOTHING_TO_COMPARE: Final = (
    "There is nothing to compare with: the small reader was not measured on this exam."
)


def balanced(marks: Iterable[Mark]) -> tuple[Estimate, Estimate, Estimate]:
    """Balanced accuracy, sensitivity, specificity. The interval of the mean of two shares is made
    of Wilson's for each by square and add (Newcombe 1998, method 10)."""
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


def measured(role: Role, marks: Sequence[Mark]) -> Estimate:
    if role is Role.JUDGE:
        return balanced(marks)[0]
    return wilson(sum(mark.right for mark in marks), len(marks))


def passes(role: Role, found: Estimate, small: SmallReader | None) -> bool:
    match role:
        case Role.READER:
            return small is not None and found.low > small.found.value
        case Role.JUDGE:
            return found.low >= LEAST_BALANCED
        case Role.WRITER:
            return found.n > 0 and found.value >= LEAST_USABLE


def cannot_pass(
    role: Role, marks: Sequence[Mark], left: Sequence[Mark], small: SmallReader | None
) -> bool:
    """Not even if everything that is left were right. `left`: marks of what was not asked yet, as
    if each were right."""
    return not passes(role, measured(role, (*marks, *left)), small)


def settled(result: ExamResult, sheet: Sheet, small: SmallReader | None) -> ExamResult:
    """The result with its figures, and the verdict where there is one."""
    role, marks = result.role, result.marks
    if not marks:
        return result
    found = measured(role, marks)
    told = replace(result, score=found.value, low=found.low, high=found.high)
    if role is Role.JUDGE:
        _, se, sp = balanced(marks)
        told = replace(told, sensitivity=se.value, specificity=sp.value)
    asked = {mark.item for mark in marks}
    left = [_as_if_right(item.id, item) for item in sheet.items if item.id not in asked]
    if left and not cannot_pass(role, marks, left, small):
        return told
    passed = not left and passes(role, found, small)
    return replace(told, passed=passed, why=_why(role, found, small, of=len(sheet.items)))


def _as_if_right(name: str, item: object) -> Mark:
    return Mark(item=name, right=True, kept=getattr(item, "kept", None))


def _why(role: Role, found: Estimate, small: SmallReader | None, *, of: int) -> str:
    short = (
        "" if found.n == of else f" Broken off after {found.n} of {of}: it cannot pass any more."
    )
    if role is Role.READER:
        if small is None:
            return NOTHING_TO_COMPARE
        said = f"It read {share(found)} rightly; the small reader {small.found.value:.0%}, and the"
        return f"{said} whole interval must lie above that.{short}"
    if role is Role.JUDGE:
        said = f"Its balanced accuracy is {share(found)}; the low end must be at least"
        return f"{said} {LEAST_BALANCED:.0%}.{short}"
    said = f"Of the skills it wrote {share(found)} can be used; at least {LEAST_USABLE:.0%} must."
    return f"{said}{short}"


def share(found: Estimate) -> str:
    return f"{found.value:.0%} ({found.low:.0%} to {found.high:.0%}, n = {found.n})"


def judge_prior(result: ExamResult | None) -> Prior | None:
    """What the exam says of a judge before the user has labelled anything. One right answer and
    one wrong one are added to each kind: no exam of this length proves that nobody errs."""
    if result is None or result.role is not Role.JUDGE or not result.passed:
        return None
    kept = [mark.right for mark in result.marks if mark.kept]
    broken = [mark.right for mark in result.marks if mark.kept is False]
    return Prior(
        right=(sum(kept) + 1) / (len(kept) + 2),
        specificity=(sum(broken) + 1) / (len(broken) + 2),
        weight=min(MOST_PRIOR_WEIGHT, len(kept), len(broken)),
    )
