"""Who asks, and what will answer: the two facts a request is served by."""

from __future__ import annotations

from dataclasses import dataclass

from lull.core.adapter import Shadow


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """Who asks. A client kept apart sees only its own skills."""

    name: str
    apart: bool = False

    @property
    def identity(self) -> str:
        """Whose conversations, statistics and exemplars these are: a program may call itself like
        a client that is kept apart, and is not that client."""
        return f"{APART}{self.name}" if self.apart else self.name


APART = "/c/"
"""How the identity of a client kept apart begins: with its address. Any other client is named by
its User-Agent's family, and no family holds a slash (`_FAMILY` in service/auth.py): no program can
call itself so that it is taken for one that is kept apart."""


def room_of(identity: str) -> str:
    """The client whose skills this one sees; "" is everybody's."""
    return identity.removeprefix(APART) if identity.startswith(APART) else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFacts:
    """What is known of the model that will answer."""

    digest: str
    window_tokens: int | None
    """As it is loaded, or would be."""
    system: str
    """The model's own SYSTEM text, which a system message in the request would remove."""
    template_sha256: str
    adapter: str | None = None
    learned: frozenset[str] = frozenset()
    """sha256 of the skills that the adapter has learned: they stay out of the prompt."""
    shadow: Shadow | None = None
    """Another adapter that answers a share of new trajectories."""
    longest_tokens: int | None = None
    """The longest window that it can be given."""
    reads_suffixes: bool = True
    """False for the built-in model, which looks for rules in its system text alone: a skill that is
    approved in mid-conversation waits for the next one there."""
