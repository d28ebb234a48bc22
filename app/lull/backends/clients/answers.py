"""Extracts the text from a chat answer, in the format of each supported API."""

from __future__ import annotations

from typing import Any

from lull.core.clients.client import ApiProtocol


def text_of(speech: ApiProtocol, answer: Any) -> str:
    """Return the text of a complete chat answer; `speech` is the API in whose format the answer is.

    Raises ValueError if it is not in the API's format.
    """
    try:
        match speech:
            case ApiProtocol.OLLAMA:
                message = answer["message"]
                return str(message.get("content") or message.get("thinking") or "")
            case ApiProtocol.OPENAI:
                return str(answer["choices"][0]["message"]["content"] or "")
            case ApiProtocol.ANTHROPIC:
                return _joined(answer["content"])
            case ApiProtocol.RESPONSES:
                return "".join(_joined(item.get("content") or []) for item in answer["output"])
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise ValueError(f"no {speech.value} answer") from error


def _joined(parts: Any) -> str:
    return "".join(str(part.get("text") or part.get("thinking") or "") for part in parts)
