"""Tests of reading each protocol's requests into Lull's own types, and of refusing absurd ones."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lull.core.chat.messages import PartKind, Role
from lull.core.errors import RequestError
from lull.core.skills.prompt_block import Injection
from lull.service.proxy.dialects import CHAT_ROUTES
from tests.service.proxy.dialects.small_requests import (
    ANTHROPIC,
    CHAT,
    OPENAI,
    RESPONSES,
    body,
    user,
)

PIXEL = base64.b64encode(b"pixel").decode()
PIXEL_NAME = f"sha256:{hashlib.sha256(b'pixel').hexdigest()}"


@pytest.mark.parametrize(
    ("options", "window"),
    [({"num_ctx": 512}, 512), ({"num_ctx": 512.9}, 512), ({"num_ctx": 0}, None), ({}, None)],
)
@pytest.mark.parametrize("route", ["/api/chat", "/api/generate"])
def test_a_native_request_may_ask_for_its_window(
    route: str, options: dict[str, Any], window: int | None
) -> None:
    said = {"model": "m", "prompt": "hi", "messages": [user("hi")], "options": options}
    assert CHAT_ROUTES[route].read_request(json.dumps(said).encode()).window_tokens == window


def test_a_native_chat_in_our_nouns() -> None:
    arguments = {"city": "Paris"}
    call = {"id": "c1", "function": {"name": "f", "arguments": arguments}}
    request = CHAT.read_request(
        body(
            messages=[
                {"role": "SYSTEM", "content": "S"},
                {"role": "user", "content": "look", "images": [PIXEL]},
                {"role": "assistant", "content": "", "thinking": "hm", "tool_calls": [call]},
                {"role": "tool", "tool_name": "f", "content": "rain"},
            ],
            tools=[{"type": "function"}],
            format="json",
            options={"temperature": 0, "top_k": 5, "seed": -1, "num_predict": -1, "stop": ["e"]},
        )
    )
    assert request.stream
    assert request.system == "S"
    _, look, thought, result = request.messages
    assert [(part.kind, part.text) for part in look.parts] == [
        (PartKind.TEXT, "look"),
        (PartKind.IMAGE, PIXEL_NAME),
    ]
    assert thought.parts[0].kind is PartKind.THINKING
    assert json.loads(thought.tool_calls[0].arguments) == arguments
    assert (result.role, result.tool_call_id, result.text) == (Role.TOOL, "f", "rain")
    assert (request.tools, request.format) == ('[{"type":"function"}]', '"json"')
    sampling = request.sampling
    assert (sampling.temperature, sampling.top_k, sampling.stop) == (0, 5, ("e",))
    assert (sampling.seed, sampling.max_tokens) == (None, None)


def test_an_openai_chat_in_our_nouns() -> None:
    parts = [
        {"type": "text", "text": "look"},
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}},
        {"type": "image_url", "image_url": "http://x/y.png"},
        {"type": "input_audio", "input_audio": {"data": "…"}},
    ]
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
    request = OPENAI.read_request(
        body(
            messages=[
                {"role": "developer", "content": "S"},
                user(parts),
                {"role": "assistant", "content": None, "reasoning": "hm", "tool_calls": [call]},
                {"role": "tool", "tool_call_id": "c1", "content": "rain"},
            ],
            stop="e",
            max_completion_tokens=7,
            response_format={"type": "json_object"},
        )
    )
    assert not request.stream
    assert request.system == "S"
    kinds = [part.kind for part in request.messages[1].parts]
    assert kinds == [PartKind.TEXT, PartKind.IMAGE, PartKind.IMAGE, PartKind.OPAQUE]
    assert request.messages[1].parts[1].text == PIXEL_NAME
    assert json.loads(request.messages[1].parts[3].text) == parts[3]
    assert request.messages[2].tool_calls[0].arguments == '{"a": 1}'
    assert request.messages[3].parts[0].kind is PartKind.TOOL_RESULT
    assert (request.sampling.stop, request.sampling.max_tokens) == (("e",), 7)
    assert request.format == '"json"'


def test_responses_items_are_one_message_each() -> None:
    items = [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "w?"}]},
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]},
        {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "rain"},
        {"type": "web_search_call", "id": "ws"},
    ]
    request = RESPONSES.read_request(body(input=items, instructions="S", max_output_tokens=3))
    roles = [message.role for message in request.messages]
    assert roles == [Role.SYSTEM, Role.USER, *[Role.ASSISTANT] * 2, Role.TOOL, Role.ASSISTANT]
    assert request.messages[3].tool_calls[0].name == "f"
    assert (request.messages[4].tool_call_id, request.messages[4].text) == ("c1", "rain")
    assert request.messages[5].parts[0].kind is PartKind.OPAQUE
    assert request.sampling.max_tokens == 3


def test_an_anthropic_request_in_our_nouns() -> None:
    source = {"type": "base64", "media_type": "image/png", "data": PIXEL}
    use = {"type": "tool_use", "id": "t1", "name": "f", "input": {"a": 1}}
    result = {
        "type": "tool_result",
        "tool_use_id": "t1",
        "content": [{"type": "text", "text": "r"}],
    }
    request = ANTHROPIC.read_request(
        body(
            max_tokens=9,
            system=[{"type": "text", "text": "S"}],
            messages=[
                user([{"type": "text", "text": "look"}, {"type": "image", "source": source}]),
                {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}, use]},
                user([result]),
                user([result, {"type": "text", "text": "and?"}, {"type": "document"}]),
            ],
        )
    )
    assert request.system == "S"
    assert request.messages[1].parts[1].text == PIXEL_NAME
    assert json.loads(request.messages[2].tool_calls[0].arguments) == {"a": 1}
    only, mixed = request.messages[3:]
    assert (only.role, only.tool_call_id, only.text) == (Role.TOOL, "t1", "r")
    kinds = [part.kind for part in mixed.parts]
    assert mixed.role is Role.USER
    assert kinds == [PartKind.TOOL_RESULT, PartKind.TEXT, PartKind.OPAQUE]
    assert request.sampling.max_tokens == 9


def test_half_a_surrogate_pair_becomes_a_character() -> None:
    request = CHAT.read_request(b'{"model":"m","messages":[{"role":"user","content":"\\ud83d x"}]}')
    assert request.messages[0].text == "\ufffd x"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"{bad", "invalid character 'b' looking for beginning of object key string"),
        (b'{"model":"pocket","messages":[', "unexpected EOF"),
        (b'{"model":"po', "unexpected EOF"),
        (b"[]", "json: cannot unmarshal array into Go value of type api.ChatRequest"),
        (b"\xef\xbb\xbf{}", "invalid character '\ufeff' looking for beginning of value"),
        (b"[" * 100_000, "exceeded max depth"),
        (b'{"model": NaN}', "invalid character 'N' looking for beginning of value"),
    ],
)
def test_what_is_wrong_is_said_in_gos_words(data: bytes, words: str) -> None:
    with pytest.raises(RequestError) as caught:
        CHAT.read_request(data)
    assert (caught.value.status, caught.value.detail) == (400, words)


ODD = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "role",
                    "content",
                    "type",
                    "text",
                    "options",
                    "stop",
                    "system",
                    "function",
                    "input",
                    "images",
                    "image_url",
                    "source",
                    "tool_calls",
                    "summary",
                    "arguments",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=15,
)
KEYS = st.sampled_from(
    [
        "messages",
        "prompt",
        "input",
        "system",
        "instructions",
        "options",
        "stop",
        "tools",
        "format",
        "stream",
        "keep_alive",
        "think",
        "logprobs",
        "max_tokens",
        "response_format",
        "text",
        "reasoning",
        "context",
        "suffix",
        "raw",
        "temperature",
    ]
)


@pytest.mark.slow
@given(st.sampled_from(sorted(CHAT_ROUTES)), st.dictionaries(KEYS, ODD, max_size=6))
def test_absurd_requests_are_a_clear_error_or_fine(route: str, fields: dict[str, Any]) -> None:
    dialect, data = CHAT_ROUTES[route], body(**fields)
    for read in (dialect.read_request, dialect.read_engine_options):
        try:
            read(data)
        except RequestError as error:
            assert 400 <= error.status <= 500
            assert error.detail
    if dialect.injectable(data):
        try:
            edited = dialect.inject(data, Injection(system="B", suffixes=((0, "x"),)))
        except ValueError:
            return
        json.loads(edited)


def test_a_tool_s_error_flag_is_recorded_in_words() -> None:
    body = {
        "model": "m",
        "max_tokens": 5,
        "messages": [
            {"role": "user", "content": "build it"},
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {}}],
            },
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "t1",
                        "is_error": True,
                        "content": "no rule to make target",
                    }
                ],
            },
        ],
    }
    read = CHAT_ROUTES["/v1/messages"].read_request(json.dumps(body).encode())
    assert read.messages[-1].text == "<tool_use_error>no rule to make target"
