"""What Lull adds to a prompt: the skill block, byte for byte, and how much of it may be added.

The block is the same for the whole trajectory, so that the model's prefix cache keeps working.
Names and descriptions stay out of it: a skill's body says when it applies, and every token here
is paid for on each request.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lull.core.feedback.stated_skill import sheet_line

OPENING = "<skills>\nApply each of these only where it fits the request.\n\n"
BETWEEN = "\n\n"
CLOSING = "\n</skills>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Injection:
    """The edit of one request: nothing else in the body changes."""

    system: str
    """The block that goes behind the client's own system text, or stands alone; "" for none."""
    model_system: str = ""
    """The model's own SYSTEM text, put before the block when the client sent no system message,
    because a system message in the request removes it."""
    suffixes: tuple[tuple[int, str], ...] = ()
    """(index into ChatRequest.messages, text appended to that user message): skills approved
    while the trajectory was under way."""

    @property
    def empty(self) -> bool:
        return not self.system and not self.suffixes


def block(bodies: Sequence[str]) -> str:
    """The text that carries these skill bodies; "" for none.

    Rules for every request stand as lines below one heading, where the first of them stands: said
    before each of them, it would be half of what they cost.
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
    return OPENING + BETWEEN.join(paragraphs) + CLOSING


def merged_system(own: str, addition: str) -> str:
    """A system text with the block behind it, as every dialect writes it."""
    return f"{own}\n\n{addition}" if own else addition
