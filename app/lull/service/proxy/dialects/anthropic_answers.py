"""Reads and writes answers in Anthropic's format: content blocks, or streamed events."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from math import ceil
from typing import Final

from lull.core.chat.messages import Finish
from lull.core.models.engine import Chunk, Token
from lull.service.proxy.dialects.answer_reading import (
    AnswerSoFar,
    as_count,
    as_list,
    as_object,
    as_text,
    error_text,
)
from lull.service.proxy.dialects.base import AnswerFacts
from lull.service.proxy.dialects.parts import Object
from lull.service.proxy.dialects.writing import (
    EVENTS,
    JSON,
    MID_STREAM,
    PieceWriter,
    event,
    go_bytes,
    hex_id,
)

_FINISH: Final = {"max_tokens": Finish.LENGTH, "tool_use": Finish.TOOL_CALLS}
"""Finish reasons by Anthropic's stop reason; others are Finish.STOP."""
_ERROR_TYPES: Final = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    429: "rate_limit_error",
    503: "overloaded_error",
    529: "overloaded_error",
}
"""Anthropic's error types by HTTP status."""
_CHARACTERS_A_TOKEN: Final = 4
"""Ollama's estimate for the prompt tokens that a stream starts with; the true count follows."""


def anthropic_error(status: int, message: str) -> bytes:
    """Return the body of an error answer in Anthropic's format."""
    kind = _ERROR_TYPES.get(status, "api_error")
    body = {
        "type": "error",
        "error": {"type": kind, "message": message},
        "request_id": f"req_{uuid.uuid4().hex[:24]}",
    }
    return go_bytes(body) + b"\n"


def add_event(so_far: AnswerSoFar, value: Object) -> None:
    """Add one event of an answer streamed in Anthropic's form to the answer collected so far."""
    kind = as_text(value.get("type"))
    if kind == "content_block_start":
        _hear_block(so_far, as_object(value.get("content_block")), as_count(value.get("index")))
    elif kind == "content_block_delta":
        _hear_delta(so_far, as_object(value.get("delta")), as_count(value.get("index")) or 0)
    elif kind == "message_start":
        _hear_usage(so_far, as_object(value.get("message")))
    elif kind == "message_delta":
        _hear_usage(so_far, value)
        _hear_reason(so_far, as_object(value.get("delta")))
    elif kind == "message_stop":
        so_far.ended = True
    elif kind == "error":
        so_far.record_error(error_text(value.get("error")) or "error")


def add_message(so_far: AnswerSoFar, value: Object) -> None:
    """Add a complete, unstreamed answer in Anthropic's form to the answer collected so far."""
    if value.get("error"):
        so_far.record_error(error_text(value["error"]) or "error")
        return
    for index, block in enumerate(map(as_object, as_list(value.get("content")))):
        _hear_block(so_far, block, index)
    _hear_usage(so_far, value)
    _hear_reason(so_far, value)
    so_far.ended = True


def _hear_block(so_far: AnswerSoFar, block: Object, index: int | None) -> None:
    so_far.add_text(block.get("text"))
    so_far.add_thinking(block.get("thinking"))
    if block.get("type") == "tool_use":
        # A stream starts a call with an empty input and sends its JSON text in pieces.
        arguments = block.get("input") or ""
        call_id, name = block.get("id"), block.get("name")
        so_far.add_tool_call(index or 0, call_id=call_id, name=name, arguments=arguments)


def _hear_delta(so_far: AnswerSoFar, delta: Object, index: int) -> None:
    so_far.add_text(delta.get("text"))
    so_far.add_thinking(delta.get("thinking"))
    if delta.get("type") == "input_json_delta":
        pieces = as_text(delta.get("partial_json"))
        so_far.add_tool_call(index, call_id="", name="", arguments=pieces)


def _hear_usage(so_far: AnswerSoFar, holder: Object) -> None:
    usage = as_object(holder.get("usage"))
    so_far.set_token_counts(prompt=usage.get("input_tokens"), completion=usage.get("output_tokens"))


def _hear_reason(so_far: AnswerSoFar, holder: Object) -> None:
    reason = as_text(holder.get("stop_reason"))
    if reason:
        so_far.finish = _FINISH.get(reason, Finish.STOP)


class MessagesWriter(PieceWriter):
    """Formats answers of Lull's own inference engine in Anthropic's format, for `/v1/messages`."""

    def __init__(self, facts: AnswerFacts, *, stream: bool, asked_characters: int) -> None:
        super().__init__(stream=stream)
        self.content_type = EVENTS if stream else JSON
        self._facts = facts
        self._guess = max(1, ceil(asked_characters / _CHARACTERS_A_TOKEN))
        self._block_open = False

    def whole(self, last: Chunk) -> bytes:
        content = [{"type": "text", "text": self.text}] if self.text else []
        tail = {"stop_reason": _reason(last), "usage": _usage(last)}
        return go_bytes({**self._message(content), **tail}) + b"\n"

    def opening(self) -> Iterable[bytes]:
        usage = {"input_tokens": self._guess, "output_tokens": 0}
        yield _event("message_start", message={**self._message([]), "usage": usage})

    def piece(self, text: str, tokens: Sequence[Token]) -> Iterable[bytes]:
        if not self._block_open:
            self._block_open = True
            block = {"type": "text", "text": ""}
            yield _event("content_block_start", index=0, content_block=block)
        delta = {"type": "text_delta", "text": text}
        yield _event("content_block_delta", index=0, delta=delta)

    def closing(self, last: Chunk) -> Iterable[bytes]:
        if self._block_open:
            yield _event("content_block_stop", index=0)
        yield _event("message_delta", delta={"stop_reason": _reason(last)}, usage=_usage(last))
        yield _event("message_stop")

    def mid_stream_error(self, detail: str) -> Iterable[bytes]:
        """Return the bytes of an error event, sent when the engine fails in the middle of a
        streamed answer; it makes Anthropic's clients raise.

        Ollama sends nothing in this case.
        """
        return [_event("error", error={"type": "api_error", "message": MID_STREAM.format(detail)})]

    def _message(self, content: list[dict[str, str]]) -> Object:
        return {
            "id": f"msg_{hex_id(self._facts.number, self._facts.at)}",
            "type": "message",
            "role": "assistant",
            "model": self._facts.model,
            "content": content,
        }


def _event(kind: str, **data: object) -> bytes:
    return event({"type": kind, **data}, name=kind)


def _reason(last: Chunk) -> str:
    return "max_tokens" if last.finish is Finish.LENGTH else "end_turn"


def _usage(last: Chunk) -> Object:
    return {"input_tokens": last.prompt_tokens, "output_tokens": last.completion_tokens}
