"""Computes the exact KL divergence between the next-token distributions of two LoRA adapters at
each token of an answer.

At each token of the answer the two next-token distributions are compared over the whole
vocabulary: KL(p || q) = sum p (ln p - ln q), in nats. It works in slices, so that the logits of a
whole answer are never in memory at once and users' requests can run between two slices.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import mlx.core as mx
from mlx_lm.models.cache import make_prompt_cache

from lull.engine.adapters import AdapterSwitcher, LoadedAdapter


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
        self._model = model
        self._shelf = shelf
        self._ahead = [list(prompt[:-1]) for prompt in prompts]
        """What each side has still to read of its prompt, without the last token."""
        self._fed = [[prompt[-1], *answer[:-1]] for prompt in prompts]
        """For each side the tokens whose logits predict the answer's."""
        self._sides = [(adapter, make_prompt_cache(model)) for adapter in adapters]
        self._slice = slice_tokens
        self._at = 0
        self._nats: list[float] = []
        self._done = done

    def step(self) -> bool:
        """Read one slice of the prompts, then compute the KL divergence for one slice of the
        answer's tokens a time; return True after the last slice.
        """
        if any(self._ahead):
            self._read()
            return False
        end = self._at + self._slice
        logp, logq = (self._logs(side, self._fed[side][self._at : end]) for side in (0, 1))
        nats_T: Any = mx.sum(mx.exp(logp) * (logp - logq), axis=-1)
        self._nats += nats_T.tolist()
        self._at = end
        if end >= len(self._fed[0]):
            self._done(self._nats)
            return True
        return False

    def _read(self) -> None:
        """Read a slice of each prompt; the logits, which predict nothing here, are never made."""
        for side, (adapter, cache) in enumerate(self._sides):
            now, self._ahead[side] = (
                self._ahead[side][: self._slice],
                self._ahead[side][self._slice :],
            )
            if now:
                self._shelf.activate(adapter)
                self._model(mx.array(now)[None], cache=cache)
                mx.eval([layer.state for layer in cache])

    def _logs(self, side: int, tokens: Sequence[int]) -> mx.array:
        """Log-probabilities of the next tokens, shape (T, V)."""
        adapter, cache = self._sides[side]
        self._shelf.activate(adapter)
        logits_TV = self._model(mx.array(list(tokens))[None], cache=cache)[0].astype(mx.float32)
        logs_TV: mx.array = logits_TV - mx.logsumexp(logits_TV, axis=-1, keepdims=True)
        mx.eval(logs_TV, [layer.state for layer in cache])
        return logs_TV
