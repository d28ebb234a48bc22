"""Tests of what is recorded of an answer, however its bytes are cut into pieces."""

from __future__ import annotations

import json
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lull.core.chat.messages import Completion, Finish, PartKind
from lull.service.proxy.dialects import CHAT_ROUTES
from lull.service.proxy.dialects.answer_reading import (
    MOST_ANSWER_BYTES,
    MOST_ANSWER_CHARACTERS,
    TOO_LONG,
)
from tests.paths import HANDOUT

RECORDINGS = HANDOUT / "data" / "ollama-wire"
VERSIONS = ("0.24.0", "0.32.15")
CUT_OFF = ("engine-died", "client-disconnect")
needs_recordings = pytest.mark.skipif(not RECORDINGS.is_dir(), reason="the recordings are not here")


@cache
def record(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def chats() -> list[Path]:
    """Return the recordings of requests to a chat route that got an answer."""
    found = [path for version in VERSIONS for path in sorted((RECORDINGS / version).glob("*.json"))]
    return [path for path in found if is_chat(record(path))]


def is_chat(recording: Any) -> bool:
    request, response = recording["request"], recording["response"]
    route = request["path"].partition("?")[0]
    return request["method"] == "POST" and route in CHAT_ROUTES and response["status"] == 200


def read(recording: Any, *, hung_up: bool = False, step: int = 0) -> Completion:
    dialect = CHAT_ROUTES[recording["request"]["path"].partition("?")[0]]
    request = dialect.read_request(recording["request"]["body"].encode())
    reader = dialect.reader(stream=request.stream)
    data = "".join(chunk["text"] for chunk in recording["response"]["body_chunks"]).encode()
    step = step or len(data) or 1
    for at in range(0, len(data), step):
        reader.feed(data[at : at + step])
    return reader.completion(hung_up=hung_up)


def named(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


@needs_recordings
def test_every_recorded_answer_is_read(subtests: pytest.Subtests) -> None:
    paths = chats()
    assert paths
    for path in paths:
        with subtests.test(named(path)):
            recording = record(path)
            completion = read(recording)
            assert read(recording, step=7) == completion
            if path.stem.endswith(CUT_OFF) and "-after-" not in path.stem:
                assert completion.finish is Finish.ERROR
                assert completion.error
                assert completion.message.text.startswith("tick")
            elif "_debug_render_only" not in recording["request"]["body"]:
                assert completion.complete, completion.error
                said = completion.message.parts or completion.message.tool_calls
                assert said or (completion.usage.completion_tokens or 0) <= 2


ENDINGS: list[tuple[str, Finish]] = [
    ("api-chat-length", Finish.LENGTH),
    ("api-generate-stream-24", Finish.LENGTH),
    ("api-chat-tool-call-stream", Finish.TOOL_CALLS),
    ("v1-chat-tool-call-stream", Finish.TOOL_CALLS),
    ("v1-chat-stream-length", Finish.LENGTH),
    ("v1-responses-length", Finish.LENGTH),
    ("v1-responses-stream-24", Finish.LENGTH),
    ("v1-responses-tool-call-stream", Finish.TOOL_CALLS),
    ("v1-responses-tool-call-nonstream", Finish.TOOL_CALLS),
    ("v1-messages-tool-use-stream", Finish.TOOL_CALLS),
    ("v1-messages-tool-use-nonstream", Finish.TOOL_CALLS),
    ("v1-messages-stream-length", Finish.LENGTH),
]


@needs_recordings
def test_how_it_ended(subtests: pytest.Subtests) -> None:
    for version, (case, finish) in product(VERSIONS, ENDINGS):
        with subtests.test(version=version, case=case, finish=finish):
            completion = read(record(RECORDINGS / version / f"{case}.json"))
            assert completion.finish is finish
            if finish is Finish.TOOL_CALLS:
                (call,) = completion.message.tool_calls
                assert call.name == "get_weather"
                assert json.loads(call.arguments) == {"city": "Paris"}
                assert call.id.startswith("call_")


@needs_recordings
@pytest.mark.parametrize(
    "case",
    [
        "api-chat-think-stream",
        "api-generate-think",
        "v1-chat-think-stream",
        "v1-responses-reasoning-stream",
        "v1-responses-reasoning-nonstream",
        "v1-messages-thinking-stream",
    ],
)
def test_thinking_is_kept_apart(case: str) -> None:
    completion = read(record(RECORDINGS / "0.24.0" / f"{case}.json"))
    kinds = [part.kind for part in completion.message.parts]
    assert kinds == [PartKind.THINKING, PartKind.TEXT]
    assert completion.message.parts[0].text == "Let me see. A toy thought"
    assert completion.message.text == "The answer is 42!"


@needs_recordings
def test_a_client_that_hung_up_is_not_an_error() -> None:
    completion = read(record(RECORDINGS / "0.24.0/api-chat-client-disconnect.json"), hung_up=True)
    assert completion.finish is Finish.HANGUP
    assert not completion.complete


NDJSON = (
    '{"message":{"role":"assistant","content":"café "},"done":false}\r\n'
    '{"message":{"role":"assistant","content":"😀"},"done":false}\n'
    '{"message":{"content":""},"done":true,"done_reason":"stop","eval_count":3}'
).encode()
SSE = (
    ': a comment\n\ndata: {"choices":[{"index":0,"delta":{"content":"café "}}]}\r\n\r\n'
    'data: {"choices":[{"index":1,"delta":{"content":"other"}}]}\n\n'
    'data: {"choices":[{"index":0,"delta":{"content":"😀"},"finish_reason":"stop"}]}\n\n'
    "data: [DONE]\n\n"
).encode()


@given(st.sampled_from([("/api/chat", NDJSON), ("/v1/chat/completions", SSE)]), st.data())
def test_characters_torn_between_reads(stream: tuple[str, bytes], data: st.DataObject) -> None:
    route, body = stream
    cuts = sorted(data.draw(st.lists(st.integers(0, len(body)))))
    reader = CHAT_ROUTES[route].reader(stream=True)
    for start, end in zip([0, *cuts], [*cuts, len(body)], strict=True):
        reader.feed(body[start:end])
    completion = reader.completion()
    assert completion.message.text == "café 😀"
    assert completion.finish is Finish.STOP


@given(st.sampled_from(sorted(CHAT_ROUTES)), st.booleans(), st.lists(st.binary()))
def test_nothing_that_a_server_sends_raises(route: str, stream: bool, data: list[bytes]) -> None:
    reader = CHAT_ROUTES[route].reader(stream=stream)
    for piece in data:
        reader.feed(piece)
    assert reader.completion().finish is Finish.ERROR


ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "type",
                    "message",
                    "content",
                    "delta",
                    "choices",
                    "index",
                    "error",
                    "response",
                    "usage",
                    "done",
                    "item",
                    "output",
                    "tool_calls",
                    "function",
                    "arguments",
                    "finish_reason",
                    "stop_reason",
                    "content_block",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(st.sampled_from(sorted(CHAT_ROUTES)), st.booleans(), ODD)
def test_wrong_types_everywhere_raise_nothing(route: str, stream: bool, value: object) -> None:
    reader = CHAT_ROUTES[route].reader(stream=stream)
    text = json.dumps(value)
    reader.feed(text.encode() if not stream else f"data: {text}\n\n{text}\n".encode())
    reader.completion()


def test_an_error_line_in_mid_stream() -> None:
    reader = CHAT_ROUTES["/api/chat"].reader(stream=True)
    reader.feed(b'{"message":{"content":"half"},"done":false}\n{"error":"it broke"}\n')
    completion = reader.completion()
    assert (completion.finish, completion.error) == (Finish.ERROR, "it broke")
    assert completion.message.text == "half"


def test_an_error_body_where_a_stream_was_expected() -> None:
    reader = CHAT_ROUTES["/v1/chat/completions"].reader(stream=True)
    reader.feed(b'{"error":{"message":"model not found","type":"not_found_error"}}\n')
    assert reader.completion().error == "model not found"


@pytest.mark.parametrize("stream", [True, False])
def test_an_endless_answer_is_cut_and_never_complete(stream: bool) -> None:
    reader = CHAT_ROUTES["/api/chat"].reader(stream=stream)
    line = b'{"message":{"content":"' + b"x" * 1_000_000 + b'"},"done":false}\n'
    for _ in range(MOST_ANSWER_BYTES // len(line) + 2):
        reader.feed(line)
    reader.feed(b'{"done":true,"done_reason":"stop"}\n')
    completion = reader.completion()
    assert (completion.finish, completion.error) == (Finish.ERROR, TOO_LONG)
    assert len(completion.message.text) <= MOST_ANSWER_CHARACTERS


def test_an_endless_line_is_dropped() -> None:
    reader = CHAT_ROUTES["/api/chat"].reader(stream=True)
    for _ in range(MOST_ANSWER_BYTES // 1_000_000 + 2):
        reader.feed(b"x" * 1_000_000)
    reader.feed(b'\n{"message":{"content":"after"},"done":true}\n')
    completion = reader.completion()
    assert (completion.finish, completion.error) == (Finish.ERROR, TOO_LONG)
    assert completion.message.text == "after"
