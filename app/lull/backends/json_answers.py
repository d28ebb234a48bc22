"""Asking a model for one JSON object, and taking nothing else for it.

An answer is read strictly: from its first brace to its last it must be one object, so that an
object which the model only quotes, amid braces of its own, is never taken for what it says. A
model that cannot be held to a schema is asked without one; the prompt describes the form anyway.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from lull.core.checks.shapes import parsed
from lull.core.errors import EngineError, RequestError, UpstreamDown
from lull.core.messages import Completion, Message, Sampling
from lull.core.ports import ChatModel


async def ask_for_json(
    model: ChatModel,
    messages: Sequence[Message],
    *,
    sampling: Sampling,
    schema: Mapping[str, Any],
) -> Completion:
    """Raises UpstreamDown, also for a model that refuses or whose engine has failed: for whoever
    asks, there is nobody to ask, and the words say why."""
    try:
        try:
            return await model.chat(messages, sampling=sampling, format=json.dumps(schema))
        except RequestError as error:
            if error.status != 400:
                raise
            return await model.chat(messages, sampling=sampling)
    except (RequestError, EngineError) as error:
        raise UpstreamDown(error.detail, hint=error.hint) from error


def only_object(text: str) -> dict[str, Any]:
    """The JSON object in a text that has exactly one. Raises ValueError in words."""
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start:
        raise ValueError("there is no JSON object in it")
    value = parsed(text[start : end + 1])
    assert isinstance(value, dict), "what begins with a brace is an object"
    return value
