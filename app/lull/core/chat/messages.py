"""Chat messages and requests in one form for all API dialects (such as Ollama's and OpenAI's).

Requests in each dialect are translated to and from these types where they enter and leave. Parts of
an unknown type are kept as JSON text, so nothing is lost in a record.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Final


class Role(StrEnum):
    """The author of a chat message, as the chat protocols name it."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class PartKind(StrEnum):
    """The kinds of content in a chat message."""

    TEXT = "text"
    THINKING = "thinking"
    IMAGE = "image"
    """Reference to an image: its URL, or the sha256 of inline data. Image bytes are never recorded.
    """
    TOOL_RESULT = "tool_result"
    OPAQUE = "opaque"
    """JSON text of a message part whose type is unknown to Lull."""


SPOKEN: Final = (PartKind.TEXT, PartKind.TOOL_RESULT)
"""The kinds of content that are a message's visible text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MessagePart:
    """One piece of a chat message's content: a text, or a reference to an image."""

    kind: PartKind
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A model's request that the client run one of its tools."""

    name: str
    arguments: str
    """The call's arguments as JSON text, exactly as received."""
    id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A chat message in one form for all dialects (Ollama, OpenAI and Anthropic)."""

    role: Role
    parts: tuple[MessagePart, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""
    """In a tool's message: the id of the call it answers, or the tool's name in a dialect without
    such ids.
    """

    @property
    def text(self) -> str:
        """The visible text of the message, without thinking, images and parts of an unknown
        type.
        """
        return "".join(part.text for part in self.parts if part.kind in SPOKEN)


def text_message(role: Role, text: str) -> Message:
    """Return a chat message of one text."""
    return Message(role=role, parts=(MessagePart(kind=PartKind.TEXT, text=text),))


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """Sampling parameters of a request; None in a field means the server's default."""

    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    seed: int | None = None
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    repeat_penalty: float | None = None
    """Factor that makes tokens less likely which the answer has just said; 1 changes nothing."""
    repeat_last_n: int | None = None
    """How many of the answer's newest tokens are penalised; 0 for none, negative for all."""
    presence_penalty: float | None = None
    """Lowers the score of each token that was said."""
    frequency_penalty: float | None = None
    """Lowers the score of a token by this much for each time that it was said."""

    def or_else(self, *defaults: Sampling) -> Sampling:
        """Return these sampling parameters with each unset one filled in from the first of the
        given `defaults` that sets it.
        """
        layers = (self, *defaults)
        found = {
            one.name: next(
                (value for s in layers if (value := getattr(s, one.name)) not in (None, ())),
                getattr(self, one.name),
            )
            for one in fields(self)
        }
        return Sampling(**found)


MOST_VALUES: Final = 300_000
"""Most JSON values in a request that Lull's own engine answers. The service parses such a request
itself, which holds up its other clients for some two seconds a million values.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """Character counts of a chat request whose body is so large that another process parses it.

    The request's ChatRequest then holds no full texts: its messages have only their roles, and the
    newest user message has its beginning.
    """

    plain: int
    """Number of ASCII characters in all text of the request that a model reads, tools included."""
    others: int
    """Number of non-ASCII characters in all text of the request that a model reads."""
    pieces: int
    """Number of separate texts that the counted characters are spread over."""
    images: int
    opaque: int
    """Number of message parts whose type is unknown to Lull."""
    links: tuple[str, ...]
    """Hash links of the newest messages, oldest first."""
    values: int = 0
    """Number of JSON values in the body, if it is very large."""

    @property
    def characters(self) -> int:
        """The number of all characters."""
        return self.plain + self.others

    @property
    def has_many_values(self) -> bool:
        """Whether the request has so many JSON values that the service must not parse it itself."""
        return self.values > MOST_VALUES


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """A chat request as the client sent it, in any API dialect."""

    model: str
    """Name of the model as typed by the client: `[host/][namespace/]model[:tag]`."""
    messages: tuple[Message, ...]
    """Messages, oldest first; a system text that a dialect carries separately is messages[0]."""
    stream: bool
    sampling: Sampling = field(default_factory=Sampling)
    tools: str = ""
    """JSON text of the tools offered; empty if none."""
    format: str = ""
    """JSON text of the wanted output format or schema; empty if none."""
    window_tokens: int | None = None
    """Context window that the client asks for (`num_ctx` of Ollama's API); Lull never sets it."""
    outline: Outline | None = None
    """Character counts of a long request that was parsed in another process; None for any other."""

    @property
    def system(self) -> str | None:
        """The system text in front of the conversation; None if there is none."""
        first = self.messages[0] if self.messages else None
        return first.text if first is not None and first.role is Role.SYSTEM else None

    @property
    def newest_user_text(self) -> str:
        """The text of the user's newest message; "" if there is none."""
        for message in reversed(self.messages):
            if message.role is Role.USER:
                return message.text
        return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Numbers of tokens in a prompt and in its answer, as the model's server counted them; None if
    it did not.
    """

    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class Finish(StrEnum):
    """Why a model's answer ended."""

    STOP = "stop"
    LENGTH = "length"
    TOOL_CALLS = "tool_calls"
    HANGUP = "hangup"
    """The client disconnected."""
    ERROR = "error"
    """The stream broke, carried an error line, or ended without its end mark."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """A model's answer, complete or cut off; only complete ones train weights."""

    message: Message
    finish: Finish
    usage: Usage = field(default_factory=Usage)
    error: str = ""
    settled: bool = False
    """Whether Lull itself ended the answer, because what it was asked for was known by then."""

    @property
    def complete(self) -> bool:
        """Whether the model came to the end of its answer, by itself or at a limit that the client
        set.
        """
        return self.finish in (Finish.STOP, Finish.LENGTH, Finish.TOOL_CALLS)
