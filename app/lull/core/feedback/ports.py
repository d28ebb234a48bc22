"""The door to whoever reads what users say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from lull.core.feedback.exchange import Exchange
from lull.core.feedback.feedback import Heard


class FeedbackReader(Protocol):
    """Reads messages behind answers. Three implementations: the small reader, a chat model that
    passed its exam, and the toy language's own."""

    @property
    def name(self) -> str:
        """Reader and version; a stored row says who read it."""

    @property
    def light(self) -> bool:
        """Whether it reads in a small process of its own, so that it need wait for no long quiet,
        only for a chat that is being answered."""

    async def read(self, exchanges: Sequence[Exchange]) -> list[Heard | None]:
        """One for each exchange, in order; None: not this reader's to say.

        Raises LullError when it cannot read now; the messages wait and are read later.
        """
