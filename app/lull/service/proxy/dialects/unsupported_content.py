"""Refuses content that Lull's own engine cannot process, in Ollama's wording.

Requests that are only forwarded are not checked, since a newer Ollama may know more kinds of
content. But if Lull's engine silently ignored a part of a request, its answer would be wrong.
"""

from __future__ import annotations

from typing import Final

from lull.service.proxy.dialects.parts import bad_request, image_url, kind_of, parse

_NO_REMOTE_IMAGES: Final = (
    "image URLs are not currently supported, please use base64 encoded data instead"
)
"""Error message for an image URL."""
_ITEM_TYPES: Final = ("message", "function_call", "function_call_output", "reasoning")
"""Known types of input items."""
_TEXT_TYPES: Final = ("input_text", "output_text")
"""Types of text parts."""
_NO_OBJECT: Final = "Value looks like object, but can't find closing '}' symbol"


def refuse_openai_messages(messages: list[object]) -> None:
    """Check chat messages in OpenAI's form. Raises RequestError (400) for content that Lull's own
    engine cannot process.
    """
    for message in messages:
        if not isinstance(message, dict):
            continue
        content = message.get("content")
        for part in content if isinstance(content, list) else []:
            _refuse_openai_part(part)
        calls = message.get("tool_calls")
        for call in calls if isinstance(calls, list) else []:
            _refuse_arguments(call)


def _refuse_openai_part(part: object) -> None:
    kind = part.get("type") if isinstance(part, dict) else None
    if isinstance(part, dict) and kind == "text" and isinstance(part.get("text"), str):
        return
    if not isinstance(part, dict) or kind != "image_url":
        raise bad_request("invalid message format")
    _refuse_image(image_url(part), "invalid message format")


def _refuse_image(url: str, without: str) -> None:
    if not url:
        raise bad_request(without)
    if url.startswith(("http://", "https://")):
        raise bad_request(_NO_REMOTE_IMAGES)
    if not url.startswith("data:"):
        raise bad_request("invalid image input")


def _refuse_arguments(call: object) -> None:
    function = call.get("function") if isinstance(call, dict) else None
    text = function.get("arguments") if isinstance(function, dict) else None
    try:
        value = parse(text) if isinstance(text, str) else {}
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise bad_request("invalid tool call arguments")


def refuse_responses_items(items: object) -> None:
    """Check that Lull's own engine can process the input items of a request to OpenAI's
    `/v1/responses`.

    Raises RequestError (400) for unsupported content.
    """
    for number, item in enumerate(items if isinstance(items, list) else []):
        where = f"input[{number}]"
        if not isinstance(item, dict):
            raise bad_request(f"{where}: json: cannot unmarshal {kind_of(item)} into an input item")
        kind = item.get("type", "message")
        if kind not in _ITEM_TYPES:
            raise bad_request(f'{where}: unknown input item type: "{str(kind)[:80]}"')
        content = item.get("content")
        for place, part in enumerate(content if isinstance(content, list) else []):
            _refuse_responses_part(part, f"{where}: content[{place}]")


def _refuse_responses_part(part: object, where: str) -> None:
    kind = part.get("type") if isinstance(part, dict) else None
    if isinstance(part, dict) and kind in _TEXT_TYPES:
        if not isinstance(part.get("text"), str):
            raise bad_request(f"{where}: its text is no text")
    elif isinstance(part, dict) and kind == "input_image":
        _refuse_image(image_url(part), f"{where}: invalid image input")
    elif kind == "input_file":
        raise bad_request("file inputs are not currently supported")
    elif kind not in ("text", "refusal", "reasoning_text", "summary_text"):
        raise bad_request(f"{where}: unknown content type: {str(kind)[:80]}")


def refuse_anthropic_messages(messages: list[object]) -> None:
    """Check messages in Anthropic's form. Raises RequestError (400) for content that Lull's own
    engine cannot process.
    """
    for message in messages:
        content = message.get("content") if isinstance(message, dict) else None
        for block in content if isinstance(content, list) else []:
            if isinstance(block, dict):
                _refuse_block(block)
            elif block is not None:
                kind = kind_of(block)
                raise bad_request(f"json: cannot unmarshal {kind} into a content block")


def _refuse_block(block: dict[str, object]) -> None:
    kind, text = block.get("type"), block.get("text")
    if text is not None and not isinstance(text, str):
        raise bad_request(f"json: cannot unmarshal {kind_of(text)} into a block's text")
    if kind == "image":
        source = block.get("source")
        wanted = source.get("type") if isinstance(source, dict) else None
        if not isinstance(source, dict) or wanted is None:
            raise bad_request("invalid image source")
        if wanted != "base64":
            shown = str(wanted)[:80]
            raise bad_request(
                f"invalid image source type: {shown}. Only base64 images are supported."
            )
    if kind == "tool_use" and not isinstance(block.get("input"), dict | None):
        raise bad_request(_NO_OBJECT)
