"""Interface of a reader: a model that tells what a user's message says about the answer
before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from lull.core.feedback.exchange import Exchange
from lull.core.feedback.feedback import MessageFindings


class FeedbackReader(Protocol):
    """Interface of a reader, which tells what a user's message says about the answer before it. It
    may be a small classifier, a chat model that passed a test on labelled items, or, for a built-in
    model that knows only an artificial language, a parser of that language.
    """

    @property
    def name(self) -> str:
        """Name and version of the reader model, stored with each of its findings."""

    @property
    def light(self) -> bool:
        """Whether this reader model runs in a small process of its own. If so, it may run as soon
        as no chat is being answered; any other reader waits until the machine has been quiet for
        long.
        """

    async def read(self, exchanges: Sequence[Exchange]) -> list[MessageFindings | None]:
        """Interpret the user's message in each exchange (request, answer, next message); return one
        result per exchange, in order, None where this model cannot tell.

        Raises LullError if the model cannot read now; the messages are then read later.
        """
