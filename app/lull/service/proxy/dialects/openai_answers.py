"""Reads and writes answers and errors in OpenAI's format, for both kinds of completions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
    logprob,
)

DONE: Final = b"data: [DONE]\n\n"
"""Text that ends a streamed answer."""
_FINISH: Final = {
    "length": Finish.LENGTH,
    "tool_calls": Finish.TOOL_CALLS,
    "function_call": Finish.TOOL_CALLS,
}
"""Finish reasons by OpenAI's finish reason; others are Finish.STOP."""
_ERROR_TYPES: Final = {400: "invalid_request_error", 404: "not_found_error"}
"""OpenAI's error types by HTTP status."""


def error_object(status: int, message: str) -> Object:
    """Build an error as OpenAI's error object."""
    kind = _ERROR_TYPES.get(status, "api_error")
    return {"error": {"message": message, "type": kind, "param": None, "code": None}}


def openai_error(status: int, message: str) -> bytes:
    """Return the body of an error answer in OpenAI's format."""
    return go_bytes(error_object(status, message)) + b"\n"


def add_chunk(so_far: AnswerSoFar, value: Object) -> None:
    """Add one event of an answer streamed in OpenAI's form to the answer collected so far; the end
    mark `[DONE]` is handled elsewhere.
    """
    if value.get("error"):
        so_far.record_error(error_text(value["error"]) or "error")
        return
    usage = as_object(value.get("usage"))
    so_far.set_token_counts(
        prompt=usage.get("prompt_tokens"), completion=usage.get("completion_tokens")
    )
    for choice in map(as_object, as_list(value.get("choices"))):
        if choice.get("index", 0) == 0:  # of several answers only the first is recorded
            _hear_choice(so_far, choice)


def add_whole_answer(so_far: AnswerSoFar, value: Object) -> None:
    """Add an unstreamed answer in OpenAI's form to the answer collected so far."""
    add_chunk(so_far, value)
    so_far.ended = True


def _hear_choice(so_far: AnswerSoFar, choice: Object) -> None:
    said = as_object(choice.get("delta") or choice.get("message"))
    so_far.add_text(said.get("content") or choice.get("text"))
    so_far.add_thinking(said.get("reasoning") or said.get("reasoning_content"))
    for position, call in enumerate(map(as_object, as_list(said.get("tool_calls")))):
        function = as_object(call.get("function"))
        index = as_count(call.get("index"))
        so_far.add_tool_call(
            position if index is None else index,
            call_id=call.get("id"),
            name=function.get("name"),
            arguments=as_text(function.get("arguments")),
        )
    reason = as_text(choice.get("finish_reason"))
    if reason:
        so_far.finish = _FINISH.get(reason, Finish.STOP)


class _OpenAIWriter(PieceWriter):
    prefix = ""

    def __init__(self, facts: AnswerFacts, *, stream: bool, usage: bool) -> None:
        super().__init__(stream=stream)
        self.content_type = EVENTS if stream else JSON
        self._facts = facts
        self._usage = usage
        self._id = f"{self.prefix}-{facts.number}"

    def mid_stream_error(self, detail: str) -> Iterable[bytes]:
        """An error event; Ollama sends nothing here, which a client takes for the end."""
        return [event(error_object(500, MID_STREAM.format(detail)))]

    @property
    def _made(self) -> Object:
        return {"created": int(self._facts.at.timestamp())}

    @property
    def _maker(self) -> Object:
        return {"model": self._facts.model, "system_fingerprint": "fp_ollama"}


class ChatWriter(_OpenAIWriter):
    """Formats answers of Lull's own inference engine in OpenAI's format, for
    `/v1/chat/completions`.
    """

    prefix = "chatcmpl"

    def __init__(self, facts: AnswerFacts, *, stream: bool, usage: bool, logprobs: bool) -> None:
        super().__init__(facts, stream=stream, usage=usage)
        self._logprobs = logprobs

    def whole(self, last: Chunk) -> bytes:
        choice: Object = {
            "index": 0,
            "message": {"role": "assistant", "content": self.text},
            "finish_reason": reason(last),
        }
        body = {
            **self._head("chat.completion"),
            "choices": [self._with_logprobs(choice, self.tokens)],
            "usage": usage_object(last),
        }
        return go_bytes(body) + b"\n"

    def piece(self, text: str, tokens: Sequence[Token]) -> Iterable[bytes]:
        return [self._event([self._with_logprobs(_delta(text, None), tokens)])]

    def closing(self, last: Chunk) -> Iterable[bytes]:
        yield self._event([_delta("", reason(last))])
        if self._usage:
            yield self._event([], usage_object(last))
        yield DONE

    def _head(self, kind: str) -> Object:
        return {"id": self._id, "object": kind, **self._made, **self._maker}

    def _event(self, choices: list[Object], usage: Object | None = None) -> bytes:
        tail = {"usage": usage} if usage else {}
        return event({**self._head("chat.completion.chunk"), "choices": choices, **tail})

    def _with_logprobs(self, choice: Object, tokens: Sequence[Token]) -> Object:
        if not self._logprobs or not tokens:
            return choice
        return {**choice, "logprobs": {"content": [logprob(token) for token in tokens]}}


class CompletionsWriter(_OpenAIWriter):
    """Formats answers of Lull's own inference engine in OpenAI's format, for `/v1/completions`."""

    prefix = "cmpl"

    def whole(self, last: Chunk) -> bytes:
        head = {"id": self._id, "object": "text_completion", **self._made, **self._maker}
        choices = [_choice(self.text, reason(last))]
        return go_bytes({**head, "choices": choices, "usage": usage_object(last)}) + b"\n"

    def piece(self, text: str, tokens: Sequence[Token]) -> Iterable[bytes]:
        return [self._event([_choice(text, None)])]

    def closing(self, last: Chunk) -> Iterable[bytes]:
        yield self._event([_choice("", reason(last))])
        if self._usage:
            yield self._event([], usage_object(last))
        yield DONE

    def _event(self, choices: list[Object], usage: Object | None = None) -> bytes:
        """One event; if usage is requested, Ollama puts zeros into all chunks but the last."""
        head = {"id": self._id, "object": "text_completion", **self._made}
        tail = {"usage": usage or _usage(0, 0)} if self._usage else {}
        return event({**head, "choices": choices, **self._maker, **tail})


def reason(last: Chunk) -> str:
    """Return OpenAI's name (`finish_reason`) for the reason why an answer ended."""
    return "length" if last.finish is Finish.LENGTH else "stop"


def usage_object(last: Chunk) -> Object:
    """Build OpenAI's `usage` object with the token counts."""
    return _usage(last.prompt_tokens, last.completion_tokens)


def _usage(prompt: int, completion: int) -> Object:
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
    }


def _delta(text: str, finish: str | None) -> Object:
    return {
        "index": 0,
        "delta": {"role": "assistant", "content": text},
        "finish_reason": finish,
    }


def _choice(text: str, finish: str | None) -> Object:
    return {"text": text, "index": 0, "finish_reason": finish}
