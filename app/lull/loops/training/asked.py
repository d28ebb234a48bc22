"""Caches the engine's answers while the examples of a training run are being collected.

Collecting them asks for hundreds of answers, which takes longer than one unit of background work. A
unit that ends in between loses none of them: the next one asks only for what is missing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from lull.core.chat.messages import Message
from lull.loops.training.learner import GREEDY, Learner, Said, prompt_ids, sampled

MOST_KEPT: Final = 8192
"""Entries from which on the oldest half is dropped; several times what a run asks for."""

_Key = tuple[object, ...]


class AskedAnswers:
    """Cache of greedy answers and prompt tokens of one model and adapter, kept until the training
    run is made.
    """

    def __init__(self) -> None:
        self._said: dict[_Key, Said] = {}
        self._ids: dict[_Key, tuple[int, ...]] = {}

    async def said(
        self, learner: Learner, prompt: tuple[Message, ...], *, most_tokens: int
    ) -> Said:
        """Return the model's greedy answer to a prompt, sampled at the first call and cached then.
        Raises RequestError, EngineError.
        """
        key = (most_tokens, *_key(learner, prompt))
        if key not in self._said:
            greedy = replace(GREEDY, max_tokens=most_tokens)
            _bound(self._said)
            self._said[key] = await sampled(learner, prompt, greedy, adapter=learner.adapter)
        return self._said[key]

    async def ids(self, learner: Learner, prompt: tuple[Message, ...]) -> tuple[int, ...]:
        """Return the token ids of a prompt, computed at the first call and cached then. Raises
        RequestError, EngineError.
        """
        key = _key(learner, prompt)
        if key not in self._ids:
            _bound(self._ids)
            self._ids[key] = await prompt_ids(learner, prompt)
        return self._ids[key]

    def clear(self) -> None:
        """Empty the cache of answers and prompt tokens, after the training run is made."""
        self._said.clear()
        self._ids.clear()


def _key(learner: Learner, prompt: tuple[Message, ...]) -> _Key:
    said = tuple((message.role, message.text) for message in prompt)
    return (learner.digest, learner.adapter, said)


def _bound(kept: dict[_Key, Said] | dict[_Key, tuple[int, ...]]) -> None:
    if len(kept) >= MOST_KEPT:
        for key in list(kept)[: MOST_KEPT // 2]:
            del kept[key]
