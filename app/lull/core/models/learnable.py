"""Decides whether a model can be trained on this machine; if it cannot, says why in words for the
user.

The decision uses Ollama's description and the machine's memory, without reading the weights. A
model with a fault that only the weights file shows, such as an unusual tokenizer, is rejected
later, when it is chosen for training.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from lull.core.models.gguf.architectures import Architecture
from lull.core.models.local_model import LocalModel
from lull.core.models.ollama_model import ShownModel, is_published
from lull.core.models.weight_form import WeightForm

GB: Final = 1_000_000_000
LORA_RANK: Final = 16
CONTEXT_TOKENS: Final = 2048
"""Tokens assumed in one micro-batch, for the memory estimate."""
LOGIT_TOKENS: Final = 256
"""Tokens whose vocabulary logits exist at once, for the memory estimate."""
_RUNTIME_GB: Final = 0.3
HYBRIDS: Final = (
    *("qwen35", "qwen35moe", "qwen3next", "qwen3_5", "qwen3_5_moe", "qwen3_next"),
    *("lfm2", "lfm2moe", "nemotron_h", "granitehybrid", "jamba", "falcon-h1", "mamba"),
)
"""Architectures with recurrent or linear attention, for which MLX has no gradient kernel."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Learnable:
    """Whether a model can be trained on this machine, and why not."""

    name: str
    architecture: str
    can_learn: bool
    why_not: str
    """Why the model cannot be trained here; empty if it can."""
    needs_gb: float
    """Estimated memory during training, in GB; 0 if its size is unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """What this machine offers for training: its memory and the form in which weights are kept."""

    memory_bytes: int
    share: float
    """Share of the machine's memory that training may use."""
    form: WeightForm

    @property
    def may_take_gb(self) -> float:
        """The memory that training may use, in GB."""
        return self.memory_bytes * self.share / GB


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSize:
    """The dimensions of a model that determine how much memory training needs."""

    weights: float
    hidden: float = 0.0
    layers: float = 0.0
    inner: float = 0.0
    vocabulary: float = 0.0


def size_of(model: LocalModel) -> ModelSize:
    """Return the dimensions that determine the memory for training a model that Lull runs itself;
    0 for each that its description does not name.
    """
    named = dict(model.dimensions)
    return ModelSize(
        weights=model.parameters,
        hidden=int(named.get("embedding_length", 0)),
        layers=int(named.get("block_count", 0)),
        inner=int(named.get("feed_forward_length", 0)),
        vocabulary=int(named.get("vocab_size", 0)),
    )


def needs_gb(size: ModelSize, form: WeightForm) -> float:
    """Estimate the peak memory of LoRA training for a model of this size, in 10⁹ bytes.

    Adds up: the weights twice (the sampling engine has its own), the LoRA matrices on all seven
    linear layers in single precision with gradients and Adam's two moments (arXiv 2106.09685,
    1412.6980), one input per layer with everything else recomputed (checkpointing, arXiv
    1604.06174), one layer's inner values, and three times the logits of a piece of the answer. The
    trainer measures before it begins; this estimate only rules out hopeless cases.
    """
    lora = LORA_RANK * size.layers * (8 * size.hidden + 3 * (size.hidden + size.inner))
    kept = CONTEXT_TOKENS * size.layers * size.hidden
    inside = CONTEXT_TOKENS * (8 * size.hidden + 6 * size.inner)
    scores = 3 * LOGIT_TOKENS * size.vocabulary
    numbers = 4 * lora + kept + inside + scores
    return (2 * size.weights * form.bytes_a_weight + 4 * numbers) / GB + _RUNTIME_GB


def learnability(
    shown: ShownModel, machine: Machine, *, blob_missing: str = "", published: bool = False
) -> Learnable:
    """Return whether a model can be trained on this machine, why not if it cannot, and how much
    memory training needs. `blob_missing` says in words why its weights file cannot be read, "" if
    it can; `published` says that Lull itself put the model into Ollama, as a trained copy of
    another one.
    """
    size = _size(shown)
    needs = needs_gb(size, machine.form) if size.weights else 0.0
    why = _why_not(shown, published=published or is_published(shown.name))
    why = why or too_large(needs, machine) or blob_missing
    return Learnable(
        name=shown.name,
        architecture=shown.architecture,
        can_learn=not why,
        why_not=why,
        needs_gb=round(needs, 3),
    )


def too_large(needs: float, machine: Machine) -> str:
    """Return why a model that needs this much memory cannot be trained here; "" if it can."""
    may = machine.may_take_gb
    if needs <= may:
        return ""
    return (
        f"It needs about {needs:.1f} GB while it learns; {may:.1f} GB of this machine's memory may"
        " be taken for that."
    )


def _why_not(shown: ShownModel, *, published: bool) -> str:
    kind = shown.architecture
    if published:
        return "It is a version that Lull has published; its base learns."
    if shown.remote:
        return "It runs on somebody else's machine."
    if kind in HYBRIDS:
        return (
            f"It is built in a way (hybrid attention, {kind}) that the training library MLX "
            "cannot train yet."
        )
    if "embedding" in shown.capabilities or kind in ("bert", "nomic-bert"):
        return "It makes embeddings and does not answer."
    if len(shown.blobs) > 1 or "vision" in shown.capabilities:
        return "It also reads pictures; such models cannot learn yet."
    if shown.facts.get("expert_count", 0) > 0 or kind.endswith("moe"):
        return f"It is a mixture of experts ({kind}), which cannot learn yet."
    if kind not in list(Architecture):
        listed = ", ".join(Architecture)
        return f"Models of the architecture {kind[:60]} cannot learn yet; {listed} can."
    if shown.format not in ("gguf", ""):
        return f"Its weights are stored as {shown.format[:40]}; only GGUF can be read."
    if shown.adapters:
        return "It has an adapter of its own; choose the model that it was made from."
    if not shown.blobs:
        return "Ollama does not say where its weights lie."
    return ""


def _size(shown: ShownModel) -> ModelSize:
    facts = shown.facts
    return ModelSize(
        weights=shown.parameters,
        hidden=facts.get("embedding_length", 0),
        layers=facts.get("block_count", 0),
        inner=facts.get("feed_forward_length", 0),
        vocabulary=facts.get("vocab_size", 0) or 128_000 * (shown.parameters > GB / 10),
    )
