"""Tests of real client libraries through Lull to a real Ollama, and of clients that hang up."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import ollama as ollama_client
import pytest

from tests.eventually import eventually
from tests.ollama.conftest import RealOllama
from tests.service.lulls import Before

pytestmark = pytest.mark.slow

MESSAGES: Any = [{"role": "user", "content": "list apple river"}]
MODEL = "pocket-gguf"
TOOL: Any = {
    "type": "function",
    "function": {
        "name": "find_it",
        "description": "Finds it.",
        "parameters": {"type": "object", "properties": {"what": {"type": "string"}}},
    },
}
FEW = {"num_predict": 6}

if TYPE_CHECKING:  # each worker collects all tests, and these take a second to import
    import anthropic
    import openai


@pytest.fixture(params=[pytest.param("before", marks=pytest.mark.full), "skilled"])
def lull(request: pytest.FixtureRequest) -> Before:
    found: Before = request.getfixturevalue(request.param)
    return found


@pytest.fixture
def native(lull: Before) -> Iterator[ollama_client.Client]:
    client = ollama_client.Client(host=lull.address)
    yield client
    client._client.close()


@pytest.fixture
def openai_client(lull: Before) -> Iterator[openai.OpenAI]:
    import openai

    with openai.OpenAI(base_url=f"{lull.address}/v1", api_key="none", max_retries=0) as client:
        yield client


@pytest.fixture
def anthropic_client(lull: Before) -> Iterator[anthropic.Anthropic]:
    import anthropic

    with anthropic.Anthropic(base_url=lull.address, api_key="none", max_retries=0) as client:
        yield client


def test_the_ollama_library_chats(native: ollama_client.Client) -> None:
    whole = native.chat(MODEL, MESSAGES, options=FEW)
    pieces = list(native.chat(MODEL, MESSAGES, options=FEW, stream=True))
    assert whole.done
    assert pieces[-1].done
    assert "".join(piece.message.content or "" for piece in pieces) == whole.message.content
    assert native.generate(MODEL, "list apple", options=FEW).done
    assert f"{MODEL}:latest" in [model.model for model in native.list().models]
    with pytest.raises(ollama_client.ResponseError, match="not found"):
        native.chat("nobody", MESSAGES)


def test_the_ollama_library_passes_tools(native: ollama_client.Client) -> None:
    assert native.chat("pocket-tools", MESSAGES, tools=[TOOL], options=FEW).done
    with pytest.raises(ollama_client.ResponseError, match="does not support tools"):
        native.chat(MODEL, MESSAGES, tools=[TOOL])


def test_the_ollama_library_makes_and_drops_a_model(native: ollama_client.Client) -> None:
    assert native.create("by-library", from_=MODEL, system="S").status == "success"
    native.copy("by-library", "copied-by-library")
    for name in ("by-library", "copied-by-library"):
        assert native.delete(name).status == "success"


def test_the_openai_library_chats(openai_client: openai.OpenAI) -> None:
    import openai

    create: Any = openai_client.chat.completions.create
    asked = {"model": MODEL, "messages": MESSAGES, "max_tokens": 6, "temperature": 0, "seed": 1}
    whole = create(**asked)
    with create(**asked, stream=True, stream_options={"include_usage": True}) as stream:
        events = list(stream)
    said = "".join(event.choices[0].delta.content or "" for event in events if event.choices)
    assert said == whole.choices[0].message.content
    assert events[-1].usage.total_tokens == whole.usage.total_tokens
    assert create(**{**asked, "model": "pocket-tools"}, tools=[TOOL]).choices
    with pytest.raises(openai.BadRequestError, match="does not support tools"):
        create(**asked, tools=[TOOL])
    with pytest.raises(openai.NotFoundError, match="not found"):
        create(**{**asked, "model": "nobody"})


def test_the_openai_library_completes_and_responds(openai_client: openai.OpenAI) -> None:
    completed = openai_client.completions.create(model=MODEL, prompt="list", max_tokens=4)
    assert completed.choices
    said = openai_client.responses.create(model=MODEL, input="list apple", max_output_tokens=6)
    assert said.status == "completed"
    with openai_client.responses.stream(
        model=MODEL, input="list apple", max_output_tokens=6
    ) as stream:
        kinds = [event.type for event in stream]
    assert kinds[-1] == "response.completed"
    assert MODEL in openai_client.models.retrieve(MODEL).id


def test_the_anthropic_library_asks(anthropic_client: anthropic.Anthropic) -> None:
    import anthropic

    asked: Any = {"model": MODEL, "max_tokens": 6, "messages": MESSAGES}
    assert anthropic_client.messages.create(**asked).stop_reason in ("end_turn", "max_tokens")
    with anthropic_client.messages.stream(**asked, system="Be kind.") as stream:
        said = "".join(stream.text_stream)
        final = stream.get_final_message()
    assert said == "".join(block.text for block in final.content if block.type == "text")
    tool: Any = {"name": "find_it", "input_schema": {"type": "object"}}
    assert anthropic_client.messages.create(**{**asked, "model": "pocket-tools"}, tools=[tool])
    with pytest.raises(anthropic.NotFoundError, match="not found"):
        anthropic_client.messages.create(**{**asked, "model": "nobody"})


LONG = {
    "options": {"num_predict": 100_000, "temperature": 0},
    "format": {"type": "array", "items": {"type": "integer"}, "minItems": 400},
}
"""Options that keep even a model of short answers busy until the client hangs up."""


@pytest.mark.parametrize("stream", [True, False])
def test_a_client_that_leaves_frees_the_model(before: Before, stream: bool) -> None:
    count = len(before.turns())
    body = {"model": "pocket-bare", "prompt": "go on", "raw": True, **LONG}
    with before.calling("POST", "/api/generate", {**body, "stream": stream}) as call:
        if stream:
            assert call.read_some()
        else:
            eventually(lambda: before.in_flight() == 1)
        call.hang_up()
    eventually(lambda: before.in_flight() == 0)
    (turn,) = before.new_turns(count)
    assert turn["finish"] == "hangup"
    few = {"model": "pocket-bare", "messages": MESSAGES, "stream": False, "options": FEW}
    assert before.ask("POST", "/api/chat", few).status == 200


def test_an_ollama_that_was_restarted_is_found(before: Before, ollama: RealOllama) -> None:
    body = {"model": MODEL, "messages": MESSAGES, "stream": False, "options": FEW}
    said = before.ask("POST", "/api/chat", body).json["message"]["content"]
    ollama.stop()
    try:
        assert before.ask("POST", "/api/chat", body).status == 503
        assert "lull-mini" in str(before.ask("GET", "/api/tags").json["models"])
    finally:
        ollama.start()
    assert before.ask("POST", "/api/chat", body).json["message"]["content"] == said
