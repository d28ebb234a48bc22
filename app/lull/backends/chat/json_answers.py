"""Asks a chat model for one JSON object and parses the answer strictly.

The text from the first to the last brace must be exactly one object, so an object that the model
only quotes is never taken for its answer. A model that does not support schemas is asked without
one; the prompt describes the format anyway.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from lull.core.chat.messages import Completion, Message, Sampling
from lull.core.chat.ports import ChatModel
from lull.core.checks.shapes import parse_strict_json
from lull.core.errors import EngineError, RequestError, UpstreamDown


async def ask_for_json(
    model: ChatModel,
    messages: Sequence[Message],
    *,
    sampling: Sampling,
    schema: Mapping[str, Any],
) -> Completion:
    """Ask a chat model for JSON with a schema, or without one if the model refuses it.

    Raises UpstreamDown, also if the model refuses or its engine fails.
    """
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
    """Parse the only JSON object in a model's answer. Raises ValueError with a readable reason."""
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start:
        raise ValueError("there is no JSON object in it")
    value = parse_strict_json(text[start : end + 1])
    assert isinstance(value, dict), "what begins with a brace is an object"
    return value
