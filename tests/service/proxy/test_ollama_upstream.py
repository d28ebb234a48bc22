"""Tests of what the proxy knows about the Ollama behind it, and what advice it gives."""

from __future__ import annotations

import asyncio

from lull.core.adapters.model_facts import ModelFacts
from lull.core.errors import ResourceError
from lull.service.proxy.ollama_upstream import OllamaUpstream
from tests.building import FACTS
from tests.eventually import stands, until


class Watched:
    """A fake Ollama that counts how often it is probed."""

    address = "http://127.0.0.1:11434"
    ever_seen = False
    has_models = False

    def __init__(self) -> None:
        self.probes = 0

    def remote(self, name: str) -> bool:
        return name.endswith("-cloud")

    def facts(self, name: str) -> ModelFacts:
        return FACTS

    async def probe(self) -> bool:
        self.probes += 1
        return True


def test_advice_names_what_answers_meanwhile() -> None:
    upstream = OllamaUpstream(Watched(), built_in="pocket")
    assert upstream.never_reached and upstream.has_no_models
    assert upstream.how_to_start.endswith("open the Ollama app.")
    damaged = ResourceError("It is damaged.", hint="Install Lull again.")
    upstream.know_built_in(is_there=False, problem=damaged)
    assert upstream.how_to_start.endswith("cannot answer: It is damaged. Install Lull again.")
    upstream.know_built_in(is_there=True)
    assert upstream.how_to_start.endswith("The built-in model answers as 'pocket'.")


async def test_a_failed_request_has_ollama_looked_at_again_soon() -> None:
    ollama = Watched()
    upstream = OllamaUpstream(ollama, built_in="pocket")
    watching = asyncio.create_task(upstream.watch(lambda: 3600.0))
    await until(lambda: ollama.probes)
    await stands()
    assert ollama.probes == 1
    upstream.probe_soon()
    await until(lambda: ollama.probes == 2)
    watching.cancel()
