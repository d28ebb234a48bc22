"""Whose words stand in a conversation: the user's, the model's, or those of somebody unknown.

Only what the user typed is trusted. A tool's result, a file, a page, what was pasted into the
user's message and the client's own system text are untrusted: a client fills its system text with
documents as readily as with instructions. What stands in the history as the model's answer is the
model's, and a client may have made it up. What Lull injected is nobody's: it is taken out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from lull.core.characters import bare
from lull.core.labelled import feedback_end, label_length
from lull.core.messages import Message, Part, PartKind, Role
from lull.core.pasted import perhaps_quoted, typed


class Origin(StrEnum):
    USER = "user"
    MODEL = "model"
    UNTRUSTED = "untrusted"


class Place(StrEnum):
    """Where in a conversation a span stood."""

    TYPED = "typed"
    PASTED = "pasted"
    """In the user's message, by the look of it written by somebody else."""
    TOOL = "tool"
    """A tool's result, a file, a page."""
    ANSWER = "answer"
    """The assistant's side of the history, its tool calls and thinking too."""
    SYSTEM = "system"


_ORIGIN_OF = {
    Place.TYPED: Origin.USER,
    Place.PASTED: Origin.UNTRUSTED,
    Place.TOOL: Origin.UNTRUSTED,
    Place.ANSWER: Origin.MODEL,
    Place.SYSTEM: Origin.UNTRUSTED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A run of text with one author."""

    text: str
    origin: Origin
    turn: str
    place: Place


def spans_of(messages: Sequence[Message], turn: str) -> tuple[Span, ...]:
    """The messages in order, cut by author; `turn` is the id of the turn that they belong to."""
    return tuple(
        Span(text=text, origin=_ORIGIN_OF[place], turn=turn, place=place)
        for message in messages
        for text, place in _pieces(message)
        if text.strip()
    )


def said_by_user(message: Message) -> str:
    """What the user typed in this message, without what was pasted or injected."""
    pieces = (text.strip() for text, place in _pieces(message) if place is Place.TYPED)
    return "\n".join(piece for piece in pieces if piece)


def typed_in(messages: Sequence[Message]) -> str:
    """What the user typed in these messages, without what was pasted or injected; of one that opens
    with labelled feedback only that, because the rest is the next request."""
    typed = (_said_of_answer(message) for message in messages if message.role is Role.USER)
    return "\n".join(words for words in typed if words)


def _said_of_answer(message: Message) -> str:
    own = (text.strip() for text, place in _pieces(message, feedback=True) if place is Place.TYPED)
    words = "\n".join(piece for piece in own if piece)
    return words[label_length(words) :]


def behind_the_answer(messages: Sequence[Message]) -> Sequence[Message]:
    """What came behind the last answer in a whole request."""
    answers = [n for n, message in enumerate(messages, 1) if message.role is Role.ASSISTANT]
    return messages[answers[-1] :] if answers else messages


def is_mixed(message: Message) -> bool:
    """Whether somebody else's words may stand in the user's message that nothing tells from theirs:
    it has several lines, a colon, quotation marks, a question, or more in it than what they typed.
    """
    if message.role is not Role.USER:
        return False
    text = "\n".join(part.text for part in message.parts if part.kind is PartKind.TEXT).strip()
    pieces = any(place is not Place.TYPED for _, place in _pieces(message))
    return perhaps_quoted(text) or "?" in text or pieces


def _pieces(message: Message, *, feedback: bool = False) -> Iterator[tuple[str, Place]]:
    """`feedback`: of a user's message no more than labelled feedback at its head, if there is."""
    texts = [part.text for part in message.parts if part.kind is PartKind.TEXT]
    # Clients cut one message into several parts; only a file or a picture stands for itself.
    if message.role is Role.USER and len(texts) > 1:
        yield from _of_user("\n\n".join(texts), feedback=feedback)
    else:
        for text in texts:
            yield from _of_text(message.role, text, feedback=feedback)
    for part in message.parts:
        if part.kind not in (PartKind.TEXT, PartKind.IMAGE):
            yield strip_injected(part.text), _place_of(message.role, part)
    for call in message.tool_calls:
        yield strip_injected(call.arguments), Place.ANSWER


def _of_text(role: Role, text: str, *, feedback: bool) -> Iterator[tuple[str, Place]]:
    if role is Role.USER:
        yield from _of_user(text, feedback=feedback)
    else:
        yield (
            strip_injected(text),
            {Role.ASSISTANT: Place.ANSWER, Role.SYSTEM: Place.SYSTEM}.get(role, Place.TOOL),
        )


def _of_user(text: str, *, feedback: bool) -> Iterator[tuple[str, Place]]:
    # Cut before anything is taken out, or a feigned tag would take the marks of a paste with it.
    whole = not _is_broken(text)
    for piece, own in typed(text, upto=feedback_end(text) if feedback else None):
        mine = own and whole and not _smuggles(piece)
        yield strip_injected(piece), Place.TYPED if mine else Place.PASTED


def _is_broken(text: str) -> bool:
    """Lull writes whole blocks; half of one was written by somebody else."""
    depth = 0
    for tag in _TAG.finditer(text):
        depth += -1 if tag.group(1) else 1
        if depth < 0:
            return True
    return depth != 0


def _smuggles(piece: str) -> bool:
    """Nobody types tag characters: what hides behind them is not the user's."""
    return any(0xE0000 <= ord(char) < 0xE0080 for char in piece) and bare(piece) != piece


def _place_of(role: Role, part: Part) -> Place:
    if part.kind is PartKind.TOOL_RESULT:
        return Place.TOOL
    if role is Role.USER:
        return Place.PASTED
    return {Role.ASSISTANT: Place.ANSWER, Role.SYSTEM: Place.SYSTEM}.get(role, Place.TOOL)


_TAG = re.compile(r"<\s*(/?)\s*skills\s*>", re.IGNORECASE)


def strip_injected(text: str) -> str:
    """The text without the blocks of core/injection.py.

    Blocks may stand several times and inside one another. Of a broken one everything goes that
    may have been inside: from an opening without an end to the end of the text, and from the
    beginning of the text to an end without an opening.
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
