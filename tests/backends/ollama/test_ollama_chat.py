"""Tests of asking a model on Ollama: what is sent, how answers are read, and every failure."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import pytest_asyncio

from lull.backends.ollama.chat import OllamaChat
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
from tests.service.scripted_upstream import PATIENCE_S

HELLO = (text_message(Role.USER, "hello"),)


@pytest.fixture
def endpoint() -> Iterator[ScriptedEndpoint]:
    with ScriptedEndpoint() as made:
        yield made


@pytest_asyncio.fixture
async def model(endpoint: ScriptedEndpoint) -> AsyncIterator[OllamaChat]:
    made = OllamaChat(endpoint.address, "scripted", timeout_s=PATIENCE_S)
    yield made
    await made.close()


async def ask(model: OllamaChat, *messages: Message, **more: Any) -> Completion:
    sampling = more.pop("sampling", Sampling())
    return await model.chat(messages or HELLO, sampling=sampling, **more)


async def test_a_request_says_all_that_was_meant_and_no_more(
    endpoint: ScriptedEndpoint, model: OllamaChat
) -> None:
    nested = {"type": "object", "properties": {"a": {"type": "object", "properties": {"b": {}}}}}
    tools = [{"type": "function", "function": {"name": "look", "parameters": nested}}]
    thought = MessagePart(kind=PartKind.THINKING, text="Hm.")
    await ask(
        model,
        text_message(Role.SYSTEM, "Be kind."),
        text_message(Role.USER, "half of a pair: \ud83d"),
        Message(
            role=Role.ASSISTANT,
            parts=(thought,),
            tool_calls=(
                ToolCall(name="look", arguments='{"at": {"x": 1}}', id="call_7"),
                ToolCall(name="look", arguments="no JSON", id="call_8"),
            ),
        ),
        Message(
            role=Role.TOOL,
            parts=(MessagePart(kind=PartKind.TOOL_RESULT, text="rain"),),
            tool_call_id="call_7",
        ),
        sampling=Sampling(temperature=0.0, top_p=0.5, top_k=4, seed=3, max_tokens=9, stop=("END",)),
        format='{"type": "object"}',
        tools=json.dumps(tools),
    )
    assert endpoint.chats == [
        {
            "model": "scripted",
            "messages": [
                {"role": "system", "content": "Be kind."},
                {"role": "user", "content": "half of a pair: ?"},
                {
                    "role": "assistant",
                    "content": "",
                    "thinking": "Hm.",
                    "tool_calls": [
                        {
                            "id": "call_7",
                            "function": {"name": "look", "arguments": {"at": {"x": 1}}},
                        },
                        {
                            "id": "call_8",
                            "function": {"name": "look", "arguments": {"arguments": "no JSON"}},
                        },
                    ],
                },
                {
                    "role": "tool",
                    "content": "rain",
                    "tool_name": "look",
                    "tool_call_id": "call_7",
                },
            ],
            "stream": False,
            "options": {
                "temperature": 0.0,
                "top_p": 0.5,
                "top_k": 4,
                "seed": 3,
                "num_predict": 9,
                "stop": ["END"],
            },
            "format": {"type": "object"},
            "tools": tools,
        }
    ]


async def test_what_is_left_open_is_left_to_the_server(
    endpoint: ScriptedEndpoint, model: OllamaChat
) -> None:
    await ask(model)
    assert set(endpoint.chats[0]) == {"model", "messages", "stream", "options"}
    assert endpoint.chats[0]["options"] == {}


async def test_tool_calls_and_thinking_stand_apart_from_the_words(
    endpoint: ScriptedEndpoint, model: OllamaChat
) -> None:
    endpoint.answers(Says(text="", thinking="Let me see.", calls=(("look", {"city": "Paris"}),)))
    answer = await ask(model)
    assert answer.finish is Finish.TOOL_CALLS
    assert answer.message.text == ""
    assert answer.message.parts == (MessagePart(kind=PartKind.THINKING, text="Let me see."),)
    (call,) = answer.message.tool_calls
    assert (call.name, json.loads(call.arguments), call.id) == ("look", {"city": "Paris"}, "call_0")


@pytest.mark.parametrize(
    ("text", "thinking", "words"),
    [
        ("<think>Let me see.</think>\n\nThe answer is 42!", "Let me see.", "The answer is 42!"),
        ("<thinking>\nHm.\n</thinking> Yes.", "Hm.", "Yes."),
        ("<think>And on and on", "And on and on", ""),
        ("Say <think>no</think> more", "", "Say <think>no</think> more"),
    ],
)
async def test_thinking_amid_the_words_is_set_apart(
    endpoint: ScriptedEndpoint, model: OllamaChat, text: str, thinking: str, words: str
) -> None:
    # As recorded: with `think: false` a model may still think, within its answer.
    endpoint.answers(Says(text=text))
    message = (await ask(model)).message
    assert message.text == words
    assert [p.text for p in message.parts if p.kind is PartKind.THINKING] == (
        [thinking] if thinking else []
    )


async def test_recorded_answers_are_read(endpoint: ScriptedEndpoint, model: OllamaChat) -> None:
    """Tests reading of answers that Ollama 0.32.15 really sent."""
    cut = (
        b'{"model":"pocket","created_at":"2026-11-21T02:41:06.937053878Z","message":{"role":'
        b'"assistant","content":" apple river"},"done":true,"done_reason":"length",'
        b'"total_duration":2886843,"load_duration":711921,"prompt_eval_count":34,'
        b'"prompt_eval_duration":267000,"eval_count":2,"eval_duration":371000}'
    )
    called = (
        b'{"model":"toytool","created_at":"2026-11-21T02:41:09.436255469Z","message":{"role":'
        b'"assistant","content":"","tool_calls":[{"id":"call_a5krl2vl","function":{"index":0,'
        b'"name":"get_weather","arguments":{"city":"Paris"}}}]},"done":true,"done_reason":"stop",'
        b'"prompt_eval_count":222,"eval_count":10}'
    )
    endpoint.answers(raw(cut), raw(called))
    first, second = await ask(model), await ask(model)
    assert (first.message.text, first.finish) == (" apple river", Finish.LENGTH)
    assert (first.usage.prompt_tokens, first.usage.completion_tokens) == (34, 2)
    assert second.message.tool_calls[0].id == "call_a5krl2vl"
    assert second.finish is Finish.TOOL_CALLS


async def test_an_answer_without_its_end_mark_is_no_whole_one(
    endpoint: ScriptedEndpoint, model: OllamaChat
) -> None:
    endpoint.answers(raw(b'{"message": {"role": "assistant", "content": "half"}, "done": false}'))
    answer = await ask(model)
    assert (answer.complete, answer.finish) == (False, Finish.ERROR)
    assert answer.error


@pytest.mark.parametrize("answer", [huge(1_000_001), never_ends], ids=["huge", "endless"])
async def test_an_answer_of_any_size_is_bounded(
    endpoint: ScriptedEndpoint, model: OllamaChat, answer: Answer
) -> None:
    endpoint.answers(answer)
    found = await ask(model)
    assert (found.complete, found.message.parts) == (False, ())
    assert "longer than" in found.error


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        (resets, UpstreamDown, "connection was lost"),
        (breaks_off, UpstreamDown, "connection was lost"),
        (error(500, "unexpected EOF"), UpstreamDown, "has failed (HTTP 500): unexpected EOF"),
        (error(503, "server busy"), UpstreamDown, "has failed (HTTP 503): server busy"),
        (error(429, "too many"), UpstreamDown, "busy (HTTP 429): too many"),
        (error(401, "who are you"), RequestError, "does not let Lull in (HTTP 401): who are you"),
        (error(404, "model 'scripted' not found"), RequestError, "model 'scripted' not found"),
        (error(400, "does not support tools"), RequestError, "does not support tools"),
        (status(400, {"error": {"message": "odd"}}), RequestError, "(HTTP 400): odd"),
        (status(400, ["odd"]), RequestError, "not a chat answer"),
        (status(302, b"", Location="http://192.0.2.1/api/chat"), RequestError, "another address"),
        (BAD_GATEWAY, UpstreamDown, "(HTTP 502)."),
        (HTML_PAGE, RequestError, "not a chat answer"),
        (raw(b""), RequestError, "not a chat answer"),
        (raw(b"[]"), RequestError, "not a chat answer"),
        (raw(b"null"), RequestError, "not a chat answer"),
        (raw(b"{}"), RequestError, "not a chat answer"),
        (raw(b'{"message": "hi", "done": true}'), RequestError, "not a chat answer"),
        (raw(b"[" * 100_000), RequestError, "not a chat answer"),
        (raw(b"\xff\xfe\x00"), RequestError, "not a chat answer"),
        (raw(b'{"error": "engine died"}'), UpstreamDown, "engine died"),
    ],
)
async def test_every_failure_is_told_in_words(
    endpoint: ScriptedEndpoint,
    model: OllamaChat,
    answer: Answer,
    kind: type[LullError],
    words: str,
) -> None:
    endpoint.answers(answer)
    with pytest.raises(kind) as caught:
        await ask(model)
    assert words in caught.value.detail
    assert caught.value.hint
    assert len(caught.value.detail) < 500
    endpoint.answers(Says(text="fine again"))
    assert (await ask(model)).message.text == "fine again"


@pytest.mark.parametrize(
    "message",
    [
        {"content": None, "thinking": 3, "tool_calls": "x"},
        {"content": ["a"], "tool_calls": [3, {"function": 4}, {"function": {"name": 5}}]},
        {},
    ],
)
async def test_wrong_types_inside_an_answer_say_nothing(
    endpoint: ScriptedEndpoint, model: OllamaChat, message: object
) -> None:
    endpoint.answers(
        raw(json.dumps({"message": message, "done": True, "eval_count": "x"}).encode())
    )
    answer = await ask(model)
    assert answer.message.text == ""
    assert answer.usage.completion_tokens is None


async def test_who_is_too_slow_is_down_and_hung_up_on(endpoint: ScriptedEndpoint) -> None:
    endpoint.answers(hangs)
    model = OllamaChat(endpoint.address, "scripted", timeout_s=0.3)
    try:
        with pytest.raises(UpstreamDown, match=r"did not answer within 0\.3 s"):
            await ask(model)
    finally:
        await model.close()


async def test_who_was_never_there_is_down() -> None:
    with ScriptedEndpoint() as gone:
        address = gone.address
    model = OllamaChat(address, "scripted", timeout_s=PATIENCE_S)
    try:
        with pytest.raises(UpstreamDown, match="nothing answers"):
            await ask(model)
    finally:
        await model.close()


async def test_a_model_that_runs_elsewhere_gets_no_word(
    endpoint: ScriptedEndpoint, model: OllamaChat
) -> None:
    endpoint.show["remote_host"] = "https://ollama.com:443"
    for _ in range(2):
        with pytest.raises(RequestError, match="runs on another machine"):
            await ask(model)
    assert endpoint.chats == []


async def test_with_the_users_word_it_is_asked(endpoint: ScriptedEndpoint) -> None:
    endpoint.show["remote_host"] = "https://ollama.com:443"
    model = OllamaChat(endpoint.address, "far:cloud", timeout_s=PATIENCE_S, allow_remote=True)
    try:
        assert (await ask(model)).complete
    finally:
        await model.close()


async def test_another_machine_is_refused_before_anything_is_sent() -> None:
    with pytest.raises(SettingsError):
        OllamaChat("http://192.0.2.1:11434", "m", timeout_s=1)


async def test_nothing_of_the_environment_is_used(
    endpoint: ScriptedEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "OLLAMA_HOST"):
        monkeypatch.setenv(name, "http://192.0.2.1:9")
    monkeypatch.setenv("NO_PROXY", "")
    monkeypatch.setenv("OLLAMA_API_KEY", "a-key-for-the-cloud")
    model = OllamaChat(endpoint.address, "scripted", timeout_s=PATIENCE_S)
    try:
        assert (await ask(model)).complete
    finally:
        await model.close()
    assert endpoint.asked
    for asked in endpoint.asked:
        assert asked.header("authorization") is None
        assert b"a-key-for-the-cloud" not in asked.head


async def test_an_image_is_not_asked_again_without_its_bytes(model: OllamaChat) -> None:
    image = Message(role=Role.USER, parts=(MessagePart(kind=PartKind.IMAGE, text="sha256:1"),))
    with pytest.raises(RequestError, match="does not keep"):
        await ask(model, image)
