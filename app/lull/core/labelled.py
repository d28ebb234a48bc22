"""Feedback under a label: "[Previous Feedback] …", and behind an empty line the next request.

Some clients send what their user says of the last answer together with the next question. The label
at the very head of the user's message is what tells it from a log line or a pasted note: it says
that the paragraph is about the previous answer. A bare "Feedback:" does not: that is how people
paste what a customer wrote. The label makes no text more trusted than if it had been typed without
one; whatever looks pasted behind it is pasted (core/pasted.py).
"""

from __future__ import annotations

import re

_ANSWER = r"(?:answer|reply|response|turn|round|attempt)"
_LABEL = re.compile(
    r"\A[ \t]*(?:"
    rf"\[(?:my |user )?(?:previous|last|prior) (?:{_ANSWER} )?feedback\]:?"
    rf"|\[(?:my |user )?feedback on (?:the|your) (?:previous|last|prior) {_ANSWER}\]:?"
    rf"|(?:my )?feedback on (?:the|your) (?:previous|last|prior) {_ANSWER}:"
    r")[ \t]*(?=\S)",
    re.IGNORECASE,
)
_PARAGRAPH_END = re.compile(r"\n[ \t]*\n")


def label_length(text: str) -> int:
    """Characters of the label at the head of a message; 0 where there is none."""
    found = _LABEL.match(text)
    return found.end() if found else 0


def feedback_end(text: str) -> int:
    """Where the labelled feedback ends; where there is none, the end of the message."""
    length = label_length(text)
    found = _PARAGRAPH_END.search(text, length) if length else None
    return found.start() if found else len(text)


def request_in(text: str) -> str:
    """The message without labelled feedback at its head; all of it where nothing else is there."""
    if not label_length(text):
        return text
    parts = _PARAGRAPH_END.split(text, maxsplit=1)
    return parts[1] if len(parts) > 1 and parts[1].strip() else text
