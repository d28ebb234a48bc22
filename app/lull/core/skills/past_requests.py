"""What is stored of past requests (for which of them a skill was useful) and what it says of the
skills for a new request.
"""

from __future__ import annotations

from typing import NamedTuple

NO_SKILL = ""
"""Name stored in place of a skill's for a past request that needed no skill."""


class Neighbour(NamedTuple):
    """A past request found by nearest-neighbour search, with the skill that was useful for it. A
    tuple, because the request path makes many of them.
    """

    id: str
    skill: str
    similarity: float
    """Cosine, in [-1, 1]."""


class Recalled(NamedTuple):
    """How much similar past requests speak for or against one skill for a new request.

    A value of c means as much as one past request alone whose cosine similarity is c.
    """

    wanted: float
    """How strongly similar past requests speak for this skill."""
    helped: float
    """How strongly similar past requests speak for any skill, less how strongly those answered
    since this skill came speak for none; negative if the latter is more.
    """
    among: int
    """Number of past requests that are stored."""
