"""Reads the shipped files of the small model that finds feedback in users' messages: `reader.json`
and `reader.safetensors`.

The first describes the network and its calibration, the second holds the weights;
bench/reader/ship.py writes both. They are read here without MLX, so that errors are reported before
anything is loaded.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from lull.backends.mlx.model_folder import check_safetensors
from lull.core.errors import EngineError, ResourceError
from lull.resources import INSTALL_AGAIN

VERSION: Final = 1
"""Version of the format of the small reader's files."""
FACTS: Final = "reader.json"
WEIGHTS: Final = "reader.safetensors"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderFiles:
    """The contents of `reader.json`, which describes the small model that finds feedback in users'
    messages: its network and calibration.
    """

    folder: Path
    base: str
    """SHA-256 of the small model's file that the reader was trained on."""
    shape: Mapping[str, Any]
    """The sizes of the reader's network, as fields of `ReaderShape`."""
    calibration: Mapping[str, tuple[float, float]]
    """Calibration (a, b) of each label, and of "sentence" (whether a sentence states a rule).

    A probability is p = sigmoid(a · z + b) for log-odds z.
    """
    temperature: float
    """Divisor of the logits of the check classes (kinds of programs that could test a rule)."""
    stated: float
    """Minimum probability at which a sentence of a message counts as stating the user's rule."""

    @property
    def weights(self) -> Path:
        """Path of the file with the model's weights."""
        return self.folder / WEIGHTS

    def name(self) -> str:
        """Return the name of the small model that reads users' messages for feedback; it includes a
        hash of the weights. Blocking.
        """
        return f"small-{hashlib.sha256(self.weights.read_bytes()).hexdigest()[:8]}"


def read_files(folder: Path) -> ReaderFiles:
    """Read the shipped files of the small model that finds feedback in users' messages.

    Raises ResourceError naming the missing or damaged one.
    """
    file = folder / FACTS
    try:
        said = json.loads(file.read_text("utf-8"))
        if said["version"] != VERSION:
            raise ResourceError(f"{file} belongs to another version of Lull.", hint=INSTALL_AGAIN)
        shape = dict(said["shape"])
        files = ReaderFiles(
            folder=folder,
            base=str(said["base"]["sha256"]),
            shape=shape,
            calibration={key: (float(a), float(b)) for key, (a, b) in said["calibration"].items()},
            temperature=float(said["temperature"]),
            stated=float(said["thresholds"]["sentence"]),
        )
        missing = {"sentence", *shape["labels"]} - files.calibration.keys()
    except FileNotFoundError as error:
        raise ResourceError(f"There is no {FACTS} in {folder}.", hint=INSTALL_AGAIN) from error
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ResourceError(f"{file} is damaged.", hint=INSTALL_AGAIN) from error
    if missing:
        raise ResourceError(f"{file} has no calibration for {min(missing)}.", hint=INSTALL_AGAIN)
    try:
        check_safetensors(files.weights)
    except EngineError as error:
        raise ResourceError(error.detail, hint=INSTALL_AGAIN) from error
    return files
