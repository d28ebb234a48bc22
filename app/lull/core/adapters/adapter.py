"""Defines the versions of LoRA adapters and their states, and chooses which version answers a
conversation.

A training run makes an adapter, and the gate (a set of checks) tests it. An adapter that passes
first answers a small share of new conversations for a day, its trial. It is then active until the
next adapter replaces it. Which adapter of a model is active is a single value, which each request
reads once, on arrival.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from lull.core.adapters.gate_report import Verdict
from lull.core.chat.trajectory import HoldoutAssignment
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
"""Most ancestors that are followed when an adapter's line is traced back (each adapter was trained
on from the one before). The limit ends a loop in a damaged table.
"""


class AdapterStatus(StrEnum):
    """How far a LoRA adapter has come, from its training to its use or its end."""

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


def adapter_sha256(*, weights: str, config: str) -> str:
    """Return the one sha256 by which a LoRA adapter is known, from those of its two files."""
    lines = f"{weights}  adapters.safetensors\n{config}  adapter_config.json\n"
    return hashlib.sha256(lines.encode()).hexdigest()


WAS_IN_FORCE: Final = frozenset({AdapterStatus.RETIRED, AdapterStatus.ROLLED_BACK})


@dataclass(frozen=True, slots=True, kw_only=True)
class AdapterVersion:
    """The record of one trained LoRA adapter: the base model that it fits, its training run and its
    status.
    """

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
    None if the base model answered before.
    """
    held_share: float = 0.0
    """Share of new conversations that the previous adapter still answers. Comparing both shows
    whether a drop in scores is the new adapter's fault or comes from harder requests. 0: the active
    adapter answers all.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedSkill:
    """A skill (an instruction text) that training has taught to an adapter. The skill is identified
    by the hash of its exact text: if the text is edited, it counts as another skill, not yet
    learned.
    """

    skill: SkillKey
    sha256: str


def lineage(adapter: str | None, parents: Mapping[str, str | None]) -> tuple[str, ...]:
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
    """One side (arm) of an A/B test between two adapters: the adapter that answers, and the skills
    that training has taught it. Its prompts leave these skills out.
    """

    version: str | None = None
    """sha256 of the adapter that answers; None: the base model."""
    learned: frozenset[str] = frozenset()
    """sha256 of the skills that this adapter has learned, so they are left out of its prompts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shadow:
    """The second side of an A/B test: an adapter that answers a share of conversations beside the
    active one. During a trial it is the new adapter; after the trial, the one that was active
    before.
    """

    id: str
    """Id of the adapter on trial; the holdout assignments of its trial are stored under this id."""
    arm: Arm
    share: float
    over: str | None = None
    """sha256 of the active adapter that has passed its trial and is now compared with its
    predecessor (then `arm`). None while a new adapter (then `arm`) is on trial.
    """


BASE: Final = Arm()
_TRIAL: Final = "adapter:"
"""Prefix in the name of a holdout assignment that chose between two adapters; skill names contain
no colon.
"""


def trial_is_over(
    since: datetime, now: datetime, *, lived: timedelta, trial_s: float = SHADOW_S
) -> bool:
    """Return whether a trial that began at the time `since` has lasted long enough by the wall
    clock and by `lived`, the time that Lull itself counted since then, which no wrong clock makes
    longer. A wall clock that shows a time before `since` was wrong, and then only `lived` counts.
    """
    length = timedelta(seconds=trial_s)
    return lived >= length and not since <= now < since + length


def trial_key(adapter: str) -> SkillKey:
    """Return the key under which an adapter's A/B test stores its holdout assignments (which
    adapter each conversation was assigned to at random). The key tells them from the assignments,
    in the same table, that leave a skill out of a prompt.
    """
    return SkillKey("", f"{_TRIAL}{adapter}")


def decides_adapter(assignment: HoldoutAssignment) -> bool:
    """Return whether a stored holdout assignment (a random draw for a conversation) was about
    which adapter answers. Otherwise it was about whether a skill was left out of the prompt.
    """
    return assignment.name.startswith(_TRIAL)


def chosen_arm(
    active: Arm, shadow: Shadow | None, *, before: str | None, begins: bool, toss: float
) -> Arm:
    """Choose which adapter answers this request of a conversation during an A/B test: return
    `active` or `shadow.arm`.

    `before` is the adapter version that answered the conversation's last turn; `begins` says that
    this is its first. `toss` is the conversation's own random number in [0, 1). During the trial a
    conversation stays with the adapter that it began with; one older than the trial stays with the
    active adapter. After the trial the previous adapter keeps only those of its conversations whose
    `toss` is below its share.
    """
    if shadow is None:
        return active
    if begins:
        return shadow.arm if toss < shadow.share else active
    mine = shadow.over is None or toss < shadow.share
    return shadow.arm if mine and before == shadow.arm.version else active


def trial_toss(coin: Coin, shadow: Shadow, trajectory: str) -> float:
    """Return a conversation's fixed random number in [0, 1) that decides whether an adapter on
    trial answers it.
    """
    return coin(f"{trial_key(shadow.id).name}\0{trajectory}")


def trial_assignment(shadow: Shadow, arm: Arm) -> HoldoutAssignment:
    """Return the record of which adapter an A/B test drew (`arm`) for a conversation. The record is
    a HoldoutAssignment, a type made for skills that are left out at random; here its `left_out`
    means that the older of the two adapters answers.
    """
    key = trial_key(shadow.id)
    fell = arm.version == shadow.arm.version
    return HoldoutAssignment(
        client=key.client,
        name=key.name,
        sha256=shadow.over or shadow.arm.version or "",
        left_out=fell if shadow.over else not fell,
        share=shadow.share if shadow.over else 1.0 - shadow.share,
    )


def to_keep(
    adapters: Sequence[AdapterVersion], force: AdaptersInForce, *, most: int = PAST_ADAPTERS_KEPT
) -> set[str]:
    """Return the ids of the adapters whose files must not be deleted: those that answer requests
    now, those not yet tested, and the newest `most` of those that were active before.

    `adapters` are ordered by when they became active, newest first.
    """
    kept = {one for one in (force.active, force.shadow, force.held) if one is not None}
    kept |= {one.id for one in adapters if one.status is AdapterStatus.CANDIDATE}
    past = [one.id for one in adapters if one.status in WAS_IN_FORCE and one.id not in kept]
    return kept | set(past[:most])
