"""Builds the JSON of LoRA training runs that the control API and `lull train --json` return.

New versions of Lull only add keys to this JSON.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from lull.contract.json_object import Json
from lull.core.training.events import StepDone
from lull.core.training.lesson import GraduationCourse
from lull.core.training.record import Run, RunSource

MOST_STEPS: Final = 1_000
"""Most steps of a training run that its JSON includes."""


def runs_view(runs: Sequence[Run]) -> list[Json]:
    """Return the JSON that the control API shows of training runs in a list."""
    return [run_view(run) for run in runs]


def run_view(run: Run) -> Json:
    """Return the JSON that the control API shows of a training run."""
    made = run.progress
    return {
        "id": run.id,
        "kind": run.kind.value,
        "status": run.status.value,
        "why": run.why,
        "made": run.made_at.isoformat(),
        "changed": run.changed_at.isoformat(),
        "model": run.model,
        "round": run.round,
        "parent": run.parent,
        "adapter": run.adapter,
        "steps": made.step,
        "of": made.of,
        "reward_before": made.reward_before,
        "reward_after": made.reward_after,
        "loss": made.loss,
        "kl": made.kl,
        "tokens": made.tokens,
        "tokens_s": made.tokens_s,
        "took_s": round(made.took_s, 3),
        "left_s": made.left_s,
        "peak_mb": made.peak_mb,
        "turns": len(run.skills),
        "verdict": run.verdict or None,
        "reasons": list(run.reasons),
        "try": run.course.number,
        "trained_by": _course_view(run.course),
        "next_try": _course_view(run.next_course),
    }


def _course_view(course: GraduationCourse | None) -> Json | None:
    """Return the settings of a graduation as factors of the usual ones."""
    return None if course is None else {"passes": course.passes, "anchors": course.anchors}


def curve_view(steps: Sequence[StepDone]) -> list[Json]:
    """Return the JSON of a training run's loss at each step, thinned to at most `MOST_STEPS` steps,
    the first and the last included. A loss that is not finite is null.
    """
    if len(steps) > MOST_STEPS:
        wide = (len(steps) - 1) / (MOST_STEPS - 1)
        steps = [steps[round(n * wide)] for n in range(MOST_STEPS)]
    return [
        {"step": one.step, "loss": one.loss if math.isfinite(one.loss) else None} for one in steps
    ]


def sources_view(sources: Sequence[RunSource]) -> Json:
    """Return the JSON of the turns, conversations and skills that a training run was trained on."""
    return {
        "turns": [one.id for one in sources if one.kind == "turn"],
        "conversations": sorted({one.trajectory for one in sources if one.trajectory}),
        "skills": [one.id for one in sources if one.kind == "skill"],
    }
