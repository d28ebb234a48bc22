"""Continuous batching in the inference engine: moves requests from the queue, through prefill
(processing the prompt), to decoding (generating tokens).

mlx-lm's BatchGenerator is not used for three reasons. It decodes everything in one batch, so it
cannot answer with two adapter versions at once. It samples from one global random state, so an
answer would depend on the rest of the batch. Its prompt batches must be split when a client
leaves. Of mlx-lm only the models and caches are used, with `merge`, `extend` and `filter`.

A round prefills one slice of a prompt and decodes one token for each answer. So a long prompt
delays the others by one slice at most, and a cancelled request is gone within one round. One
thread calls the rounds, because MLX must not be used from two.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mlx.core as mx
from mlx_lm.models.cache import make_prompt_cache

from lull.engine.adapters import AdapterSwitcher
from lull.engine.answer import GeneratedAnswer
from lull.engine.decoder import Decoder
from lull.engine.lane import Lane, can_merge
from lull.engine.prefix_cache import PrefixCache

_PROMPTS_PER_ROUND = 8
"""Most prompts prefilled in one round."""


@dataclass(slots=True, eq=False)
class Prefill:
    """A prompt whose tokens are being processed into a KV cache, a slice of tokens at a time."""

    answer: GeneratedAnswer
    cache: list[Any]
    done: int = 0
    """Number of the prompt's tokens in the cache. A prompt's last token is never prefilled: it is
    the first input of decoding.
    """

    @property
    def tokens_left(self) -> int:
        """Return the number of the prompt's tokens that are still to be prefilled."""
        return len(self.answer.prompt) - 1 - self.done


class Batcher:
    """Runs all requests in the inference engine together by continuous batching; each round decodes
    a token for every answer.
    """

    def __init__(
        self,
        model: Any,
        shelf: AdapterSwitcher,
        *,
        most_at_once: int,
        slice_tokens: int,
        prefix_cache_bytes: int,
        has_room: Callable[[], bool],
    ) -> None:
        """Create the batcher; `has_room` tells whether memory allows another request.

        `most_at_once` bounds the answers in progress; `slice_tokens` is the prefill per round.
        """
        self._model = model
        self._decoder = Decoder(model)
        self._shelf = shelf
        self._most = most_at_once
        self._slice = slice_tokens
        self._has_room = has_room
        self._prefixes = PrefixCache(slice_tokens=slice_tokens, most_bytes=prefix_cache_bytes)
        self._waiting: deque[GeneratedAnswer] = deque()
        self._reading: deque[Prefill] = deque()
        self._lanes: list[Lane] = []
        self._rounds = 0
        self.decoded = 0
        """Tokens decoded since the start."""

    @property
    def in_flight(self) -> int:
        """Number of requests in the engine that have not ended, waiting ones included."""
        return len(self._waiting) + len(self._reading) + self._answering

    @property
    def _answering(self) -> int:
        return sum(len(lane.answers) for lane in self._lanes)

    def add(self, answer: GeneratedAnswer) -> None:
        """Add a new request to those waiting for the engine."""
        self._waiting.append(answer)

    def cancel(self, request_id: str) -> None:
        """Remove a request from the engine; an unknown id is ignored, because its answer may just
        have ended.
        """
        self._waiting = deque(a for a in self._waiting if a.id != request_id)
        self._reading = deque(r for r in self._reading if r.answer.id != request_id)
        for lane in self._lanes:
            lane.remove(request_id)
        self._sweep()

    def forget_prefixes(self) -> None:
        """Empty the prefix cache, which keeps the KV caches of earlier prompts for later prompts
        that begin in the same way.
        """
        self._prefixes.forget()

    def round(self) -> None:
        """Run one round of the inference engine: admit waiting requests, prefill one slice of
        tokens and decode one token for each answer.
        """
        self._admit()
        self._prefill()
        for lane in self._lanes:
            self._shelf.activate(lane.adapter)
            self.decoded += len(lane.answers)
            lane.step()
        self._sweep()
        self._rounds += 1
        if self._rounds % 512 == 0:
            mx.clear_cache()

    def _sweep(self) -> None:
        self._lanes = [lane for lane in self._lanes if lane.answers]

    def _admit(self) -> None:
        """Start waiting requests in order of arrival, while batch size and memory allow."""
        while self._waiting:
            busy = len(self._reading) + self._answering
            if busy >= self._most or (busy and not self._make_room()):
                return
            answer = self._waiting.popleft()
            known = self._prefixes.longest(answer.adapter, answer.prompt)
            done, cache = known or (0, make_prompt_cache(self._model))
            self._reading.append(Prefill(answer, cache, done))

    def _make_room(self) -> bool:
        if not self._has_room():
            self._prefixes.forget()  # the cache only saves time; a waiting request matters more
        return self._has_room()

    def _prefill(self) -> None:
        """Prefill one slice of tokens: part of a long prompt, or several short prompts."""
        budget, ready = self._slice, list[Prefill]()
        while self._reading and budget > 0:
            reading = self._reading[0]
            if reading.tokens_left > 0:
                # A forward pass takes time however short, so many short prompts are spread out.
                budget -= max(self._prefill_slice(reading), self._slice // _PROMPTS_PER_ROUND)
            if reading.tokens_left == 0:
                ready.append(self._reading.popleft())
        for group in _groups(ready):
            self._begin(group)

    def _prefill_slice(self, reading: Prefill) -> int:
        size = min(self._slice, reading.tokens_left)
        prompt, end = reading.answer.prompt, reading.done + size
        self._shelf.activate(reading.answer.adapter)
        self._model(mx.array(list(prompt[reading.done : end]))[None], cache=reading.cache)
        mx.eval([layer.state for layer in reading.cache])
        reading.done = end
        if end % self._slice == 0:
            self._prefixes.keep(reading.answer.adapter, prompt[:end], reading.cache)
        return size

    def _begin(self, group: list[Prefill]) -> None:
        self._shelf.activate(group[0].answer.adapter)
        fresh = Lane(
            self._decoder,
            [reading.answer for reading in group],
            [reading.cache for reading in group],
        )
        for lane in self._lanes:
            if lane.takes(fresh):
                lane.join(fresh)
                return
        self._lanes.append(fresh)


def _groups(readings: list[Prefill]) -> list[list[Prefill]]:
    """Group prompts that can start in one lane: same adapter, mergeable caches."""
    groups: list[list[Prefill]] = []
    for reading in readings:
        for group in groups:
            same = group[0].answer.adapter is reading.answer.adapter
            if same and can_merge(reading.cache):
                group.append(reading)
                break
        else:
            groups.append([reading])
    return groups
