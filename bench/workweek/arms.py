"""The arms of the week: what is switched on in each, and until when two of them are one week.

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
    """What a night trains."""

    NOTHING = "nothing"
    SKILLS = "skills"
    """Proved skills, into the weights (graduation)."""
    GROUPS = "groups"
    """On several answers to one request, compared (GRPO)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """Days on which nothing is switched, and the night before the first of them."""

    first: int
    last: int
    skills: bool = True
    """Whether the person looks at proposals at all."""
    proofs: bool = True
    """False: whatever is proposed is approved, and nothing is replayed."""
    judge: bool = True
    night: Trains = Trains.NOTHING
    separation: bool = True
    """False: what taught a skill may train the weights, too. The product has no such setting; the
    bench takes the rule out of the service that it starts (without_separation.py)."""
    kl: bool = True
    """False: nothing holds the weights to what they were."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    name: str
    what: str
    stretches: tuple[Stretch, ...]
    against: str = "full"
    """The arm that has what this one lacks, and everything else alike."""


SKILLS_NIGHT: Final = 5
GROUPS_NIGHT: Final = 6
"""The days after which the weights are trained, in the arms that do."""


_ALL: Final = ((1, SKILLS_NIGHT), (SKILLS_NIGHT + 1, GROUPS_NIGHT), (GROUPS_NIGHT + 1, DAYS))
_HALVES: Final = ((1, SKILLS_NIGHT), (SKILLS_NIGHT + 1, DAYS))


def _trained(*trains: Trains, separation: bool = True, kl: bool = True) -> tuple[Stretch, ...]:
    """A week that parts from that of the skills at its first night. Rules of the training are told
    apart only where there is something to train."""
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
    """The service is started anew in the middle, as in every arm."""
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
