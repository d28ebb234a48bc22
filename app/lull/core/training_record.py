"""One run as it is written down: what it is made of, how far it came, and what became of it.

    waiting → training → trained → judging → promoted | rejected
                 │           └ continued: the next round goes on from its adapter
                 └ superseded | cancelled | failed | forgotten

A run that was begun under other skills, other weights, or with a conversation that is gone is
superseded: its data go back to where they came from, and nothing of it is served.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final

from lull.core.training_run import RunKind


class RunStatus(StrEnum):
    WAITING = "waiting"
    """Its folder is written."""
    TRAINING = "training"
    TRAINED = "trained"
    """Its adapter is whole; nobody has looked at it yet."""
    CONTINUED = "continued"
    """The next round was sampled from its adapter."""
    JUDGING = "judging"
    """Before the gate."""
    PROMOTED = "promoted"
    REJECTED = "rejected"
    SUPERSEDED = "superseded"
    CANCELLED = "cancelled"
    FAILED = "failed"


AT_WORK = frozenset({RunStatus.WAITING, RunStatus.TRAINING})
"""A trainer has something to do."""
OPEN = AT_WORK | {RunStatus.TRAINED, RunStatus.JUDGING}


WISH: Final = "wish"
"""The kind of a source: a turn of which the user said the words that answers were scored by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What a run was made of; kept when it is gone."""

    kind: str
    """`turn`, `wish`, or `skill` by its sha256."""
    id: str
    trajectory: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """What the trainer has said so far."""

    step: int = 0
    of: int = 0
    loss: float | None = None
    kl: float | None = None
    reward_before: float | None = None
    """Of the groups it learns from; the mean."""
    reward_after: float | None = None
    """Of the groups that its adapter sampled, in the next round or before the gate."""
    tokens: int = 0
    tokens_s: float = 0.0
    took_s: float = 0.0
    left_s: float = 0.0
    peak_mb: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    id: str
    kind: RunKind
    status: RunStatus
    why: str
    """In words: why it was made, or why it ended as it did."""
    made_at: datetime
    changed_at: datetime
    model: str
    """The name under which its model is served."""
    base: str
    """Digest of the weights."""
    root: str | None
    """Adapter that was in force when the first round began, by its version; None: the base."""
    parent: str | None
    """The run whose adapter it goes on from; None: from `root`."""
    adapter: str | None = None
    """The adapter made of it, once it stands before the gate."""
    round: int = 1
    """Of a course of rounds, each sampled from the adapter before."""
    graduates: str = ""
    """sha256 of the skill that is trained in."""
    skills: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By turn: sha256 of the skills that stood in its prompt when the run was made."""
    verdict: str = ""
    """`accepted` or `rejected`, once the gate has spoken."""
    reasons: tuple[str, ...] = ()
    progress: Progress = field(default_factory=Progress)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stand:
    """What a run is held against before its next step."""

    model: str
    """That learns now."""
    base: str
    """Digest of its weights as they are served now."""
    root: str | None
    """Version of the adapter in force now."""
    skills: Mapping[str, tuple[str, ...]]
    """Of each turn that still may train: the skills its prompt would get today."""
    live: Collection[str]
    """sha256 of every skill in force."""


def superseded(run: Run, now: Stand) -> str:
    """Why the run may not go on; "" while it may."""
    if why := other_weights(run, model=now.model, base=now.base):
        return why
    if run.root != now.root:
        return "Another adapter has come into force since it was made."
    if run.graduates and run.graduates not in now.live:
        return "The skill that it trains in is no longer in force."
    gone = sum(turn not in now.skills for turn in run.skills)
    if gone:
        return f"{_turns(gone)} of it may no longer train the weights, or are gone."
    changed = sum(now.skills[turn] != skills for turn, skills in run.skills.items())
    if changed:
        return f"{_turns(changed)} of it would get other skills in the prompt today."
    return ""


def end_of_course(run: Run, runs: Sequence[Run]) -> Run:
    """The last round of the course that this is a round of."""
    while run.status is RunStatus.CONTINUED:
        after = next((one for one in runs if one.parent == run.id), None)
        if after is None:
            break
        run = after
    return run


def other_weights(run: Run, *, model: str, base: str) -> str:
    """Why what it has trained is of no use to the model that learns now; "" where it is."""
    if run.base == base:
        return ""
    if run.model != model:
        return f"{model} learns now, and not {run.model}."
    return "The weights of its model are others now."


def _turns(count: int) -> str:
    return "One turn" if count == 1 else f"{count} turns"
