"""What a user's message says about the answer before it, as one stored value.

A reader says it once, in quiet time; scoring, writing, proving and the window read the row. The
probabilities are calibrated on people that the reader had not learned from (resources/reader).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

LIKELY: Final = 0.5
"""Above this a reader's probability is acted on."""


class Scope(StrEnum):
    """Which later requests a rule is for."""

    ALL = "all"
    KIND = "kind"
    """Requests like the one it was said after, or of a kind that it names."""


class RuleKind(StrEnum):
    PREFERENCE = "preference"
    """How answers should be."""
    FACT = "fact"
    """Something true of the user and their work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What a reader says of one message."""

    correction: float
    """Probability that the user says: this answer was not what I wanted."""
    lasting: float
    """Probability that it states what should shape later answers too."""
    thanks: float = 0.0
    """Probability that the user is content with the answer."""
    scope: Scope | None = None
    """None where nothing lasting is said."""
    scope_p: float = 0.0
    """Probability of that scope."""
    quote: tuple[str, ...] = ()
    """The sentences that state it, verbatim, in their order."""
    kind_of_rule: RuleKind | None = None
    check: str = ""
    """The class of check that would decide it (core/checks), "" for none."""
    unsure: bool = False
    """The reader does not know this language, or the message is no speech."""

    @property
    def corrects(self) -> bool:
        return self.correction > LIKELY and not self.unsure

    @property
    def lasts(self) -> bool:
        return self.lasting > LIKELY and bool(self.quote) and not self.unsure

    @property
    def thanked(self) -> bool:
        return self.thanks > LIKELY and not self.corrects and not self.unsure

    @property
    def rule(self) -> str:
        """The user's words that state the rule, "" where nothing lasting is said."""
        return "\n".join(part.strip() for part in self.quote) if self.lasts else ""


UNSURE: Final = Heard(correction=0.5, lasting=0.5, unsure=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """One user message behind an answer, and what a reader heard in it."""

    turn: str
    """Whose request carried the message."""
    before: str
    """The turn whose answer it speaks of."""
    read_by: str
    """Reader and version."""
    read_at: datetime
    heard: Heard
