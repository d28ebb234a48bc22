"""The built-in model's shape, initial weights, and training forward pass over shared prefixes.

The shape is mlx-lm's own qwen3, so mlx-lm and llama.cpp serve what is trained here. Only training
needs another forward pass: one that reads each prefix once, lets many requests look at it without
seeing each other, and computes logits at answers only. A test holds it equal to mlx-lm's.

Two things decided whether earlier models learned anything at all: normalised queries and keys, and
first weights scaled by fan-in instead of the usual 0.02.
"""

from typing import Any, Final

import mlx.core as mx
import numpy as np
from mlx import nn
from mlx.utils import tree_flatten, tree_unflatten
from mlx_lm.models import qwen3
from tokenizers import Tokenizer

from bench.pocket.arithmetic import fast_exp, silu
from bench.pocket.tokenizer import CONTEXT_TOKENS, PAD, TURN_CLOSE

_NEVER: Final = -1e9
_SHARPNESS: Final = 1.5
"""Initial scale of normalised queries and keys; at 1 no attention head could single out one key of
a hundred.
"""
_SPACE_STEP: Final = 0.5
"""Initial distance between a word's vectors with and without a leading space, relative to an
embedding's length.
"""


def configuration(
    tokenizer: Tokenizer, *, width: int, layers: int, heads: int, hidden: int, theta: float
) -> dict[str, Any]:
    """Return the contents of the model's config.json."""
    return {
        "model_type": "qwen3",
        "architectures": ["Qwen3ForCausalLM"],
        "hidden_size": width,
        "num_hidden_layers": layers,
        "intermediate_size": hidden,
        "num_attention_heads": heads,
        "num_key_value_heads": heads,
        "head_dim": width // heads,
        "rms_norm_eps": 1e-6,
        "vocab_size": tokenizer.get_vocab_size(),
        "rope_theta": theta,
        "max_position_embeddings": CONTEXT_TOKENS,
        "tie_word_embeddings": True,
        "attention_bias": False,
        "hidden_act": "silu",
        "eos_token_id": tokenizer.token_to_id(TURN_CLOSE),
        "pad_token_id": tokenizer.token_to_id(PAD),
        "bos_token_id": None,
        "torch_dtype": "float16",
    }


def fresh(config: dict[str, Any], tokenizer: Tokenizer, seed: int) -> qwen3.Model:
    """Create a model with random initial weights."""
    mx.random.seed(seed)
    model = qwen3.Model(qwen3.ModelArgs.from_dict(config))
    depth = (2 * config["num_hidden_layers"]) ** -0.5
    first: dict[str, mx.array] = {}
    for name, value in tree_flatten(model.parameters()):
        scale = value.shape[-1] ** -0.5 * (depth if "o_proj" in name or "down" in name else 1.0)
        first[name] = value if value.ndim == 1 else mx.random.normal(value.shape) * scale
        if "q_norm" in name or "k_norm" in name:
            first[name] = value * _SHARPNESS
    words = "model.embed_tokens.weight"
    first[words] = mx.array(_related_words_start_close(np.array(first[words]), tokenizer))
    model.update(tree_unflatten(list(first.items())))
    mx.eval(model.parameters())
    return model


def _related_words_start_close(embeddings_VD: np.ndarray, tokenizer: Tokenizer) -> np.ndarray:
    """Make `apple`, ` apple` and `Apple` start as one common vector plus a vector for the kind of
    spelling.

    Otherwise the model spends its first minutes learning, word by word, which are the same.
    """
    vocabulary = tokenizer.get_vocab()
    out_VD = embeddings_VD.copy()
    step_D = embeddings_VD[0] * _SPACE_STEP
    capital_D = embeddings_VD[1] * _SPACE_STEP
    for token, index in vocabulary.items():
        spaced = token.startswith("Ġ")
        word = token.removeprefix("Ġ")
        if len(word) > 1 and word.isalpha() and word.lower() in vocabulary:
            out_VD[index] = embeddings_VD[vocabulary[word.lower()]] + step_D * (1 if spaced else -1)
            if word != word.lower():
                out_VD[index] += capital_D
    return out_VD


def _rotated(x: mx.array, cos: mx.array, sin: mx.array) -> mx.array:
    """Apply rotary position embeddings to the two halves, as mlx-lm and llama.cpp do."""
    half = x.shape[-1] // 2
    a, b = x[..., :half], x[..., half:]
    return mx.concatenate([a * cos - b * sin, a * sin + b * cos], axis=-1)


def _shared(sums: mx.array) -> mx.array:
    """Divide weighted sums by the sum of the weights, which is in the last column."""
    return sums[..., :-1] / sums[..., -1:]


class Branching:
    """The forward pass over a batch of prefixes, each shared by several branches (requests with
    answers).
    """

    def __init__(self, model: qwen3.Model, config: dict[str, Any]) -> None:
        half = config["head_dim"] // 2
        self._model = model
        self._heads = int(config["num_attention_heads"])
        self._scale = float(config["head_dim"]) ** -0.5
        self._rates_F = mx.array(
            float(config["rope_theta"]) ** (-np.arange(half, dtype=np.float32) / half)
        )

    def answer_logits(
        self,
        prefix_PL: mx.array,
        lengths_P: mx.array,
        branch_PAB: mx.array,
        pads_PA: mx.array,
        answer_tokens: int,
    ) -> tuple[mx.array, mx.array, mx.array]:
        """Return the logits [P, A, R, V] that predict each branch's last `answer_tokens` tokens.

        With them what the first layer found out: the states of the prefix [P, L, D], and of the
        tokens that do the predicting [P, A, R, D].
        """
        model = self._model.model
        count_L, count_B = prefix_PL.shape[1], branch_PAB.shape[2]
        at_L, at_B = mx.arange(count_L), mx.arange(count_B)
        place_PAB = lengths_P[:, None, None] + mx.maximum(at_B - pads_PA[..., None], 0)
        angles_L = at_L[:, None] * self._rates_F
        angles_PAB = place_PAB[..., None] * self._rates_F
        turn_x = (mx.cos(angles_L), mx.sin(angles_L))
        turn_y = (mx.cos(angles_PAB)[:, None], mx.sin(angles_PAB)[:, None])
        later = mx.where(at_L[None, :] > at_L[:, None], _NEVER, 0.0)
        beyond_P = mx.where(at_L[None, :] >= lengths_P[:, None], _NEVER, 0.0)[:, None, None]
        hidden = (at_B[None, :] > at_B[:, None]) | (at_B < pads_PA[..., None])[:, :, None]
        own = mx.where(hidden, _NEVER, 0.0)[:, None]

        x, y = model.embed_tokens(prefix_PL), model.embed_tokens(branch_PAB)
        for layer in model.layers:
            last = layer is model.layers[-1]
            rows = count_B - answer_tokens if last else 0
            attention = layer.self_attn
            normal_x, normal_y = layer.input_layernorm(x), layer.input_layernorm(y)
            key_x, value_x = self._keys(attention, normal_x, turn_x)
            key_y, value_y = self._keys(attention, normal_y, turn_y)
            y = y[:, :, rows:]
            turned = (turn_y[0][..., rows:, :], turn_y[1][..., rows:, :])
            query_y = self._queries(attention, normal_y[:, :, rows:], turned)
            far = self._against_prefix(query_y, key_x.swapaxes(-1, -2)) + beyond_P[:, :, None]
            near = query_y @ key_y.swapaxes(-1, -2) + own[..., rows:, :]
            top = mx.stop_gradient(
                mx.maximum(far.max(axis=-1, keepdims=True), near.max(axis=-1, keepdims=True))
            )
            seen = self._against_prefix(fast_exp(far - top), value_x)
            seen = _shared(seen + fast_exp(near - top) @ value_y)
            y = y + attention.o_proj(self._joined(seen))
            y = y + self._mlp(layer.mlp, layer.post_attention_layernorm(y))
            if not last:
                query_x = self._queries(attention, normal_x, turn_x)
                scores = query_x @ key_x.swapaxes(-1, -2) + later
                top = mx.stop_gradient(scores.max(axis=-1, keepdims=True))
                seen = _shared(fast_exp(scores - top) @ value_x)
                x = x + attention.o_proj(self._joined(seen))
                x = x + self._mlp(layer.mlp, layer.post_attention_layernorm(x))
            if layer is model.layers[0]:
                found_x, found_y = x, y[:, :, count_B - answer_tokens :]
        return model.embed_tokens.as_linear(model.norm(y)), found_x, found_y

    def named(self, states: mx.array, tokens_K: mx.array) -> mx.array:
        """Return logits [..., K]: how similar each hidden state is to each of K token
        embeddings.
        """
        plain = mx.fast.rms_norm(states, None, 1e-6)
        return plain @ self._model.model.embed_tokens.weight[tokens_K].T

    def _split(self, x: mx.array) -> mx.array:
        """Reshape [P, ..., T, D] to [P, H, ..., T, E], one row per attention head."""
        return mx.moveaxis(mx.unflatten(x, -1, (self._heads, -1)), -2, 1)

    def _joined(self, x: mx.array) -> mx.array:
        """Reshape [P, H, ..., T, E] back to [P, ..., T, D]."""
        return mx.flatten(mx.moveaxis(x, 1, -2), -2, -1)

    @staticmethod
    def _mlp(mlp: nn.Module, x: mx.array) -> mx.array:
        return mlp.down_proj(silu(mlp.gate_proj(x)) * mlp.up_proj(x))

    def _keys(
        self, attention: nn.Module, x: mx.array, turn: tuple[mx.array, mx.array]
    ) -> tuple[mx.array, mx.array]:
        keys = attention.k_norm(self._split(attention.k_proj(x)))
        values = self._split(attention.v_proj(x))
        one = mx.ones((*values.shape[:-1], 1))
        return _rotated(keys, *turn), mx.concatenate([values, one], axis=-1)

    def _queries(
        self, attention: nn.Module, x: mx.array, turn: tuple[mx.array, mx.array]
    ) -> mx.array:
        queries = attention.q_norm(self._split(attention.q_proj(x)))
        return _rotated(queries, *turn) * self._scale

    @staticmethod
    def _against_prefix(rows: mx.array, prefix: mx.array) -> mx.array:
        """Multiply all branches' rows [P, H, A, R, *] with the prefix that they share."""
        return mx.unflatten(mx.flatten(rows, 2, 3) @ prefix, 2, rows.shape[2:4])
