"""Blind comparisons: the user chooses the better of two answers without knowing which one was made
with a skill (an instruction text) in the prompt.

The order is random for each pair of answers and not shown, so a pick is a fair coin toss if the
skill changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from lull.core.chat.messages import Message

PAIRS_A_SITTING: Final = 12
"""Number of pairs shown to the user in one sitting; with more, people look less closely."""


class Pick(StrEnum):
    """The user's choice between two answers that are shown without saying which was made with a
    skill.
    """

    A = "a"
    B = "b"
    SAME = "same"
    """The user finds both answers equally good."""
    NEITHER = "neither"
    """The user finds both answers wrong."""


def scores(pick: Pick, *, with_first: bool) -> tuple[float, float]:
    """Convert the user's blind choice between answers A and B into two scores: that of the answer
    made without a skill (an instruction text) in the prompt, and that of the one made with it.
    `with_first` says that A was made with the skill.
    """
    match pick:
        case Pick.SAME:
            return 1.0, 1.0
        case Pick.NEITHER:
            return 0.0, 0.0
    with_won = (pick is Pick.A) is with_first
    return float(not with_won), float(with_won)


def answer_text(answer: Message) -> str:
    """Render a model's answer for the user: its text and the tool calls it makes."""
    calls = [f"[{call.name} {call.arguments}]" for call in answer.tool_calls]
    return "\n".join(part for part in (answer.text.strip(), *calls) if part)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two answers to one request, with and without a proposed skill, in the random order in which
    the user sees them.
    """

    pair: str
    """Id of the pair; does not reveal which answer was made with the skill."""
    request: str
    a: str
    b: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NextPair:
    """The next pair of answers, with and without a proposed skill, from which the user picks the
    better one.

    If there is no pair (`comparison` is None), the proposal's `reason` tells why.
    """

    comparison: Comparison | None
    alike: int
    """Number of pairs that were skipped before this one because both answers were the same."""
