"""Events of a trainer process, one JSON object per line, on stdout and in `events.jsonl`.

Losses are sums as the loss functions define them; KL is in nats per token; shares are 0 to 1.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar, Final, get_type_hints

from lull.core.errors import TrainingError


@dataclass(frozen=True, slots=True, kw_only=True)
class RunBegan:
    """Event of a training run: the trainer has loaded the model and measured how much memory one
    step needs.
    """

    EVENT: ClassVar = "began"
    steps: int
    """Optimiser steps of the whole run; 0 if no example teaches anything."""
    from_step: int = 0
    """Number of the step at which this process starts; above 0 if it resumes the run from a
    checkpoint.
    """
    examples: int
    replays: int
    skipped_groups: int
    """Number of answer groups skipped because all their rewards were equal."""
    parameters: int
    trained_parameters: int
    peak_mb: float
    limit_mb: float


@dataclass(frozen=True, slots=True, kw_only=True)
class StepDone:
    """Event of a training run: one optimiser step is done, and its checkpoint is on disk."""

    EVENT: ClassVar = "step"
    step: int
    of: int
    loss: float
    kl: float
    """KL divergence: for GRPO from the base model, for KTO the reference point z0, for graduation
    from the model with the skill.
    """
    clip_share: float
    """Share of tokens whose probability ratio was clipped; 0 except for GRPO."""
    reward: float
    """Mean reward of the step's samples; for KTO the margin between good and bad, for graduation
    minus the KL divergence.
    """
    replay_loss: float
    grad_norm: float
    """Gradient norm before clipping."""
    tokens: int
    """Number of tokens that went through the model in this step, without padding."""
    tokens_s: float
    peak_mb: float
    left_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFinished:
    """Event: the training run is complete, and its LoRA adapter is in the folder `adapter/`."""

    EVENT: ClassVar = "finished"
    steps: int
    sha256: str
    """sha256 of adapter/adapters.safetensors."""
    took_s: float
    """Seconds that this process took; a resumed run took longer in all."""
    adapter_sha256: str = ""
    """The one sha256 of both files of the adapter, by which it is known; "" from a process that
    wrote none.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRefused:
    """Event: the training run was refused because it would need more memory than allowed; nothing
    was trained.
    """

    EVENT: ClassVar = "refused"
    needs_mb: float
    limit_mb: float
    would_fit: str
    """Description for people of settings that would fit into memory."""
    fits_micro_tokens: int = 0
    """The largest `micro_tokens` that fits; 0: none does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFailed:
    """Event: the training run failed, for good or only for now, with a title, a detail and a hint
    for people.
    """

    EVENT: ClassVar = "failed"
    title: str
    detail: str
    hint: str = ""
    for_now: bool = False
    """Whether the cause is external, such as a full disk; once it is gone, the run continues from
    its last checkpoint.
    """
    counts: bool = False
    """Whether this failure counts towards giving the run up: the files that it starts from cannot
    be read, and after a few such failures in a row it is stuck.
    """


RunEvent = RunBegan | StepDone | RunFinished | RunRefused | RunFailed
_BY_NAME: Final[dict[str, type[RunEvent]]] = {
    kind.EVENT: kind for kind in (RunBegan, StepDone, RunFinished, RunRefused, RunFailed)
}


def event_line(event: RunEvent) -> str:
    """Return a trainer event as one line of JSON, without the line end."""
    return json.dumps({"event": event.EVENT, **asdict(event)}, ensure_ascii=False)


def parse_event(line: str) -> RunEvent | None:
    """Parse a line of the trainer's output; None if it is not an event, such as a library's output
    or a line cut short.

    Unknown keys are ignored. Raises TrainingError for an incomplete event.
    """
    try:
        value = json.loads(line)
    except ValueError:
        return None
    kind = _BY_NAME.get(str(value.get("event"))) if isinstance(value, dict) else None
    if kind is None:
        return None
    try:
        return kind(**_typed(kind, value))
    except (TypeError, ValueError) as error:
        raise TrainingError(f"The trainer's line {line[:200]!r} cannot be read: {error}.") from None


def steps_in(lines: Iterable[str]) -> list[StepDone]:
    """Return the training steps that the lines of a trainer's event file report, each step once.

    A trainer that was killed repeats what came after its last checkpoint, so the later of two lines
    about a step counts. Lines that cannot be read are left out.
    """
    found: dict[int, StepDone] = {}
    for line in lines:
        try:
            event = parse_event(line)
        except TrainingError:
            continue
        if isinstance(event, StepDone):
            found[event.step] = event
    return [found[step] for step in sorted(found)]


def _typed(kind: type[RunEvent], value: dict[str, Any]) -> dict[str, Any]:
    hints = get_type_hints(kind)
    named = [field.name for field in fields(kind) if field.name in value]
    return {name: hints[name](value[name]) for name in named}
