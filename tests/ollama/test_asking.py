"""Tests of Lull's own requests to a real Ollama: whole answers, cancelling, and failures."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import pytest
import pytest_asyncio

from lull.backends.ollama.chat import OllamaChat
from lull.core.chat.messages import (
    Finish,
    Message,
    MessagePart,
    PartKind,
    Role,
    Sampling,
    ToolCall,
    text_message,
)
from lull.core.errors import RequestError, UpstreamDown
from tests.eventually import eventually
from tests.ollama.conftest import RealOllama

pytestmark = pytest.mark.slow

ASKED = (text_message(Role.USER, "write a menu for apple river"),)
ANSWERED = "apple and river"
WAIT_S = 240.0


@pytest_asyncio.fixture
async def model(ollama: RealOllama) -> AsyncIterator[OllamaChat]:
    made = OllamaChat(ollama.address, "pocket-gguf", timeout_s=WAIT_S)
    yield made
    await made.close()


async def test_an_answer_comes_whole_with_its_counts(model: OllamaChat) -> None:
    answer = await model.chat(ASKED, sampling=Sampling(temperature=0.0))
    assert (answer.message.text, answer.finish) == (ANSWERED, Finish.STOP)
    assert answer.usage.prompt_tokens and answer.usage.prompt_tokens > 5
    assert answer.usage.completion_tokens and answer.usage.completion_tokens >= 3


async def test_its_length_is_kept_to(model: OllamaChat) -> None:
    answer = await model.chat(ASKED, sampling=Sampling(temperature=0.0, max_tokens=2))
    assert (answer.finish, answer.usage.completion_tokens) == (Finish.LENGTH, 2)


async def test_a_seed_repeats_itself(model: OllamaChat) -> None:
    sampling = Sampling(temperature=2.0, seed=11, max_tokens=12)
    said = [(await model.chat(ASKED, sampling=sampling)).message.text for _ in range(2)]
    assert said[0] == said[1] != ANSWERED


async def test_an_answer_is_held_to_a_schema(model: OllamaChat) -> None:
    schema = {
        "type": "object",
        "properties": {"score": {"type": "integer", "enum": [-1, 0, 1]}},
        "required": ["score"],
    }
    # The model knows no JSON at all, so only the grammar can make it answer this.
    answer = await model.chat(
        ASKED, sampling=Sampling(temperature=0.0, max_tokens=200), format=json.dumps(schema)
    )
    if answer.finish is Finish.LENGTH:  # endless white space is allowed at the start of JSON
        assert answer.message.text.strip() in ("", "{") or answer.message.text.startswith("{")
    else:
        assert json.loads(answer.message.text)["score"] in (-1, 0, 1)


async def test_a_tool_call_and_its_result_can_be_said_again(model: OllamaChat) -> None:
    history = (
        *ASKED,
        Message(role=Role.ASSISTANT, tool_calls=(ToolCall(name="f", arguments='{"a": 1}'),)),
        Message(
            role=Role.TOOL,
            parts=(MessagePart(kind=PartKind.TOOL_RESULT, text="x"),),
            tool_call_id="f",
        ),
        *ASKED,
    )
    answer = await model.chat(history, sampling=Sampling(temperature=0.0))
    assert answer.complete


async def test_tools_that_the_model_does_not_know_are_refused_in_words(model: OllamaChat) -> None:
    tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
    with pytest.raises(RequestError, match="does not support tools") as caught:
        await model.chat(ASKED, sampling=Sampling(), tools=json.dumps([tool]))
    assert caught.value.status == 400


LONG = {"type": "array", "items": {"type": "integer"}, "minItems": 400}
"""JSON schema whose grammar keeps even a model of short answers busy for seconds."""


async def test_cancelling_frees_the_model_for_the_next(ollama: RealOllama) -> None:
    short, long = Sampling(temperature=0.0), Sampling(temperature=0.0, max_tokens=100_000)
    async with arrivals(ollama) as (address, arrived), asking_at(address) as model:
        await model.chat(ASKED, sampling=short)  # loaded
        arrived.clear()
        asking = asyncio.create_task(model.chat(ASKED, sampling=long, format=json.dumps(LONG)))
        await asyncio.wait_for(arrived.wait(), WAIT_S)
        assert not asking.done()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert (await model.chat(ASKED, sampling=short)).message.text == ANSWERED


@asynccontextmanager
async def asking_at(address: str) -> AsyncIterator[OllamaChat]:
    model = OllamaChat(address, "pocket-gguf", timeout_s=WAIT_S)
    try:
        yield model
    finally:
        await model.close()


@asynccontextmanager
async def arrivals(ollama: RealOllama) -> AsyncIterator[tuple[str, asyncio.Event]]:
    """Stand between a client and Ollama; the event is set whenever Ollama has got a whole chat
    request. A connection that the client closes is closed to Ollama, too.
    """
    arrived = asyncio.Event()
    there = urlsplit(ollama.address)

    async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        answers, requests = await asyncio.open_connection(there.hostname, there.port)
        back = asyncio.create_task(copy(answers, writer))
        try:
            while head := await head_of(reader):
                length = re.search(rb"(?i)\r\ncontent-length: (\d+)", head)
                requests.write(head + await reader.readexactly(int(length[1]) if length else 0))
                await requests.drain()
                if head.startswith(b"POST /api/chat "):
                    arrived.set()
        finally:
            requests.close()
            back.cancel()
            writer.close()

    async with await asyncio.start_server(relay, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}", arrived


async def head_of(reader: asyncio.StreamReader) -> bytes:
    """The next request's line and headers; nothing when the client has gone."""
    try:
        return await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionError):
        return b""


async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65_536):
        writer.write(data)
        await writer.drain()


async def test_an_unknown_model_is_told_with_what_fetches_it(ollama: RealOllama) -> None:
    model = OllamaChat(ollama.address, "no-such-model", timeout_s=WAIT_S)
    try:
        with pytest.raises(RequestError, match="does not know no-such-model") as caught:
            await model.chat(ASKED, sampling=Sampling())
    finally:
        await model.close()
    assert "ollama pull no-such-model" in caught.value.hint


async def test_a_server_that_has_gone_is_down_and_found_again(
    ollama: RealOllama, model: OllamaChat
) -> None:
    assert (await model.chat(ASKED, sampling=Sampling())).complete
    await asyncio.to_thread(ollama.stop)
    try:
        with pytest.raises(UpstreamDown, match="nothing answers"):
            await model.chat(ASKED, sampling=Sampling())
    finally:
        await asyncio.to_thread(ollama.start)
    await asyncio.to_thread(eventually, ollama.answers)
    assert (await model.chat(ASKED, sampling=Sampling(temperature=0.0))).message.text == ANSWERED
