"""Events that Lull's background service sends to those that watch it, such as the window. They only
inform: whoever acts on one does the same a little later without it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class EventKind(StrEnum):
    """The kinds of events that the service reports to whoever watches it."""

    TURN_RECORDED = "turn-recorded"
    GENERATION = "generation"
    LABEL = "label"
    SCORED = "scored"
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
    """Something that happened in the service, as watchers of the control API see it."""

    seq: int
    """Number of the event, increasing by one; a watcher resumes after the last number it saw."""
    at: str
    """Time of the event in ISO 8601 with time zone."""
    kind: str
    fields: Mapping[str, object]
