"""Tests of probing an upstream at the start: absurd answers, or no Ollama, never stop Lull."""

from __future__ import annotations

import asyncio
from typing import Any

import aiohttp
import pytest
from aiohttp import web

from lull.backends.ollama.bounded import MOST_BYTES
from lull.backends.ollama.facts import MOST_MODELS, OllamaFacts
from lull.core.adapters.model_facts import ModelFacts
from lull.core.errors import UpstreamDown

TAGS = {"models": [{"name": "m:latest", "model": "m:latest", "digest": "d" * 64}]}
SAID: dict[str, Any] = {
    "/api/version": {"version": "0.24.0"},
    "/api/tags": TAGS,
    "/api/ps": {"models": [{"name": "m:latest", "context_length": 2048}]},
    "/api/show": {"template": "t", "system": "S", "model_info": {"x.context_length": 8192}},
}
ABSURD = [
    *(None, [], 7, "text", b"", b"{", b"[" * 100_000, b"9" * 5000, b"\xff"),
    *({"models": value} for value in (None, "text", 7, {}, [None], ["m"], [{}], [{"name": 5}])),
    {"models": [{"name": "m:latest", "context_length": "many", "digest": 5, "remote_host": []}]},
    b'{"models": [{"name": "m:latest", "context_length": 1e400}]}',
    {"version": 5},
    {"version": None},
    {"system": None, "template": None, "model_info": "x", "parameters": 7, "remote_host": None},
    b'{"system": 5, "model_info": {"x.context_length": 1e400}}',
    {"model_info": {"x.context_length": "8192"}, "parameters": "num_ctx " + "9" * 5000},
]


async def looked(said: dict[str, Any]) -> tuple[OllamaFacts, ModelFacts | None]:
    """Probe an upstream with these answers; return its facts, and a model's or None."""

    async def answer(request: web.Request) -> web.Response:
        found = said[request.path]
        if isinstance(found, bytes):
            return web.Response(body=found, content_type="application/json")
        return web.json_response(found)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        async with aiohttp.ClientSession() as session:
            address = f"http://127.0.0.1:{runner.addresses[0][1]}"
            facts = OllamaFacts(session, address, on_change=lambda _: None)
            await facts.probe()
            await facts.loaded()
            await facts.unload("m")
            try:
                found = facts.facts("m")
                return facts, found if isinstance(found, ModelFacts) else await found
            except UpstreamDown:
                return facts, None
    finally:
        await runner.cleanup()


@pytest.mark.parametrize("path", SAID)
@pytest.mark.parametrize("absurd", ABSURD, ids=lambda value: repr(value)[:50])
async def test_an_absurd_answer_is_none_and_no_crash(path: str, absurd: object) -> None:
    facts, found = await looked({**SAID, path: absurd, "/api/generate": absurd})
    if path in ("/api/ps", "/api/show"):  # the other two say whether an Ollama is there at all
        assert facts.state.ok and list(facts.state.models) == ["m:latest"]
    if found is not None:
        assert 0 < found.window_tokens < 1 << 40
        assert found.system in ("S", "")
    assert isinstance(facts.state.version, str)


async def test_a_sound_upstream_is_told_as_it_is() -> None:
    facts, found = await looked({**SAID, "/api/generate": {}})
    assert (facts.state.ok, facts.state.version, list(facts.state.models)) == (
        *(True, "0.24.0"),
        ["m:latest"],
    )
    assert found is not None
    assert (found.window_tokens, found.longest_tokens, found.system) == (2048, 8192, "S")
    assert asyncio.all_tasks() <= {asyncio.current_task()}


async def test_a_list_without_end_is_no_ollama_and_takes_no_memory() -> None:
    facts, _ = await looked({**SAID, "/api/generate": {}, "/api/tags": b" " * MOST_BYTES + b"{}"})
    assert not facts.state.ok
    sent = b'{"models": [' + b'{"name": "m"},' * (MOST_BYTES // 14)
    facts, _ = await looked({**SAID, "/api/generate": {}, "/api/tags": sent})
    assert not facts.state.ok


async def test_of_a_list_of_ever_so_many_models_the_first_are_known() -> None:
    many = [{"name": f"m{n}", "digest": f"d{n}"} for n in range(10 * MOST_MODELS)]
    odd = [{"name": "m" * 100_000, "digest": "d"}]
    facts, _ = await looked({**SAID, "/api/generate": {}, "/api/tags": {"models": odd + many}})
    assert facts.state.ok and len(facts.state.models) == MOST_MODELS
    assert "m0:latest" in facts.state.models


async def test_what_was_known_of_models_that_are_gone_is_forgotten() -> None:
    lists = [{"models": [{"name": "m", "digest": f"d{n}"}]} for n in range(20)]
    asked = iter(lists)
    kept: list[int] = []

    async def answer(request: web.Request) -> web.Response:
        said = next(asked) if request.path == "/api/tags" else SAID[request.path]
        return web.json_response(said)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        async with aiohttp.ClientSession() as session:
            address = f"http://127.0.0.1:{runner.addresses[0][1]}"
            facts = OllamaFacts(session, address, on_change=lambda _: None)
            for _ in lists:
                await facts.probe()
                found = facts.facts("m")
                assert isinstance(found, ModelFacts) or await found
                kept.append(len(facts._shown))
    finally:
        await runner.cleanup()
    assert max(kept) <= 2
