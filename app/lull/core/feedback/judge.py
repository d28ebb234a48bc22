"""Interface of the judge, a model that decides whether answers are good, and the questions that
Lull asks the judge.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from lull.core.chat.messages import Message
from lull.core.chat.model_name import canonical
from lull.core.feedback.reward import Vote


class QuestionKind(StrEnum):
    """The kinds of questions that the judge, a model that scores answers, is asked: about an answer
    by itself, about a wish of the user, or about two answers.
    """

    TURN = "turn"
    """Question: was this a good answer, considering what happened after it in the conversation?"""
    WISH = "wish"
    """Question: does the answer do what the user wanted? The judge is shown the user's wish but not
    the skill's text, so that a skill is not judged by its own words.
    """
    PAIR = "pair"
    """Question: is this answer at least as good as the one that the user accepted? Asked in both
    orders, without saying which answer is which.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeQuestion:
    """One answer for the judge model to score, with its context: the request, tool results and the
    user's next message, without anything that Lull added to the prompt.
    """

    asks: QuestionKind
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
    """Whether the judge model would score its own answers, because it is the model that is trained
    (`learner`).

    With `elsewhere` the judge has a server address of its own. The same name then means another
    model, so the result is False.
    """
    return not elsewhere and canonical(judge) == canonical(learner)


class Judge(Protocol):
    """Interface of the judge, a model that scores answers (a process reward model) and votes
    several times on each.
    """

    version: str
    """Identifies the judge's model, prompt and rules; stored in the evidence."""

    async def votes(self, question: JudgeQuestion) -> tuple[Vote, ...]:
        """Ask the judge model several times about one answer; return those votes that could be
        parsed. An empty result means no verdict, never a score of zero.

        Raises UpstreamDown if the judge cannot be reached.
        """


class ChosenJudge(Protocol):
    """Interface to the judge (a model that scores answers) that is chosen now. The choice may
    change at any time, so it is asked for anew before each use.
    """

    def judge(self) -> Judge | None:
        """Return the judge model to ask; None while there is none."""
