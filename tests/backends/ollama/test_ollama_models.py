"""Tests that what a server sends in Ollama's place about its models is read or refused in words."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp
import pytest
from aiohttp import web

from lull.backends.ollama.models import OllamaModels
from lull.core.errors import LullError

ABSURD: list[Any] = [
    *(None, [], 7, "text", {}, b"{", b"[" * 100_000, b"9" * 5000, b"\xff", b""),
    *({"models": value} for value in ("x", 7, {"a": 1}, [None], [{"size": "x", "digest": []}])),
    *({"logprobs": [value]} for value in (7, {}, {"top_logprobs": [1]}, {"logprob": "x"})),
    {"logprobs": [{"logprob": 1}], "prompt_eval_count": "x"},
    b'{"logprobs": [{"logprob": 1e400}], "prompt_eval_count": 1e400}',
    {"model_info": {"general.architecture": 5}, "details": 7, "modelfile": 5, "parameters": []},
    {"model_info": {"a": []}, "details": {"family": []}, "template": {}, "capabilities": "x"},
    b" " * 9_000_000,
]
ASKED: dict[str, Callable[[OllamaModels], Awaitable[object]]] = {
    "listed": lambda models: models.listed(),
    "shown": lambda models: models.show("m"),
    "a token": lambda models: models.next_token("m", "p", most=3),
    "created": lambda models: models.create({"model": "m"}),
    "deleted": lambda models: models.delete("m"),
}


@pytest.mark.parametrize("status", [200, 404, 500])
async def test_an_absurd_answer_is_refused_in_words(status: int, subtests: pytest.Subtests) -> None:
    sent = b""

    async def answer(request: web.Request) -> web.Response:
        return web.Response(status=status, body=sent, content_type="application/json")

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        async with aiohttp.ClientSession() as session:
            models = OllamaModels(session, f"http://127.0.0.1:{runner.addresses[0][1]}")
            for absurd in ABSURD:
                sent = absurd if isinstance(absurd, bytes) else json.dumps(absurd).encode()
                for name, ask in ASKED.items():
                    with subtests.test(name=name, sent=sent[:60]):
                        try:
                            await ask(models)
                        except LullError as error:
                            assert error.detail
    finally:
        await runner.cleanup()
