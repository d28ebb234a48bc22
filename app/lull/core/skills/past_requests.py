"""What is known of past requests: which skills they wanted, and what that says of a new one."""

from __future__ import annotations

from typing import NamedTuple

NO_SKILL = ""
"""Name under which a past request is kept that wanted no skill."""


class Neighbour(NamedTuple):
    """A near past request. A tuple, because the request path makes many of them."""

    id: str
    skill: str
    similarity: float
    """Cosine, in [-1, 1]."""


class Recalled(NamedTuple):
    """What past requests say of one skill for a new request.

    In cosines: one past request of this similarity alone would say the same.
    """

    wanted: float
    """How much requests like this one wanted the skill."""
    helped: float
    """How much requests like this one wanted any skill, less how much those that were answered
    since this skill came wanted none; negative where none was wanted."""
    among: int
    """Number of past requests that were remembered."""
