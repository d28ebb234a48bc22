"""The gradient of a loss over answer tokens, without the logits of all of them at once.

The body gives hidden states, of which only those that predict an answer token are kept, (N, D).
From there values a token are worked out in chunks of C tokens, each chunk let go before the next
is begun, forward and, from the hidden states anew, backward: (C, V) logits exist at a time, three
or four times over, whatever N is. MLX runs a graph in an order of its own, so each chunk is made to
depend on the one before; without that it holds all chunks' logits side by side, as `mx.checkpoint`
around each chunk also does (measured with N = 2,048, V = 32,000, C = 256, whose logits take 33 MB:
544 MB, where all logits at once take 791).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mlx.core as mx
from mlx import nn
from mlx.utils import tree_flatten

from lull.trainer.losses import reverse_kl, token_logps
from lull.trainer.policy import Policy, Weights
from lull.trainer.rows import Micro

LogpLoss = Callable[[Any], tuple[Any, ...]]
"""logp (N,) → (loss, whatever else), where only the loss is differentiated."""
ChunkValues = Callable[..., Any]
"""(hidden (C, D), constants (C, …) …) → a value a token, (C,)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunked:
    """The policy, looked at through chunks of tokens."""

    policy: Policy
    chunk: int
    """C, in tokens."""

    def hidden(self, micro: Micro) -> Any:
        """Hidden states that predict the trained tokens, shape (N, D); no gradient."""
        hidden_ND = self._hidden(micro)
        mx.eval(hidden_ND)
        return hidden_ND

    def logps(self, micro: Micro) -> Any:
        """Log-probability of each trained token, shape (N,); no gradient."""
        logp_N = self._logps(micro)
        mx.eval(logp_N)
        return logp_N

    def logp_gradient(self, micro: Micro, loss: LogpLoss) -> tuple[tuple[Any, ...], Weights]:
        """(what `loss` gives, gradients by name) of a loss over log-probabilities."""
        return self._gradient(lambda: loss(self._logps(micro)))

    def kl_gradient(
        self, micro: Micro, teacher_ND: Any, *, top_k: int, norm: float
    ) -> tuple[tuple[Any, ...], Weights]:
        """((Σ KL(student ‖ teacher) / norm,), gradients by name); see `losses.reverse_kl`.

        `teacher_ND` are hidden states of the teacher at the same tokens.
        """
        head = self.policy.head

        def values(hidden_CD: Any, teacher_CD: Any) -> Any:
            teacher_CV = head(teacher_CD[None])[0]
            return reverse_kl(head(hidden_CD[None])[0], teacher_CV, top_k)

        def kl() -> tuple[Any, ...]:
            kl_N = in_chunks(values, self.chunk, self._hidden(micro), teacher_ND)
            return (kl_N.sum() / norm,)

        return self._gradient(kl)

    def _hidden(self, micro: Micro) -> Any:
        return self.policy.hidden(micro.ids_RT)[micro.at_N]

    def _logps(self, micro: Micro) -> Any:
        head = self.policy.head

        def values(hidden_CD: Any, target_C: Any) -> Any:
            return token_logps(head(hidden_CD[None])[0], target_C)

        return in_chunks(values, self.chunk, self._hidden(micro), micro.target_N)

    def _gradient(self, of: Callable[[], tuple[Any, ...]]) -> tuple[tuple[Any, ...], Weights]:
        """Of the first number by the low-rank weights, all evaluated."""
        before = self.policy.weights()
        given, gradients = nn.value_and_grad(self.policy.model, lambda _: tuple(of()))(None)
        self.policy.put(before)  # else the model holds on to the graph's own names for them
        mx.eval(given, gradients)
        flat: Any = tree_flatten(gradients)
        return tuple(given), dict(flat)


def in_chunks(values: ChunkValues, chunk: int, hidden_ND: Any, *constants: Any) -> Any:
    """`values` of so many tokens at a time, shape (N,), differentiable by the hidden states."""
    pieces = [slice(n, n + chunk) for n in range(0, hidden_ND.shape[0], chunk)]

    @mx.custom_function
    def whole(hidden_ND: Any) -> Any:
        parts: list[Any] = []
        for piece in pieces:
            (hidden_CD,) = _after(parts, hidden_ND[piece])
            parts.append(values(hidden_CD, *(constant[piece] for constant in constants)))
        return mx.concatenate(parts)

    @whole.vjp
    def backward(hidden_ND: Any, slope_N: Any, _: Any) -> Any:
        parts: list[Any] = []
        for piece in pieces:
            hidden_CD, slope_C = _after(parts, hidden_ND[piece], slope_N[piece])
            fixed = [constant[piece] for constant in constants]
            parts.append(_slope(values, fixed, hidden_CD, slope_C))
        return mx.concatenate(parts)

    return whole(hidden_ND)


def _after(parts: list[Any], *arrays: Any) -> list[Any]:
    """The same arrays, not to be worked with before the last part is done."""
    return mx.depends(list(arrays), [parts[-1]]) if parts else list(arrays)


def _slope(values: ChunkValues, fixed: list[Any], hidden_CD: Any, slope_C: Any) -> Any:
    _, (slope_CD,) = mx.vjp(lambda at: values(at, *fixed), [hidden_CD], [slope_C])
    return slope_CD


def added(sums: Weights | None, more: Weights) -> Weights:
    """Gradients of several micro-batches, evaluated."""
    out = more if sums is None else {name: sums[name] + array for name, array in more.items()}
    mx.eval(out)
    return out
