"""Who asks, and what will answer: the two facts a request is served by."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """Who asks. A client kept apart sees only its own skills."""

    name: str
    apart: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFacts:
    """What is known of the model that will answer."""

    digest: str
    window_tokens: int | None
    system: str
    """The model's own SYSTEM text, which a system message in the request would remove."""
    template_sha256: str
    adapter: str | None = None
    reads_suffixes: bool = True
    """False for the built-in model, which looks for rules in its system text alone: a skill that is
    approved in mid-conversation waits for the next one there."""
