"""Caches what is known of the answering models, such as their context window, for chat requests
that cannot wait for a look-up.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeVar

from lull.core.adapters.model_facts import ModelFacts
from lull.core.chat.model_name import canonical
from lull.core.errors import LullError
from lull.core.skills.prompt_block import Placement

K = TypeVar("K")
T = TypeVar("T")

MOST_KNOWN = 256
"""Most models whose facts are remembered."""
MOST_CLIENTS = 1000
"""Most clients whose uses of skills are remembered; clients can give themselves ever new names."""


class KnownModels:
    """Cache of facts, such as the context window, about the models that requests asked most
    recently. It also knows where in a measured model's prompts skills are put.
    """

    def __init__(self, *, within_s: float, places: Mapping[str, Placement] | None = None) -> None:
        """A request waits for a model's facts for `within_s` seconds at most.

        By the digest of each model that was measured, `places` says where in its prompts skills are
        put; it changes while requests are served.
        """
        self._within_s = within_s
        self.places: Mapping[str, Placement] = {} if places is None else places
        self._facts: OrderedDict[str, ModelFacts] = OrderedDict()

    async def facts_in_time(
        self, name: str, facts: Callable[[], ModelFacts | Awaitable[ModelFacts]]
    ) -> tuple[bool, ModelFacts | None]:
        """Look up what is known of a model, such as its context window and its adapter, within a
        time limit; return (whether the look-up was in time, these facts).

        If they came too late, the facts are the last known ones, or None. Old facts are good enough
        to choose skills, but the stored turn names the exact model only if its facts came in time.
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


def remember(into: OrderedDict[K, T], key: K, value: T, *, most: int) -> None:
    """Put a value into an ordered dict as its newest entry, and drop the oldest entries until
    `most` are left.
    """
    into[key] = value
    into.move_to_end(key)
    while len(into) > most:
        into.popitem(last=False)
