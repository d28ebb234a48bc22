"""Tests of the built-in model's routes other than chats, beside an Ollama and without one."""

from __future__ import annotations

import json

import pytest

from lull.service.builtin.model import EngineModels, ServedModel
from lull.service.proxy.forward import ProxyAnswer
from tests.service.builtin.scripted import ScriptedEngine, StoppedClock, pocket


def models(engine: ScriptedEngine) -> EngineModels:
    served = EngineModels(clock=StoppedClock())
    served.publish(ServedModel(model=pocket(), engine=engine))
    return served


async def text(said: ProxyAnswer) -> str:
    return b"".join([piece async for piece in said.chunks]).decode()


def test_our_names_join_the_upstreams_and_its_bytes_stay() -> None:
    served = models(ScriptedEngine())
    tags = served.merger("/api/tags")
    assert tags is not None
    assert tags(b'{"models": [ {"name":"tiny:latest"} ] }') == (
        b'{"models": [ {"name":"tiny:latest"}, ' + json_entry(served) + b" ] }"
    )
    listed = json.loads(tags(b'{"models":null}'))["models"]
    assert [entry["name"] for entry in listed] == ["pocket:latest"]
    own = served.merger("/v1/models")
    assert own is not None
    assert len(json.loads(own(b'{"object":"list","data":null}'))["data"]) == 1
    assert served.merger("/api/ps") is None


def json_entry(served: EngineModels) -> bytes:
    return served.merge_tags(b'{"models":[]}')[len(b'{"models":[') : -2]


@pytest.mark.parametrize(
    "upstream", [b'{"models":[{"name":"POCKET"}]}', b"rubbish", b"{}", b'{"models":[3]}']
)
def test_a_listing_that_has_our_name_or_is_none_stays(upstream: bytes) -> None:
    assert models(ScriptedEngine()).merge_tags(upstream) == upstream


async def test_beside_an_ollama_only_our_names_are_answered() -> None:
    served = models(ScriptedEngine())
    show = ("POST", "/api/show")
    assert await served.answer_non_chat(*show, b'{"model":"other"}', alone=False) is None
    assert await served.answer_non_chat("GET", "/api/tags", b"", alone=False) is None
    assert await served.answer_non_chat("GET", "/v1/models/other", b"", alone=False) is None
    ours = await served.answer_non_chat(*show, b'{"name":"Pocket"}', alone=False)
    assert ours is not None
    assert ours.status == 200
    one = await served.answer_non_chat("GET", "/v1/models/pocket%3Alatest", b"", alone=False)
    assert one is not None
    assert json.loads(await text(one))["id"] == "pocket:latest"


async def test_alone_what_only_an_ollama_can_do_says_how_to_get_one() -> None:
    served = models(ScriptedEngine())
    for path in ("/api/pull", "/api/blobs/sha256:00", "/api/create"):
        assert not served.needs_body("POST", path)
        said = served.unknown_route("POST", path, "Start Ollama.")
        assert said.status == 503
        assert json.loads(await text(said)) == {"error": "Start Ollama."}
    said = served.unknown_route("GET", "/nope", "Start Ollama.")
    assert (said.status, await text(said)) == (404, "404 page not found")


@pytest.mark.parametrize("path", ["/api/embed", "/api/embeddings", "/v1/embeddings"])
async def test_there_are_no_embeddings(path: str) -> None:
    said = await models(ScriptedEngine()).answer_non_chat(
        "POST", path, b'{"model":"pocket"}', alone=True
    )
    assert said is not None
    assert said.status == 501
    assert "does not support embeddings" in await text(said)


async def test_a_model_that_is_not_loaded_is_not_running() -> None:
    for engine in (ScriptedEngine(loaded=False), ScriptedEngine(down=True)):
        said = await models(engine).answer_non_chat("GET", "/api/ps", b"", alone=True)
        assert said is not None
        assert await text(said) == '{"models":[]}'
