"""Tests of asking an OpenAI-compatible endpoint: routes, response formats, answers and failures."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from lull.backends.chat.openai_chat import OpenAIChat, open_session
from lull.core.chat.messages import (
    Completion,
    Finish,
    Message,
    MessagePart,
    PartKind,
    Role,
    Sampling,
    ToolCall,
    text_message,
)
from lull.core.errors import LullError, RequestError, SettingsError, UpstreamDown
from tests.doubles.scripted_endpoint import (
    BAD_GATEWAY,
    HTML_PAGE,
    Answer,
    Says,
    ScriptedEndpoint,
    breaks_off,
    error,
    hangs,
    huge,
    never_ends,
    raw,
    resets,
    status,
)
from tests.service.scripted_upstream import PATIENCE_S, Asked

HELLO = (text_message(Role.USER, "hello"),)
SCHEMA = '{"type": "object"}'
KEY = "sk-a-key-of-the-user"


@pytest.fixture
def endpoint() -> Iterator[ScriptedEndpoint]:
    with ScriptedEndpoint() as made:
        yield made


@pytest_asyncio.fixture
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    async with open_session() as made:
        yield made


@pytest.fixture
def model(endpoint: ScriptedEndpoint, session: aiohttp.ClientSession) -> OpenAIChat:
    return OpenAIChat(
        endpoint.address, "scripted", session=session, timeout_s=PATIENCE_S, api_key=KEY
    )


async def ask(model: OpenAIChat, *messages: Message, **more: Any) -> Completion:
    sampling = more.pop("sampling", Sampling())
    return await model.chat(messages or HELLO, sampling=sampling, **more)


@pytest.mark.parametrize(
    ("ending", "route"),
    [
        ("", "/v1/chat/completions"),
        ("/", "/v1/chat/completions"),
        ("/v1", "/v1/chat/completions"),
        ("/v1/", "/v1/chat/completions"),
        ("/api/v1/chat/completions", "/api/v1/chat/completions"),
        ("/openai", "/openai/chat/completions"),
    ],
)
async def test_the_address_may_end_anywhere_before_the_route(
    endpoint: ScriptedEndpoint, session: aiohttp.ClientSession, ending: str, route: str
) -> None:
    endpoint.script = Says(text="yes")
    model = OpenAIChat(endpoint.address + ending, "m", session=session, timeout_s=PATIENCE_S)
    assert (await ask(model)).message.text == "yes"
    assert [asked.path for asked in endpoint.asked] == [route]


async def test_a_request_says_all_that_was_meant_and_no_more(
    endpoint: ScriptedEndpoint, model: OpenAIChat
) -> None:
    two = (MessagePart(kind=PartKind.TEXT, text="one"), MessagePart(kind=PartKind.TEXT, text="two"))
    await ask(
        model,
        Message(role=Role.USER, parts=two),
        Message(role=Role.ASSISTANT, tool_calls=(ToolCall(name="look", arguments='{"x": 1}'),)),
        Message(
            role=Role.TOOL,
            parts=(MessagePart(kind=PartKind.TOOL_RESULT, text="rain"),),
            tool_call_id="look",
        ),
        sampling=Sampling(temperature=0.0, top_p=0.5, top_k=4, seed=3, max_tokens=9, stop=("END",)),
        format=SCHEMA,
        tools='[{"type": "function"}]',
    )
    function = {"name": "look", "arguments": '{"x": 1}'}
    assert endpoint.chats == [
        {
            "model": "scripted",
            "messages": [
                {
                    "role": "user",
                    "content": [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}],
                },
                {
                    "role": "assistant",
                    "content": "",
                    "tool_calls": [{"id": "call_0", "type": "function", "function": function}],
                },
                {"role": "tool", "content": "rain", "tool_call_id": "call_0"},
            ],
            "stream": False,
            "temperature": 0.0,
            "top_p": 0.5,
            "seed": 3,
            "max_tokens": 9,
            "stop": ["END"],
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "answer", "schema": {"type": "object"}},
            },
            "tools": [{"type": "function"}],
        }
    ]
    assert endpoint.asked[0].header("authorization") == f"Bearer {KEY}"


def takes(*forms: str) -> Answer:
    """Return an endpoint that accepts only these response formats and refuses every other."""

    def answer(asked: Asked) -> None:
        form = asked.json.get("response_format", {}).get("type", "")
        reply = Says(text="{}") if form in forms else error(400, f"{form} is not supported")
        reply(asked)

    return answer


@pytest.mark.parametrize(
    ("forms", "tried"),
    [
        (("json_schema", "json_object", ""), ["json_schema"]),
        (("json_object", ""), ["json_schema", "json_object"]),
        (("",), ["json_schema", "json_object", ""]),
    ],
)
async def test_a_form_that_is_refused_is_weakened_and_remembered(
    endpoint: ScriptedEndpoint, model: OpenAIChat, forms: tuple[str, ...], tried: list[str]
) -> None:
    endpoint.answers(takes(*forms))

    def asked_for() -> list[str]:
        return [body.get("response_format", {}).get("type", "") for body in endpoint.chats]

    await ask(model, format=SCHEMA)
    assert asked_for() == tried
    await ask(model, format=SCHEMA)
    assert asked_for() == [*tried, tried[-1]]


async def test_what_is_refused_in_every_form_is_refused_and_nothing_is_remembered(
    endpoint: ScriptedEndpoint, model: OpenAIChat
) -> None:
    endpoint.answers(error(400, "the prompt is too long"))
    with pytest.raises(RequestError, match="the prompt is too long"):
        await ask(model, format=SCHEMA)
    endpoint.answers(takes("json_schema"))
    await ask(model, format=SCHEMA)
    assert endpoint.chats[-1]["response_format"]["type"] == "json_schema"


async def test_plain_json_is_asked_for_as_such(
    endpoint: ScriptedEndpoint, model: OpenAIChat
) -> None:
    await ask(model, format='"json"')
    assert endpoint.chats[0]["response_format"] == {"type": "json_object"}


async def test_an_endpoint_that_wants_the_newer_limit_gets_it(
    endpoint: ScriptedEndpoint, model: OpenAIChat
) -> None:
    def newer(asked: Asked) -> None:
        old = "max_tokens" in asked.json
        words = "Unsupported parameter: use 'max_completion_tokens' instead."
        (error(400, words) if old else Says(text="yes"))(asked)

    endpoint.answers(newer)
    for _ in range(2):
        assert (await ask(model, sampling=Sampling(max_tokens=5))).message.text == "yes"
    assert [body.get("max_completion_tokens") for body in endpoint.chats] == [None, 5, 5]


async def test_tool_calls_and_thinking_stand_apart_from_the_words(
    endpoint: ScriptedEndpoint, model: OpenAIChat
) -> None:
    endpoint.answers(Says(text="", thinking="Hm.", calls=(("look", {"city": "Paris"}),)))
    answer = await ask(model)
    assert answer.finish is Finish.TOOL_CALLS
    assert answer.message.parts == (MessagePart(kind=PartKind.THINKING, text="Hm."),)
    (call,) = answer.message.tool_calls
    assert (call.name, json.loads(call.arguments), call.id) == ("look", {"city": "Paris"}, "call_0")


def whole(message: object, reason: object = "stop", **more: object) -> Answer:
    choice = {"index": 0, "message": message, "finish_reason": reason}
    return raw(json.dumps({"choices": [choice], **more}).encode())


@pytest.mark.parametrize(
    ("answer", "text", "finish"),
    [
        (whole({"content": [{"type": "text", "text": "a"}, {"text": "b"}, 3]}), "ab", Finish.STOP),
        (whole({"content": None, "refusal": "I will not."}), "I will not.", Finish.STOP),
        (whole({"content": "<think>x</think>y"}), "y", Finish.STOP),
        (whole({"content": "half"}, "length"), "half", Finish.LENGTH),
        (whole({"content": "half"}, None), "half", Finish.ERROR),
        (whole({"content": "half"}, "content_filter"), "half", Finish.ERROR),
        (whole({"content": 3}, usage={"prompt_tokens": True}), "", Finish.STOP),
        (whole({"content": "fine"}, usage=None, error=None), "fine", Finish.STOP),
    ],
)
async def test_answers_of_many_makers_are_read(
    endpoint: ScriptedEndpoint, model: OpenAIChat, answer: Answer, text: str, finish: Finish
) -> None:
    endpoint.answers(answer)
    found = await ask(model)
    assert (found.message.text, found.finish) == (text, finish)
    assert bool(found.error) is not found.complete
    assert found.usage.prompt_tokens is None


@pytest.mark.parametrize("answer", [huge(1_000_001), never_ends], ids=["huge", "endless"])
async def test_an_answer_of_any_size_is_bounded(
    endpoint: ScriptedEndpoint, model: OpenAIChat, answer: Answer
) -> None:
    endpoint.answers(answer)
    found = await ask(model)
    assert (found.complete, found.message.parts) == (False, ())
    assert "longer than" in found.error


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        (resets, UpstreamDown, "connection was lost"),
        (breaks_off, UpstreamDown, "connection was lost"),
        (error(500, "boom"), UpstreamDown, "has failed (HTTP 500): boom"),
        (error(429, "slow down"), UpstreamDown, "busy (HTTP 429): slow down"),
        (error(401, f"wrong key {KEY}"), RequestError, "(HTTP 401): wrong key …"),
        (error(404, "no such model"), RequestError, "does not know scripted"),
        (error(400, "bad"), RequestError, "(HTTP 400): bad"),
        (status(307, b"", Location="http://192.0.2.1/v1"), RequestError, "another address"),
        (BAD_GATEWAY, UpstreamDown, "(HTTP 502)."),
        (HTML_PAGE, RequestError, "not a chat answer"),
        (raw(b""), RequestError, "not a chat answer"),
        (raw(b"[1]"), RequestError, "not a chat answer"),
        (raw(b'{"choices": []}'), RequestError, "not a chat answer"),
        (raw(b'{"choices": [{"message": "hi"}]}'), RequestError, "not a chat answer"),
        (whole({"tool_calls": [3]}), RequestError, "not a chat answer"),
        (raw(b"[" * 100_000), RequestError, "not a chat answer"),
        (raw(b'{"error": {"message": "no credit", "code": 402}}'), UpstreamDown, "no credit"),
    ],
)
async def test_every_failure_is_told_in_words(
    endpoint: ScriptedEndpoint,
    model: OpenAIChat,
    answer: Answer,
    kind: type[LullError],
    words: str,
) -> None:
    endpoint.answers(answer)
    with pytest.raises(kind) as caught:
        await ask(model)
    assert words in caught.value.detail
    assert caught.value.hint
    assert KEY not in str(caught.value)
    endpoint.answers(Says(text="fine again"))
    assert (await ask(model)).message.text == "fine again"


async def test_who_is_too_slow_is_down(
    endpoint: ScriptedEndpoint, session: aiohttp.ClientSession
) -> None:
    endpoint.answers(hangs)
    model = OpenAIChat(endpoint.address, "scripted", session=session, timeout_s=0.3)
    with pytest.raises(UpstreamDown, match=r"did not answer within 0\.3 s"):
        await ask(model)


@pytest.mark.parametrize(
    ("address", "name"), [("https://api.example/v1", "m"), ("http://127.0.0.1:1", "m:cloud")]
)
async def test_another_machine_is_refused_before_anything_is_sent(
    session: aiohttp.ClientSession, address: str, name: str
) -> None:
    with pytest.raises(SettingsError):
        OpenAIChat(address, name, session=session, timeout_s=1)
    assert OpenAIChat(address, name, session=session, timeout_s=1, allow_remote=True).name == name


async def test_no_proxy_of_the_environment_is_used(
    endpoint: ScriptedEndpoint, model: OpenAIChat, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://192.0.2.1:9")
    assert (await ask(model)).complete
