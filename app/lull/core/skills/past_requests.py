"""Data types for past requests, stored with the skill that was useful for each, and for how much
similar past requests speak for or against a skill in a new request.
"""

from __future__ import annotations

from typing import NamedTuple

NO_SKILL = ""
"""Name stored in place of a skill's for a past request that needed no skill."""


class PastRequestScores(NamedTuple):
    """How much similar past requests speak for or against using one skill in a new request.

    The values are on the scale of cosine similarity: c is as much as a single past request with the
    similarity c alone would contribute.
    """

    wanted: float
    """How strongly similar past requests speak for this skill."""
    helped: float
    """How strongly similar past requests speak for using any skill, less how strongly those that
    were answered after this skill came into being speak for using none. Negative if the latter is
    more.
    """
    among: int
    """Number of past requests that are stored."""
