"""Reads what Ollama answers about its models, however much it sends."""

from __future__ import annotations

from typing import Final

import aiohttp

MOST_BYTES: Final = 8_000_000
"""Far more than the list of a thousand models or a model's license takes."""


async def read_bounded(answer: aiohttp.ClientResponse) -> bytes:
    """Return the body of an answer. Raises ValueError if it is longer than MOST_BYTES, and then
    reads no more of it.
    """
    body = bytearray()
    async for piece in answer.content.iter_any():
        body += piece
        if len(body) > MOST_BYTES:
            raise ValueError(f"longer than {MOST_BYTES} bytes")
    return bytes(body)
