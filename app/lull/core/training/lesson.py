"""Decides how training a skill into the weights (a graduation) is repeated after the resulting
adapter failed the gate, the checks before use.

Another training run with the same settings would fail in the same way. The failed checks say what
to change: too little of the skill was learned, or too much of the model's other behaviour was
changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from lull.core.adapters.gate_report import GateCheck, Verdict

MOST_TRIES: Final = 3
"""Most times that training one skill into the weights is tried unless the user asks for more."""
LONGER: Final = 1.5
"""Factor on the number of passes over the batch for the next try, after too little of the skill was
learned.
"""
MORE_ANCHORS: Final = 2.0
"""Factor on the number of anchors (requests whose answers should stay as they are) for the next
try, after too much of the model's other behaviour was changed.
"""
_GAIN: Final = ("kept", "target")
"""Checks of what the skill itself is worth, the most telling first."""
_SECRETS: Final = "secrets"
_CANARIES: Final = "canaries:"


@dataclass(frozen=True, slots=True, kw_only=True)
class GraduationCourse:
    """The settings of one try at training a skill into the weights (a graduation), relative to the
    usual ones: how often the examples are repeated, and how many requests are added whose answers
    should stay as they are.
    """

    number: int = 1
    """Which try at training this skill it is, counted from 1."""
    passes: float = 1.0
    """Factor on the usual number of passes over the batch."""
    anchors: float = 2.0
    """Number of anchors (requests whose answers should stay as they are) per skill example. With
    one of them, four of ten rules failed the gate because something else had moved
    (docs/adr/0053).
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class GraduationLesson:
    """The conclusion from a failed try at training a skill into the weights: a sentence for the
    user, and the settings of the next try.
    """

    said: str
    """One sentence for the user: what the trained adapter lacked, and what is done differently next
    time.
    """
    next: GraduationCourse | None
    """The settings of the next try; None if the training is not tried again."""


def lesson_of(verdict: Verdict, course: GraduationCourse) -> GraduationLesson:
    """Decide how to repeat the training of a skill into the weights: return the settings of the
    next try. `verdict` says which checks the last adapter failed, `course` with which settings it
    was trained.
    """
    failed = [check for check in verdict.checks if not check.holds]
    gain = _gain_lost(failed)
    moved = [c for c in failed if c.name not in _GAIN and c.name != _SECRETS]
    leaked = [check for check in failed if check.name == _SECRETS]
    lost = "; ".join(
        part for part in (gain, _moved(moved), *(check.text for check in leaked)) if part
    )
    next_, otherwise = _otherwise(course, gain=bool(gain), moved=bool(moved), leaked=bool(leaked))
    said = f"It failed its test: {lost or 'it was not shown to be better'}; {otherwise}."
    return GraduationLesson(said=said, next=next_)


def _gain_lost(failed: Sequence[GateCheck]) -> str:
    by_name = {check.name: check.text for check in failed}
    return next((by_name[name] for name in _GAIN if name in by_name), "")


def _moved(failed: Sequence[GateCheck]) -> str:
    """Name what got worse besides: canary families together, else the first other check."""
    families = [check.name.removeprefix(_CANARIES) for check in failed if _CANARIES in check.name]
    if families:
        return "; ".join(f"it got worse at {name}" for name in families)
    return failed[0].text if failed else ""


def _otherwise(
    course: GraduationCourse, *, gain: bool, moved: bool, leaked: bool
) -> tuple[GraduationCourse | None, str]:
    stays = "the skill stays in the prompt"
    if leaked:
        return None, f"it is not tried again, and {stays}"
    if course.number >= MOST_TRIES:
        return None, f"that was try {course.number} of {MOST_TRIES}, and {stays}"
    next_, changes = replace(course, number=course.number + 1), list[str]()
    if gain or not moved:
        next_ = replace(next_, passes=course.passes * LONGER)
        changes.append(f"next time it is trained {LONGER:g} times as long")
    if moved:
        next_ = replace(next_, anchors=course.anchors * MORE_ANCHORS)
        changes.append(
            f"next time {MORE_ANCHORS:g} times as many other requests are included, so that"
            " everything else stays as it is"
        )
    return next_, "; ".join(changes)
