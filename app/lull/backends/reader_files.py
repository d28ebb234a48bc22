"""The shipped files of the small reader: `reader.json` and `reader.safetensors`.

The first says how the network is built and how its log-odds become probabilities, the second holds
what was trained. bench/reader/ship.py writes both. Read here without MLX, so that the service and
`lull doctor` can say what is wrong before anything is loaded.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from lull.backends.model_folder import check_safetensors
from lull.core.errors import EngineError, ResourceError
from lull.resources import INSTALL_AGAIN

VERSION: Final = 1
"""Of the form of these files."""
FACTS: Final = "reader.json"
WEIGHTS: Final = "reader.safetensors"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderFiles:
    folder: Path
    base: str
    """SHA-256 of the file with the small model that it was trained on."""
    shape: Mapping[str, Any]
    """The fields of engine.reader.net.Shape."""
    calibration: Mapping[str, tuple[float, float]]
    """Of each label and of "sentence": (a, b), so that p = sigmoid(a · z + b) of log-odds z."""
    temperature: float
    """The logits of the check's classes are divided by it."""
    stated: float
    """A sentence at least so likely states the rule."""

    @property
    def weights(self) -> Path:
        return self.folder / WEIGHTS

    def name(self) -> str:
        """Which reader this is; other weights have another name. Blocks."""
        return f"small-{hashlib.sha256(self.weights.read_bytes()).hexdigest()[:8]}"


def read_files(folder: Path) -> ReaderFiles:
    """Raises ResourceError naming the file that is missing or damaged."""
    file = folder / FACTS
    try:
        said = json.loads(file.read_text("utf-8"))
        if said["version"] != VERSION:
            raise ResourceError(f"{file} is of another release.", hint=INSTALL_AGAIN)
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
        raise ResourceError(f"{file} does not calibrate {min(missing)}.", hint=INSTALL_AGAIN)
    try:
        check_safetensors(files.weights)
    except EngineError as error:
        raise ResourceError(error.detail, hint=INSTALL_AGAIN) from error
    return files
