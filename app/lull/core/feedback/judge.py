"""Interface of the judge, and the questions that it is asked."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from lull.core.chat.messages import Message
from lull.core.chat.model_name import canonical
from lull.core.feedback.reward import Vote


class Asks(StrEnum):
    """Kinds of questions that the judge is asked."""

    TURN = "turn"
    """Question: was this a good answer, considering what came after it?"""
    WISH = "wish"
    """Question: does the answer do what the user wanted? The judge is shown the user's wish but not
    the skill's text, so that a skill is not judged by its own words.
    """
    PAIR = "pair"
    """Question: is the answer at least as good as the accepted one? Blind, and asked in both
    orders.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeQuestion:
    """One answer to be judged, with its context; nothing in it was injected by Lull."""

    asks: Asks
    messages: tuple[Message, ...]
    """The request, oldest message first."""
    answer: Message
    results: tuple[Message, ...] = ()
    """Results of the tool calls in the answer."""
    followup: str = ""
    """The user's next message after the answer."""
    wish: str = ""
    reference: str = ""
    """An answer that the user accepted, for comparison; used only for PAIR."""


def grades_itself(judge: str, learner: str, *, elsewhere: bool) -> bool:
    """Whether a judge would grade itself: it is the model that learns, and both are served here.

    `elsewhere`: the judge is asked at an address of its own, where only the name is the same.
    """
    return not elsewhere and canonical(judge) == canonical(learner)


class Judge(Protocol):
    """Interface of the judge (process reward model), which votes several times on one answer."""

    version: str
    """Identifies the judge's model, prompt and rules; stored in the evidence."""

    async def votes(self, question: JudgeQuestion) -> tuple[Vote, ...]:
        """Ask the judge; return the votes that could be parsed. An empty result means no verdict,
        never a zero.

        Raises UpstreamDown if the judge cannot be reached.
        """
