"""Reads and writes answers in Ollama's own format: one JSON object per line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from lull.core.chat.messages import Finish
from lull.core.models.engine import Chunk, Token
from lull.service.proxy.dialects.answer_reading import (
    AnswerSoFar,
    as_list,
    as_object,
    as_text,
    error_text,
)
from lull.service.proxy.dialects.base import AnswerFacts, LoadRequest
from lull.service.proxy.dialects.parts import Object
from lull.service.proxy.dialects.writing import (
    JSON_UTF8,
    MID_STREAM,
    PieceWriter,
    go_bytes,
    nanoseconds,
    rfc3339,
    with_logprobs,
)

NDJSON: Final = "application/x-ndjson"


def add_native_line(so_far: AnswerSoFar, line: Object) -> None:
    """Add one line of an answer that Ollama streams to the answer collected so far.

    A whole unstreamed answer has the same format and is added, too.
    """
    if line.get("error"):
        so_far.record_error(error_text(line["error"]) or "error")
        return
    message = as_object(line.get("message"))
    so_far.add_text(message.get("content") or line.get("response"))
    so_far.add_thinking(message.get("thinking") or line.get("thinking"))
    for call in map(as_object, as_list(message.get("tool_calls"))):
        function = as_object(call.get("function"))
        so_far.add_tool_call(
            so_far.tool_call_count,
            call_id=call.get("id"),
            name=function.get("name"),
            arguments=function.get("arguments") or {},
        )
    so_far.set_token_counts(prompt=line.get("prompt_eval_count"), completion=line.get("eval_count"))
    if line.get("done") is True:
        length = as_text(line.get("done_reason")) == "length"
        so_far.finish = Finish.LENGTH if length else Finish.STOP
        so_far.ended = True


class LoadRequestWriter:
    """Formats the answer to a request that only loads or unloads a model: one JSON object, never a
    stream. Implements `AnswerWriter`.
    """

    content_type = JSON_UTF8

    def __init__(self, facts: AnswerFacts, idle: LoadRequest, *, chat: bool) -> None:
        self._line = {
            "model": facts.model,
            "created_at": rfc3339(facts.at),
            **_words("", chat=chat),
            "done": True,
            "done_reason": idle.value,
        }

    def write(self, chunk: Chunk) -> Iterable[bytes]:
        return [go_bytes(self._line)] if chunk.finish else []

    def mid_stream_error(self, detail: str) -> Iterable[bytes]:
        return [go_bytes({"error": detail})]


class NativeWriter(PieceWriter):
    """Formats answers of Lull's own inference engine in Ollama's format, for `/api/chat` and
    `/api/generate`. Implements `AnswerWriter`.
    """

    def __init__(
        self,
        facts: AnswerFacts,
        *,
        stream: bool,
        chat: bool,
        logprobs: bool,
        context: bool = False,
    ) -> None:
        super().__init__(stream=stream)
        self.content_type = NDJSON if stream else JSON_UTF8
        self._facts = facts
        self._chat = chat
        self._logprobs = logprobs
        self._context = context

    def whole(self, last: Chunk) -> bytes:
        return go_bytes(self._last(last, self.text, self.tokens if self._logprobs else ()))

    def piece(self, text: str, tokens: Sequence[Token]) -> Iterable[bytes]:
        line = {**self._head(text), "done": False}
        return [_line(with_logprobs(line, tokens if self._logprobs else ()))]

    def closing(self, last: Chunk) -> Iterable[bytes]:
        return [_line(self._last(last, "", ()))]

    def mid_stream_error(self, detail: str) -> Iterable[bytes]:
        return [_line({"error": MID_STREAM.format(detail)})]

    def _head(self, text: str) -> Object:
        return {
            "model": self._facts.model,
            "created_at": rfc3339(self._facts.at),
            **_words(text, chat=self._chat),
        }

    def _last(self, last: Chunk, text: str, tokens: Sequence[Token]) -> Object:
        reason = "length" if last.finish is Finish.LENGTH else "stop"
        line: Object = {**self._head(text), "done": True, "done_reason": reason}
        if self._context:
            line["context"] = [*self._facts.prompt_ids, *(token.id for token in self.tokens)]
        if self._chat:  # the two routes differ in the position of logprobs
            return {**with_logprobs(line, tokens), **_counts(last)}
        return with_logprobs({**line, **_counts(last)}, tokens)


def _words(text: str, *, chat: bool) -> Object:
    return {"message": {"role": "assistant", "content": text}} if chat else {"response": text}


def _counts(last: Chunk) -> Object:
    return {
        "total_duration": nanoseconds(last.load_s, last.prompt_s, last.decode_s),
        "load_duration": nanoseconds(last.load_s),
        "prompt_eval_count": last.prompt_tokens,
        "prompt_eval_duration": nanoseconds(last.prompt_s),
        "eval_count": last.completion_tokens,
        "eval_duration": nanoseconds(last.decode_s),
    }


def _line(value: Object) -> bytes:
    return go_bytes(value) + b"\n"
