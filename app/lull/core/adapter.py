"""Adapters by version: where each stands on its way, and which one answers a conversation.

An adapter is made by a run, judged by the gate, answers a small share of new conversations for a
day, and is then in force until the next one. What is in force for a model is one value; a request
reads it once, when it arrives. Measuring, loading and writing down are elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from lull.core.guard import Coin
from lull.core.skill import SkillKey
from lull.core.trajectory import CoinFlip
from lull.core.verdict import Verdict

KEPT: Final = 5
"""Adapters that were in force and whose files stay for the way back, beside the one that is."""
SHADOW_SHARE: Final = 0.10
SHADOW_S: Final = 86_400.0
HELD_SHARE: Final = 0.05
"""Of new conversations that what was in force before goes on answering after a trial."""
LONGEST_LINE: Final = 10_000
"""Ancestors that are followed; only stops a damaged table."""


class AdapterStatus(StrEnum):
    CANDIDATE = "candidate"
    """Made; the gate has not spoken, or has accepted it and it waits."""
    SHADOW = "shadow"
    """Answers a share of new conversations, to see what it does in life."""
    ACTIVE = "active"
    RETIRED = "retired"
    """Was in force until a newer one came."""
    REJECTED = "rejected"
    """By the gate; kept for a look."""
    ROLLED_BACK = "rolled back"
    """Taken out of force, by the user or because it harmed."""


WAS_IN_FORCE: Final = frozenset({AdapterStatus.RETIRED, AdapterStatus.ROLLED_BACK})


@dataclass(frozen=True, slots=True, kw_only=True)
class AdapterVersion:
    id: str
    parent: str | None
    """The adapter it was trained on from; None: from the base."""
    base_model: str
    """The name under which its model is served."""
    base_digest: str
    """It fits no other weights."""
    sha256: str
    """Of its files (`store.adapters.fingerprint`): the version that engine and stamps know."""
    run: str | None
    status: AdapterStatus
    made: datetime
    verdict: Verdict | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class InForce:
    """The pointer of one model: adapter ids."""

    model: str
    active: str | None = None
    """None: the base answers."""
    shadow: str | None = None
    share: float = 0.0
    """Of new conversations that the shadow answers."""
    since: datetime | None = None
    """When this began."""
    held: str | None = None
    """What was in force before, and still answers `held_share`; None: the base."""
    held_share: float = 0.0
    """Of new conversations. Only so can it be told whether the new one is worse or the days are
    harder. 0: the active one answers all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """A skill that an adapter has learned, by its exact text: an edited one must be read again."""

    skill: SkillKey
    sha256: str


def line_of(adapter: str | None, parents: Mapping[str, str | None]) -> tuple[str, ...]:
    """The adapter and those it was trained on, youngest first."""
    line: list[str] = []
    while adapter is not None and adapter not in line and len(line) < LONGEST_LINE:
        line.append(adapter)
        adapter = parents.get(adapter)
    return tuple(line)


# Which one answers


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """What may answer: a loaded version and what it needs no skill for."""

    version: str | None = None
    """sha256 of the adapter; None: the base."""
    learned: frozenset[str] = frozenset()
    """sha256 of the skills that stay out of its prompts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shadow:
    """A second arm: one on trial, or after the trial what was in force before."""

    id: str
    """Of the adapter that is tried out, whose coin it is."""
    arm: Arm
    share: float
    over: str | None = None
    """After the trial: the version that was on trial and is in force now; the arm is the other.
    None: the arm is what is on trial."""


BASE: Final = Arm()


def flip_key(adapter: str) -> SkillKey:
    """Under which the coin of a trial is written down among the skills' (no skill is so called)."""
    return SkillKey("", f"adapter:{adapter}")


def chosen_arm(
    active: Arm, shadow: Shadow | None, *, before: str | None, begins: bool, toss: float
) -> Arm:
    """What answers this request of a trajectory.

    `before` is the version that answered its last turn, `toss` a number in [0, 1) of its own. A
    trajectory stays on the arm that the toss gave it when it began; one that is older than the
    trial stays with what is in force. After the trial only those that began since then, and fell
    to what was there before, stay with that.
    """
    if shadow is None:
        return active
    if begins:
        return shadow.arm if toss < shadow.share else active
    mine = shadow.over is None or toss < shadow.share
    return shadow.arm if mine and before == shadow.arm.version else active


def trial_toss(coin: Coin, shadow: Shadow, trajectory: str) -> float:
    return coin(f"{flip_key(shadow.id).name}\0{trajectory}")


def trial_flip(shadow: Shadow, arm: Arm) -> CoinFlip:
    """As the live guard writes one down: left out is the trajectory that the old one answers."""
    key = flip_key(shadow.id)
    fell = arm.version == shadow.arm.version
    return CoinFlip(
        client=key.client,
        name=key.name,
        sha256=shadow.over or shadow.arm.version or "",
        left_out=fell if shadow.over else not fell,
        share=shadow.share if shadow.over else 1.0 - shadow.share,
    )


def to_keep(adapters: Sequence[AdapterVersion], force: InForce, *, most: int = KEPT) -> set[str]:
    """Adapters whose files stay: what is in force or on trial, what waits for the gate, and the
    newest `most` of those that were in force. `adapters` in the order in which they came into
    force, newest first."""
    kept = {one for one in (force.active, force.shadow, force.held) if one is not None}
    kept |= {one.id for one in adapters if one.status is AdapterStatus.CANDIDATE}
    past = [one.id for one in adapters if one.status in WAS_IN_FORCE and one.id not in kept]
    return kept | set(past[:most])
