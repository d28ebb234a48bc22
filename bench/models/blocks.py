"""Reading a chat as a scripted judge or writer does: its texts, and the marked blocks in them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bench.models.doors import Json

_BLOCK = re.compile(
    r"<<<(?P<label>[^<>]+) (?P<code>[0-9a-f]{12,})>>>\n(?P<text>.*?)\n"
    r"<<<end of (?P=label) (?P=code)>>>",
    re.DOTALL,
)


def blocks(messages: Sequence[Json]) -> dict[str, str]:
    """The marked blocks that a judge or a writer was shown, by label."""
    shown = next(text_of(m) for m in messages if m["role"] == "user")
    return {found["label"]: found["text"] for found in _BLOCK.finditer(shown)}


def text_of(message: Json) -> str:
    content = message.get("content") or ""
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content)
    return str(content)
