"""Recognises feedback that a chat client put under a label in the user's message: "[Previous
Feedback] …", then an empty line and the next request.

Some clients send what their user says about the last answer together with the next question. The
label must be at the very start of the user's message, which distinguishes it from a log line or a
pasted note. A bare "Feedback:" does not count, because people paste customers' words like that. The
label gives the text no extra trust: pasted text after it still counts as pasted.
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
    """Return the length in characters of a label such as "[Previous Feedback]" at the start of a
    message; 0 without one.
    """
    found = _LABEL.match(text)
    return found.end() if found else 0


def feedback_end(text: str) -> int:
    """Return the index at which feedback after a label such as "[Previous Feedback]" ends; without
    a label, the end of the message.
    """
    length = label_length(text)
    found = _PARAGRAPH_END.search(text, length) if length else None
    return found.start() if found else len(text)


def request_in(text: str) -> str:
    """Return the user's message without feedback under a label such as "[Previous Feedback]"; the
    whole message if it contains nothing but feedback.
    """
    if not label_length(text):
        return text
    parts = _PARAGRAPH_END.split(text, maxsplit=1)
    return parts[1] if len(parts) > 1 and parts[1].strip() else text
