"""Computes what comes after one more token of each answer: by MLX, or by NumPy for Llama models on
the CPU.

There MLX multiplies the activations of a single token with a weight matrix as it would a whole
batch, which copies the weights into another order for every token. NumPy brings a BLAS with a
product of matrix and vector, which reads each weight once (ADR 73 has the figures).

Prompts are processed by MLX all the same, and everything stands in mlx-lm's KV caches. Models of
other kinds, and adapters of kinds unknown here, are decoded by MLX.

Shapes in names: B answers, S tokens in the cache, H heads that share keys, G queries of each, D
values a head, I inputs and O outputs of a layer, R the rank of an adapter, V the vocabulary.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import mlx.core as mx
import numpy as np
from mlx import nn
from mlx_lm.models import llama
from mlx_lm.models.cache import BatchKVCache, KVCache
from mlx_lm.tuner.lora import LoRALinear

from lull.engine.adapters import LoadedAdapter
from lull.engine.model import on_cpu

FloatArray = np.ndarray[Any, np.dtype[np.float32]]


MOST_KEPT: Final = 4
"""Most adapters whose weights are kept as NumPy arrays; the one used longest ago is dropped."""


class Decoder:
    """Computes the logits of the next token of several answers."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self._weights: OrderedDict[LoadedAdapter | None, _Weights | None] = OrderedDict()
        """The weights with each of the adapters used last; None where MLX decodes."""

    def __call__(
        self, tokens_B: mx.array, cache: Sequence[Any], adapter: LoadedAdapter | None
    ) -> mx.array:
        """Return the logits after one more token of each answer, shape (B, V), and add its keys and
        values to the cache. `adapter` must be the one that is active in the model.
        """
        weights = self._weights_with(adapter)
        if weights is None or not all(type(layer) in (KVCache, BatchKVCache) for layer in cache):
            logits_BTV: mx.array = self._model(tokens_B[:, None], cache=cache)
            return logits_BTV[:, -1, :]
        return mx.array(weights.logits(np.asarray(tokens_B), cache))

    def waits(self, adapter: LoadedAdapter | None) -> bool:
        """Whether a call computes at once, by NumPy, where MLX would only plan the computation.
        `adapter` must be the one that is active in the model.
        """
        return self._weights_with(adapter) is not None

    def _weights_with(self, adapter: LoadedAdapter | None) -> _Weights | None:
        if adapter not in self._weights:
            self._weights[adapter] = _weights_of(self._model)
        self._weights.move_to_end(adapter)
        while len(self._weights) > MOST_KEPT:
            self._weights.popitem(last=False)
        return self._weights[adapter]


class _UnknownLayerError(Exception):
    """Error: the model has a layer that the NumPy decoder cannot compute."""


def _weights_of(model: Any) -> _Weights | None:
    """The weights of a model as NumPy sees them, not copied; None where MLX decodes."""
    if not on_cpu() or type(model) is not llama.Model:
        return None
    try:
        return _Weights(model)
    except _UnknownLayerError:
        return None


class _Linear:
    """A linear layer, with a LoRA adapter or without."""

    def __init__(self, layer: Any) -> None:
        self._low: tuple[FloatArray, FloatArray] | None = None
        if type(layer) is LoRALinear:
            self._low = (_array(layer.lora_a), layer.scale * _array(layer.lora_b))
            layer = layer.linear
        if type(layer) is not nn.Linear:
            raise _UnknownLayerError
        self._weight_IO = _array(layer.weight).T
        self._bias_O = _array(layer.bias) if "bias" in layer else None

    def __call__(self, x_BI: FloatArray) -> FloatArray:
        y_BO: FloatArray = x_BI @ self._weight_IO
        if self._bias_O is not None:
            y_BO += self._bias_O
        if self._low is not None:
            a_IR, b_RO = self._low
            y_BO += (x_BI @ a_IR) @ b_RO
        return y_BO


class _Norm:
    """Root-mean-square normalisation (Zhang & Sennrich, arXiv 1910.07467)."""

    def __init__(self, layer: Any) -> None:
        if type(layer) is not nn.RMSNorm:
            raise _UnknownLayerError
        self._weight_I, self._eps = _array(layer.weight), np.float32(layer.eps)

    def __call__(self, x_BI: FloatArray) -> FloatArray:
        square_B1 = (x_BI * x_BI).sum(axis=-1, keepdims=True) / np.float32(x_BI.shape[-1])
        normed_BI: FloatArray = x_BI / np.sqrt(square_B1 + self._eps) * self._weight_I
        return normed_BI


@dataclass(frozen=True, slots=True)
class _Position:
    """The positions of a batch's newest tokens: the rotation of their queries and keys, and the
    mask of the padding in the common cache.
    """

    cos_B1D: FloatArray
    sin_B1D: FloatArray
    """Sines of the rotation angles; D is half the size of a head."""
    padding_B11S: FloatArray | None
    """-inf where a cache is padded, 0 elsewhere; None without padding."""

    def rotated(self, x_BHD: FloatArray) -> FloatArray:
        """Apply the rotary position embedding (Su et al., arXiv 2104.09864)."""
        half = x_BHD.shape[-1] // 2
        a, b = x_BHD[..., :half], x_BHD[..., half:]
        turned: FloatArray = np.concatenate(
            (a * self.cos_B1D - b * self.sin_B1D, a * self.sin_B1D + b * self.cos_B1D), axis=-1
        )
        return turned


class _Block:
    """A transformer block."""

    def __init__(self, block: Any) -> None:
        attention, mlp = block.self_attn, block.mlp
        if block.use_sliding:
            raise _UnknownLayerError
        self._before, self._between = (
            _Norm(block.input_layernorm),
            _Norm(block.post_attention_layernorm),
        )
        self._q, self._k, self._v, self._o = (
            _Linear(attention[name]) for name in ("q_proj", "k_proj", "v_proj", "o_proj")
        )
        self._gate, self._up, self._down = (
            _Linear(mlp[name]) for name in ("gate_proj", "up_proj", "down_proj")
        )
        self._heads, self._queries = attention.n_kv_heads, attention.n_heads
        self._scale = np.float32(attention.scale)

    def __call__(self, x_BI: FloatArray, at: _Position, cache: Any) -> FloatArray:
        x_BI = x_BI + self._attended(self._before(x_BI), at, cache)
        normed_BI = self._between(x_BI)
        gate_BO, up_BO = self._gate(normed_BI), self._up(normed_BI)
        # SwiGLU (Shazeer, arXiv 2002.05202); exp of a large negative gate is inf, and its share 0
        with np.errstate(over="ignore"):
            silu_BO = np.divide(gate_BO, np.float32(1) + np.exp(-gate_BO), dtype=np.float32)
        after_BI: FloatArray = x_BI + self._down(silu_BO * up_BO)
        return after_BI

    def _attended(self, x_BI: FloatArray, at: _Position, cache: Any) -> FloatArray:
        rows, heads, queries = len(x_BI), self._heads, self._queries
        query_BHD = at.rotated(self._q(x_BI).reshape(rows, queries, -1))
        key_BHD = at.rotated(self._k(x_BI).reshape(rows, heads, -1))
        value_BHD = self._v(x_BI).reshape(rows, heads, -1)
        added = (mx.array(new_BHD[:, :, None]) for new_BHD in (key_BHD, value_BHD))
        keys_BHSD, values_BHSD = (np.asarray(one) for one in cache.update_and_fetch(*added))
        query_BHGD = (query_BHD * self._scale).reshape(rows, heads, queries // heads, -1)
        scores_BHGS = query_BHGD @ keys_BHSD.swapaxes(-1, -2)
        if at.padding_B11S is not None:
            scores_BHGS += at.padding_B11S
        scores_BHGS -= scores_BHGS.max(axis=-1, keepdims=True)
        np.exp(scores_BHGS, out=scores_BHGS)
        scores_BHGS /= scores_BHGS.sum(axis=-1, keepdims=True)
        return self._o((scores_BHGS @ values_BHSD).reshape(rows, -1))


class _Weights:
    """A Llama model's weights."""

    def __init__(self, model: Any) -> None:
        inner = model.model
        if type(inner.embed_tokens) is not nn.Embedding:
            raise _UnknownLayerError
        self._tokens_VI = _array(inner.embed_tokens.weight)
        self._blocks = [_Block(block) for block in inner.layers]
        self._norm = _Norm(inner.norm)
        self._head = None if model.args.tie_word_embeddings else _Linear(model.lm_head)
        ropes = {_rope(block.self_attn.rope) for block in inner.layers}
        if len(ropes) != 1:
            raise _UnknownLayerError
        values, base, self._position_scale = ropes.pop()
        even = np.arange(0, values, 2, dtype=np.float32)
        self._frequencies: FloatArray = np.float32(base) ** (-even / np.float32(values))

    def logits(self, tokens_B: Any, cache: Sequence[Any]) -> FloatArray:
        """Return the logits of the next token, shape (B, V)."""
        at = self._position(cache[0], len(tokens_B))
        x_BI: FloatArray = self._tokens_VI[tokens_B]
        for block, layer in zip(self._blocks, cache, strict=True):
            x_BI = block(x_BI, at, layer)
        x_BI = self._norm(x_BI)
        logits_BV: FloatArray = x_BI @ self._tokens_VI.T if self._head is None else self._head(x_BI)
        return logits_BV

    def _position(self, layer: Any, rows: int) -> _Position:
        """The position of the token that comes next; the same in the caches of all layers."""
        batch = type(layer) is BatchKVCache
        offsets = np.asarray(layer.offset) if batch else np.full(rows, layer.offset)
        angle_BD = (offsets * self._position_scale).astype(np.float32)[:, None] * self._frequencies
        padding = np.asarray(layer.left_padding) if batch else np.zeros(rows, dtype=np.int32)
        padded = None
        if padding.any():
            within_BS = np.arange(layer.size() + 1) < padding[:, None]
            padded = np.where(within_BS, -np.inf, 0).astype(np.float32)[:, None, None]
        return _Position(np.cos(angle_BD)[:, None], np.sin(angle_BD)[:, None], padded)


def _rope(layer: Any) -> tuple[int, float, float]:
    """The size of a head, the base and the scale of a rotary position embedding."""
    if type(layer) is not nn.RoPE or layer.traditional:
        raise _UnknownLayerError
    return layer.dims, layer.base, layer.scale


def _array(array: mx.array) -> FloatArray:
    if array.dtype != mx.float32:
        raise _UnknownLayerError
    return np.asarray(array)
