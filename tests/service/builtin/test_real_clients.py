"""Tests of unmodified client libraries (ollama, openai, anthropic) against the built-in model."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

import ollama
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from lull.service.builtin.model import EngineModels, ServedModel
from lull.service.proxy.dialects import CHAT_ROUTES
from tests.service.builtin.scripted import ScriptedEngine, StoppedClock, pocket

MESSAGES = [{"role": "user", "content": "list apple river"}]

if TYPE_CHECKING:  # each worker collects all tests, and these take a second to import
    import anthropic
    import openai


@pytest.fixture
def engine() -> ScriptedEngine:
    return ScriptedEngine()


@pytest.fixture
async def address(engine: ScriptedEngine) -> AsyncIterator[str]:
    served = EngineModels(clock=StoppedClock())
    served.publish(ServedModel(model=pocket(), engine=engine))

    async def handle(request: web.Request) -> web.StreamResponse:
        body = await request.read()
        dialect = CHAT_ROUTES.get(request.path) if request.method == "POST" else None
        if dialect is not None:
            answer = await served.answer(dialect, body)
        else:
            found = await served.answer_non_chat(request.method, request.path, body, alone=True)
            answer = found or served.unknown_route(request.method, request.path, "Start Ollama.")
        response = web.StreamResponse(status=answer.status, headers=answer.headers)
        await response.prepare(request)
        async for chunk in answer.chunks:
            await response.write(chunk)
        await response.write_eof()
        return response

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handle)
    async with TestServer(app) as server:
        yield str(server.make_url("")).rstrip("/")


@pytest.fixture
async def ollama_client(address: str) -> AsyncIterator[ollama.AsyncClient]:
    client = ollama.AsyncClient(host=address)
    yield client
    await client._client.aclose()


@pytest.fixture
async def openai_client(address: str) -> AsyncIterator[openai.AsyncOpenAI]:
    import openai

    async with openai.AsyncOpenAI(
        base_url=f"{address}/v1", api_key="none", max_retries=0
    ) as client:
        yield client


@pytest.fixture
async def anthropic_client(address: str) -> AsyncIterator[anthropic.AsyncAnthropic]:
    import anthropic

    async with anthropic.AsyncAnthropic(base_url=address, api_key="none", max_retries=0) as client:
        yield client


# ollama


async def test_ollama_lists_shows_and_counts(ollama_client: ollama.AsyncClient) -> None:
    (listed,) = (await ollama_client.list()).models
    assert (listed.model, listed.size) == ("pocket:latest", 1_130_481)
    shown = await ollama_client.show("pocket")
    assert shown.capabilities == ["completion"]
    assert shown.details is not None
    assert shown.details.parameter_size == "557K"
    assert shown.modelinfo is not None
    assert shown.modelinfo["llama.context_length"] == 2048
    (running,) = (await ollama_client.ps()).models
    assert (running.model, running.context_length) == ("pocket:latest", 2048)
    assert (await ollama_client._request_raw("GET", "/api/version")).json() == {"version": "0.24.0"}


async def test_ollama_chats(ollama_client: ollama.AsyncClient) -> None:
    said = await ollama_client.chat(
        model="pocket", messages=MESSAGES, logprobs=True, top_logprobs=2
    )
    assert said.message.content == " apple river"
    assert (said.done, said.done_reason, said.eval_count) == (True, "stop", 3)
    assert said.logprobs is not None
    assert [entry.token for entry in said.logprobs] == [" apple", " river"]
    pieces = [part async for part in await ollama_client.chat("pocket", MESSAGES, stream=True)]
    assert [part.message.content for part in pieces] == [" apple", " river", ""]
    assert [part.done for part in pieces] == [False, False, True]


async def test_ollama_generates(ollama_client: ollama.AsyncClient) -> None:
    said = await ollama_client.generate("pocket", "list apple river", system="S")
    assert said.response == " apple river"
    assert said.context
    stream = await ollama_client.generate("pocket", "list", stream=True)
    assert "".join([part.response async for part in stream]) == " apple river"


async def test_ollama_gets_its_errors(
    ollama_client: ollama.AsyncClient, engine: ScriptedEngine
) -> None:
    with pytest.raises(ollama.ResponseError, match="model 'nobody' not found") as caught:
        await ollama_client.chat("nobody", MESSAGES)
    assert caught.value.status_code == 404
    with pytest.raises(ollama.ResponseError, match=r"Start Ollama\."):
        await ollama_client.pull("llama3")
    engine.dies_after = 1
    with pytest.raises(ollama.ResponseError, match="unexpected EOF"):
        [part async for part in await ollama_client.chat("pocket", MESSAGES, stream=True)]


# openai


@pytest.mark.slow
async def test_openai_lists_models(openai_client: openai.AsyncOpenAI) -> None:
    assert [model.id async for model in await openai_client.models.list()] == ["pocket:latest"]
    assert (await openai_client.models.retrieve("pocket")).id == "pocket"


async def test_openai_chats(openai_client: openai.AsyncOpenAI) -> None:
    create = openai_client.chat.completions.create
    said = await create(model="pocket", messages=MESSAGES, logprobs=True, top_logprobs=1)  # type: ignore[call-overload]
    assert said.choices[0].message.content == " apple river"
    assert (said.choices[0].finish_reason, said.usage.total_tokens) == ("stop", 37)
    assert said.choices[0].logprobs.content[0].top_logprobs[0].token == " apple"
    stream = await create(  # type: ignore[call-overload]
        model="pocket", messages=MESSAGES, stream=True, stream_options={"include_usage": True}
    )
    events = [event async for event in stream]
    texts = [event.choices[0].delta.content for event in events if event.choices]
    assert texts == [" apple", " river", ""]
    assert events[-1].usage.completion_tokens == 3


async def test_openai_completes(openai_client: openai.AsyncOpenAI) -> None:
    said = await openai_client.completions.create(model="pocket", prompt="list")
    assert said.choices[0].text == " apple river"
    stream = await openai_client.completions.create(model="pocket", prompt="list", stream=True)
    assert "".join([event.choices[0].text async for event in stream]) == " apple river"


@pytest.mark.slow
async def test_openai_responds(openai_client: openai.AsyncOpenAI) -> None:
    said = await openai_client.responses.create(model="pocket", input="list", instructions="S")
    assert (said.output_text, said.status) == (" apple river", "completed")
    async with openai_client.responses.stream(model="pocket", input="list") as stream:
        kinds = [event.type async for event in stream]
        final = await stream.get_final_response()
    assert final.output_text == " apple river"
    assert kinds.count("response.output_text.delta") == 2
    assert kinds[-1] == "response.completed"


async def test_openai_gets_its_errors(
    openai_client: openai.AsyncOpenAI, engine: ScriptedEngine
) -> None:
    import openai

    create = openai_client.chat.completions.create
    with pytest.raises(openai.NotFoundError, match="model 'nobody' not found"):
        await create(model="nobody", messages=MESSAGES)  # type: ignore[call-overload]
    engine.dies_after = 1
    with pytest.raises(openai.APIError, match="unexpected EOF"):
        async for _ in await create(model="pocket", messages=MESSAGES, stream=True):  # type: ignore[call-overload]
            pass


# anthropic


@pytest.mark.slow
async def test_anthropic_messages(anthropic_client: anthropic.AsyncAnthropic) -> None:
    said = await anthropic_client.messages.create(
        model="pocket",
        max_tokens=8,
        messages=MESSAGES,
        system="S",  # type: ignore[arg-type]
    )
    assert said.content[0].type == "text"
    assert said.content[0].text == " apple river"
    assert (said.stop_reason, said.usage.output_tokens) == ("end_turn", 3)
    async with anthropic_client.messages.stream(
        model="pocket",
        max_tokens=8,
        messages=MESSAGES,  # type: ignore[arg-type]
    ) as stream:
        texts = [text async for text in stream.text_stream]
        final = await stream.get_final_message()
    assert texts == [" apple", " river"]
    assert (final.stop_reason, final.usage.output_tokens) == ("end_turn", 3)


async def test_anthropic_gets_its_errors(
    anthropic_client: anthropic.AsyncAnthropic, engine: ScriptedEngine
) -> None:
    import anthropic

    create = anthropic_client.messages.create
    with pytest.raises(anthropic.NotFoundError, match="model 'nobody' not found"):
        await create(model="nobody", max_tokens=8, messages=MESSAGES)  # type: ignore[arg-type]
    engine.dies_after = 1
    with pytest.raises(anthropic.APIError, match="unexpected EOF"):
        async for _ in await create(
            model="pocket",
            max_tokens=8,
            messages=MESSAGES,
            stream=True,  # type: ignore[arg-type]
        ):
            pass
