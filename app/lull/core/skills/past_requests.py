"""What is known of past requests: for which of them a skill was useful, and what that says of a new
request.
"""

from __future__ import annotations

from typing import NamedTuple

NO_SKILL = ""
"""Name under which a past request is kept that wanted no skill."""


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
    """How much requests like this one wanted the skill."""
    helped: float
    """How much requests like this one wanted any skill, less how much those answered since this
    skill came wanted none; negative if the latter is more.
    """
    among: int
    """Number of past requests in the memory."""
