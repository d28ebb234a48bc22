"""The model that learns: base weights that never change, and low-rank layers that do.

Three models in one set of weights: the policy as it stands, the base (scale 0, exactly), and the
policy as it was when the run began (its low-rank weights are small enough to keep a copy). The
model is taken apart once, into a body that gives hidden states and a head that turns them into
logits, so that logits need not exist for all tokens at once.
"""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mlx.core as mx
from mlx import nn
from mlx.utils import tree_flatten, tree_unflatten
from mlx_lm.tuner.utils import linear_to_lora_layers
from mlx_lm.utils import load_model

from lull.core.errors import TrainingError
from lull.core.training_run import Lora
from lull.trainer.adapter_files import AdapterFiles

Weights = dict[str, Any]
MANY_PARAMETERS = 100_000_000
"""From here on activations are worked out again instead of kept, unless told otherwise."""


class Policy:
    def __init__(
        self, model: Any, *, end_ids: frozenset[int], vocabulary: int, adapter: AdapterFiles
    ) -> None:
        """`model` already has its low-rank layers. Use `load`."""
        self.model = model
        self.end_ids = end_ids
        self.vocabulary = vocabulary
        self.adapter = adapter
        self._layers = [m for _, m in model.named_modules() if "lora_a" in m and "lora_b" in m]
        self._body, self.head = taken_apart(model)
        self.began_as: Weights = self.weights()
        """The low-rank weights at the beginning of the run."""

    @property
    def parameters(self) -> int:
        """Quantised ones count once each."""
        own: Any = tree_flatten(self.model.parameters())
        every = {name: array for name, array in own if name.rsplit(".", 1)[-1] not in _SIDE}
        return sum(_count(self.model, name, array) for name, array in every.items())

    @property
    def trained_parameters(self) -> int:
        return sum(int(array.size) for array in self.weights().values())

    def hidden(self, ids_RT: mx.array) -> Any:
        """Hidden states, shape (R, T, D)."""
        return self._body(ids_RT)

    def weights(self) -> Weights:
        """The low-rank weights by name; arrays are replaced by an update, never changed."""
        own: Any = tree_flatten(self.model.trainable_parameters())
        return dict(own)

    def put(self, weights: Mapping[str, Any]) -> None:
        self.model.update(tree_unflatten(list(weights.items())))

    @contextlib.contextmanager
    def as_base(self) -> Iterator[None]:
        """The weights without any adapter."""
        scales = [layer.scale for layer in self._layers]
        for layer in self._layers:
            layer.scale = 0.0
        try:
            yield
        finally:
            for layer, scale in zip(self._layers, scales, strict=True):
                layer.scale = scale

    @contextlib.contextmanager
    def as_it_began(self) -> Iterator[None]:
        """The weights with the adapter that the run started from."""
        now = self.weights()
        self.put(self.began_as)
        try:
            yield
        finally:
            self.put(now)


def load(
    folder: Path, *, parent: Path | None, lora: Lora, seed: int, checkpoint_layers: bool | None
) -> Policy:
    """Read the base and put low-rank layers into it, new ones or the parent's.

    Raises TrainingError for a folder that mlx-lm can make no model of, or a parent that does not
    fit it. Runs none of the folder's code.
    """
    adapter = AdapterFiles.read(parent) if parent else AdapterFiles.new(lora)
    model, config = _base(folder)
    model.freeze()
    mx.random.seed(seed)  # the one thing drawn from the global state: new low-rank layers
    linear_to_lora_layers(model, adapter.layers, adapter.lora_parameters)
    policy = Policy(
        model,
        end_ids=_end_ids(config),
        vocabulary=_vocabulary(model),
        adapter=adapter,
    )
    if not policy.weights():
        raise TrainingError(f"The model in {folder} has no layers that can learn.")
    if adapter.weights:
        _wear(policy, adapter)
    mx.eval(model.parameters())
    many = policy.parameters > MANY_PARAMETERS
    if many if checkpoint_layers is None else checkpoint_layers:
        forget_activations(model.layers)
    model.train()
    return policy


def _base(folder: Path) -> tuple[Any, dict[str, Any]]:
    try:
        model, config = load_model(folder, lazy=True)
        if mx.default_device().type == mx.DeviceType.cpu:
            # half precision is emulated on the CPU and some twenty times slower
            model.set_dtype(mx.float32)
        mx.eval(model.parameters())
    except (ValueError, KeyError, TypeError, OSError, RuntimeError, ImportError) as error:
        reason = _in_words(error)
        raise TrainingError(
            f"The model in {folder} cannot be loaded: {reason}",
            hint="Copy or download the model again, or choose another one.",
        ) from error
    return model, config


def _in_words(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename or 'a file of it'}: {error.strerror}"
    return (str(error).strip() or type(error).__name__).splitlines()[0][:300]


def _wear(policy: Policy, adapter: AdapterFiles) -> None:
    wanted = {name: array.shape for name, array in policy.weights().items()}
    given = {name: array.shape for name, array in adapter.weights.items()}
    if wanted != given:
        raise TrainingError(
            "The adapter to start from does not fit the model.",
            hint="It was made for another one; start without it.",
        )
    policy.put({name: array.astype(mx.float32) for name, array in adapter.weights.items()})
    policy.began_as = policy.weights()


def _end_ids(config: Mapping[str, Any]) -> frozenset[int]:
    ends = config.get("eos_token_id")
    return frozenset(ends if isinstance(ends, list) else [] if ends is None else [ends])


def _vocabulary(model: Any) -> int:
    """Rows of the embedding. Token ids from there on would read whatever lies behind it."""
    for _, module in model.named_modules():
        if isinstance(module, nn.Embedding | nn.QuantizedEmbedding):
            return int(module.weight.shape[0])
    raise TrainingError("The model has no embedding.", hint="Choose a language model.")


_SIDE = ("scales", "biases", "lora_a", "lora_b")


def _count(model: Any, name: str, array: Any) -> int:
    """A quantised weight holds several parameters in a word."""
    if array.dtype != mx.uint32:
        return int(array.size)
    module: Any = model
    for step in name.split(".")[:-1]:
        module = module[int(step)] if isinstance(module, list) else module[step]
    return int(array.size) * 32 // int(module.bits)


# Taking the model apart


class _Given(nn.Module):  # type: ignore[misc]
    """Stands where a model's body stood, and gives back the hidden states that it was given."""

    def __init__(self, body: Any) -> None:
        super().__init__()
        self.embed_tokens = body.embed_tokens

    def __call__(self, hidden: Any, *_: Any, **__: Any) -> Any:
        return hidden


@dataclass(frozen=True, slots=True)
class _Whole:
    """A head for models that cannot be taken apart: their "hidden states" are logits already."""

    def __call__(self, logits: Any) -> Any:
        return logits


def taken_apart(model: Any) -> tuple[Any, Any]:
    """(body, head) with head(body(ids)) == model(ids), tried once on two tokens.

    mlx-lm's models are a body called `model` and a few lines behind it (a linear layer or the
    tied embedding, perhaps a soft cap): the head is the model itself with its body left out. What
    is built otherwise is used whole; its logits then exist for a whole micro-batch.
    """
    body = getattr(model, "model", None)
    if not isinstance(body, nn.Module) or "embed_tokens" not in body:
        return model, _Whole()
    head = copy.copy(model)
    head.model = _Given(body)
    ids_RT = mx.array([[0, 1]])
    with contextlib.suppress(TypeError, ValueError, AttributeError):
        if mx.array_equal(head(body(ids_RT)), model(ids_RT)).item():
            return body, head
    return model, _Whole()


def forget_activations(layers: list[Any]) -> None:
    """Keep only what goes into each layer and work the rest out again on the way back
    (arXiv 1604.06174). Without a gradient, or with a cache, layers work as ever."""
    for kind in {type(layer) for layer in layers}:
        if not hasattr(kind, "_forgets"):
            kind._forgets = True
            kind.__call__ = _forgetful(kind.__call__)


def _forgetful(call: Any) -> Any:
    def forgetful(layer: Any, x: Any, mask: Any = None, cache: Any = None) -> Any:
        if cache is not None:
            return call(layer, x, mask, cache)

        def again(weights: Any, x: Any) -> Any:
            layer.update(weights)
            return call(layer, x, mask, None)

        return mx.checkpoint(again)(layer.trainable_parameters(), x)

    return forgetful
