"""Builds the block of skills (instruction texts) that is added to a prompt.

The block stays the same for the whole conversation, so that the model's prefix cache keeps working.
Names and descriptions are left out: a skill's body says when it applies, and every token costs on
each request.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lull.core.skills.prompt_marks import harmless
from lull.core.skills.stated_skill import sheet_line

OPENING = "<skills>\nApply each of these only where it fits the request.\n\n"
BETWEEN = "\n\n"
CLOSING = "\n</skills>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Injection:
    """The text that Lull adds to one chat request: the block of skills and what goes with it.
    Nothing else in the request's body changes.
    """

    system: str
    """The block to append to the client's system text, or to send alone; "" for none."""
    model_system: str = ""
    """The model's own SYSTEM text, put before the block if the client sent no system message,
    because a system message in the request would replace it."""
    suffixes: tuple[tuple[int, str], ...] = ()
    """Skills approved during the trajectory, as (index into ChatRequest.messages, text appended to
    that user message).
    """

    @property
    def empty(self) -> bool:
        return not self.system and not self.suffixes


def block(bodies: Sequence[str]) -> str:
    """Return the text to add to a prompt for these skill bodies; "" for none.

    Rules for every request are listed below one heading, at the position of the first, because
    repeating it would double their cost. Marks in a body that would end the block or begin a chat
    role are neutralised.
    """
    if not bodies:
        return ""
    parts = [(body.strip(), sheet_line(body.strip())) for body in bodies]
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
    return OPENING + harmless(BETWEEN.join(paragraphs)) + CLOSING


def merged_system(own: str, addition: str) -> str:
    """Return the client's system text followed by the block of skills, the same in every API
    dialect.
    """
    return f"{own}\n\n{addition}" if own else addition
