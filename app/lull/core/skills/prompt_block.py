"""Builds the block of skills (instruction texts) that is added to a prompt, and puts it there.

The block stays the same for the whole conversation, so that the model's prefix cache keeps working.
Names and descriptions are left out: a skill's body says when it applies, and every token costs on
each request.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from lull.core.chat.messages import Message, MessagePart, PartKind, Role, text_message
from lull.core.skills.prompt_marks import neutralised
from lull.core.skills.stated_skill import heading_and_line

OPENING = "<skills>\nApply each of these only where it fits the request.\n\n"
BETWEEN = "\n\n"
CLOSING = "\n</skills>"


class Placement(StrEnum):
    """Where in a prompt the block of skills is put. A model may obey skills in one place and ignore
    them in another, so this is measured for each model.
    """

    SYSTEM = "system"
    """Behind the client's system text."""
    HEAD = "head"
    """Before the text of the user message for which the skills were chosen."""
    TAIL = "tail"
    """Behind the text of the user message for which the skills were chosen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Injection:
    """The texts that Lull adds to one chat request: the block of skills (instruction texts), and a
    system text if one must precede the block. Nothing else in the request's body changes.
    """

    system: str
    """The block to append to the client's system text, or to send alone; "" for none."""
    model_system: str = ""
    """The model's own SYSTEM text, put before the block if the client sent no system message,
    because a system message in the request would replace it."""
    suffixes: tuple[tuple[int, str], ...] = ()
    """Skills approved during the conversation, as (index into ChatRequest.messages, text appended
    to that user message).
    """
    prefixes: tuple[tuple[int, str], ...] = ()
    """Texts put before user messages, in the same form as the suffixes."""

    @property
    def empty(self) -> bool:
        """Whether no skill is added to the request."""
        return not self.system and not self.suffixes and not self.prefixes

    @property
    def text(self) -> str:
        """Everything that Lull adds to the request, joined into one text."""
        beside = (text for _, text in (*self.prefixes, *self.suffixes))
        return "".join((self.system, self.model_system, *beside))


def skills_block(bodies: Sequence[str]) -> str:
    """Return the block of text to add to a prompt for skills with these bodies; "" if there are
    none.

    Rules for every request are listed together below one heading, where the first of them stands,
    because a heading for each would double their cost. Marks in a body that would end the block or
    begin a chat role are neutralised.
    """
    if not bodies:
        return ""
    parts = [(body.strip(), heading_and_line(body.strip())) for body in bodies]
    sheets: dict[str, list[str]] = {}
    for _, line in parts:
        if line:
            sheets.setdefault(line[0], []).append(line[1])
    paragraphs = []
    for body, line in parts:
        lines = sheets.pop(line[0], []) if line else []
        if line is None or len(lines) == 1:
            paragraphs.append(body)
        elif lines:
            paragraphs.append("\n".join((line[0], *lines)))
    return OPENING + neutralised(BETWEEN.join(paragraphs)) + CLOSING


def merged_system(own: str, addition: str) -> str:
    """Return the system text that the chat app sent (`own`) followed by the block of skills
    (`addition`); it is the same whether the app speaks Ollama's or OpenAI's API.
    """
    return f"{own}\n\n{addition}" if own else addition


def with_block(
    messages: Sequence[Message], text: str, *, system: str, place: Placement
) -> tuple[Message, ...]:
    """Return a conversation's messages with the block of skills (`text`) inserted where it was when
    the conversation began: in the system text or in the first user message.

    `system` is the model's own SYSTEM text; it is put before the block if the block becomes a
    system message of its own. If there is no user message, the block goes into the system message.
    """
    if not text:
        return tuple(messages)
    first = next((n for n, one in enumerate(messages) if one.role is Role.USER), None)
    if place is not Placement.SYSTEM and first is not None:
        grown = _grown(messages[first], text, head=place is Placement.HEAD)
        return (*messages[:first], grown, *messages[first + 1 :])
    if messages and messages[0].role is Role.SYSTEM:
        own = messages[0].text
        return (text_message(Role.SYSTEM, merged_system(own, text)), *messages[1:])
    return (text_message(Role.SYSTEM, merged_system(system, text)), *messages)


def _grown(message: Message, text: str, *, head: bool) -> Message:
    """Return the message with the text before its first text part, or behind its last one."""
    parts = list(message.parts)
    spoken = [n for n, part in enumerate(parts) if part.kind is PartKind.TEXT]
    if not spoken:
        parts.insert(0 if head else len(parts), MessagePart(kind=PartKind.TEXT, text=text))
    elif head:
        parts[spoken[0]] = replace(parts[spoken[0]], text=f"{text}\n\n{parts[spoken[0]].text}")
    else:
        parts[spoken[-1]] = replace(parts[spoken[-1]], text=f"{parts[spoken[-1]].text}\n\n{text}")
    return replace(message, parts=tuple(parts))
