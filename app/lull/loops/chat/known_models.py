"""Caches facts of the models that answer, such as their context window, for requests that cannot
wait to look them up.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import TypeVar

from lull.core.adapters.model_facts import ModelFacts
from lull.core.chat.model_name import canonical
from lull.core.errors import LullError

T = TypeVar("T")

MOST_KNOWN = 256
"""Most models whose facts are remembered."""
MOST_CLIENTS = 1000
"""Most clients whose uses of skills are remembered; clients can give themselves ever new names."""


class KnownModels:
    """Cache of facts about the models that were asked last."""

    def __init__(self, *, within_s: float) -> None:
        """A request waits for a model's facts for `within_s` seconds at most."""
        self._within_s = within_s
        self._facts: OrderedDict[str, ModelFacts] = OrderedDict()

    async def known(
        self, name: str, facts: Callable[[], ModelFacts | Awaitable[ModelFacts]]
    ) -> tuple[bool, ModelFacts | None]:
        """Return (whether the model's facts came in time, the facts).

        If they did not, the facts are the last known ones, or None. Skills are chosen by these, but
        the stored turn names the exact model only when its facts came in time.
        """
        model = await self._in_time(facts)
        if model is None:
            return False, self._facts.get(canonical(name))
        remember(self._facts, canonical(name), model, most=MOST_KNOWN)
        return True, model

    async def _in_time(
        self, facts: Callable[[], ModelFacts | Awaitable[ModelFacts]]
    ) -> ModelFacts | None:
        known = facts()
        if isinstance(known, ModelFacts):
            return known
        try:
            return await asyncio.wait_for(known, self._within_s)
        except (TimeoutError, LullError):
            return None


def remember(into: OrderedDict[str, T], key: str, value: T, *, most: int) -> None:
    """Store a value as the newest entry of an ordered dict, and drop the oldest entries beyond
    `most`.
    """
    into[key] = value
    into.move_to_end(key)
    while len(into) > most:
        into.popitem(last=False)
