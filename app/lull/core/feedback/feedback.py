"""Stored feedback: what a user's message says about the model's answer before it.

A reader (a small model) interprets each message once, while the machine is quiet. Everything else
(scoring answers, writing and testing skills, the window) uses the stored result. The probabilities
are calibrated on people who were not in the training data.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

LIKELY: Final = 0.5
"""Probability above which a reader's finding counts as true."""
LASTING: Final = 0.6
"""Probability above which a message counts as one that states a rule for later answers. It is more
than `LIKELY`, since a rule that nobody stated costs the user more than one that has to be said
twice (ADR 83).
"""


DENIED_BY: Final = "the user"
"""What stands as the reader of a message of which the user said that it was no correction."""


class Scope(StrEnum):
    """Which requests a rule that a user stated ("answer in German") applies to: all, or those of
    one kind.
    """

    ALL = "all"
    KIND = "kind"
    """The rule applies to requests like the one it was stated after, or of a kind that it names."""


class RuleKind(StrEnum):
    """What a rule that a user has stated is about."""

    PREFERENCE = "preference"
    """A rule about how answers should be."""
    FACT = "fact"
    """A rule that states a fact about the user and their work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageFindings:
    """What a reader model found in a user's message about the answer before it: the probability
    that the message corrects the answer, the probability that it states a wish for later answers
    too, and the sentences that state this wish.
    """

    correction: float
    """Probability that the user says the answer was not what they wanted."""
    lasting: float
    """Probability that the message states a wish or fact that should shape later answers, too."""
    thanks: float = 0.0
    """Probability that the message expresses satisfaction with the answer, such as thanks."""
    scope: Scope | None = None
    """Which requests the rule for later answers applies to; None if the message states no such
    rule.
    """
    scope_p: float = 0.0
    """Probability that `scope` is right."""
    quote: tuple[str, ...] = ()
    """The sentences that state the lasting rule, verbatim, in order."""
    kind_of_rule: RuleKind | None = None
    check: str = ""
    """Class of the check that could test the rule; "" for none."""
    possible_checks: tuple[str, ...] = ()
    """Classes of check that could test the rule, likeliest first; none of them need be likelier
    than no check at all.
    """
    unsure: bool = False
    """Whether the reading is unreliable: the reader does not know the language, or the message is
    no natural language.
    """

    @property
    def corrects(self) -> bool:
        """Whether the user's message corrects the answer before it."""
        return self.correction > LIKELY and not self.unsure

    @property
    def lasts(self) -> bool:
        """Whether the user's message states a rule for later answers, too, in words that can be
        quoted.
        """
        return self.lasting > LASTING and bool(self.quote) and not self.unsure

    @property
    def thanked(self) -> bool:
        """Whether the user's message thanks for the answer and does not correct it."""
        return self.thanks > LIKELY and not self.corrects and not self.unsure

    @property
    def rule(self) -> str:
        """The sentences of the user's message that state a rule for later answers, word for word;
        "" if there are none.
        """
        return "\n".join(part.strip() for part in self.quote) if self.lasts else ""


UNSURE: Final = MessageFindings(correction=0.5, lasting=0.5, unsure=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """A stored user message that follows an answer, with what a reader model found in it: whether
    it corrects the answer, expresses thanks, or states a rule.
    """

    turn: str
    """The turn whose request contains the user's message."""
    before: str
    """The turn whose answer the user's message is about."""
    read_by: str
    """Name and version of the reader."""
    read_at: datetime
    findings: MessageFindings
