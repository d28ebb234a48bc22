"""Asks the upstream Ollama for its state, for commands without a running service."""

from __future__ import annotations

import os

import aiohttp

from lull.backends.ollama.facts import OllamaFacts
from lull.config.settings import Settings


async def probe_ollama(settings: Settings) -> OllamaFacts:
    """Ask Ollama once for its state and models, without a running service, and return them. Raises
    SettingsError.
    """
    async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session:
        address = settings.upstream.resolved(os.environ, own_port=settings.service.port)
        facts = OllamaFacts(session, address, on_change=lambda _: None)
        await facts.probe()
        return facts
