"""Reads and writes answers of OpenAI's `/v1/responses`: one object, or numbered, named events.

Like Ollama, writes the whole object's keys in a fixed order and the events' keys alphabetically.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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
from lull.service.proxy.dialects.parts import Fields, Object
from lull.service.proxy.dialects.writing import (
    EVENTS,
    JSON,
    MID_STREAM,
    PieceWriter,
    event,
    go_bytes,
    hex_id,
    plain_number,
)


def add_event(so_far: AnswerSoFar, value: Object) -> None:
    """Add one event of an answer streamed by OpenAI's `/v1/responses` to the collected answer."""
    kind = as_text(value.get("type"))
    if kind == "response.output_text.delta":
        so_far.add_text(value.get("delta"))
    elif kind == "response.reasoning_summary_text.delta":
        so_far.add_thinking(value.get("delta"))
    elif kind == "response.output_item.done":
        _hear_call(so_far, as_object(value.get("item")))
    elif kind in ("response.completed", "response.incomplete", "response.failed"):
        _hear_end(so_far, as_object(value.get("response")))
    elif kind == "error" or value.get("error"):
        so_far.record_error(
            error_text(value.get("error")) or as_text(value.get("message")) or "error"
        )


def add_response(so_far: AnswerSoFar, value: Object) -> None:
    """Add a complete answer of OpenAI's `/v1/responses` to the collected answer."""
    for item in map(as_object, as_list(value.get("output"))):
        _hear_call(so_far, item)
        thinks = item.get("type") == "reasoning"
        for part in map(as_object, as_list(item.get("summary" if thinks else "content"))):
            (so_far.add_thinking if thinks else so_far.add_text)(part.get("text"))
    _hear_end(so_far, value)


def _hear_call(so_far: AnswerSoFar, item: Object) -> None:
    if item.get("type") == "function_call":
        so_far.add_tool_call(
            so_far.tool_call_count,
            call_id=item.get("call_id"),
            name=item.get("name"),
            arguments=as_text(item.get("arguments")),
        )


def _hear_end(so_far: AnswerSoFar, response: Object) -> None:
    if response.get("error"):
        so_far.record_error(error_text(response["error"]) or "error")
        return
    usage = as_object(response.get("usage"))
    so_far.set_token_counts(prompt=usage.get("input_tokens"), completion=usage.get("output_tokens"))
    status = response.get("status")
    if status not in ("completed", "incomplete"):
        so_far.record_error(f"The answer ended as {as_text(status) or 'nothing known'}.")
        return
    # Ollama reports "completed" for a truncated answer; only the counts reveal it.
    most, used = as_count(response.get("max_output_tokens")), so_far.completion_tokens
    cut = status == "incomplete" or (most is not None and used is not None and used >= most)
    so_far.finish = Finish.LENGTH if cut else Finish.STOP
    so_far.ended = True


class ResponsesWriter(PieceWriter):
    """Formats answers of Lull's own inference engine in OpenAI's format, for `/v1/responses`."""

    def __init__(self, facts: AnswerFacts, asked: Fields, *, stream: bool) -> None:
        super().__init__(stream=stream)
        self.content_type = EVENTS if stream else JSON
        self._facts = facts
        self._asked = asked
        self._number = 0
        self._item_open = False
        self._id = f"resp_{facts.number}"
        self._item_id = f"msg_{int(hex_id(facts.number, facts.at, 5), 16)}"

    def whole(self, last: Chunk) -> bytes:
        item = {**self._item("completed"), "content": [self._content(self.text)]}
        return go_bytes(self._response([item], last)) + b"\n"

    def opening(self) -> Iterable[bytes]:
        yield self._event("response.created", response=self._response([], None))
        yield self._event("response.in_progress", response=self._response([], None))

    def piece(self, text: str, tokens: Sequence[Token]) -> Iterable[bytes]:
        yield from self._open_item()
        yield self._event("response.output_text.delta", **self._place, delta=text, logprobs=[])

    def closing(self, last: Chunk) -> Iterable[bytes]:
        yield from self._open_item()
        text = self.text
        yield self._event("response.output_text.done", **self._place, text=text, logprobs=[])
        part = self._content(text)
        yield self._event("response.content_part.done", **self._place, part=part)
        item = {**self._item("completed"), "content": [part]}
        yield self._event("response.output_item.done", output_index=0, item=item)
        yield self._event("response.completed", response=self._response([item], last))

    def mid_stream_error(self, detail: str) -> Iterable[bytes]:
        """Return the bytes of a failed-response event, sent when the engine fails in the middle of
        a streamed answer; OpenAI's clients expect it.

        Ollama sends nothing in this case.
        """
        error = {"code": "server_error", "message": MID_STREAM.format(detail)}
        response = {**self._response([], None), "status": "failed", "error": error}
        return [self._event("response.failed", response=response)]

    def _open_item(self) -> Iterable[bytes]:
        if self._item_open:
            return
        self._item_open = True
        item = self._item("in_progress")
        yield self._event("response.output_item.added", output_index=0, item=item)
        part = self._content("")
        yield self._event("response.content_part.added", **self._place, part=part)

    @property
    def _place(self) -> Object:
        return {"content_index": 0, "output_index": 0, "item_id": self._item_id}

    def _item(self, status: str) -> Object:
        return {
            "id": self._item_id,
            "type": "message",
            "status": status,
            "role": "assistant",
            "content": [],
        }

    def _content(self, text: str) -> Object:
        return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}

    def _event(self, kind: str, **data: object) -> bytes:
        data |= {"type": kind, "sequence_number": self._number}
        self._number += 1
        return event(data, name=kind, sort_keys=True)

    def _response(self, output: list[Object], last: Chunk | None) -> Object:
        asked, made = self._asked, int(self._facts.at.timestamp())
        return {
            "id": self._id,
            "object": "response",
            "created_at": made,
            "completed_at": made if last else None,
            "status": "completed" if last else "in_progress",
            "incomplete_details": None,
            "model": self._facts.model,
            "previous_response_id": None,
            "instructions": asked.maybe_text("instructions"),
            "output": output,
            "error": None,
            "tools": [],
            "tool_choice": "auto",
            "truncation": asked.text("truncation") or "disabled",
            "parallel_tool_calls": True,
            "text": {"format": {"type": "text"}},
            "top_p": _number(asked, "top_p"),
            "presence_penalty": 0,
            "frequency_penalty": 0,
            "top_logprobs": 0,
            "temperature": _number(asked, "temperature"),
            "reasoning": _reasoning(asked),
            "usage": _usage(last) if last else None,
            "max_output_tokens": asked.whole("max_output_tokens"),
            "max_tool_calls": None,
            "store": False,
            "background": False,
            "service_tier": "default",
            "metadata": {},
            "safety_identifier": None,
            "prompt_cache_key": None,
        }


def _number(asked: Fields, key: str) -> float | int:
    value = asked.number(key)
    return 1 if value is None else plain_number(value)


def _reasoning(asked: Fields) -> Object | None:
    effort = asked.child("reasoning").text("effort")
    return {"effort": effort} if effort else None


def _usage(last: Chunk) -> Object:
    return {
        "input_tokens": last.prompt_tokens,
        "output_tokens": last.completion_tokens,
        "total_tokens": last.prompt_tokens + last.completion_tokens,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0},
    }
