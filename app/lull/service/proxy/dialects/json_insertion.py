"""Inserts text into a JSON request body, for all the API dialects (request formats).

A message's content that is a string or a list of parts keeps this form; a missing content becomes a
string. Existing text is kept; Lull's text goes after it or before it, with an empty line between.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lull.core.chat.json_edit import BodyEdit, JsonSpan, quoted
from lull.core.chat.messages import Role
from lull.core.skills.prompt_block import Injection, merged_system
from lull.service.proxy.dialects.parts import role_of, spelled_otherwise

_TEXT_PARTS = ("text", "input_text", "output_text")
"""Types of text parts."""


def find_value(draft: BodyEdit, span: JsonSpan, key: str) -> JsonSpan | None:
    """Return the place of a key's value in the text of a JSON body; None if the key is absent or
    its value null.
    """
    found = _value_span(draft, span, key)
    return None if found is None or draft.kind(found) == "n" else found


def _value_span(draft: BodyEdit, span: JsonSpan, key: str) -> JsonSpan | None:
    """Find the location of a key's value in the one spelling that was read."""
    members = draft.members(span)
    if key not in members:
        key = next(iter(spelled_otherwise(members).get(key, ())), key)
    return members.get(key)


def set_member(draft: BodyEdit, span: JsonSpan, key: str, json_text: str) -> None:
    """Insert a key with its value into a JSON body in which it is absent or null."""
    null = _value_span(draft, span, key)
    if null is None:
        draft.add_member(span, key, json_text)
    else:
        draft.replace(null, json_text)


def grow_string(draft: BodyEdit, span: JsonSpan, addition: str) -> None:
    """Append text to a string in a JSON body, after an empty line."""
    behind = "\n\n" if draft.string(span) else ""
    draft.append(span, behind + addition)


def grow_string_before(draft: BodyEdit, span: JsonSpan, addition: str) -> None:
    """Put text before a string in a JSON body, with an empty line between."""
    draft.prepend(span, addition + ("\n\n" if draft.string(span) else ""))


def grow_content(
    draft: BodyEdit,
    holder: JsonSpan,
    key: str,
    addition: str,
    *,
    part_type: str = "text",
    head: bool = False,
) -> None:
    """Add text to a message's content in a JSON body: after the existing text, or before it if
    `head` is true.

    `holder` is the message. `key` is the key of its content, which may be a string, a list of
    parts, or missing.
    """
    content = find_value(draft, holder, key)
    grow = grow_string_before if head else grow_string
    if content is None:
        set_member(draft, holder, key, quoted(addition))
    elif draft.kind(content) == "[":
        _grow_parts(draft, content, addition, part_type, head=head)
    else:
        grow(draft, content, addition)


def _grow_parts(
    draft: BodyEdit, array: JsonSpan, addition: str, part_type: str, *, head: bool
) -> None:
    parts = draft.elements(array)
    for part in parts if head else reversed(parts):
        text = _part_text(draft, part)
        if text is not None:
            (grow_string_before if head else grow_string)(draft, text, addition)
            return
    add = draft.add_first if head else draft.add_last
    add(array, f'{{"type": {quoted(part_type)}, "text": {quoted(addition)}}}')


def _part_text(draft: BodyEdit, part: JsonSpan) -> JsonSpan | None:
    if draft.kind(part) != "{":
        return None
    kind, text = find_value(draft, part, "type"), find_value(draft, part, "text")
    if kind is None or text is None or draft.kind(kind) != '"' or draft.kind(text) != '"':
        return None
    return text if draft.string(kind) in _TEXT_PARTS else None


def message_role(draft: BodyEdit, message: JsonSpan) -> Role | None:
    """Return a message's role from a JSON body; None for an item that is not a message."""
    if draft.kind(message) != "{":
        return None
    role = find_value(draft, message, "role")
    return None if role is None or draft.kind(role) != '"' else role_of(draft.string(role))


def grow_messages(draft: BodyEdit, injection: Injection) -> None:
    """Insert the text of skills into the `messages` of a request's body, as system text and in
    user messages.

    Raises ValueError if there is no place for them.
    """
    array = find_value(draft, draft.root, "messages")
    if array is None:
        raise ValueError("no messages")
    messages = draft.elements(array)
    if injection.system:
        _grow_system(draft, array, messages, injection)
    add_to_user_messages(draft, dict(enumerate(messages)), injection)


def grow_first_system(draft: BodyEdit, messages: Sequence[JsonSpan], addition: str) -> bool:
    """Append text to the first system message of a JSON body; False if there is none."""
    for message in messages:
        if message_role(draft, message) is Role.SYSTEM:
            grow_content(draft, message, "content", addition)
            return True
    return False


def _grow_system(
    draft: BodyEdit, array: JsonSpan, messages: Sequence[JsonSpan], injection: Injection
) -> None:
    if not grow_first_system(draft, messages, injection.system):
        text = quoted(merged_system(injection.model_system, injection.system))
        draft.add_first(array, f'{{"role": "system", "content": {text}}}')


def add_to_user_messages(
    draft: BodyEdit,
    messages: Mapping[int, JsonSpan],
    injection: Injection,
    *,
    part_type: str = "text",
) -> None:
    """Add each prefix and suffix (the text of skills) to its user message in a JSON body.

    The argument `messages` gives, for each message index in the ChatRequest, the message's place in
    the body.

    Raises ValueError if there is no user message at an index.
    """
    for head, added in ((True, injection.prefixes), (False, injection.suffixes)):
        for index, text in added:
            if index not in messages or message_role(draft, messages[index]) is not Role.USER:
                raise ValueError(f"no user message at {index}")
            at = messages[index]
            grow_content(draft, at, "content", text, part_type=part_type, head=head)


def grow_prompt(draft: BodyEdit, prompt: JsonSpan | None, injection: Injection, at: int) -> None:
    """Add prefixes and suffixes (the texts of skills) to the prompt of a request that has no other
    user message; `at` is the index of this message in the parsed request.

    Raises ValueError for another index, or if there is no prompt.
    """
    for grow, added in (
        (grow_string_before, injection.prefixes),
        (grow_string, injection.suffixes),
    ):
        for index, text in added:
            if prompt is None or index != at:
                raise ValueError(f"no user message at {index}")
            grow(draft, prompt, text)


def filled_array(draft: BodyEdit, key: str) -> bool:
    """Whether a key of a JSON body holds a non-empty list."""
    array = find_value(draft, draft.root, key)
    return array is not None and draft.kind(array) == "[" and bool(draft.elements(array))


def has_messages(body: bytes) -> bool:
    """Whether a body is JSON with a non-empty list of messages."""
    try:
        return filled_array(BodyEdit(body), "messages")
    except ValueError:
        return False


def filled_string(draft: BodyEdit, key: str) -> bool:
    """Whether a key of a JSON body holds a non-empty string."""
    text = find_value(draft, draft.root, key)
    return text is not None and draft.kind(text) == '"' and bool(draft.string(text))
