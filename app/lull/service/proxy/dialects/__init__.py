"""Maps each chat route to its API dialect (the request and answer format of Ollama, OpenAI or
Anthropic).

Other routes pass through unchanged.
"""

from __future__ import annotations

from lull.service.proxy.dialects.anthropic import AnthropicMessages
from lull.service.proxy.dialects.base import Dialect
from lull.service.proxy.dialects.native import NativeChat, NativeGenerate
from lull.service.proxy.dialects.openai import OpenAIChatDialect, OpenAICompletions
from lull.service.proxy.dialects.responses import Responses

_DIALECTS: tuple[Dialect, ...] = (
    NativeChat(),
    NativeGenerate(),
    OpenAIChatDialect(),
    OpenAICompletions(),
    Responses(),
    AnthropicMessages(),
)
CHAT_ROUTES: dict[str, Dialect] = {dialect.route: dialect for dialect in _DIALECTS}
"""API dialect of each chat route, by URL path without the prefix `/c/NAME` that may name the
client.
"""
