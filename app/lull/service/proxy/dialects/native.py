"""Reads requests in Ollama's own format, `/api/chat` and `/api/generate`, and inserts skills
(instruction texts) into their prompts.

Answers are NDJSON, streamed by default. Chat has a list of messages, generate has `system` and
`prompt`.
"""

from __future__ import annotations

from typing import Final

from lull.core.chat.json_edit import BodyEdit, quoted
from lull.core.chat.messages import ChatRequest, Message, MessagePart, PartKind, Role, ToolCall
from lull.core.errors import RequestError
from lull.core.skills.prompt_block import Injection, merged_system
from lull.service.proxy.dialects.answer_reading import LineReader, WholeReader
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
    grow_string,
    has_messages,
    set_member,
)
from lull.service.proxy.dialects.native_answers import (
    LoadRequestWriter,
    NativeWriter,
    add_native_line,
)
from lull.service.proxy.dialects.native_options import (
    read_engine_options,
    read_options,
    read_window,
)
from lull.service.proxy.dialects.parts import (
    Fields,
    KeyCase,
    bad_request,
    build_message,
    inline_image,
    json_text,
    json_text_or_empty,
    kind_of,
    opaque,
    read_object,
    role_of,
    text_part,
)
from lull.service.proxy.dialects.writing import go_bytes

_WHEN_EMPTY: Final = "missing request body"
"""Error message for an empty body."""


class _Native:
    """Base of Ollama's own dialects: what `/api/chat` and `/api/generate` share."""

    name = "ollama"

    def reader(self, *, stream: bool) -> AnswerReader:
        return LineReader(add_native_line) if stream else WholeReader(add_native_line)

    def error(self, status: int, message: str) -> bytes:
        return go_bytes({"error": message})


class NativeChat(_Native):
    """Reads requests and writes answers in Ollama's own format for `/api/chat`; implements
    Dialect.
    """

    route = "/api/chat"

    def read_request(self, body: bytes) -> ChatRequest:
        fields = read_object(
            body, go_type="api.ChatRequest", when_empty=_WHEN_EMPTY, case=KeyCase.TAKEN
        )
        if not fields.text("model"):
            raise bad_request("model is required")
        return ChatRequest(
            model=fields.text("model"),
            messages=tuple(map(_message, fields.items("messages", "[]api.Message"))),
            stream=fields.flag("stream", default=True),
            sampling=read_options(fields),
            window_tokens=read_window(fields),
            tools=json_text_or_empty(fields.items("tools", "api.Tools")),
            format=json_text_or_empty(fields.get("format")),
        )

    def read_engine_options(self, body: bytes) -> EngineRequestOptions:
        fields = read_object(
            body, go_type="api.ChatRequest", when_empty=_WHEN_EMPTY, case=KeyCase.TAKEN
        )
        return read_engine_options(fields, idle=not fields.items("messages"))

    def injectable(self, body: bytes) -> bool:
        return has_messages(body)

    def inject(self, body: bytes, injection: Injection) -> bytes:
        draft = BodyEdit(body)
        grow_messages(draft, injection)
        return draft.edited_body()

    def writer(self, body: bytes, request: ChatRequest, facts: AnswerFacts) -> AnswerWriter:
        ask = self.read_engine_options(body)
        if ask.idle:
            return LoadRequestWriter(facts, ask.idle, chat=True)
        return NativeWriter(
            facts, stream=request.stream, chat=True, logprobs=ask.logprobs is not None
        )


class NativeGenerate(_Native):
    """Reads requests and writes answers in Ollama's own format for `/api/generate`; implements
    Dialect.
    """

    route = "/api/generate"

    def read_request(self, body: bytes) -> ChatRequest:
        fields = read_object(
            body, go_type="api.GenerateRequest", when_empty=_WHEN_EMPTY, case=KeyCase.TAKEN
        )
        if not fields.text("model"):
            raise RequestError("model '' not found", status=404)
        return ChatRequest(
            model=fields.text("model"),
            messages=_prompt_messages(fields),
            stream=fields.flag("stream", default=True),
            sampling=read_options(fields),
            window_tokens=read_window(fields),
            format=json_text_or_empty(fields.get("format")),
        )

    def read_engine_options(self, body: bytes) -> EngineRequestOptions:
        fields = read_object(
            body, go_type="api.GenerateRequest", when_empty=_WHEN_EMPTY, case=KeyCase.TAKEN
        )
        return read_engine_options(fields, idle=not fields.text("prompt"))

    def injectable(self, body: bytes) -> bool:
        try:
            draft = BodyEdit(body)
            raw = find_value(draft, draft.root, "raw")
            if raw is not None and draft.kind(raw) != "f":
                return False
            return filled_string(draft, "prompt") and not filled_string(draft, "suffix")
        except ValueError:
            return False

    def inject(self, body: bytes, injection: Injection) -> bytes:
        draft = BodyEdit(body)
        system = filled_string(draft, "system")
        if injection.system:
            _grow_system(draft, injection)
        grow_prompt(draft, find_value(draft, draft.root, "prompt"), injection, at=int(system))
        return draft.edited_body()

    def writer(self, body: bytes, request: ChatRequest, facts: AnswerFacts) -> AnswerWriter:
        ask = self.read_engine_options(body)
        if ask.idle:
            return LoadRequestWriter(facts, ask.idle, chat=False)
        return NativeWriter(
            facts,
            stream=request.stream,
            chat=False,
            logprobs=ask.logprobs is not None,
            context=ask.gives_context,
        )


def _grow_system(draft: BodyEdit, injection: Injection) -> None:
    """Add to the system text; an empty `system` counts as absent, so the model's own is kept."""
    found = find_value(draft, draft.root, "system")
    if found is not None and draft.string(found):
        grow_string(draft, found, injection.system)
        return
    text = merged_system(injection.model_system, injection.system)
    if found is None:
        set_member(draft, draft.root, "system", quoted(text))
    else:
        draft.replace(found, quoted(text))


def _prompt_messages(fields: Fields) -> tuple[Message, ...]:
    images = [_image(image) for image in fields.items("images", "[]api.ImageData")]
    prompt = build_message(Role.USER, [text_part(fields.text("prompt")), *images])
    system = fields.text("system")
    return (build_message(Role.SYSTEM, [text_part(system)]), prompt) if system else (prompt,)


def _message(value: object) -> Message:
    fields = Fields(value, "Alias", KeyCase.TAKEN)
    content, thinking = fields.text("content"), fields.text("thinking")
    parts = [MessagePart(kind=PartKind.THINKING, text=thinking)] if thinking else []
    if content:
        parts.append(text_part(content))
    parts += [_image(image) for image in fields.items("images", "[]api.ImageData")]
    calls = [_call(call) for call in fields.items("tool_calls", "[]api.ToolCall")]
    answers = fields.text("tool_call_id") or fields.text("tool_name")
    return build_message(role_of(fields.text("role")), parts, calls=calls, answers=answers)


def _image(value: object) -> MessagePart:
    if isinstance(value, bool | int | float | dict):
        raise bad_request(
            f"json: cannot unmarshal {kind_of(value)} into Go value of type api.ImageData"
        )
    return inline_image(value) if isinstance(value, str) else opaque(value)


def _call(value: object) -> ToolCall:
    fields = Fields(value, "api.ToolCall", KeyCase.TAKEN)
    function = fields.child("function")
    arguments = function.get("arguments")
    if isinstance(arguments, str):
        raise bad_request("Value looks like object, but can't find closing '}' symbol")
    return ToolCall(
        id=fields.text("id"), name=function.text("name"), arguments=json_text(arguments or {})
    )
