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
    ANSWERS = "answers"
    """Trains on rated answers (KTO) and on groups of compared ones (GRPO)."""
    ALL = "all"
    """Trains proved skills into the weights, too (graduation)."""


class Pasted(StrEnum):
    """What the person's own programs send as a system message, without Lull's doing."""

    NOTHING = "nothing"
    LAST = "last"
    """The last correction of each kind, written in by hand."""
    EVERYTHING = "everything"
    """Every correction that was ever said, slips and outdated ones included."""
    ORACLE = "oracle"
    """What is wanted of this very request, also where the person never said it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """Consecutive days with the same switches, and the night before the first of them."""

    first: int
    last: int
    skills: bool = True
    """Whether the person reviews proposals at all."""
    careless: bool = False
    """Whether the person says much that is useless or harmful, and approves whatever is offered."""
    proofs: bool = True
    """Whether what is offered must be proved; if not, every proposal is."""
    judge: bool = True
    alone: bool = False
    """Whether the first of the two clients is the only one."""
    pasted: Pasted = Pasted.NOTHING
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
    against: str = ""
    """Name of the arm to compare with: it has the part that this one lacks, and is otherwise
    equal. "" where the arm is no switch.
    """


NIGHTS: Final = (6, 8)
"""Days after which the weights are trained."""
_PARTS: Final = ((1, NIGHTS[0]), (NIGHTS[0] + 1, NIGHTS[1]), (NIGHTS[1] + 1, DAYS))


def _trained(trains: Trains, *, separation: bool = True, kl: bool = True) -> tuple[Stretch, ...]:
    """Return the stretches of a week with training, which differs from the skills-only week from
    the first night on. Training rules apply only to nights that train.
    """
    nights = (Trains.NOTHING, trains, trains)
    return tuple(
        Stretch(
            first=first,
            last=last,
            night=night,
            separation=separation or night is Trains.NOTHING,
            kl=kl or night is Trains.NOTHING,
        )
        for (first, last), night in zip(_PARTS, nights, strict=True)
    )


def _untrained(
    *, careless: bool = False, proofs: bool = True, judge: bool = True, alone: bool = False
) -> tuple[Stretch, ...]:
    """Return the stretches of a week without training; the service is restarted as often as in
    every arm with skills.
    """
    return tuple(
        Stretch(first=first, last=last, careless=careless, proofs=proofs, judge=judge, alone=alone)
        for first, last in _PARTS
    )


def _by_hand(pasted: Pasted) -> tuple[Stretch, ...]:
    return (Stretch(first=1, last=DAYS, skills=False, judge=False, pasted=pasted),)


BASELINE: Final = Arm(
    name="baseline", what="the model as it is", stretches=_by_hand(Pasted.NOTHING)
)
PASTED: Final = Arm(
    name="pasted by hand",
    what="the last correction of each kind, pasted by hand into the system prompt",
    stretches=_by_hand(Pasted.LAST),
)
EVERYTHING: Final = Arm(
    name="everything",
    what="MetaClaw's manner: all that was said is accepted, and all of it injected",
    stretches=_by_hand(Pasted.EVERYTHING),
)
ORACLE: Final = Arm(
    name="oracle",
    what="what is wanted of each request stands in its prompt, said or not",
    stretches=_by_hand(Pasted.ORACLE),
)
SKILLS: Final = Arm(
    name="skills",
    what="approved skills, weights as they are",
    stretches=_trained(Trains.NOTHING),
)
FULL: Final = Arm(name="full", what="skills and trained weights", stretches=_trained(Trains.ALL))
ALONE: Final = Arm(
    name="one client",
    what="skills, and there is no second client: fewer requests, so only the first is compared",
    stretches=_untrained(alone=True),
)
CARELESS: Final = Arm(
    name="careless",
    what="skills of a person of whose corrections 30 % are useless or harmful, and who approves"
    " all that is proved",
    stretches=_untrained(careless=True),
)
SWITCHES: Final = (
    Arm(
        name="no judge",
        what="skills, and nobody scores silent turns",
        stretches=_untrained(judge=False),
        against=SKILLS.name,
    ),
    Arm(
        name="no proof gate",
        what="careless, and every proposal is approved unproved",
        stretches=_untrained(careless=True, proofs=False),
        against=CARELESS.name,
    ),
    Arm(
        name="no graduation",
        what="full, and no skill moves into the weights",
        stretches=_trained(Trains.ANSWERS),
        against=FULL.name,
    ),
    Arm(
        name="no separation",
        what="full, and what taught a skill trains the weights, too",
        stretches=_trained(Trains.ALL, separation=False),
        against=FULL.name,
    ),
    Arm(
        name="no KL",
        what="full, and nothing holds the weights to what they were",
        stretches=_trained(Trains.ALL, kl=False),
        against=FULL.name,
    ),
)
MAIN: Final = (BASELINE, PASTED, EVERYTHING, ORACLE, SKILLS, FULL, ALONE, CARELESS)
ARMS: Final = (*MAIN, *SWITCHES)
