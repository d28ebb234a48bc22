"""What the service tells those who watch. Telling only: nothing acts on an event."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class EventKind(StrEnum):
    TURN_RECORDED = "turn-recorded"
    GENERATION = "generation"
    LABEL = "label"
    PROPOSAL = "proposal"
    LULL = "lull"
    TRAINING = "training"
    ADAPTER = "adapter"
    UPSTREAM = "upstream"
    ENGINE = "engine"
    PROBLEM = "problem"
    SETTINGS = "settings"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    seq: int
    """Grows by one; a watcher resumes behind the last one it saw."""
    at: str
    """ISO 8601 with zone."""
    kind: str
    fields: Mapping[str, object]
