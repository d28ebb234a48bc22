"""From what a reader heard to a check, where one decides it."""

from __future__ import annotations

from lull.core.check import Check
from lull.core.feedback.feedback import Heard


def proposed_check(kind: str, rule: str, asked: str, answer: str) -> str:
    """JSON text of the check that this rule comes to and that the failed answer fails."""
    return ""


def derived_check(heard: Heard, asked: str) -> Check | None:
    """The check of a lasting wish, whatever the answer was."""
    return None
