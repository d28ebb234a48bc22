"""A turn is one request and its answer; a trajectory is one walk through the message chain.

What is true when the request arrives is stamped then and never revised: which weights, which
skill generation, which skills. Support and query data are told apart by these stamps.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from lull.core.messages import Completion, Message, Sampling

NOTHING_KNOWN = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyVersion:
    """M = (θ, S) as it stood when a request arrived (MetaClaw, arXiv 2603.17187, section 3)."""

    model: str
    """Digest of the base model where known, else its name as the server lists it."""
    adapter: str | None
    """sha256 of the LoRA adapter, None for the base weights."""
    generation: int
    """Skill generation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectedSkill:
    name: str
    version: int
    sha256: str
    """Of the exact bytes of its SKILL.md."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CoinFlip:
    """Whether a skill that was chosen for a trajectory was left out of it, to measure what it does
    (core/guard.py)."""

    client: str
    """The skill's room, "" for everybody's."""
    name: str
    sha256: str
    left_out: bool
    share: float
    """The chance that it would be left out, in (0, 1)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The skills of a trajectory, fixed on its first turn, byte for byte."""

    skills: tuple[InjectedSkill, ...] = ()
    block: str = ""
    why: str = ""
    """Why nothing was injected, when nothing was: for `lull show`."""
    model_system: str = ""
    """The model's own SYSTEM text that went in before the block, kept because the facts of the
    model may come too late for a later turn, and the bytes must be the same."""
    flips: tuple[CoinFlip, ...] = ()
    learned: tuple[str, ...] = ()
    """sha256 of the skills that stayed out because the adapter had learned them: where another
    answers later that has not, they join."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suffix:
    """A skill approved while the trajectory was under way: joins one user message."""

    message: int
    """Index into the request's messages."""
    text: str
    skills: tuple[InjectedSkill, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStamp:
    """What a turn is known by from the moment its request arrives."""

    turn: str
    trajectory: str
    number: int
    """1 for the first turn of the trajectory."""
    client: str
    route: str
    model: str
    """As typed by the client."""
    policy: PolicyVersion
    skills: tuple[InjectedSkill, ...]
    template_sha256: str
    sampling: Sampling
    at: datetime
    apart: bool = False
    """The client is kept apart: what is learned from it is for it alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A finished turn, as it goes to the store."""

    stamp: TurnStamp
    messages: tuple[Message, ...]
    """As the client sent them, oldest first; nothing that Lull injected."""
    links: tuple[str, ...]
    answer_link: str
    completion: Completion
    took_s: float
    block: str
    suffixes: tuple[Suffix, ...]
    known: int
    """The generation up to which skills were looked up for this trajectory; NOTHING_KNOWN (-1)
    while its model's facts have not come in time yet."""
    tools: str = ""
    """JSON text of the tools offered, "" for none."""
    format: str = ""
    """JSON text of the wanted output format, "" for none."""
    note: str = ""
    """What a person should know about this turn, e.g. that the upstream cut the prompt."""
