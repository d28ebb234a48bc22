"""The arms of the week: what is switched on in each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    name: str
    what: str
    skills: bool = True
    """Whether the person looks at proposals at all."""
    proofs: bool = True
    """False: whatever is proposed is approved, and nothing is replayed."""
    nights: bool = True
    judge: bool = True
    separation: bool = True
    """False: what taught a skill may train the weights, too. The product has no such setting; the
    bench takes the rule out of the service that it starts (without_separation.py)."""
    settings: Mapping[str, str] = field(default_factory=dict)
    against: str = "full"
    """The arm that has what this one lacks, and everything else alike."""


BASELINE: Final = Arm(
    name="baseline", what="the model as it is", skills=False, nights=False, judge=False
)
SKILLS: Final = Arm(name="skills", what="approved skills, weights as they are", nights=False)
FULL: Final = Arm(name="full", what="skills and trained weights")
SWITCHES: Final = (
    Arm(
        name="no judge",
        what="skills, and nobody scores silent turns",
        judge=False,
        nights=False,
        against="skills",
    ),
    Arm(
        name="no proof gate",
        what="skills, and every proposal is approved unproved",
        proofs=False,
        nights=False,
        against="skills",
    ),
    Arm(
        name="no separation",
        what="full, and what taught a skill trains the weights, too",
        separation=False,
    ),
    Arm(
        name="no graduation",
        what="full, and no skill moves into the weights",
        settings={"training.graduation": "false"},
    ),
    Arm(
        name="no KL",
        what="full, and nothing holds the weights to what they were",
        settings={"training.kl_beta": "0"},
    ),
)
ARMS: Final = (BASELINE, SKILLS, FULL, *SWITCHES)
