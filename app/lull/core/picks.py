"""The user as scorer: of two answers they pick one, not knowing which was given with the skill.

Which answer stands first is tossed for each pair and told to nobody, so that a pick is a fair bet
if the skill changes nothing. What picks prove is `proof`'s business.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from lull.core.messages import Message

PAIRS_A_SITTING: Final = 12
"""After that one looks no more closely."""


class Pick(StrEnum):
    A = "a"
    B = "b"
    SAME = "same"
    """Both are as good."""
    NEITHER = "neither"
    """Both are wrong."""


def scores(pick: Pick, *, with_first: bool) -> tuple[float, float]:
    """How good the answers without and with the skill are; `with_first`: A is the one with it."""
    match pick:
        case Pick.SAME:
            return 1.0, 1.0
        case Pick.NEITHER:
            return 0.0, 0.0
    with_won = (pick is Pick.A) is with_first
    return float(not with_won), float(with_won)


def shown(answer: Message) -> str:
    """An answer as the user reads it: what was said, and which tools it would call."""
    calls = [f"[{call.name} {call.arguments}]" for call in answer.tool_calls]
    return "\n".join(part for part in (answer.text.strip(), *calls) if part)
