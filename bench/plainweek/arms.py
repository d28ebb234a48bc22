"""The arms of the plain week: what is switched on in each, and which of their days they share."""

from __future__ import annotations

from typing import Final

from bench.plainweek.people import DAYS
from bench.workweek.arms import Arm, Pasted, Stretch, Trains

NIGHT: Final = 3
"""Day after which the weights are trained; then as many days follow as came before."""


def _by_hand(pasted: Pasted) -> tuple[Stretch, ...]:
    return (Stretch(first=1, last=DAYS, skills=False, judge=False, pasted=pasted),)


def _learns(night: Trains) -> tuple[Stretch, ...]:
    return (
        Stretch(first=1, last=NIGHT, judge=False),
        Stretch(first=NIGHT + 1, last=DAYS, judge=False, night=night),
    )


BASELINE: Final = Arm(
    name="baseline", what="the model as it is", stretches=_by_hand(Pasted.NOTHING)
)
PASTED: Final = Arm(
    name="pasted by hand",
    what="the last correction of each habit, pasted by hand into the program's system prompt",
    stretches=_by_hand(Pasted.LAST),
)
EVERYTHING: Final = Arm(
    name="everything",
    what="MetaClaw's manner: all that was said is accepted, and all of it injected everywhere",
    stretches=_by_hand(Pasted.EVERYTHING),
)
ORACLE: Final = Arm(
    name="oracle",
    what="what is wanted of each request stands in its prompt in one neutral sentence",
    stretches=_by_hand(Pasted.ORACLE),
)
SKILLS: Final = Arm(
    name="skills", what="approved skills, weights as they are", stretches=_learns(Trains.NOTHING)
)
FULL: Final = Arm(name="full", what="skills and trained weights", stretches=_learns(Trains.ALL))
ARMS: Final = (BASELINE, PASTED, EVERYTHING, ORACLE, SKILLS, FULL)
