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
        prompt: Sequence[int],
        answer: Sequence[int],
        adapters: tuple[LoadedAdapter | None, LoadedAdapter | None],
        slice_tokens: int,
        done: Callable[[list[float]], None],
    ) -> None:
        """Prepare the comparison; `adapters` are p and q in KL(p ‖ q).

        Prompt and answer must not be empty. The callback `done` gets the divergence at each answer
        token in nats.
        """
        self.id = id
        self._model = model
        self._shelf = shelf
        self._fed = [*prompt, *answer[:-1]]
        self._first = len(prompt) - 1
        """Index of the last prompt token, whose logits predict the answer's first token."""
        self._adapters = adapters
        self._caches = [make_prompt_cache(model) for _ in adapters]
        self._slice = slice_tokens
        self._at = 0
        self._nats: list[float] = []
        self._done = done

    def step(self) -> bool:
        """Compute the KL divergence for one slice of the answer's tokens; return True after the
        last slice.
        """
        end = min(self._at + self._slice, len(self._fed))
        tokens_1T = mx.array(self._fed[self._at : end])[None]
        logp, logq = (
            self._logs(tokens_1T, adapter, cache)
            for adapter, cache in zip(self._adapters, self._caches, strict=True)
        )
        nats_T: Any = mx.sum(mx.exp(logp) * (logp - logq), axis=-1)
        self._nats += nats_T.tolist()[max(0, self._first - self._at) :]
        self._at = end
        if end == len(self._fed):
            self._done(self._nats)
            return True
        return False

    def _logs(
        self, tokens_1T: mx.array, adapter: LoadedAdapter | None, cache: list[Any]
    ) -> mx.array:
        """Log-probabilities of the next tokens, shape (T, V)."""
        self._shelf.activate(adapter)
        logits_TV = self._model(tokens_1T, cache=cache)[0].astype(mx.float32)
        logs_TV: mx.array = logits_TV - mx.logsumexp(logits_TV, axis=-1, keepdims=True)
        mx.eval(logs_TV, [layer.state for layer in cache])
        return logs_TV
