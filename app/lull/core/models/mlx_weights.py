"""Data type for a folder that holds a model's weights in MLX's format, from which the model can be
trained.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from lull.core.chat.messages import Sampling


@dataclass(frozen=True, slots=True, kw_only=True)
class MlxWeights:
    """A complete folder of MLX weights from which a model can be trained, with the file or Ollama
    model that the weights come from.
    """

    folder: Path
    digest: str
    """Ollama's digest of the model when the weights were converted.

    "" for a model from elsewhere.
    """
    sha256: str
    """sha256 of the file that the weights were converted from."""
    from_ollama: bool
    system: str = ""
    """The model's SYSTEM text in Ollama."""
    sampling: Sampling = field(default_factory=Sampling)
    """The model's sampling parameters in Ollama."""
