"""The model under training: frozen base weights with trainable low-rank layers.

One set of weights serves as three models: the current policy, the base (LoRA scale exactly 0),
and the policy at the start of the run (a copy of its low-rank weights is kept). The model is split
into a body that gives hidden states and a head that turns them into logits, so that logits need
not exist for all tokens at once.
"""

from __future__ import annotations

import contextlib
import copy
import hashlib
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
from lull.core.training.spec import Lora
from lull.trainer.adapter_files import AdapterShape, leads_nowhere, raise_if_no_memory

PolicyWeights = dict[str, Any]
_CONFIGS = ("config.json", "generation_config.json")
_CHECK_DISK = "Check the disk and the files' permissions."
MANY_PARAMETERS = 100_000_000
"""Number of parameters above which activations are recomputed instead of kept, unless the spec says
otherwise.
"""


class UnreadableModel(TrainingError):
    """Error: the base model's files cannot be read now (permissions, a disk that is away or has a
    fault), which says nothing about what is in them.
    """


class UnreadableParent(TrainingError):
    """Error: the adapter to start from cannot be read now, though it may be whole."""


class PolicyModel:
    """A model with LoRA layers that can also act as its base model or as it was at the run's
    start.
    """

    def __init__(
        self, model: Any, *, end_ids: frozenset[int], vocabulary: int, adapter: AdapterShape
    ) -> None:
        """Wrap `model`, which already has its low-rank layers; `load` makes one from a folder."""
        self.model = model
        self.end_ids = end_ids
        self.vocabulary = vocabulary
        self.adapter = adapter
        self._layers = [m for _, m in model.named_modules() if "lora_a" in m and "lora_b" in m]
        self._body, self.head = split_model(model)
        self.began_as: PolicyWeights = self.weights()
        """The low-rank weights at the beginning of the run."""

    @property
    def parameters(self) -> int:
        """Number of parameters of the base model; quantised ones are counted unpacked."""
        own: Any = tree_flatten(self.model.parameters())
        every = {name: array for name, array in own if name.rsplit(".", 1)[-1] not in _NOT_COUNTED}
        return sum(_count(self.model, name, array) for name, array in every.items())

    @property
    def trained_parameters(self) -> int:
        """Number of weights in the LoRA adapter that is trained."""
        return sum(int(array.size) for array in self.weights().values())

    def hidden(self, ids_RT: mx.array) -> Any:
        """Return the model's hidden states for a batch of R rows of T tokens, shape (R, T, D)."""
        return self._body(ids_RT)

    def weights(self) -> PolicyWeights:
        """Return the trainable low-rank (LoRA) weights by name.

        Training replaces these arrays and never changes one in place, so the result stays valid.
        """
        own: Any = tree_flatten(self.model.trainable_parameters())
        return dict(own)

    def put(self, weights: Mapping[str, Any]) -> None:
        """Replace the model's trainable low-rank (LoRA) weights by these."""
        self.model.update(tree_unflatten(list(weights.items())))

    @contextlib.contextmanager
    def as_base(self) -> Iterator[None]:
        """Context manager in which the model acts as its base, without any adapter."""
        scales = [layer.scale for layer in self._layers]
        for layer in self._layers:
            layer.scale = 0.0
        try:
            yield
        finally:
            for layer, scale in zip(self._layers, scales, strict=True):
                layer.scale = scale

    @contextlib.contextmanager
    def as_at_start(self) -> Iterator[None]:
        """Context manager in which the model has the low-rank weights that it had when the training
        run started.
        """
        now = self.weights()
        self.put(self.began_as)
        try:
            yield
        finally:
            self.put(now)


def load(
    folder: Path, *, parent: Path | None, lora: Lora, seed: int, checkpoint_layers: bool | None
) -> PolicyModel:
    """Load the base model and add low-rank layers, new ones or those of an earlier adapter to
    continue from.

    Raises TrainingError for a folder that mlx-lm cannot load, as UnreadableModel if it cannot be
    read now, or for an earlier adapter that does not fit the model, as UnreadableParent if it
    cannot be read now. Runs none of the folder's code.
    """
    adapter = _parent(parent) if parent else AdapterShape.new(lora)
    model, config = _base(folder)
    model.freeze()
    mx.random.seed(seed)  # only new low-rank layers are drawn from MLX's global state
    linear_to_lora_layers(model, adapter.layers, adapter.lora_parameters)
    policy = PolicyModel(
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
        recompute_activations(model.layers)
    model.train()
    return policy


def _parent(folder: Path) -> AdapterShape:
    try:
        return AdapterShape.read(folder)
    except OSError as error:
        raise_if_no_memory(error)
        raise UnreadableParent(
            f"The adapter to start from cannot be read now: {_in_words(error)}.",
            hint=_CHECK_DISK,
        ) from error


def _base(folder: Path) -> tuple[Any, dict[str, Any]]:
    try:
        model, config = load_model(folder, lazy=True)
        if mx.default_device().type == mx.DeviceType.cpu:
            # Half precision is emulated on the CPU and about twenty times slower.
            model.set_dtype(mx.float32)
        mx.eval(model.parameters())
    except (ValueError, KeyError, TypeError, OSError, RuntimeError, ImportError) as error:
        raise_if_no_memory(error)
        _raise_if_unreadable(folder)
        reason = _in_words(error)
        raise TrainingError(
            f"The model in {folder} cannot be loaded: “{reason}”.",
            hint="Copy or download the model again, or choose another one.",
        ) from error
    return model, config


def _raise_if_unreadable(folder: Path) -> None:
    """Raise UnreadableModel if a file of a model that could not be loaded cannot be read now, or is
    a link to a place that is not there now: the model may be whole.

    MLX raises the same for such a file as for a damaged one.
    """
    try:
        for file in sorted(folder.iterdir()):
            if file.name in _CONFIGS or file.match("model*.safetensors"):
                with file.open("rb") as whole:
                    hashlib.file_digest(whole, "sha256")
    except OSError as error:
        raise_if_no_memory(error)
        gone = isinstance(error, FileNotFoundError | NotADirectoryError | IsADirectoryError)
        if gone and not leads_nowhere(Path(error.filename or folder)):
            return
        raise UnreadableModel(
            f"The model in {folder} cannot be read now: {_in_words(error)}.", hint=_CHECK_DISK
        ) from error


def _in_words(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename or 'a file of it'}: {error.strerror}"
    return (str(error).strip() or type(error).__name__).splitlines()[0][:300]


def _wear(policy: PolicyModel, adapter: AdapterShape) -> None:
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
    """Number of rows of the embedding; larger token ids would read memory behind it."""
    for _, module in model.named_modules():
        if isinstance(module, nn.Embedding | nn.QuantizedEmbedding):
            return int(module.weight.shape[0])
    raise TrainingError("The model has no embedding.", hint="Choose a language model.")


_NOT_COUNTED = ("scales", "biases", "lora_a", "lora_b")
"""Arrays that are not parameters of the base."""


def _count(model: Any, name: str, array: Any) -> int:
    """Number of parameters in an array; a quantised weight packs several into each word."""
    if array.dtype != mx.uint32:
        return int(array.size)
    module: Any = model
    for step in name.split(".")[:-1]:
        module = module[int(step)] if isinstance(module, list) else module[step]
    return int(array.size) * 32 // int(module.bits)


# Splitting the model into body and head


class _IdentityBody(nn.Module):  # type: ignore[misc]
    """Replaces a model's body and returns the hidden states it is given."""

    def __init__(self, body: Any) -> None:
        super().__init__()
        self.embed_tokens = body.embed_tokens

    def __call__(self, hidden: Any, *_: Any, **__: Any) -> Any:
        return hidden


@dataclass(frozen=True, slots=True)
class _IdentityHead:
    """The identity head, for models that cannot be split: their "hidden states" are logits."""

    def __call__(self, logits: Any) -> Any:
        return logits


def split_model(model: Any) -> tuple[Any, Any]:
    """Split a model into (body, head) with head(body(ids)) == model(ids), checked on two tokens.

    mlx-lm's models have a body called `model`, followed by a linear layer or the tied embedding
    and sometimes a soft cap. The head is the model with its body replaced by the identity. A model
    built differently is not split, so its logits exist for a whole micro-batch at once.
    """
    body = getattr(model, "model", None)
    if not isinstance(body, nn.Module) or "embed_tokens" not in body:
        return model, _IdentityHead()
    head = copy.copy(model)
    head.model = _IdentityBody(body)
    ids_RT = mx.array([[0, 1]])
    with contextlib.suppress(TypeError, ValueError, AttributeError):
        if mx.array_equal(head(body(ids_RT)), model(ids_RT)).item():
            return body, head
    return model, _IdentityHead()


def recompute_activations(layers: list[Any]) -> None:
    """Make each layer drop its activations in the forward pass, except its input, and recompute
    them in the backward pass.

    This is gradient checkpointing (arXiv 1604.06174). A layer called with a cache is unchanged.
    """
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
