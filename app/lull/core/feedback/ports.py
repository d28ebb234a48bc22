"""Interface of a reader of user messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from lull.core.feedback.exchange import Exchange
from lull.core.feedback.feedback import Heard


class FeedbackReader(Protocol):
    """Interface of a reader of follow-up messages: the small reader, a chat model that passed its
    exam, or the toy language's reader.
    """

    @property
    def name(self) -> str:
        """Name and version of the reader, stored with each row."""

    @property
    def light(self) -> bool:
        """Whether the reader runs in a small process of its own; then it need not wait for a long
        quiet period, only for a chat that is being answered.
        """

    async def read(self, exchanges: Sequence[Exchange]) -> list[Heard | None]:
        """Return one reading per exchange, in order; None where this reader cannot tell.

        Raises LullError if it cannot read now; the messages are read later.
        """
