"""What the engine has said while a run is being made.

Making a run asks for hundreds of answers, which is more than a unit of a lull holds. A unit that
ends in between loses none of them: the next one asks for what is missing.
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
    """Greedy answers and prompt tokens of one model and adapter, until the run is made."""

    def __init__(self) -> None:
        self._said: dict[_Key, Said] = {}
        self._ids: dict[_Key, tuple[int, ...]] = {}

    async def said(
        self, learner: Learner, prompt: tuple[Message, ...], *, most_tokens: int
    ) -> Said:
        """The policy's greedy answer. Raises RequestError, EngineError."""
        key = (most_tokens, *_key(learner, prompt))
        if key not in self._said:
            greedy = replace(GREEDY, max_tokens=most_tokens)
            _bound(self._said)
            self._said[key] = await sampled(learner, prompt, greedy, adapter=learner.adapter)
        return self._said[key]

    async def ids(self, learner: Learner, prompt: tuple[Message, ...]) -> tuple[int, ...]:
        """The prompt's tokens. Raises RequestError, EngineError."""
        key = _key(learner, prompt)
        if key not in self._ids:
            _bound(self._ids)
            self._ids[key] = await prompt_ids(learner, prompt)
        return self._ids[key]

    def clear(self) -> None:
        """Drop everything: the run is made."""
        self._said.clear()
        self._ids.clear()


def _key(learner: Learner, prompt: tuple[Message, ...]) -> _Key:
    said = tuple((message.role, message.text) for message in prompt)
    return (learner.digest, learner.adapter, said)


def _bound(kept: dict[_Key, Said] | dict[_Key, tuple[int, ...]]) -> None:
    if len(kept) >= MOST_KEPT:
        for key in list(kept)[: MOST_KEPT // 2]:
            del kept[key]
