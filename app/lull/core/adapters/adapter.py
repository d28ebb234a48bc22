"""Versions of LoRA adapters: the states of a version, and which version answers a conversation.

A training run makes an adapter and the gate (a set of checks) tests it. If it passes, it answers a
small share of new conversations for a day, its trial, and is then active until the next one
replaces it. The active adapter of a model is a single value that each request reads once, on
arrival.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from lull.core.adapters.gate_report import Verdict
from lull.core.chat.trajectory import CoinFlip
from lull.core.proof.holdout import Coin
from lull.core.skills.skill import SkillKey

PAST_ADAPTERS_KEPT: Final = 5
"""Number of formerly active adapters whose files are kept for a rollback, besides the active
one.
"""
SHADOW_SHARE: Final = 0.10
SHADOW_S: Final = 86_400.0
HELD_SHARE: Final = 0.05
"""Share of new conversations that the previous adapter still answers after a trial, for
comparison.
"""
MOST_ANCESTORS: Final = 10_000
"""Most earlier adapters, each trained on from the one before, that are followed back; so a loop in
a damaged table ends.
"""


class AdapterStatus(StrEnum):
    CANDIDATE = "candidate"
    """Trained, and either not tested yet, or accepted by the tests and waiting for its trial."""
    SHADOW = "shadow"
    """On trial: answers a share of new conversations beside the active adapter."""
    ACTIVE = "active"
    RETIRED = "retired"
    """Was active until a newer one replaced it."""
    REJECTED = "rejected"
    """Turned down by the tests that an adapter must pass before use; kept for inspection."""
    ROLLED_BACK = "rolled back"
    """Withdrawn by the user, or because it did harm."""


WAS_IN_FORCE: Final = frozenset({AdapterStatus.RETIRED, AdapterStatus.ROLLED_BACK})


@dataclass(frozen=True, slots=True, kw_only=True)
class AdapterVersion:
    id: str
    parent: str | None
    """Id of the adapter on which its training was based; None: the base model."""
    base_model: str
    """Name under which the adapter's model is served."""
    base_digest: str
    """Digest of the base weights, the only ones that the adapter fits."""
    sha256: str
    """Hash of the adapter's files; the engine and recorded turns use it as the version."""
    run: str | None
    status: AdapterStatus
    made: datetime
    verdict: Verdict | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AdaptersInForce:
    """The ids of one model's adapters that answer requests: the active one, the one on trial, and
    the previous one, which keeps a small share of conversations for comparison.
    """

    model: str
    active: str | None = None
    """Id of the active adapter; None if the base model answers."""
    shadow: str | None = None
    share: float = 0.0
    """Share of new conversations that the adapter on trial answers."""
    since: datetime | None = None
    """Time of the last change to which adapters answer; None before the first."""
    held: str | None = None
    """Id of the previously active adapter, which still answers `held_share` of new conversations;
    None: that was the base model.
    """
    held_share: float = 0.0
    """Share of new conversations that the previous adapter still answers, so that a drop in scores
    can be traced to the new adapter and not to harder requests. 0: the active adapter answers all.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """Records that training has taught a skill (an instruction text for prompts) to an adapter. The
    skill is identified by its exact text: once edited, it must be learned again.
    """

    skill: SkillKey
    sha256: str


def line_of(adapter: str | None, parents: Mapping[str, str | None]) -> tuple[str, ...]:
    """Return the ids of an adapter and of its ancestors (the adapters that its training started
    from), youngest first.
    """
    line: list[str] = []
    while adapter is not None and adapter not in line and len(line) < MOST_ANCESTORS:
        line.append(adapter)
        adapter = parents.get(adapter)
    return tuple(line)


# Choosing the adapter that answers


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """One arm of an A/B test between adapters: the version that answers, and the skills it has
    learned, which its prompts therefore leave out.
    """

    version: str | None = None
    """sha256 of the adapter that answers; None: the base model."""
    learned: frozenset[str] = frozenset()
    """sha256 of the skills that this adapter has learned, so they are left out of its prompts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shadow:
    """The second arm of an A/B test: an adapter version that answers a share of conversations
    beside the active one. It is the version on trial or, after the trial, the version active
    before.
    """

    id: str
    """Id of the adapter on trial; the coin flips of its trial are stored under this id."""
    arm: Arm
    share: float
    over: str | None = None
    """Sha256 of the active adapter version that passed its trial and is now compared with the one
    before it, which then is `arm`; None while a new version, which then is `arm`, is on trial.
    """


BASE: Final = Arm()
_TRIAL: Final = "adapter:"
"""Begins the name of a coin flip that chose an adapter; no skill's name has a colon."""


def flip_key(adapter: str) -> SkillKey:
    """Return the key under which the random assignments of conversations ("coin flips") in an
    adapter's A/B test are stored. The table also holds the coin flips that leave a skill out of a
    prompt.
    """
    return SkillKey("", f"{_TRIAL}{adapter}")


def decides_adapter(flip: CoinFlip) -> bool:
    """Return whether a stored coin flip (a random assignment) chose which adapter answers a
    conversation, rather than whether a skill was left out of a prompt.
    """
    return flip.name.startswith(_TRIAL)


def chosen_arm(
    active: Arm, shadow: Shadow | None, *, before: str | None, begins: bool, toss: float
) -> Arm:
    """Return which arm of the A/B test, `active` or `shadow`, answers this request of a
    conversation.

    `before` is the adapter version that answered the conversation's last turn; `begins` says that
    this is its first. `toss` is the conversation's own random number in [0, 1). A conversation
    stays on the arm drawn when it began; one older than the trial stays with the active adapter.
    After the trial, only conversations that were assigned to the previous adapter since then stay
    with it.
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
    """Return the record of which adapter version an A/B test assigned a conversation to. It reuses
    CoinFlip, a type made for skills left out at random; its `left_out` means here that the old
    version answers.
    """
    key = flip_key(shadow.id)
    fell = arm.version == shadow.arm.version
    return CoinFlip(
        client=key.client,
        name=key.name,
        sha256=shadow.over or shadow.arm.version or "",
        left_out=fell if shadow.over else not fell,
        share=shadow.share if shadow.over else 1.0 - shadow.share,
    )


def to_keep(
    adapters: Sequence[AdapterVersion], force: AdaptersInForce, *, most: int = PAST_ADAPTERS_KEPT
) -> set[str]:
    """Return the ids of the adapters whose files are not deleted: those that answer requests now,
    those not yet tested, and the newest `most` that were active before.

    `adapters` are ordered by when they became active, newest first.
    """
    kept = {one for one in (force.active, force.shadow, force.held) if one is not None}
    kept |= {one.id for one in adapters if one.status is AdapterStatus.CANDIDATE}
    past = [one.id for one in adapters if one.status in WAS_IN_FORCE and one.id not in kept]
    return kept | set(past[:most])
