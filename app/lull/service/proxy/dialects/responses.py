"""Reads requests of OpenAI's `/v1/responses`, and inserts skills (instruction texts) into their
prompts.

`instructions` hold the system text; `input` is a text or a list of items. Each item becomes one
message, so that an item and its message have the same index. Bodies arrive uncompressed.
"""

from __future__ import annotations

from collections.abc import Sequence

from lull.core.chat.json_edit import BodyEdit, JsonSpan, quoted
from lull.core.chat.messages import ChatRequest, Message, MessagePart, PartKind, Role, ToolCall
from lull.core.skills.prompt_block import Injection, merged_system
from lull.service.proxy.dialects.answer_reading import (
    EventReader,
    WholeReader,
    as_list,
    as_object,
    as_text,
)
from lull.service.proxy.dialects.base import (
    AnswerFacts,
    AnswerReader,
    AnswerWriter,
    EngineRequestOptions,
    LoadRequest,
)
from lull.service.proxy.dialects.json_insertion import (
    add_to_user_messages,
    filled_array,
    filled_string,
    find_value,
    grow_first_system,
    grow_prompt,
    grow_string,
    set_member,
)
from lull.service.proxy.dialects.openai import (
    asks_for_thinking,
    read_content,
    read_message,
    read_sampling,
    wanted_format,
)
from lull.service.proxy.dialects.openai_answers import openai_error
from lull.service.proxy.dialects.parts import (
    Fields,
    bad_request,
    build_message,
    json_text,
    json_text_or_empty,
    opaque,
    read_object,
    text_part,
)
from lull.service.proxy.dialects.responses_answers import ResponsesWriter, add_event, add_response
from lull.service.proxy.dialects.unsupported_content import refuse_responses_items


class Responses:
    """Reads requests of OpenAI's `/v1/responses`, inserts skills into them, and reads and writes
    answers; implements Dialect, the interface of all chat API formats.
    """

    name = "openai"
    route = "/v1/responses"

    def read_request(self, body: bytes) -> ChatRequest:
        fields = _fields(body)
        if not fields.text("model"):
            raise bad_request("model is required")
        instructions = fields.text("instructions")
        system = (build_message(Role.SYSTEM, [text_part(instructions)]),) if instructions else ()
        return ChatRequest(
            model=fields.text("model"),
            messages=(*system, *_input_messages(fields)),
            stream=fields.flag("stream"),
            sampling=read_sampling(fields, "max_output_tokens"),
            tools=json_text_or_empty(fields.items("tools", "[]openai.ResponsesTool")),
            format=wanted_format(fields.child("text").child("format")),
        )

    def read_engine_options(self, body: bytes) -> EngineRequestOptions:
        fields = _fields(body)
        effort = fields.child("reasoning").text("effort")
        refuse_responses_items(fields.get("input"))
        return EngineRequestOptions(
            idle=None if fields.get("input") else LoadRequest.LOAD, think=asks_for_thinking(effort)
        )

    def injectable(self, body: bytes) -> bool:
        try:
            draft = BodyEdit(body)
            return filled_string(draft, "input") or filled_array(draft, "input")
        except ValueError:
            return False

    def inject(self, body: bytes, injection: Injection) -> bytes:
        draft = BodyEdit(body)
        instructed = filled_string(draft, "instructions")
        given = find_value(draft, draft.root, "input")
        if given is None:
            raise ValueError("no input")
        items = draft.elements(given) if draft.kind(given) == "[" else []
        if injection.system:
            _grow_system(draft, items, injection)
        if items:
            indexed = dict(enumerate(items, start=int(instructed)))
            add_to_user_messages(draft, indexed, injection, part_type="input_text")
            return draft.edited_body()
        grow_prompt(draft, given, injection, at=int(instructed))
        return draft.edited_body()

    def reader(self, *, stream: bool) -> AnswerReader:
        return EventReader(add_event) if stream else WholeReader(add_response)

    def writer(self, body: bytes, request: ChatRequest, facts: AnswerFacts) -> AnswerWriter:
        return ResponsesWriter(facts, _fields(body), stream=request.stream)

    def error(self, status: int, message: str) -> bytes:
        return openai_error(status, message)


def _fields(body: bytes) -> Fields:
    return read_object(body, go_type="openai.ResponsesRequest", when_empty="EOF")


def _grow_system(draft: BodyEdit, items: Sequence[JsonSpan], injection: Injection) -> None:
    """Add to the instructions, or to an existing system item, so that there is no second one."""
    found = find_value(draft, draft.root, "instructions")
    if found is not None and draft.string(found):
        grow_string(draft, found, injection.system)
        return
    if grow_first_system(draft, items, injection.system):
        return
    text = quoted(merged_system(injection.model_system, injection.system))
    if found is None:
        set_member(draft, draft.root, "instructions", text)
    else:
        draft.replace(found, text)


def _input_messages(fields: Fields) -> tuple[Message, ...]:
    given = fields.get("input")
    if isinstance(given, str):
        return (build_message(Role.USER, [text_part(given)]),) if given else ()
    return tuple(map(_item, fields.items("input", "openai.ResponsesInput")))


def _item(value: object) -> Message:
    item = as_object(value)
    kind = item.get("type", "message")
    if kind == "message":
        return read_message(value)
    if kind == "function_call":
        call = ToolCall(
            id=as_text(item.get("call_id")),
            name=as_text(item.get("name")),
            arguments=as_text(item.get("arguments")),
        )
        return build_message(Role.ASSISTANT, [], calls=[call])
    if kind == "function_call_output":
        output = item.get("output")
        parts = read_content(output if isinstance(output, str | list) else json_text(output))
        return build_message(Role.TOOL, parts, answers=as_text(item.get("call_id")))
    if kind == "reasoning":
        return build_message(Role.ASSISTANT, [_thought(item)])
    return build_message(Role.ASSISTANT, [opaque(value)])


def _thought(item: dict[str, object]) -> MessagePart:
    summary = (as_object(part).get("text") for part in as_list(item.get("summary")))
    return MessagePart(kind=PartKind.THINKING, text="".join(map(as_text, summary)))
