"""What goes wrong between us and an Ollama, told without the package that notices it."""

from __future__ import annotations


class Refused(Exception):
    """A status that is no success, and what was said with it."""

    def __init__(self, status: int, said: str) -> None:
        super().__init__(said)
        self.status = status
        self.said = said


class Away(Exception):
    """Nobody answers, or not to the end."""

    def __init__(self, why: Exception) -> None:
        super().__init__(str(why))
        self.why = why


class Unreadable(Exception):
    """The answer is not what an Ollama says."""


class TooLong(Exception):
    """More was said than an answer may hold."""
