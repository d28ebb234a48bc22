"""Collecting a copy of an answer as its bytes pass, without ever standing in their way.

Events are cut at newlines, never at reads, so a character torn between two reads is whole again
here. What is kept is bounded: an answer past the cap is marked as cut, and a line past it is
dropped. Nothing that a server sends raises. Each dialect adds one function that takes an event.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from lull.core.messages import Completion, Finish, Message, Part, PartKind, Role, ToolCall, Usage
from lull.service.dialects.parts import Object, json_text, parse

MOST_CHARACTERS: Final = 4 * 1024 * 1024
MOST_BYTES: Final = 4 * MOST_CHARACTERS
"""Of one line or one whole body: JSON may need six bytes for a character, but rarely does."""
MOST_CALLS: Final = 1024
TOO_LONG: Final = "The answer is too long to record whole."
NO_END: Final = "The answer ended without its end mark."


def as_object(value: object) -> Object:
    return value if isinstance(value, dict) else {}


def as_list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def as_text(value: object) -> str:
    return value if isinstance(value, str) else ""


def as_count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def error_text(value: object) -> str:
    """The sentence in an `error` field, which is a string or an object with a message."""
    if isinstance(value, dict):
        return as_text(value.get("message")) or json_text(value)
    return as_text(value)


class Heard:
    """What an answer has said so far."""

    def __init__(self) -> None:
        self.finish: Finish | None = None
        self.ended = False
        """The dialect's end mark came."""
        self.error = ""
        self.prompt_tokens: int | None = None
        self.completion_tokens: int | None = None
        self._text: list[str] = []
        self._thinking: list[str] = []
        self._calls: dict[int, list[str]] = {}
        """By index: id, name, and the pieces of the arguments."""
        self._room = MOST_CHARACTERS

    def say(self, text: object) -> None:
        self._keep(self._text, as_text(text))

    def think(self, text: object) -> None:
        self._keep(self._thinking, as_text(text))

    def call(self, index: int, *, call_id: object, name: object, arguments: object) -> None:
        """A tool call or a further piece of one."""
        if len(self._calls) > MOST_CALLS:
            self.fail(TOO_LONG)
            return
        call = self._calls.setdefault(index, ["", ""])
        call[0] = call[0] or as_text(call_id)
        call[1] = call[1] or as_text(name)
        self._keep(call, arguments if isinstance(arguments, str) else json_text(arguments))

    @property
    def calls(self) -> int:
        return len(self._calls)

    def count(self, *, prompt: object = None, completion: object = None) -> None:
        self.prompt_tokens = _either(as_count(prompt), self.prompt_tokens)
        self.completion_tokens = _either(as_count(completion), self.completion_tokens)

    def fail(self, words: str) -> None:
        self.error = self.error or words

    def completion(self, *, hung_up: bool) -> Completion:
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

    def _parts(self) -> tuple[Part, ...]:
        kinds = ((PartKind.THINKING, self._thinking), (PartKind.TEXT, self._text))
        joined = ((kind, "".join(pieces)) for kind, pieces in kinds)
        return tuple(Part(kind=kind, text=text) for kind, text in joined if text)

    def _tool_calls(self) -> tuple[ToolCall, ...]:
        return tuple(
            ToolCall(id=call[0], name=call[1], arguments="".join(call[2:]))
            for _, call in sorted(self._calls.items())
        )

    def _keep(self, pieces: list[str], text: str) -> None:
        if not text:
            return
        if len(text) > self._room:
            self.fail(TOO_LONG)
        pieces.append(text[: self._room])
        self._room -= len(pieces[-1])


def _either(new: int | None, old: int | None) -> int | None:
    return old if new is None else new


Take = Callable[[Heard, Object], None]


class Reader:
    """An answer's bytes in, a Completion out. The framing is what the subclass decides."""

    def __init__(self, take: Take) -> None:
        self._take = take
        self._heard = Heard()

    def feed(self, data: bytes) -> None:
        raise NotImplementedError

    def completion(self, *, hung_up: bool = False) -> Completion:
        self._flush()
        return self._heard.completion(hung_up=hung_up)

    def _flush(self) -> None:
        """Take what came without its newline."""

    def _event(self, data: bytes) -> None:
        try:
            value = parse(data.decode("utf-8", "replace"))
        except ValueError:
            return  # torn off in the middle: the missing end mark tells
        if isinstance(value, dict):
            self._take(self._heard, value)


class WholeReader(Reader):
    """One JSON object, read when all of it is there."""

    def __init__(self, take: Take) -> None:
        super().__init__(take)
        self._body = bytearray()

    def feed(self, data: bytes) -> None:
        if len(self._body) + len(data) > MOST_BYTES:
            self._heard.fail(TOO_LONG)
            self._body.clear()
        if not self._heard.error:
            self._body += data

    def _flush(self) -> None:
        self._event(bytes(self._body))
        self._body.clear()


class LineReader(Reader):
    """One JSON object a line."""

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
        if len(self._rest) + len(data) > MOST_BYTES:
            self._heard.fail(TOO_LONG)
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
    """Server-sent events. A line that begins with `{` is an error that came instead of them."""

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
        if self._data_bytes > MOST_BYTES:
            self._heard.fail(TOO_LONG)
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
