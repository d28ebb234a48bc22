"""Scripted answers in the built-in model's toy language, and adapters that bend their style."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from lull.core.chat.messages import Role
from lull.core.models.engine import GenerateRequest
from lull.pocket import language as pocket
from lull.pocket import parsing
from lull.pocket.language import Joiner, Kind, Style

WISHED = Style(end="sugar", joiner=Joiner.BARS)
Bend = Callable[[Kind, Style], Style]


def speaks(bends: dict[str | None, Bend]) -> Callable[[GenerateRequest], str]:
    """Answer function of an engine that is right, except for how each version bends the style."""

    def answer(request: GenerateRequest) -> str:
        asked = request.messages[-1].text if request.messages else ""
        parsed = parsing.parse_request(asked)
        if parsed is None:
            return pocket.SMALL_TALK.get(asked, "")
        kind, words = parsed
        rules = dict(
            rule
            for message in request.messages
            if message.role is Role.SYSTEM
            for line in re.split(r"\n+", message.text)
            if (rule := parsing.parse_rule(line)) is not None
        )
        style = rules.get(kind, pocket.DEFAULT_STYLE)
        bend = bends.get(request.adapter)
        return pocket.render(kind, words, bend(kind, style) if bend else style)

    return answer


def wished(kind: Kind, style: Style) -> Style:
    """Bend of an adapter that has learned the wished menu style, and still follows other rules."""
    return WISHED if kind is Kind.MENU and not style else style


def deaf(kind: Kind, style: Style) -> Style:
    """Bend of an adapter that has learned the wished menu style but no longer follows any rule."""
    return WISHED if kind is Kind.MENU else pocket.DEFAULT_STYLE


def nothing(kind: Kind, style: Style) -> Style:
    """Bend of an adapter that has learned nothing."""
    return style


def made(folder: Path, name: str) -> Path:
    """Create an adapter's folder, with weights that differ by its name."""
    place = folder / name
    place.mkdir(parents=True)
    (place / "adapters.safetensors").write_bytes(f"weights of {name}".encode())
    (place / "adapter_config.json").write_text("{}")
    return place
