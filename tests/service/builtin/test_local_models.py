"""Tests of chats with the built-in model: what the engine is asked, refusals, and cancelling."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from lull.core.chat.messages import Finish, Role, Sampling
from lull.core.models.engine import GenerateRequest
from lull.service.builtin.model import EngineModels, ServedModel
from lull.service.proxy.dialects import CHAT_ROUTES
from lull.service.proxy.forward import ProxyAnswer
from tests.doubles.fake_engine import FakeEngine
from tests.service.builtin.scripted import ScriptedEngine, StoppedClock, pocket

USER = {"role": "user", "content": "list apple river"}
ASKS = {
    "/api/chat": {"messages": [USER]},
    "/api/generate": {"prompt": "list apple river"},
    "/v1/chat/completions": {"messages": [USER]},
    "/v1/completions": {"prompt": "list apple river"},
    "/v1/responses": {"input": "list apple river"},
    "/v1/messages": {"messages": [USER], "max_tokens": 8},
}
ROUTES = sorted(ASKS)


def models(
    engine: ScriptedEngine, *, adapter: str | None = None, window: int = 2048
) -> EngineModels:
    served = EngineModels(clock=StoppedClock())
    model = pocket(window_tokens=window)
    served.publish(ServedModel(model=model, engine=engine, adapter=adapter))
    return served


async def answer(engine: ScriptedEngine, route: str, **fields: Any) -> ProxyAnswer:
    data = json.dumps({"model": "pocket", **ASKS[route], **fields}).encode()
    return await models(engine).answer(CHAT_ROUTES[route], data)


async def text(said: ProxyAnswer) -> str:
    return b"".join([piece async for piece in said.chunks]).decode()


async def asked(route: str, **fields: Any) -> GenerateRequest:
    engine = ScriptedEngine()
    said = await answer(engine, route, **fields)
    assert said.status == 200
    await text(said)
    return engine.asked[0]


# What the engine is asked


@pytest.mark.parametrize("route", ROUTES)
async def test_the_defaults_are_ollamas(route: str) -> None:
    sampling = (await asked(route)).sampling
    openai = route.startswith("/v1/") and route != "/v1/messages"
    wanted = (1.0, 1.0, 40) if openai else (0.8, 0.9, 40)
    assert (sampling.temperature, sampling.top_p, sampling.top_k) == wanted


async def test_the_models_own_defaults_come_before_ollamas() -> None:
    engine = ScriptedEngine()
    served = EngineModels(clock=StoppedClock())
    own = Sampling(temperature=0.1, stop=("X",), max_tokens=9)
    served.publish(ServedModel(model=replace(pocket(), sampling=own), engine=engine))
    for route in ("/api/chat", "/v1/messages", "/v1/chat/completions"):
        data = json.dumps({"model": "pocket", **ASKS[route]}).encode()
        await text(await served.answer(CHAT_ROUTES[route], data))
    assert [request.sampling.temperature for request in engine.asked] == [0.1, 0.1, 0.1]
    assert engine.asked[0].sampling.stop == ("X",)
    # The second names a limit of its own.
    assert [request.sampling.max_tokens for request in engine.asked] == [9, 8, 9]


async def test_options_reach_the_engine() -> None:
    options = {"temperature": 0, "seed": 7, "num_predict": 3, "stop": ["e"], "top_k": 2.0}
    sampling = (await asked("/api/chat", options=options)).sampling
    assert (sampling.temperature, sampling.seed, sampling.max_tokens) == (0, 7, 3)
    assert (sampling.stop, sampling.top_k) == (("e",), 2)


async def test_a_raw_prompt_has_no_template_and_no_context() -> None:
    request = await asked("/api/generate", raw=True)
    assert (request.prompt, request.messages, request.prompt_ids) == ("list apple river", (), ())


async def test_generate_hands_back_the_tokens_and_takes_them_again() -> None:
    engine = ScriptedEngine()
    said = json.loads(await text(await answer(engine, "/api/generate", stream=False)))
    assert said["context"] == [*range(16), 0, 1]
    request = await asked("/api/generate", context=said["context"])
    assert request.prompt_ids == (*said["context"], *range(16))


async def test_parts_are_joined_as_ollama_joins_them() -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    content = [{"role": "user", "content": parts}]
    assert (await asked("/v1/chat/completions", messages=content)).messages[0].text == "a\n\nb"
    assert (await asked("/v1/messages", messages=content)).messages[0].text == "ab"


async def test_the_published_adapter_answers_unless_the_turn_was_stamped_with_another() -> None:
    engine = ScriptedEngine()
    served, data = (
        models(engine, adapter="v2"),
        json.dumps({"model": "POCKET", **ASKS["/api/chat"]}),
    )
    dialect = CHAT_ROUTES["/api/chat"]
    for chosen in ({}, {"adapter": "v1"}, {"adapter": None}):
        await text(await served.answer(dialect, data.encode(), **chosen))
    assert [request.adapter for request in engine.asked] == ["v2", "v1", None]
    assert served.facts("pocket:latest").adapter == "v2"


@pytest.mark.parametrize("turns", [60, 300, 5000])
async def test_old_messages_go_also_where_the_engine_counts_no_further(turns: int) -> None:
    """A history longer than the window is cut, though the engine refuses to count its tokens."""
    engine = FakeEngine(lambda _: "fine", window_tokens=512)
    served = EngineModels(clock=StoppedClock())
    served.publish(ServedModel(model=pocket(window_tokens=512), engine=engine))
    system = {"role": "system", "content": "be kind"}
    history = [{"role": "user", "content": f"list apple river {n}"} for n in range(turns)]
    body = json.dumps({"model": "pocket", "stream": False, "messages": [system, *history]})
    said = await served.answer(CHAT_ROUTES["/api/chat"], body.encode())
    assert (said.status, json.loads(await text(said))["message"]["content"]) == (200, "fine")
    first, *kept = (message.text for message in engine.requests[0].messages)
    assert first == "be kind"
    assert kept == [message["content"] for message in history[-len(kept) :]]
    assert 50 < len(kept) < 128 or len(kept) == turns


async def test_a_newest_message_that_alone_is_too_long_is_refused_in_a_clear_sentence() -> None:
    engine = FakeEngine(lambda _: "fine", window_tokens=64)
    served = EngineModels(clock=StoppedClock())
    served.publish(ServedModel(model=pocket(window_tokens=64), engine=engine))
    long = {"role": "user", "content": "apple " * 80}
    body = json.dumps({"model": "pocket", "stream": False, "messages": [USER, long]}).encode()
    said = await served.answer(CHAT_ROUTES["/api/chat"], body)
    assert said.status == 400
    assert "the model's window is 64" in json.loads(await text(said))["error"]


async def test_old_messages_go_when_the_window_is_full() -> None:
    engine = ScriptedEngine()
    history = [{"role": "user", "content": f"{n} " + "x" * 100} for n in range(20)]
    data = {"model": "pocket", "messages": [{"role": "system", "content": "S"}, *history]}
    served = models(engine, window=512)
    await text(await served.answer(CHAT_ROUTES["/api/chat"], json.dumps(data).encode()))
    kept = engine.asked[0].messages
    assert kept[0].role is Role.SYSTEM
    # A quarter of the window is the answer's, or what the client wants at most where that is less.
    assert [message.text.split()[0] for message in kept[1:]] == ["17", "18", "19"]
    data["options"] = {"num_predict": 20}
    await text(await served.answer(CHAT_ROUTES["/api/chat"], json.dumps(data).encode()))
    kept = engine.asked[1].messages
    assert [message.text.split()[0] for message in kept[1:]] == ["16", "17", "18", "19"]
    data["truncate"] = False
    await text(await served.answer(CHAT_ROUTES["/api/chat"], json.dumps(data).encode()))
    assert len(engine.asked[2].messages) == 21


# Refusals that the recordings do not show


@pytest.mark.parametrize("route", ["/api/chat", "/api/generate", "/v1/chat/completions"])
async def test_structured_output_is_refused_in_a_clear_sentence(route: str) -> None:
    schema = {"type": "json_schema", "json_schema": {"schema": {"type": "object"}}}
    fields = {"response_format": schema} if "v1" in route else {"format": {"type": "object"}}
    said = await answer(ScriptedEngine(), route, **fields)
    assert said.status == 400
    assert "structured output" in await text(said)


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("stream", [True, False])
async def test_an_engine_that_is_down_is_a_503_before_any_byte(route: str, stream: bool) -> None:
    engine = ScriptedEngine(down=True)
    said = await answer(engine, route, stream=stream)
    assert said.status == 503
    assert said.error
    assert "It is starting. Try again soon." in await text(said)


@pytest.mark.parametrize("route", ROUTES)
async def test_an_engine_that_dies_in_mid_stream_says_so_in_the_dialect(route: str) -> None:
    engine = ScriptedEngine(dies_after=1)
    said = await answer(engine, route, stream=True)
    assert said.status == 200
    body = await text(said)
    assert "an error was encountered while running the model: unexpected EOF" in body
    reader = CHAT_ROUTES[route].reader(stream=True)
    reader.feed(body.encode())
    assert reader.completion().finish is Finish.ERROR
    assert reader.completion().message.text == " apple"


@pytest.mark.parametrize("route", ROUTES)
async def test_an_engine_that_dies_in_an_unstreamed_answer_is_a_500(route: str) -> None:
    engine = ScriptedEngine(dies_after=1)
    said = await answer(engine, route, stream=False)
    assert said.status == 500
    assert "unexpected EOF" in await text(said)
    assert engine.closed == 1


async def test_an_empty_chat_loads_the_model_or_says_why_not() -> None:
    engine = ScriptedEngine(loaded=False)
    said = json.loads(await text(await answer(engine, "/api/chat", messages=[])))
    assert (said["done_reason"], engine.loaded) == ("load", True)
    said = json.loads(await text(await answer(engine, "/api/chat", messages=[], keep_alive="0s")))
    assert said["done_reason"] == "unload"
    assert (await answer(ScriptedEngine(down=True), "/api/chat", messages=[])).status == 503
    assert engine.asked == []


# Clients that leave


@pytest.mark.parametrize("route", ROUTES)
async def test_closing_the_answer_stops_the_engine_at_once(route: str) -> None:
    engine = ScriptedEngine(endless=True)
    said = await answer(engine, route, stream=True)
    await anext(aiter(said.chunks))
    assert engine.closed == 0
    await said.chunks.aclose()  # type: ignore[attr-defined]
    assert engine.closed == 1
    assert [piece async for piece in said.chunks] == []


async def test_a_cancelled_request_stops_the_engine() -> None:
    engine = ScriptedEngine(endless=True)
    waiting = asyncio.create_task(answer(engine, "/api/chat", stream=False))
    await engine.speaking.wait()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert engine.closed == 1


# What our own answers say to our own readers


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("finish", [Finish.STOP, Finish.LENGTH])
async def test_a_reader_hears_what_a_writer_said(route: str, stream: bool, finish: Finish) -> None:
    engine = ScriptedEngine(pieces=(" café", " <b> 😀"), finish=finish)
    said = await answer(engine, route, stream=stream)
    reader = CHAT_ROUTES[route].reader(stream=stream)
    async for piece in said.chunks:
        reader.feed(piece)
    completion = reader.completion()
    assert completion.message.text == " café <b> 😀"
    assert completion.finish is (Finish.STOP if route == "/v1/responses" else finish)
    if stream and route in ("/v1/chat/completions", "/v1/completions"):
        return  # there the usage is only sent when asked for
    assert (completion.usage.prompt_tokens, completion.usage.completion_tokens) == (34, 3)


@pytest.mark.parametrize("route", ["/api/chat", "/api/generate"])
@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"keep_alive": True}, "Unsupported type: 'bool'"),
        ({"keep_alive": []}, "Unsupported type: '[]interface {}'"),
        ({"keep_alive": {}}, "Unsupported type: 'map[string]interface {}'"),
        ({"images": [5]}, "cannot unmarshal number into Go value of type api.ImageData"),
        ({"images": [{}]}, "cannot unmarshal object into Go value of type api.ImageData"),
    ],
)
async def test_a_wrong_type_is_refused_as_ollama_refuses_it(
    route: str, wrong: dict[str, Any], words: str
) -> None:
    if "images" in wrong and route == "/api/chat":
        wrong = {"messages": [{**USER, **wrong}]}
    said = await answer(ScriptedEngine(), route, **wrong)
    assert said.status == 400
    assert words in json.loads(await text(said))["error"]


CHAT, RESPOND, ANTHROPIC = "/v1/chat/completions", "/v1/responses", "/v1/messages"


def parts(*content: object) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": list(content)}]}


def items(*content: object) -> dict[str, Any]:
    return {"input": [{"role": "user", "content": list(content)}]}


def called(arguments: object) -> dict[str, Any]:
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": arguments}}
    return {"messages": [USER, {"role": "assistant", "content": None, "tool_calls": [call]}]}


@pytest.mark.parametrize(
    ("route", "odd", "words"),
    [
        (CHAT, parts("x"), "invalid message format"),
        (CHAT, parts(None), "invalid message format"),
        (CHAT, parts({"type": "text"}), "invalid message format"),
        (CHAT, parts({"type": "text", "text": 5}), "invalid message format"),
        (CHAT, parts({"type": "weird"}, {"type": "text", "text": "x"}), "invalid message format"),
        (CHAT, parts({"type": "image_url"}), "invalid message format"),
        (CHAT, parts({"type": "image_url", "image_url": "nonsense"}), "invalid image input"),
        (CHAT, called("not json"), "invalid tool call arguments"),
        (CHAT, called("[1]"), "invalid tool call arguments"),
        (RESPOND, {"input": [{"type": "nonsense"}]}, 'unknown input item type: "nonsense"'),
        (RESPOND, {"input": [None]}, "input[0]"),
        (RESPOND, items({"type": "input_file"}), "file inputs are not currently supported"),
        (RESPOND, items({"type": "weird"}), "unknown content type: weird"),
        (RESPOND, items({"type": "input_text", "text": 5}), "input[0]: content[0]"),
        (RESPOND, items({"type": "input_image", "image_url": "http://x"}), "not currently"),
        (ANTHROPIC, parts("x"), "cannot unmarshal string"),
        (ANTHROPIC, parts({"type": "text", "text": 5}), "cannot unmarshal number"),
        (ANTHROPIC, parts({"type": "image"}), "invalid image source"),
        (ANTHROPIC, parts({"type": "image", "source": {"type": "url", "url": "x"}}), "base64"),
        (ANTHROPIC, parts({"type": "tool_use", "id": "t", "name": "f", "input": "x"}), "object"),
    ],
)
async def test_what_our_engine_would_pass_over_is_refused(
    route: str, odd: dict[str, Any], words: str
) -> None:
    """Our engine would ignore these faults; they get a 400, which is what Ollama 0.24.0 says."""
    said = await answer(ScriptedEngine(), route, **odd)
    assert said.status == 400
    assert words in json.loads(await text(said))["error"]["message"]


@pytest.mark.parametrize(
    ("route", "plain"),
    [
        (CHAT, parts({"type": "text", "text": "list"})),
        (CHAT, called('{"a": 1}')),
        (RESPOND, items({"type": "input_text", "text": "list"})),
        (RESPOND, {"input": [{"type": "reasoning", "summary": []}, {"role": "user"}]}),
        (ANTHROPIC, parts({"type": "tool_result", "tool_use_id": "t", "content": "1"})),
        (ANTHROPIC, parts({"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "x"})),
    ],
)
async def test_what_it_can_pass_over_is_answered(route: str, plain: dict[str, Any]) -> None:
    assert (await answer(ScriptedEngine(), route, **plain)).status == 200


@pytest.mark.parametrize("odd", [parts("x"), called("not json")])
def test_what_only_passes_through_is_read_all_the_same(odd: dict[str, Any]) -> None:
    body = json.dumps({"model": "m", **odd}).encode()
    assert CHAT_ROUTES[CHAT].read_request(body).model == "m"
