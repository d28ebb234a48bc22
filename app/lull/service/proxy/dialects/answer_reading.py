"""Collects a copy of an answer while the proxy relays its bytes, without delaying them.

Events are split at newlines, not at reads, so characters split across reads are decoded correctly.
Memory is bounded: an answer over the limit is marked as too long, and a line over the limit is
dropped. Whatever a server sends, no exception is raised. Each dialect adds one function that takes
an event.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from lull.core.chat.messages import (
    Completion,
    Finish,
    Message,
    MessagePart,
    PartKind,
    Role,
    ToolCall,
    Usage,
)
from lull.service.proxy.dialects.parts import Object, json_text, parse

MOST_ANSWER_CHARACTERS: Final = 250_000
"""Most characters of an answer that are recorded: more than models write, and few enough that
searching them for secrets takes well under a second (some seconds if the text was made to slow the
search).
"""
MOST_ANSWER_BYTES: Final = 4_000_000
"""Largest line or whole body of an answer that is parsed, in bytes. A character may take six bytes
in JSON, but rarely does.
"""
MOST_CALLS: Final = 1024
"""Most tool calls of an answer that are recorded."""
TOO_LONG: Final = "The answer is too long to record whole."
"""Error text recorded for an answer that is too long, or has too many tool calls, to be recorded
whole.
"""
NO_END: Final = "The answer ended without its end mark."
"""Error text recorded for an answer that broke off before its end mark."""


def as_object(value: object) -> Object:
    """Return the JSON value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: object) -> list[object]:
    """Return the JSON value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def as_text(value: object) -> str:
    """Return the JSON value if it is a string, else ""."""
    return value if isinstance(value, str) else ""


def as_count(value: object) -> int | None:
    """Return the JSON value if it is an integer, else None."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def error_text(value: object) -> str:
    """Return the message of an `error` field, which is a string or an object with a message."""
    if isinstance(value, dict):
        return as_text(value.get("message")) or json_text(value)
    return as_text(value)


class AnswerSoFar:
    """The answer collected so far while its bytes pass through the proxy."""

    def __init__(self) -> None:
        self.finish: Finish | None = None
        self.ended = False
        """Whether the mark that ends an answer in this API's format was received."""
        self.error = ""
        self.prompt_tokens: int | None = None
        self.completion_tokens: int | None = None
        self._text: list[str] = []
        self._thinking: list[str] = []
        self._calls: dict[int, list[str]] = {}
        """By index: id, name, and the pieces of the arguments."""
        self._left_characters = MOST_ANSWER_CHARACTERS

    def add_text(self, text: object) -> None:
        """Add a piece of the answer's text."""
        self._keep(self._text, as_text(text))

    def add_thinking(self, text: object) -> None:
        """Add a piece of the answer's thinking text."""
        self._keep(self._thinking, as_text(text))

    def add_tool_call(
        self, index: int, *, call_id: object, name: object, arguments: object
    ) -> None:
        """Add a tool call of the answer, or a further piece of a call's arguments; `index` says
        which call.
        """
        if len(self._calls) > MOST_CALLS:
            self.record_error(TOO_LONG)
            return
        call = self._calls.setdefault(index, ["", ""])
        call[0] = call[0] or as_text(call_id)
        call[1] = call[1] or as_text(name)
        self._keep(call, arguments if isinstance(arguments, str) else json_text(arguments))

    @property
    def tool_call_count(self) -> int:
        """The number of tool calls received so far in the answer."""
        return len(self._calls)

    def set_token_counts(self, *, prompt: object = None, completion: object = None) -> None:
        """Store the answer's token counts; a missing count leaves the stored one unchanged."""
        self.prompt_tokens = _either(as_count(prompt), self.prompt_tokens)
        self.completion_tokens = _either(as_count(completion), self.completion_tokens)

    def record_error(self, words: str) -> None:
        """Record an error of the answer, unless an earlier one is recorded."""
        self.error = self.error or words

    def completion(self, *, hung_up: bool) -> Completion:
        """Return what was collected of the answer as a Completion: its message, why it ended, token
        counts and any error. `hung_up` says that the client disconnected.
        """
        finish, error = self._verdict(hung_up)
        return Completion(
            message=Message(
                role=Role.ASSISTANT, parts=self._parts(), tool_calls=self._tool_calls()
            ),
            finish=finish,
            usage=Usage(prompt_tokens=self.prompt_tokens, completion_tokens=self.completion_tokens),
            error=error,
        )

    def _verdict(self, hung_up: bool) -> tuple[Finish, str]:
        if self.error:
            return Finish.ERROR, self.error
        if self.ended and self.finish is not None:
            called = self.finish is Finish.STOP and bool(self._calls)
            return (Finish.TOOL_CALLS if called else self.finish), ""
        if hung_up:
            return Finish.HANGUP, ""
        return Finish.ERROR, NO_END

    def _parts(self) -> tuple[MessagePart, ...]:
        kinds = ((PartKind.THINKING, self._thinking), (PartKind.TEXT, self._text))
        joined = ((kind, "".join(pieces)) for kind, pieces in kinds)
        return tuple(MessagePart(kind=kind, text=text) for kind, text in joined if text)

    def _tool_calls(self) -> tuple[ToolCall, ...]:
        return tuple(
            ToolCall(id=call[0], name=call[1], arguments="".join(call[2:]))
            for _, call in sorted(self._calls.items())
        )

    def _keep(self, pieces: list[str], text: str) -> None:
        if not text:
            return
        if len(text) > self._left_characters:
            self.record_error(TOO_LONG)
        pieces.append(text[: self._left_characters])
        self._left_characters -= len(pieces[-1])


def _either(new: int | None, old: int | None) -> int | None:
    return old if new is None else new


Take = Callable[[AnswerSoFar, Object], None]
"""Type of functions that add one parsed event to the collected answer."""


class BytesReader:
    """Base class that reads an answer's bytes into a Completion (message, token counts, error);
    subclasses split the bytes into JSON objects or events. Implements `AnswerReader`.
    """

    def __init__(self, take: Take) -> None:
        self._take = take
        self._heard = AnswerSoFar()

    def feed(self, data: bytes) -> None:
        raise NotImplementedError

    def completion(self, *, hung_up: bool = False) -> Completion:
        self._flush()
        return self._heard.completion(hung_up=hung_up)

    def _flush(self) -> None:
        """Process what came without its newline."""

    def _event(self, data: bytes) -> None:
        try:
            value = parse(data.decode("utf-8", "replace"))
        except ValueError:
            return  # cut off in the middle, which the missing end mark reveals
        if isinstance(value, dict):
            self._take(self._heard, value)


class WholeReader(BytesReader):
    """Reads an answer that is one JSON object, parsed when complete."""

    def __init__(self, take: Take) -> None:
        super().__init__(take)
        self._body = bytearray()

    def feed(self, data: bytes) -> None:
        if len(self._body) + len(data) > MOST_ANSWER_BYTES:
            self._heard.record_error(TOO_LONG)
            self._body.clear()
        if not self._heard.error:
            self._body += data

    def _flush(self) -> None:
        self._event(bytes(self._body))
        self._body.clear()


class LineReader(BytesReader):
    """Reads an answer that is streamed as one JSON object per line."""

    def __init__(self, take: Take) -> None:
        super().__init__(take)
        self._rest = bytearray()
        self._dropping = False

    def feed(self, data: bytes) -> None:
        *lines, rest = data.split(b"\n")
        for line in lines:
            self._keep(line)
            self._end_of_line()
        self._keep(rest)

    def _keep(self, data: bytes) -> None:
        if len(self._rest) + len(data) > MOST_ANSWER_BYTES:
            self._heard.record_error(TOO_LONG)
            self._rest.clear()
            self._dropping = True
        if not self._dropping:
            self._rest += data

    def _end_of_line(self) -> None:
        if not self._dropping:
            self._line(bytes(self._rest))
        self._rest.clear()
        self._dropping = False

    def _flush(self) -> None:
        self._end_of_line()

    def _line(self, line: bytes) -> None:
        if line.strip():
            self._event(line)


class EventReader(LineReader):
    """Reads an answer that is streamed as server-sent events.

    A line that starts with `{` is an error that the server sent instead of events.
    """

    def __init__(self, take: Take) -> None:
        super().__init__(take)
        self._data: list[bytes] = []
        self._data_bytes = 0

    def _line(self, line: bytes) -> None:
        line = line.rstrip(b"\r")
        if not line:
            self._dispatch()
        elif line.startswith(b"data:"):
            self._hold(line[5:].removeprefix(b" "))
        elif line.startswith(b"{"):
            self._event(line)

    def _flush(self) -> None:
        super()._flush()
        self._dispatch()

    def _hold(self, data: bytes) -> None:
        self._data_bytes += len(data)
        if self._data_bytes > MOST_ANSWER_BYTES:
            self._heard.record_error(TOO_LONG)
        else:
            self._data.append(data)

    def _dispatch(self) -> None:
        data = b"\n".join(self._data)
        self._data.clear()
        self._data_bytes = 0
        if data.strip() == b"[DONE]":
            self._heard.ended = True
        elif data:
            self._event(data)
