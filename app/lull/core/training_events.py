"""What a trainer says while it works: one JSON object a line, on stdout and in `events.jsonl`.

Losses are sums as the loss functions define them; KL is in nats a token; shares are 0 to 1.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar, Final, get_type_hints

from lull.core.errors import TrainingError


@dataclass(frozen=True, slots=True, kw_only=True)
class Began:
    """The model is loaded and one step was measured."""

    EVENT: ClassVar = "began"
    steps: int
    """Optimiser steps of the whole run; 0 where no example teaches anything."""
    from_step: int = 0
    """Above 0: it goes on from a checkpoint."""
    examples: int
    replays: int
    skipped_groups: int
    """Groups whose rewards were all alike."""
    parameters: int
    trained_parameters: int
    peak_mb: float
    limit_mb: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Stepped:
    """One optimiser step is done, and its checkpoint is on disk."""

    EVENT: ClassVar = "step"
    step: int
    of: int
    loss: float
    kl: float
    """GRPO: to the base. KTO: the reference point z0. Graduation: to the model with the skill."""
    clip_share: float
    """Of tokens whose ratio was clipped; 0 but for GRPO."""
    reward: float
    """Mean over the step's samples; KTO: the margin between good and bad; graduation: minus kl."""
    replay_loss: float
    grad_norm: float
    """Before clipping."""
    tokens: int
    """That went through the model, padding left out."""
    tokens_s: float
    peak_mb: float
    left_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """`adapter/` is there."""

    EVENT: ClassVar = "finished"
    steps: int
    sha256: str
    """Of adapter/adapters.safetensors."""
    took_s: float
    """Of this process; a run that was resumed took longer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """It would need more memory than it may have. Nothing was trained."""

    EVENT: ClassVar = "refused"
    needs_mb: float
    limit_mb: float
    would_fit: str
    """For a person, and for whoever makes the next run."""
    fits_micro_tokens: int = 0
    """The largest `micro_tokens` that fits; 0: none does."""
    fits_rank: int = 0
    """The largest rank that fits at the asked tokens; 0: none does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """The run cannot be trained, or not now; the same words as an error of ours."""

    EVENT: ClassVar = "failed"
    title: str
    detail: str
    hint: str = ""
    for_now: bool = False
    """What stood in its way is not its own, a full disk say: it goes on from its last checkpoint
    when that is gone."""


RunEvent = Began | Stepped | Finished | Refused | Failed
_BY_NAME: Final[dict[str, type[RunEvent]]] = {
    kind.EVENT: kind for kind in (Began, Stepped, Finished, Refused, Failed)
}


def event_line(event: RunEvent) -> str:
    """One line of JSON, without its end."""
    return json.dumps({"event": event.EVENT, **asdict(event)}, ensure_ascii=False)


def parse_event(line: str) -> RunEvent | None:
    """None for a line that is none of ours: a library's, or one cut short by a kill. Keys that
    this version does not know are left out.

    Raises TrainingError for an event of ours that lacks something.
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


def _typed(kind: type[RunEvent], value: dict[str, Any]) -> dict[str, Any]:
    hints = get_type_hints(kind)
    named = [field.name for field in fields(kind) if field.name in value]
    return {name: hints[name](value[name]) for name in named}
