"""Computes numbers about a given answer under LoRA adapters, without generating anything: the exact
KL divergence between two adapters at each of its tokens, or one adapter's log-probabilities of the
tokens.

For the divergence the two next-token distributions are compared over the whole vocabulary:
KL(p || q) = sum p (ln p - ln q), in nats. Both work in slices, so that the logits of a whole answer
are never in memory at once and users' requests can run between two slices.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import mlx.core as mx
from mlx_lm.models.cache import make_prompt_cache

from lull.engine.adapters import AdapterSwitcher, LoadedAdapter


class _Side:
    """One adapter's reading of a prompt and then of an answer, a slice of tokens at a time."""

    def __init__(
        self,
        model: Any,
        shelf: AdapterSwitcher,
        *,
        prompt: Sequence[int],
        answer: Sequence[int],
        adapter: LoadedAdapter | None,
    ) -> None:
        self._model = model
        self._shelf = shelf
        self._adapter = adapter
        self._cache = make_prompt_cache(model)
        self._ahead = list(prompt[:-1])
        """What is still to be read of the prompt, without its last token."""
        self._fed = [prompt[-1], *answer[:-1]]
        """The tokens whose logits predict the answer's."""

    @property
    def has_read(self) -> bool:
        return not self._ahead

    def read(self, count: int) -> None:
        """Read a slice of the prompt; the logits, which predict nothing here, are never made."""
        now, self._ahead = self._ahead[:count], self._ahead[count:]
        if now:
            self._shelf.activate(self._adapter)
            self._model(mx.array(now)[None], cache=self._cache)
            mx.eval([layer.state for layer in self._cache])

    def logs(self, start: int, end: int) -> mx.array:
        """Log-probabilities of the answer's tokens from `start` to before `end`, over the whole
        vocabulary, shape (T, V).
        """
        self._shelf.activate(self._adapter)
        fed = mx.array(self._fed[start:end])[None]
        logits_TV = self._model(fed, cache=self._cache)[0].astype(mx.float32)
        logs_TV: mx.array = logits_TV - mx.logsumexp(logits_TV, axis=-1, keepdims=True)
        mx.eval(logs_TV, [layer.state for layer in self._cache])
        return logs_TV


class Divergence:
    """Computes the KL divergence between two LoRA adapters' next-token distributions over one
    answer, a slice of tokens at a time.
    """

    def __init__(
        self,
        model: Any,
        shelf: AdapterSwitcher,
        *,
        id: str,  # noqa: A002
        prompts: tuple[Sequence[int], Sequence[int]],
        answer: Sequence[int],
        adapters: tuple[LoadedAdapter | None, LoadedAdapter | None],
        slice_tokens: int,
        done: Callable[[list[float]], None],
    ) -> None:
        """Prepare the comparison; `adapters` are p and q in KL(p ‖ q), `prompts` what each of them
        reads before the answer.

        Prompts and answer must not be empty. The callback `done` gets the divergence at each answer
        token in nats.
        """
        self.id = id
        self._sides = [
            _Side(model, shelf, prompt=prompt, answer=answer, adapter=adapter)
            for prompt, adapter in zip(prompts, adapters, strict=True)
        ]
        self._tokens = len(answer)
        self._slice = slice_tokens
        self._at = 0
        self._nats: list[float] = []
        self._done = done

    def step(self) -> bool:
        """Read one slice of the prompts, then compute the KL divergence for one slice of the
        answer's tokens at a time; return True after the last slice.
        """
        if not all(side.has_read for side in self._sides):
            for side in self._sides:
                side.read(self._slice)
            return False
        end = self._at + self._slice
        logp, logq = (side.logs(self._at, end) for side in self._sides)
        nats_T: Any = mx.sum(mx.exp(logp) * (logp - logq), axis=-1)
        self._nats += nats_T.tolist()
        self._at = end
        if end >= self._tokens:
            self._done(self._nats)
            return True
        return False


class AnswerLikelihood:
    """Computes how likely one LoRA adapter was to give an answer that is there already, a slice of
    tokens at a time.
    """

    def __init__(
        self,
        model: Any,
        shelf: AdapterSwitcher,
        *,
        id: str,  # noqa: A002
        prompt: Sequence[int],
        answer: Sequence[int],
        adapter: LoadedAdapter | None,
        slice_tokens: int,
        done: Callable[[list[float]], None],
    ) -> None:
        """Prepare the reading of `answer` after `prompt`, both not empty. The callback `done` gets
        the natural log-probability of each answer token.
        """
        self.id = id
        self._side = _Side(model, shelf, prompt=prompt, answer=answer, adapter=adapter)
        self._answer = list(answer)
        self._slice = slice_tokens
        self._logs: list[float] = []
        self._done = done

    def step(self) -> bool:
        """Read one slice of the prompt or of the answer; return True after the last slice."""
        if not self._side.has_read:
            self._side.read(self._slice)
            return False
        start = len(self._logs)
        said = mx.array(self._answer[start : start + self._slice])
        logs_TV = self._side.logs(start, start + self._slice)
        own_T: Any = mx.take_along_axis(logs_TV, said[:, None], axis=-1)[:, 0]
        self._logs += own_T.tolist()
        if len(self._logs) == len(self._answer):
            self._done(self._logs)
            return True
        return False
