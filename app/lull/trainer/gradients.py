"""Computes gradients of a loss over answer tokens without holding all logits at once.

The model's body gives hidden states; only those that predict an answer token are kept, (N, D).
Per-token values are computed in chunks of C tokens, and each chunk is freed before the next
begins. The backward pass recomputes each chunk from the hidden states. So only three or four
arrays of (C, V) logits exist at a time, whatever N is. MLX chooses its own order of execution, so
each chunk is made to depend on the one before. Without that MLX holds the logits of all chunks
at once, and so does `mx.checkpoint` around each chunk: measured with N = 2,048, V = 32,000 and
C = 256 (33 MB of logits a chunk), 544 MB, against 791 MB for all logits in one piece.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mlx.core as mx
from mlx import nn
from mlx.utils import tree_flatten

from lull.trainer.losses import forward_kl, reverse_kl, token_logps
from lull.trainer.policy import PolicyModel, PolicyWeights
from lull.trainer.rows import MicroBatch

LogpLoss = Callable[[Any], tuple[Any, ...]]
"""Loss function: log-probabilities (N,) → (loss, other values …); only the loss is
differentiated.
"""
ChunkValues = Callable[..., Any]
"""Function of one chunk: (hidden states (C, D), constants (C, …) …) → one value per token, (C,)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkedEvaluator:
    """Evaluates the model under training, and losses with their gradients, in chunks of tokens, to
    save memory.
    """

    policy: PolicyModel
    chunk: int
    """Chunk size C, in tokens."""

    def hidden(self, micro: MicroBatch) -> Any:
        """Return the hidden states that predict the trained tokens, shape (N, D), without computing
        gradients.
        """
        hidden_ND = self._hidden(micro)
        mx.eval(hidden_ND)
        return hidden_ND

    def logps(self, micro: MicroBatch) -> Any:
        """Return the log-probability of each trained token, shape (N,), without computing
        gradients.
        """
        logp_N = self._logps(micro)
        mx.eval(logp_N)
        return logp_N

    def logp_gradient(
        self, micro: MicroBatch, loss: LogpLoss
    ) -> tuple[tuple[Any, ...], PolicyWeights]:
        """Differentiate a loss over the trained tokens' log-probabilities.

        Returns the values of `loss` and the gradients by weight name.
        """
        return self._gradient(lambda: loss(self._logps(micro)))

    def kl_gradient(
        self, micro: MicroBatch, teacher_ND: Any, *, top_k: int, norm: float, forward: bool = False
    ) -> tuple[tuple[Any, ...], PolicyWeights]:
        """Differentiate Σ KL(student ‖ teacher) / norm over the trained tokens.

        Returns ((value,), gradients by weight name). `forward` takes KL(teacher ‖ student).
        `teacher_ND` are the teacher's hidden states at the same tokens.
        """
        head, divergence = self.policy.head, forward_kl if forward else reverse_kl

        def values(hidden_CD: Any, teacher_CD: Any) -> Any:
            teacher_CV = head(teacher_CD[None])[0]
            return divergence(head(hidden_CD[None])[0], teacher_CV, top_k)

        def kl() -> tuple[Any, ...]:
            kl_N = in_chunks(values, self.chunk, self._hidden(micro), teacher_ND)
            return (kl_N.sum() / norm,)

        return self._gradient(kl)

    def _hidden(self, micro: MicroBatch) -> Any:
        return self.policy.hidden(micro.ids_RT)[micro.at_N]

    def _logps(self, micro: MicroBatch) -> Any:
        head = self.policy.head

        def values(hidden_CD: Any, target_C: Any) -> Any:
            return token_logps(head(hidden_CD[None])[0], target_C)

        return in_chunks(values, self.chunk, self._hidden(micro), micro.target_N)

    def _gradient(self, of: Callable[[], tuple[Any, ...]]) -> tuple[tuple[Any, ...], PolicyWeights]:
        """Differentiate the first value of a loss by the low-rank weights; all results are
        evaluated.
        """
        before = self.policy.weights()
        given, gradients = nn.value_and_grad(self.policy.model, lambda _: tuple(of()))(None)
        self.policy.put(before)  # else the model keeps the graph's traced arrays alive
        mx.eval(given, gradients)
        flat: Any = tree_flatten(gradients)
        return tuple(given), dict(flat)


def in_chunks(values: ChunkValues, chunk: int, hidden_ND: Any, *constants: Any) -> Any:
    """Evaluate the per-token function `values` on N hidden states, a chunk at a time.

    Returns shape (N,), differentiable with respect to the hidden states.
    """
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
    """Return the same arrays, made to depend on the previous chunk's result."""
    return mx.depends(list(arrays), [parts[-1]]) if parts else list(arrays)


def _slope(values: ChunkValues, fixed: list[Any], hidden_CD: Any, slope_C: Any) -> Any:
    _, (slope_CD,) = mx.vjp(lambda at: values(at, *fixed), [hidden_CD], [slope_C])
    return slope_CD


def add_gradients(sums: PolicyWeights | None, more: PolicyWeights) -> PolicyWeights:
    """Return the sum of the gradients so far and those of one more micro-batch, evaluated; `sums`
    is None before the first.
    """
    out = more if sums is None else {name: sums[name] + array for name, array in more.items()}
    mx.eval(out)
    return out
