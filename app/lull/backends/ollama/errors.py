"""Errors of a connection to Ollama, importable without the slow `ollama` package."""

from __future__ import annotations


class OllamaRefused(Exception):
    """Raised for an unsuccessful HTTP status from Ollama, with its message."""

    def __init__(self, status: int, said: str) -> None:
        super().__init__(said)
        self.status = status
        self.said = said


class OllamaAway(Exception):
    """Raised when the connection to Ollama failed or broke."""

    def __init__(self, why: Exception) -> None:
        super().__init__(str(why))
        self.why = why


class OllamaUnreadable(Exception):
    """Raised for an answer that is not in the form that Ollama sends."""


class TooLong(Exception):
    """Raised when an answer of Ollama exceeds the size limit."""
