"""TEMPORARY shim so that others can import; the developer of signals overwrites this whole file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from lull.core.messages import Message
from lull.core.reward import Source


class SignalKind(StrEnum):
    TOOL_RESULT = "tool-result"
    TEST_RESULT = "test-result"
    SCHEMA = "schema"
    CHECK = "check"
    RATING = "rating"
    CORRECTION = "correction"
    REGENERATION = "regeneration"
    THANKS = "thanks"
    ENVIRONMENT = "environment"


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    kind: SignalKind
    source: Source
    value: float
    text: str


def read_reply(text: str, *, asked: str = "", answer: str = "") -> tuple[Signal, ...]:
    return ()


def from_tools(messages: Sequence[Message]) -> tuple[Signal, ...]:
    return ()


def from_format(format_json: str, answer: str) -> tuple[Signal, ...]:
    return ()


def environment_fault(text: str) -> str | None:
    return None
