"""The chat routes, and which dialect each one speaks. Every other route passes untouched."""

from __future__ import annotations

from lull.service.dialects.anthropic import Messages
from lull.service.dialects.base import Dialect
from lull.service.dialects.native import NativeChat, NativeGenerate
from lull.service.dialects.openai import OpenAIChat, OpenAICompletions
from lull.service.dialects.responses import Responses

_DIALECTS: tuple[Dialect, ...] = (
    NativeChat(),
    NativeGenerate(),
    OpenAIChat(),
    OpenAICompletions(),
    Responses(),
    Messages(),
)
CHAT_ROUTES: dict[str, Dialect] = {dialect.route: dialect for dialect in _DIALECTS}
