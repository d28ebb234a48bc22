"""Reads requests to OpenAI's routes for chat and plain completions, and inserts skills (instruction
texts) into their prompts.

Answers are streamed as server-sent events on request.
"""

from __future__ import annotations

from typing import Final

from lull.core.chat.json_edit import BodyEdit
from lull.core.chat.messages import (
    ChatRequest,
    Message,
    MessagePart,
    PartKind,
    Role,
    Sampling,
    ToolCall,
)
from lull.core.errors import RequestError
from lull.core.skills.prompt_block import Injection
from lull.service.proxy.dialects.answer_reading import EventReader, WholeReader
from lull.service.proxy.dialects.base import (
    AnswerFacts,
    AnswerReader,
    AnswerWriter,
    EngineRequestOptions,
)
from lull.service.proxy.dialects.json_insertion import (
    filled_string,
    find_value,
    grow_messages,
    grow_prompt,
    has_messages,
)
from lull.service.proxy.dialects.native_options import asked_logprobs
from lull.service.proxy.dialects.openai_answers import (
    ChatWriter,
    CompletionsWriter,
    add_chunk,
    add_whole_answer,
    openai_error,
)
from lull.service.proxy.dialects.parts import (
    Fields,
    bad_request,
    build_message,
    image_part,
    image_url,
    json_text_or_empty,
    opaque,
    read_object,
    role_of,
    text_part,
)
from lull.service.proxy.dialects.unsupported_content import refuse_openai_messages

_WHEN_EMPTY: Final = "EOF"
"""Error message for an empty body."""
_EFFORTS: Final = ("high", "medium", "low", "max")
"""Values of `reasoning_effort` that ask for thinking."""


class _OpenAI:
    """Base of OpenAI's dialects: what chat completions and plain completions share."""

    name = "openai"

    def reader(self, *, stream: bool) -> AnswerReader:
        return EventReader(add_chunk) if stream else WholeReader(add_whole_answer)

    def error(self, status: int, message: str) -> bytes:
        return openai_error(status, message)


class OpenAIChatDialect(_OpenAI):
    """Reads requests and writes answers in OpenAI's format, `/v1/chat/completions`; implements
    Dialect.
    """

    route = "/v1/chat/completions"

    def read_request(self, body: bytes) -> ChatRequest:
        fields = _chat_fields(body)
        messages = fields.items("messages", "[]openai.Message")
        if not messages:
            raise bad_request("[] is too short - 'messages'")
        if not fields.text("model"):
            raise bad_request("model is required")
        return ChatRequest(
            model=fields.text("model"),
            messages=tuple(map(read_message, messages)),
            stream=fields.flag("stream"),
            sampling=read_sampling(fields),
            tools=json_text_or_empty(fields.items("tools", "[]api.Tool")),
            format=wanted_format(fields.child("response_format")),
        )

    def read_engine_options(self, body: bytes) -> EngineRequestOptions:
        fields = _chat_fields(body)
        effort = fields.text("reasoning_effort") or fields.child("reasoning").text("effort")
        refuse_openai_messages(fields.items("messages"))
        return EngineRequestOptions(
            think=asks_for_thinking(effort), logprobs=asked_logprobs(fields)
        )

    def injectable(self, body: bytes) -> bool:
        return has_messages(body)

    def inject(self, body: bytes, injection: Injection) -> bytes:
        draft = BodyEdit(body)
        grow_messages(draft, injection)
        return draft.edited_body()

    def writer(self, body: bytes, request: ChatRequest, facts: AnswerFacts) -> AnswerWriter:
        fields = _chat_fields(body)
        return ChatWriter(
            facts,
            stream=request.stream,
            usage=_wants_usage(fields),
            logprobs=fields.flag("logprobs"),
        )


class OpenAICompletions(_OpenAI):
    """Reads requests and writes answers in OpenAI's format, `/v1/completions`; implements
    Dialect.
    """

    route = "/v1/completions"

    def read_request(self, body: bytes) -> ChatRequest:
        fields = _completion_fields(body)
        prompt = build_message(Role.USER, [text_part(fields.text("prompt"))])
        if not fields.text("model"):
            raise RequestError("model '' not found", status=404)
        return ChatRequest(
            model=fields.text("model"),
            messages=(prompt,),
            stream=fields.flag("stream"),
            sampling=read_sampling(fields),
        )

    def read_engine_options(self, body: bytes) -> EngineRequestOptions:
        return EngineRequestOptions(insert=bool(_completion_fields(body).text("suffix")))

    def injectable(self, body: bytes) -> bool:
        try:
            draft = BodyEdit(body)
            return filled_string(draft, "prompt") and not filled_string(draft, "suffix")
        except ValueError:
            return False

    def inject(self, body: bytes, injection: Injection) -> bytes:
        """Insert the skills' texts before the prompt of a plain completion, since this route has no
        system text.
        """
        draft = BodyEdit(body)
        prompt = find_value(draft, draft.root, "prompt")
        if prompt is None:
            raise ValueError("no prompt")
        if injection.system:
            draft.prepend(prompt, f"{injection.system}\n\n")
        grow_prompt(draft, prompt, injection, at=0)
        return draft.edited_body()

    def writer(self, body: bytes, request: ChatRequest, facts: AnswerFacts) -> AnswerWriter:
        usage = _wants_usage(_completion_fields(body))
        return CompletionsWriter(facts, stream=request.stream, usage=usage)


def _chat_fields(body: bytes) -> Fields:
    return read_object(body, go_type="openai.ChatCompletionRequest", when_empty=_WHEN_EMPTY)


def _completion_fields(body: bytes) -> Fields:
    return read_object(body, go_type="openai.CompletionRequest", when_empty=_WHEN_EMPTY)


def _wants_usage(fields: Fields) -> bool:
    return fields.child("stream_options").flag("include_usage")


def read_sampling(fields: Fields, limit_key: str = "max_tokens") -> Sampling:
    """Return a request's sampling options; `limit_key` is the route's name for the token limit."""
    limit = fields.whole(limit_key) or fields.whole("max_completion_tokens")
    return Sampling(
        temperature=fields.number("temperature"),
        top_p=fields.number("top_p"),
        seed=fields.whole("seed"),
        max_tokens=limit if limit is not None and limit > 0 else None,
        stop=fields.stops("stop"),
        presence_penalty=fields.number("presence_penalty"),
        frequency_penalty=fields.number("frequency_penalty"),
    )


def asks_for_thinking(effort: str) -> bool:
    """Whether a request's reasoning effort asks the model to think.

    Raises RequestError (400) for an unknown effort.
    """
    if effort in ("", "none"):
        return False
    if effort in _EFFORTS:
        return True
    levels = ", ".join(f'"{level}"' for level in _EFFORTS)
    raise bad_request(f"invalid reasoning value: '{effort}' (must be {levels}, or \"none\")")


def wanted_format(wanted: Fields) -> str:
    """Return the requested output format as JSON text; "" for plain text."""
    if wanted.text("type") in ("", "text"):
        return ""
    schema = wanted.child("json_schema").get("schema") or wanted.get("schema")
    return json_text_or_empty(schema or "json")


def read_message(value: object) -> Message:
    """Parse one message of a request. Raises RequestError (400)."""
    fields = Fields(value, "openai.Message")
    thinking = fields.text("reasoning") or fields.text("reasoning_content")
    parts = [MessagePart(kind=PartKind.THINKING, text=thinking)] if thinking else []
    parts += read_content(fields.get("content"))
    calls = [_call(call) for call in fields.items("tool_calls", "[]openai.ToolCall")]
    answers = fields.text("tool_call_id") or fields.text("name")
    return build_message(role_of(fields.text("role")), parts, calls=calls, answers=answers)


def read_content(content: object) -> list[MessagePart]:
    """Parse a message's content, which is a string, a list of parts, or absent."""
    if content is None or content == "":
        return []
    if isinstance(content, str):
        return [text_part(content)]
    if not isinstance(content, list):
        raise bad_request("invalid message format")
    return [_part(part) for part in content]


def _part(value: object) -> MessagePart:
    part = value if isinstance(value, dict) else {}
    kind, text = part.get("type"), part.get("text")
    if kind in ("text", "input_text", "output_text") and isinstance(text, str):
        return text_part(text)
    if kind in ("image_url", "input_image"):
        url = image_url(part)
        return image_part(url) if url else opaque(value)
    return opaque(value)


def _call(value: object) -> ToolCall:
    fields = Fields(value, "openai.ToolCall")
    function = fields.child("function")
    return ToolCall(
        id=fields.text("id"), name=function.text("name"), arguments=function.text("arguments")
    )
