"""Splits a conversation into spans of text by author: the user, the model, or unknown.

Only what the user typed is trusted. Tool results, files, pages, text pasted into the user's message
and the client's system text are untrusted: clients fill system text with documents as well as
instructions. The history's answers count as the model's, though a client may have invented them.
Text that Lull injected (skills) is removed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from lull.core.chat.messages import Message, MessagePart, PartKind, Role
from lull.core.feedback.feedback_label import feedback_end, label_length, request_in
from lull.core.provenance.pasted import is_framed, perhaps_quoted, split_typed
from lull.core.text.unicode_safety import normalised_text


class Author(StrEnum):
    """Who wrote a piece of text in a conversation."""

    USER = "user"
    MODEL = "model"
    UNTRUSTED = "untrusted"


class SpanPlace(StrEnum):
    """Where in a conversation a piece of text comes from: typed or pasted by the user, output by a
    tool, or part of an answer or the system text.
    """

    TYPED = "typed"
    PASTED = "pasted"
    """Text in the user's message that somebody else apparently wrote."""
    TOOL = "tool"
    """Text of a tool's result, a file or a web page."""
    ANSWER = "answer"
    """Text of the assistant, including tool calls and thinking."""
    SYSTEM = "system"


_ORIGIN_OF = {
    SpanPlace.TYPED: Author.USER,
    SpanPlace.PASTED: Author.UNTRUSTED,
    SpanPlace.TOOL: Author.UNTRUSTED,
    SpanPlace.ANSWER: Author.MODEL,
    SpanPlace.SYSTEM: Author.UNTRUSTED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthoredSpan:
    """A stretch of text in a conversation that is all by one author."""

    text: str
    origin: Author
    turn: str
    place: SpanPlace


def spans_of(messages: Sequence[Message], turn: str) -> tuple[AuthoredSpan, ...]:
    """Return the texts of the messages in order, split into spans that each have one author (user,
    model or unknown); `turn` is the id of the chat turn that they belong to.
    """
    return tuple(
        AuthoredSpan(text=text, origin=_ORIGIN_OF[place], turn=turn, place=place)
        for message in messages
        for text, place in _pieces(message)
        if text.strip()
    )


def said_by_user(message: Message) -> str:
    """Return the text that the user typed in this message, without pasted text and without what
    Lull inserted.
    """
    pieces = (text.strip() for text, place in _pieces(message) if place is SpanPlace.TYPED)
    return "\n".join(piece for piece in pieces if piece)


def typed_request(messages: Sequence[Message]) -> str:
    """Return the part of a chat request that the user typed, from their newest message that has
    one; "" if there is none. Pasted text, which must not become a skill's example, is left out.
    """
    asked = (m for m in reversed(messages) if m.role is Role.USER)
    return next((words for m in asked if (words := request_in(said_by_user(m)))), "")


def typed_in(messages: Sequence[Message]) -> str:
    """Return the text that the user typed in these messages, without pasted text and without what
    Lull inserted.

    If a message opens with feedback under a label ("[Previous Feedback] …"), only that feedback is
    taken, because the rest is the next request.
    """
    typed = (_said_of_answer(message) for message in messages if message.role is Role.USER)
    return "\n".join(words for words in typed if words)


def _said_of_answer(message: Message) -> str:
    own = (
        text.strip() for text, place in _pieces(message, feedback=True) if place is SpanPlace.TYPED
    )
    words = "\n".join(piece for piece in own if piece)
    return words[label_length(words) :]


def after_last_answer(messages: Sequence[Message]) -> Sequence[Message]:
    """Return those messages of a chat request that come after its last message by the assistant."""
    answers = [n for n, message in enumerate(messages, 1) if message.role is Role.ASSISTANT]
    return messages[answers[-1] :] if answers else messages


def is_mixed(message: Message) -> bool:
    """Whether the user's message may contain somebody else's words that cannot be separated from
    the user's: it has several lines, a colon, quotation marks, a question, parts that were not
    typed, or the form of a line that a diff takes away.
    """
    if message.role is not Role.USER:
        return False
    text = "\n".join(part.text for part in message.parts if part.kind is PartKind.TEXT).strip()
    pieces = any(place is not SpanPlace.TYPED for _, place in _pieces(message))
    removed = len(text) > 1 and text[0] == "-" and text[1].isalpha()
    return perhaps_quoted(text) or "?" in text or pieces or removed


_CALLS: Final = re.compile(
    r"<([a-z]\w*(?:_\w+)+|function|tool|invoke|execute\w*)[ =>]|\"(?:tool|function|action|name)\""
    r"\s*:\s*\"|^\W{0,4}(?:action|tool|function|command|call)(?: \w+)? ?:"
    r"|```(?:tool|bash|sh|shell)",
    re.IGNORECASE | re.MULTILINE,
)
"""Matches an answer that calls a tool in plain text, where the protocol has no tool calls."""
_OFFERS: Final = re.compile(
    r"\b(?:tools?|functions?|commands?|actions?|plugins?|terminal|shell|browser|browsing|retriev\w*"
    r"|search results?|observations?|documents?|context|sources?|citations?|werkzeuge?|outils?"
    r"|herramientas?)\b",
    re.IGNORECASE,
)
LONG_SYSTEM: Final = 400
"""Length in characters from which a client's system text counts as an agent program's, which tells
a model how to work in it.
"""


def may_be_agent(messages: Sequence[Message]) -> bool:
    """Whether the conversation may come from an agent program. Such programs send tool results in
    the user's role, so the user may not have typed the "user" messages.
    """
    return any(_of_a_program(message) for message in messages)


def _of_a_program(message: Message) -> bool:
    text = strip_injected(
        "\n".join(part.text for part in message.parts if part.kind is PartKind.TEXT)
    )
    match message.role:
        case Role.USER:
            parts = sum(part.kind is PartKind.TEXT for part in message.parts)
            return parts > 1 or is_framed(text)
        case Role.ASSISTANT:
            return bool(message.tool_calls or _CALLS.search(text))
        case Role.SYSTEM:
            return len(text) > LONG_SYSTEM or bool(_OFFERS.search(text))
        case _:
            return True


def _pieces(message: Message, *, feedback: bool = False) -> Iterator[tuple[str, SpanPlace]]:
    """The pieces of a message with their places. `feedback`: of a user's message only the labelled
    feedback at its head, if any."""
    texts = [part.text for part in message.parts if part.kind is PartKind.TEXT]
    # Clients split one message into several parts; only a file or a picture stands for itself.
    if message.role is Role.USER and len(texts) > 1:
        yield from _of_user("\n\n".join(texts), feedback=feedback)
    else:
        for text in texts:
            yield from _of_text(message.role, text, feedback=feedback)
    for part in message.parts:
        if part.kind not in (PartKind.TEXT, PartKind.IMAGE):
            yield strip_injected(part.text), _place_of(message.role, part)
    for call in message.tool_calls:
        yield strip_injected(call.arguments), SpanPlace.ANSWER


def _of_text(role: Role, text: str, *, feedback: bool) -> Iterator[tuple[str, SpanPlace]]:
    if role is Role.USER:
        yield from _of_user(text, feedback=feedback)
    else:
        yield (
            strip_injected(text),
            {Role.ASSISTANT: SpanPlace.ANSWER, Role.SYSTEM: SpanPlace.SYSTEM}.get(
                role, SpanPlace.TOOL
            ),
        )


def _of_user(text: str, *, feedback: bool) -> Iterator[tuple[str, SpanPlace]]:
    # Split before anything is removed, or a forged tag would remove the marks of a paste with it.
    whole = not _is_broken(text)
    for piece, own in split_typed(text, upto=feedback_end(text) if feedback else None):
        mine = own and whole and not _smuggles(piece)
        yield strip_injected(piece), SpanPlace.TYPED if mine else SpanPlace.PASTED


def _is_broken(text: str) -> bool:
    """Whether block tags are unbalanced: Lull writes whole blocks, so half a block is somebody
    else's."""
    depth = 0
    for tag in _TAG.finditer(text):
        depth += -1 if tag.group(1) else 1
        if depth < 0:
            return True
    return depth != 0


def _smuggles(piece: str) -> bool:
    """Whether the piece hides text in tag characters, which nobody types."""
    return any(0xE0000 <= ord(char) < 0xE0080 for char in piece) and normalised_text(piece) != piece


def _place_of(role: Role, part: MessagePart) -> SpanPlace:
    if part.kind is PartKind.TOOL_RESULT:
        return SpanPlace.TOOL
    if role is Role.USER:
        return SpanPlace.PASTED
    return {Role.ASSISTANT: SpanPlace.ANSWER, Role.SYSTEM: SpanPlace.SYSTEM}.get(
        role, SpanPlace.TOOL
    )


_TAG = re.compile(r"<\s*(/?)\s*skills\s*>", re.IGNORECASE)


def strip_injected(text: str) -> str:
    """Return the text without the blocks of skills that Lull inserted.

    Blocks may be repeated and nested. Of a broken block everything that may have been inside is
    removed: from an opening tag without an end to the end of the text, and from the beginning of
    the text to a closing tag without a start.
    """
    out: list[str] = []
    depth, at = 0, 0
    for tag in _TAG.finditer(text):
        if not depth:
            out.append(text[at : tag.start()])
        if tag.group(1) and not depth:
            out.clear()
        depth = max(0, depth - 1) if tag.group(1) else depth + 1
        at = tag.end()
    if not depth:
        out.append(text[at:])
    if len(out) == 1 and at == 0:
        return text
    return "\n\n".join(kept for piece in out if (kept := piece.strip("\n")))
