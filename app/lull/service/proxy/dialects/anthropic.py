"""Reads requests in Anthropic's format, `/v1/messages`, and inserts skills (instruction texts) into
their prompts.

The system text is beside the messages, and contents are lists of blocks.
"""

from __future__ import annotations

from lull.core.chat.json_edit import BodyEdit, quoted
from lull.core.chat.messages import (
    ChatRequest,
    Message,
    MessagePart,
    PartKind,
    Role,
    Sampling,
    ToolCall,
)
from lull.core.skills.prompt_block import Injection, merged_system
from lull.service.proxy.dialects.answer_reading import (
    EventReader,
    WholeReader,
    as_list,
    as_object,
    as_text,
)
from lull.service.proxy.dialects.anthropic_answers import (
    MessagesWriter,
    add_event,
    add_message,
    anthropic_error,
)
from lull.service.proxy.dialects.base import (
    AnswerFacts,
    AnswerReader,
    AnswerWriter,
    EngineRequestOptions,
)
from lull.service.proxy.dialects.json_insertion import (
    add_to_user_messages,
    find_value,
    grow_content,
    has_messages,
)
from lull.service.proxy.dialects.parts import (
    Fields,
    bad_request,
    build_message,
    inline_image,
    json_text,
    json_text_or_empty,
    opaque,
    read_object,
    role_of,
    text_part,
)
from lull.service.proxy.dialects.unsupported_content import refuse_anthropic_messages


class AnthropicMessages:
    """Reads requests and writes answers in Anthropic's format, `/v1/messages`; implements
    Dialect.
    """

    name = "anthropic"
    route = "/v1/messages"

    def read_request(self, body: bytes) -> ChatRequest:
        fields = _fields(body)
        messages = fields.items("messages", "[]anthropic.MessageParam")
        if not fields.text("model"):
            raise bad_request("model is required")
        if (fields.whole("max_tokens") or 0) <= 0:
            raise bad_request("max_tokens is required and must be positive")
        if not messages:
            raise bad_request("messages is required")
        system = _system(fields)
        first = (build_message(Role.SYSTEM, system),) if system else ()
        return ChatRequest(
            model=fields.text("model"),
            messages=(*first, *map(_message, messages)),
            stream=fields.flag("stream"),
            sampling=_sampling(fields),
            tools=json_text_or_empty(fields.items("tools", "[]anthropic.Tool")),
        )

    def read_engine_options(self, body: bytes) -> EngineRequestOptions:
        """Check that Lull's own engine can process the messages of a request in Anthropic's format;
        return its options for the engine, which are always the defaults.

        Like Ollama, ignores a request for thinking that the model cannot do. Raises RequestError
        (400) for content that the engine does not support.
        """
        refuse_anthropic_messages(_fields(body).items("messages"))
        return EngineRequestOptions()

    def injectable(self, body: bytes) -> bool:
        return has_messages(body)

    def inject(self, body: bytes, injection: Injection) -> bytes:
        draft = BodyEdit(body)
        array = find_value(draft, draft.root, "messages")
        if array is None:
            raise ValueError("no messages")
        carried = _carries_system(draft)
        if injection.system:
            _grow_system(draft, injection, carried=carried)
        indexed = dict(enumerate(draft.elements(array), start=int(carried)))
        add_to_user_messages(draft, indexed, injection)
        return draft.edited_body()

    def reader(self, *, stream: bool) -> AnswerReader:
        return EventReader(add_event) if stream else WholeReader(add_message)

    def writer(self, body: bytes, request: ChatRequest, facts: AnswerFacts) -> AnswerWriter:
        asked = "".join(message.text for message in request.messages)
        return MessagesWriter(facts, stream=request.stream, asked_characters=len(asked))

    def error(self, status: int, message: str) -> bytes:
        return anthropic_error(status, message)


def _fields(body: bytes) -> Fields:
    return read_object(body, go_type="anthropic.MessagesRequest", when_empty="EOF")


def _sampling(fields: Fields) -> Sampling:
    return Sampling(
        temperature=fields.number("temperature"),
        top_p=fields.number("top_p"),
        top_k=fields.whole("top_k"),
        max_tokens=fields.whole("max_tokens"),
        stop=fields.stops("stop_sequences"),
    )


def _system(fields: Fields) -> list[MessagePart]:
    """The system text's parts; empty if it is missing, an empty text or an empty list."""
    system = fields.get("system")
    if isinstance(system, list):
        return [_block(block) for block in system]
    text = fields.text("system")
    return [text_part(text)] if text else []


def _carries_system(draft: BodyEdit) -> bool:
    """Whether `read_request` makes a message of the system text."""
    system = find_value(draft, draft.root, "system")
    if system is None:
        return False
    return bool(draft.elements(system) if draft.kind(system) == "[" else draft.string(system))


def _grow_system(draft: BodyEdit, injection: Injection, *, carried: bool) -> None:
    system = find_value(draft, draft.root, "system")
    text = merged_system(injection.model_system, injection.system)
    if carried:
        grow_content(draft, draft.root, "system", injection.system)
    elif system is None:
        grow_content(draft, draft.root, "system", text)
    elif draft.kind(system) == "[":
        draft.add_first(system, f'{{"type": "text", "text": {quoted(text)}}}')
    else:
        draft.replace(system, quoted(text))


def _message(value: object) -> Message:
    fields = Fields(value, "anthropic.MessageParam")
    content = fields.get("content")
    role = role_of(fields.text("role"))
    if not isinstance(content, list):
        text = fields.text("content")
        return build_message(role, [text_part(text)] if text else [])
    blocks = [as_object(block) for block in content]
    results = [block for block in blocks if block.get("type") == "tool_result"]
    calls = [_call(block) for block in blocks if block.get("type") == "tool_use"]
    return build_message(
        Role.TOOL if results and len(results) == len(blocks) else role,
        [_block(block) for block in content if as_object(block).get("type") != "tool_use"],
        calls=calls,
        answers=as_text(results[0].get("tool_use_id")) if results else "",
    )


def _call(block: dict[str, object]) -> ToolCall:
    return ToolCall(
        id=as_text(block.get("id")),
        name=as_text(block.get("name")),
        arguments=json_text(block.get("input") or {}),
    )


TOOL_ERROR_MARK = "<tool_use_error>"
"""Tag with which Claude Code marks a tool's error within text."""


def _block(value: object) -> MessagePart:
    block = as_object(value)
    kind, said = block.get("type"), block.get("text")
    if kind == "text" and isinstance(said, str):
        return text_part(said)
    if kind == "thinking":
        return MessagePart(kind=PartKind.THINKING, text=as_text(block.get("thinking")))
    if kind == "tool_result":
        text = _result_text(block.get("content"))
        # Keep the tool's error flag, which a record as text would lose.
        if block.get("is_error") is True and not text.lstrip().startswith(TOOL_ERROR_MARK):
            text = f"{TOOL_ERROR_MARK}{text}"
        return MessagePart(kind=PartKind.TOOL_RESULT, text=text)
    if kind == "image":
        return _image(block)
    return opaque(value)


def _result_text(content: object) -> str:
    if isinstance(content, str):
        return content
    return "".join(as_text(as_object(block).get("text")) for block in as_list(content))


def _image(block: dict[str, object]) -> MessagePart:
    source = as_object(block.get("source"))
    data, url = source.get("data"), source.get("url")
    if isinstance(data, str):
        return inline_image(data)
    return MessagePart(kind=PartKind.IMAGE, text=url) if isinstance(url, str) else opaque(block)
