"""Continuous batching: who waits, who is being read in, who is being answered.

Why not mlx-lm's BatchGenerator: it decodes everything in one batch, so answers of two adapter
versions cannot stand side by side; it samples from one global random state, so a seed's answer
would depend on the company; and its prompt batches must be cut up when a client leaves. What is
used of mlx-lm is below that: its models, its caches and their `merge`, `extend` and `filter`.

A round is one slice of prompt reading and one token for each answer, so a long prompt delays the
others by one slice at most, and a cancelled request is gone within one round. Rounds are driven
from outside, by one thread: MLX is not to be used from two.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mlx.core as mx
from mlx_lm.models.cache import make_prompt_cache

from lull.engine.adapters import Shelf
from lull.engine.answer import Answer
from lull.engine.lane import Lane, can_merge
from lull.engine.prefix_cache import PrefixCache

_PROMPTS_A_ROUND = 8


@dataclass(slots=True, eq=False)
class Reading:
    """A prompt on its way into a cache."""

    answer: Answer
    cache: list[Any]
    done: int = 0
    """Tokens that are in the cache. The last token of a prompt is never read in: it is the first
    input of the decoding."""

    @property
    def left(self) -> int:
        return len(self.answer.prompt) - 1 - self.done


class Batcher:
    def __init__(
        self,
        model: Any,
        shelf: Shelf,
        *,
        most_at_once: int,
        slice_tokens: int,
        prefix_cache_bytes: int,
        has_room: Callable[[], bool],
    ) -> None:
        self._model = model
        self._shelf = shelf
        self._most = most_at_once
        self._slice = slice_tokens
        self._has_room = has_room
        self._prefixes = PrefixCache(slice_tokens=slice_tokens, most_bytes=prefix_cache_bytes)
        self._waiting: deque[Answer] = deque()
        self._reading: deque[Reading] = deque()
        self._lanes: list[Lane] = []
        self._rounds = 0
        self.decoded = 0
        """Tokens handed out since the start."""

    @property
    def in_flight(self) -> int:
        return len(self._waiting) + len(self._reading) + self._answering

    @property
    def _answering(self) -> int:
        return sum(len(lane.answers) for lane in self._lanes)

    def add(self, answer: Answer) -> None:
        self._waiting.append(answer)

    def cancel(self, request_id: str) -> None:
        """Take it out wherever it is; unknown ids are of answers that just ended."""
        self._waiting = deque(a for a in self._waiting if a.id != request_id)
        self._reading = deque(r for r in self._reading if r.answer.id != request_id)
        for lane in self._lanes:
            lane.remove(request_id)
        self._sweep()

    def forget_prefixes(self) -> None:
        self._prefixes.forget()

    def round(self) -> None:
        """One slice of reading, one token for each answer."""
        self._admit()
        self._read()
        for lane in self._lanes:
            self._shelf.wear(lane.adapter)
            self.decoded += len(lane.answers)
            lane.step()
        self._sweep()
        self._rounds += 1
        if self._rounds % 512 == 0:
            mx.clear_cache()

    def _sweep(self) -> None:
        self._lanes = [lane for lane in self._lanes if lane.answers]

    def _admit(self) -> None:
        """First come, first served, as far as the batch and the memory reach."""
        while self._waiting:
            busy = len(self._reading) + self._answering
            if busy >= self._most or (busy and not self._make_room()):
                return
            answer = self._waiting.popleft()
            known = self._prefixes.longest(answer.adapter, answer.prompt)
            done, cache = known or (0, make_prompt_cache(self._model))
            self._reading.append(Reading(answer, cache, done))

    def _make_room(self) -> bool:
        if not self._has_room():
            self._prefixes.forget()  # they only save time; a waiting request is worth more
        return self._has_room()

    def _read(self) -> None:
        """A slice's worth of tokens: part of one long prompt, or several short ones."""
        budget, ready = self._slice, list[Reading]()
        while self._reading and budget > 0:
            reading = self._reading[0]
            if reading.left > 0:
                # However short, a forward takes time: a crowd of short prompts is spread out.
                budget -= max(self._read_slice(reading), self._slice // _PROMPTS_A_ROUND)
            if reading.left == 0:
                ready.append(self._reading.popleft())
        for company in _companies(ready):
            self._begin(company)

    def _read_slice(self, reading: Reading) -> int:
        size = min(self._slice, reading.left)
        prompt, end = reading.answer.prompt, reading.done + size
        self._shelf.wear(reading.answer.adapter)
        self._model(mx.array(list(prompt[reading.done : end]))[None], cache=reading.cache)
        mx.eval([layer.state for layer in reading.cache])
        reading.done = end
        if end % self._slice == 0:
            self._prefixes.keep(reading.answer.adapter, prompt[:end], reading.cache)
        return size

    def _begin(self, company: list[Reading]) -> None:
        self._shelf.wear(company[0].answer.adapter)
        fresh = Lane(
            self._model,
            [reading.answer for reading in company],
            [reading.cache for reading in company],
        )
        for lane in self._lanes:
            if lane.takes(fresh):
                lane.join(fresh)
                return
        self._lanes.append(fresh)


def _companies(readings: list[Reading]) -> list[list[Reading]]:
    """Those that can begin together: of one adapter, with caches that can be merged."""
    companies: list[list[Reading]] = []
    for reading in readings:
        for company in companies:
            same = company[0].answer.adapter is reading.answer.adapter
            if same and can_merge(reading.cache):
                company.append(reading)
                break
        else:
            companies.append([reading])
    return companies
