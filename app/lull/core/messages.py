"""What people and models say to each other, in one shape for all dialects.

The dialects at the edge translate to and from these nouns once; everything inside speaks only
this. Parts that we do not know are kept as their JSON text, so nothing is lost in a record.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class Role(StrEnum):
    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class PartKind(StrEnum):
    TEXT = "text"
    THINKING = "thinking"
    IMAGE = "image"
    """A reference: a URL, or the sha256 of inline data. Image bytes are never recorded."""
    TOOL_RESULT = "tool_result"
    OPAQUE = "opaque"
    """JSON text of a part whose type is unknown here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    kind: PartKind
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    name: str
    arguments: str
    """JSON text, in whichever form the dialect carried it."""
    id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    role: Role
    parts: tuple[Part, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""
    """On a tool's message: the call that it answers, or the tool's name where the dialect has
    only that."""

    @property
    def text(self) -> str:
        """What was said in words; thinking, images and opaque parts left out."""
        spoken = (PartKind.TEXT, PartKind.TOOL_RESULT)
        return "".join(part.text for part in self.parts if part.kind in spoken)


def text_message(role: Role, text: str) -> Message:
    return Message(role=role, parts=(Part(kind=PartKind.TEXT, text=text),))


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How a token is drawn. None: the server's own default stands."""

    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    seed: int | None = None
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """A chat as the client sent it, whatever dialect carried it."""

    model: str
    """As typed by the client: `[host/][namespace/]model[:tag]`."""
    messages: tuple[Message, ...]
    """A system text that a dialect carries beside the messages is messages[0]."""
    stream: bool
    sampling: Sampling = field(default_factory=Sampling)
    tools: str = ""
    """JSON text of the tools offered, empty when none."""
    format: str = ""
    """JSON text of the wanted output format or schema, empty when none."""
    window_tokens: int | None = None
    """The window that the client asks for itself (native `num_ctx`); Lull never sets it."""

    @property
    def system(self) -> str | None:
        first = self.messages[0] if self.messages else None
        return first.text if first is not None and first.role is Role.SYSTEM else None

    @property
    def newest_user_text(self) -> str:
        for message in reversed(self.messages):
            if message.role is Role.USER:
                return message.text
        return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class Finish(StrEnum):
    STOP = "stop"
    LENGTH = "length"
    TOOL_CALLS = "tool_calls"
    HANGUP = "hangup"
    """The client left."""
    ERROR = "error"
    """The stream broke, carried an error line, or lacked its end mark."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """An answer, whole or cut. Only complete ones may ever be learned from."""

    message: Message
    finish: Finish
    usage: Usage = field(default_factory=Usage)
    error: str = ""

    @property
    def complete(self) -> bool:
        return self.finish in (Finish.STOP, Finish.LENGTH, Finish.TOOL_CALLS)
