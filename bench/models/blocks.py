"""Extracts texts and marked blocks from a chat, for scripted judges and skill writers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bench.json_object import Json

_BLOCK = re.compile(
    r"<<<(?P<label>[^<>]+) (?P<code>[0-9a-f]{12,})>>>\n(?P<text>.*?)\n"
    r"<<<end of (?P=label) (?P=code)>>>",
    re.DOTALL,
)


def blocks(messages: Sequence[Json]) -> dict[str, str]:
    """Return the marked blocks in the prompt of a judge or a skill writer, by label."""
    shown = next(text_of(m) for m in messages if m["role"] == "user")
    return {found["label"]: found["text"] for found in _BLOCK.finditer(shown)}


def text_of(message: Json) -> str:
    content = message.get("content") or ""
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content)
    return str(content)
