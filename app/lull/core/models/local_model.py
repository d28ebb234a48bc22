"""Data types that describe a model served by Lull's own inference engine (size, weights, tensors,
defaults), as chat apps ask for it through Ollama's API.

Ollama's clients show them (`/api/show`, `/api/tags`), so they use Ollama's terms: GGUF's names for
the dimensions, its short size (`557K`), a digest of the weights.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Final

from lull.core.chat.messages import Sampling

_FILE_TYPES: Final = {"F32": 0, "F16": 1, "BF16": 32}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tensor:
    """The name, number type and shape of one tensor in a model's weights."""

    name: str
    dtype: str
    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalModel:
    """A model whose weights lie in a folder of this machine, and which Lull runs itself."""

    name: str
    """The model's public name, without the tag `latest`."""
    digest: str
    """64 hexadecimal digits that identify the weights."""
    parameters: int
    size_bytes: int
    """Size of the model's weights on disk, in bytes."""
    family: str
    quantization: str
    """Storage form of the weights: `F16`, `BF16`, `F32`, or `4-bit`."""
    window_tokens: int
    modified_at: datetime
    folder: Path
    template: str = ""
    license: str = ""
    sampling: Sampling = field(default_factory=Sampling)
    """The model's default sampling parameters, used where a request gives none."""
    dimensions: tuple[tuple[str, float], ...] = ()
    """The model's dimensions by GGUF's names, without the family prefix."""
    tensors: tuple[Tensor, ...] = ()
    eos_token_id: int | None = None


def file_type(model: LocalModel) -> int | None:
    """Return the number that GGUF uses for a model's quantization; None if it has none."""
    return _FILE_TYPES.get(model.quantization)
