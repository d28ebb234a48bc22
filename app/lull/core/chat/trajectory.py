"""Recorded chat turns and trajectories: a turn is one request and its answer, a trajectory is one
conversation without its side branches.

When a request arrives, the weights, the version of the skill library and the skills in the prompt
are recorded with it and never revised. These stamps later show which turns taught a skill and which
were answered with it (support and query data in MetaClaw).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from lull.core.chat.messages import Completion, Message, Sampling

NOTHING_KNOWN = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyVersion:
    """The policy M = (θ, S) with which a request was answered: the model weights θ and the skill
    library S, instruction texts for prompts (MetaClaw, arXiv 2603.17187, section 3).
    """

    model: str
    """Digest of the base model if known, else its name as the server lists it."""
    adapter: str | None
    """sha256 of the LoRA adapter; None: the base weights."""
    generation: int
    """Number of the version of the whole skill library (its generation) at that time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectedSkill:
    """A skill (an instruction text) that was put into a conversation's prompt, in the exact
    version.
    """

    name: str
    version: int
    sha256: str
    """sha256 of the exact bytes of the skill's SKILL.md."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldoutAssignment:
    """The record of a random draw: whether a skill (an instruction text) that was chosen for a
    conversation's prompt was left out of it. Conversations without the skill are the control group
    that shows its effect.
    """

    client: str
    """The client that the skill belongs to; "" for a skill that all clients share."""
    name: str
    sha256: str
    left_out: bool
    share: float
    """Probability, in (0, 1), with which the skill is left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The skills (instruction texts) chosen for a conversation's prompt, and the exact text
    inserted for them. Both are fixed on the conversation's first turn.
    """

    skills: tuple[InjectedSkill, ...] = ()
    block: str = ""
    why: str = ""
    """Why no skill was injected, or which were left out for want of room; "" if neither. `lull
    show` says it beside the skills of a conversation's first turn.
    """
    model_system: str = ""
    """The model's own SYSTEM text that was put before the skill block; stored, because later turns
    need exactly the same bytes.
    """
    assignments: tuple[HoldoutAssignment, ...] = ()
    learned: tuple[str, ...] = ()
    """sha256 of the skills left out because the answering adapter had learned them; they are added
    if another adapter, which has not, answers later.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Suffix:
    """Skills (instruction texts) that were added to one user message instead of the beginning of
    the prompt: those approved during the conversation or, for a model that obeys skills best there,
    all of them.
    """

    message: int
    """Index of the user message in the request to which the skill was added."""
    text: str
    skills: tuple[InjectedSkill, ...]
    head: bool = False
    """Whether the text stands before the message's own instead of behind it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStamp:
    """What is recorded about a chat turn when its request arrives and never changed afterwards:
    ids, client, model, policy version (weights and skill library), skills and sampling parameters.
    """

    turn: str
    trajectory: str
    number: int
    """Number of the turn in its trajectory, from 1."""
    client: str
    route: str
    model: str
    """The model's name as the client typed it."""
    policy: PolicyVersion
    skills: tuple[InjectedSkill, ...]
    template_sha256: str
    sampling: Sampling
    at: datetime
    apart: bool = False
    """Whether the client is kept apart (isolated), so that what is learned from it is used for it
    alone.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A finished chat turn (request and answer), as stored."""

    stamp: TurnStamp
    messages: tuple[Message, ...]
    """The request's messages as the client sent them, oldest first; nothing that Lull injected."""
    links: tuple[str, ...]
    answer_link: str
    completion: Completion
    took_s: float
    block: str
    suffixes: tuple[Suffix, ...]
    known: int
    """Number of the version of the skill library (its generation) up to which skills were looked up
    for this conversation; NOTHING_KNOWN (-1) while the facts about its model have not arrived.
    """
    tools: str = ""
    """JSON text of the tools offered; "" if none."""
    format: str = ""
    """JSON text of the wanted output format; "" if none."""
    note: str = ""
    """A note about this turn for the user, e.g. that the upstream cut the prompt."""
