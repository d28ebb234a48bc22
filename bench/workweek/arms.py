"""The arms of the week experiment: what is switched on in each, and how long two arms share their
days.

An arm is a few stretches of days. Arms whose weeks begin with the same stretches are played once
until they part: the same requests are asked of a copy of the same folder, so what differs behind
that is the switch and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from bench.workweek.person import DAYS


class Trains(StrEnum):
    """What is trained during a night."""

    NOTHING = "nothing"
    SKILLS = "skills"
    """Trains proved skills into the weights (graduation)."""
    GROUPS = "groups"
    """Trains on groups of compared answers to one request (GRPO)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """Consecutive days with the same switches, and the night before the first of them."""

    first: int
    last: int
    skills: bool = True
    """Whether the person reviews proposals at all."""
    proofs: bool = True
    """Whether proposals need a proof; if not, all are approved without a replay."""
    judge: bool = True
    night: Trains = Trains.NOTHING
    separation: bool = True
    """Whether turns that taught a skill are kept out of training. The product always does; to
    switch it off, the benchmark starts the service without that rule (without_separation.py).
    """
    kl: bool = True
    """Whether training is held close to the base model by a KL term."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    name: str
    what: str
    stretches: tuple[Stretch, ...]
    against: str = "full"
    """Name of the arm to compare with: it has the part that this one lacks, and is otherwise
    equal.
    """


SKILLS_NIGHT: Final = 5
GROUPS_NIGHT: Final = 6
"""Day after which the weights are trained a second time, on groups of answers; SKILLS_NIGHT is the
day of the first.
"""


_ALL: Final = ((1, SKILLS_NIGHT), (SKILLS_NIGHT + 1, GROUPS_NIGHT), (GROUPS_NIGHT + 1, DAYS))
_HALVES: Final = ((1, SKILLS_NIGHT), (SKILLS_NIGHT + 1, DAYS))


def _trained(*trains: Trains, separation: bool = True, kl: bool = True) -> tuple[Stretch, ...]:
    """Return the stretches of a week with training, which differs from the skills-only week from
    the first night on. Training rules apply only to nights that train.
    """
    nights = (Trains.NOTHING, *trains)
    return tuple(
        Stretch(
            first=first,
            last=last,
            night=night,
            separation=separation or night is Trains.NOTHING,
            kl=kl or night is not Trains.GROUPS,
        )
        for (first, last), night in zip(_ALL, nights, strict=True)
    )


def _untrained(
    *, skills: bool = True, proofs: bool = True, judge: bool = True
) -> tuple[Stretch, ...]:
    """Return the stretches of a week without training; the service is restarted in the middle, as
    in every arm.
    """
    return tuple(
        Stretch(first=first, last=last, skills=skills, proofs=proofs, judge=judge)
        for first, last in _HALVES
    )


_BOTH: Final = (Trains.SKILLS, Trains.GROUPS)
BASELINE: Final = Arm(
    name="baseline", what="the model as it is", stretches=_untrained(skills=False, judge=False)
)
SKILLS: Final = Arm(
    name="skills",
    what="approved skills, weights as they are",
    stretches=_trained(Trains.NOTHING, Trains.NOTHING),
)
FULL: Final = Arm(name="full", what="skills and trained weights", stretches=_trained(*_BOTH))
SWITCHES: Final = (
    Arm(
        name="no judge",
        what="skills, and nobody scores silent turns",
        stretches=_untrained(judge=False),
        against="skills",
    ),
    Arm(
        name="no proof gate",
        what="skills, and every proposal is approved unproved",
        stretches=_untrained(proofs=False),
        against="skills",
    ),
    Arm(
        name="no separation",
        what="full, and what taught a skill trains the weights, too",
        stretches=_trained(*_BOTH, separation=False),
    ),
    Arm(
        name="no graduation",
        what="full, and no skill moves into the weights",
        stretches=_trained(Trains.NOTHING, Trains.GROUPS),
    ),
    Arm(
        name="no KL",
        what="full, and nothing holds the weights to what they were",
        stretches=_trained(*_BOTH, kl=False),
    ),
)
ARMS: Final = (BASELINE, SKILLS, FULL, *SWITCHES)
