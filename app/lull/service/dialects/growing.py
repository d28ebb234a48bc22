"""Where a text is put into a body: the places that two or more dialects share.

A content is a string, a list of parts, or nothing; whichever it is, it stays. A text that was
there keeps its words, and ours comes behind it after an empty line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lull.core.injection import Injection, merged_system
from lull.core.json_edit import Draft, Span, quoted
from lull.core.messages import Role
from lull.service.dialects.parts import role_of, spelled_otherwise

_TEXT_PARTS = ("text", "input_text", "output_text")


def member(draft: Draft, span: Span, key: str) -> Span | None:
    """Where a key's value stands; None when absent or null."""
    found = _standing(draft, span, key)
    return None if found is None or draft.kind(found) == "n" else found


def _standing(draft: Draft, span: Span, key: str) -> Span | None:
    """The key in the case that it was read in: a request with two spellings of it was not read."""
    members = draft.members(span)
    if key not in members:
        key = next(iter(spelled_otherwise(members).get(key, ())), key)
    return members.get(key)


def set_member(draft: Draft, span: Span, key: str, json_text: str) -> None:
    """For a key that is absent or null."""
    null = _standing(draft, span, key)
    if null is None:
        draft.add_member(span, key, json_text)
    else:
        draft.replace(null, json_text)


def grow_string(draft: Draft, span: Span, addition: str) -> None:
    behind = "\n\n" if draft.string(span) else ""
    draft.append(span, behind + addition)


def grow_content(
    draft: Draft, holder: Span, key: str, addition: str, *, part_type: str = "text"
) -> None:
    """Put a text behind what stands under `key`: a string, a list of parts, or nothing."""
    content = member(draft, holder, key)
    if content is None:
        set_member(draft, holder, key, quoted(addition))
    elif draft.kind(content) == "[":
        _grow_parts(draft, content, addition, part_type)
    else:
        grow_string(draft, content, addition)


def _grow_parts(draft: Draft, array: Span, addition: str, part_type: str) -> None:
    for part in reversed(draft.elements(array)):
        text = _part_text(draft, part)
        if text is not None:
            grow_string(draft, text, addition)
            return
    draft.add_last(array, f'{{"type": {quoted(part_type)}, "text": {quoted(addition)}}}')


def _part_text(draft: Draft, part: Span) -> Span | None:
    if draft.kind(part) != "{":
        return None
    kind, text = member(draft, part, "type"), member(draft, part, "text")
    if kind is None or text is None or draft.kind(kind) != '"' or draft.kind(text) != '"':
        return None
    return text if draft.string(kind) in _TEXT_PARTS else None


def message_role(draft: Draft, message: Span) -> Role | None:
    """None for an item that is not a message."""
    if draft.kind(message) != "{":
        return None
    role = member(draft, message, "role")
    return None if role is None or draft.kind(role) != '"' else role_of(draft.string(role))


def grow_messages(draft: Draft, injection: Injection) -> None:
    """The system block and the suffixes, in a body whose `messages` hold the system text too."""
    array = member(draft, draft.root, "messages")
    if array is None:
        raise ValueError("no messages")
    messages = draft.elements(array)
    if injection.system:
        _grow_system(draft, array, messages, injection)
    grow_at(draft, dict(enumerate(messages)), injection)


def grow_first_system(draft: Draft, messages: Sequence[Span], addition: str) -> bool:
    """Whether there was a system message to grow."""
    for message in messages:
        if message_role(draft, message) is Role.SYSTEM:
            grow_content(draft, message, "content", addition)
            return True
    return False


def _grow_system(draft: Draft, array: Span, messages: Sequence[Span], injection: Injection) -> None:
    if not grow_first_system(draft, messages, injection.system):
        text = quoted(merged_system(injection.model_system, injection.system))
        draft.add_first(array, f'{{"role": "system", "content": {text}}}')


def grow_at(
    draft: Draft, messages: Mapping[int, Span], injection: Injection, *, part_type: str = "text"
) -> None:
    """Each suffix behind its user message; `messages` by their index in the ChatRequest."""
    for index, text in injection.suffixes:
        if index not in messages or message_role(draft, messages[index]) is not Role.USER:
            raise ValueError(f"no user message at {index}")
        grow_content(draft, messages[index], "content", text, part_type=part_type)


def filled_array(draft: Draft, key: str) -> bool:
    """Whether the key holds a list with something in it."""
    array = member(draft, draft.root, key)
    return array is not None and draft.kind(array) == "[" and bool(draft.elements(array))


def filled_string(draft: Draft, key: str) -> bool:
    text = member(draft, draft.root, key)
    return text is not None and draft.kind(text) == '"' and bool(draft.string(text))
