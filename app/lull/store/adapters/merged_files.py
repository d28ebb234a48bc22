"""Names and removes temporary model files: each holds a model with a LoRA adapter merged into its
weights, until Ollama has imported it.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

from lull.core.errors import WeightsError


class MergedFiles:
    """Names and removes, in one folder, the temporary files of models that have a LoRA adapter
    merged in; each exists only until Ollama has imported it. Blocking.
    """

    def __init__(self, folder: Path) -> None:
        """Remove from the folder what a killed process left: such a file holds what an adapter
        learned, which may have been forgotten since. No other process may be using the folder.
        """
        self._folder = folder
        for left in folder.glob("*.gguf*"):
            with contextlib.suppress(OSError):  # a file that cannot be removed stops no start
                left.unlink()

    def path_for(self, version: str) -> str:
        """Return the path at which to write the merged file (model with LoRA adapter) of a version
        that is published to Ollama; makes the folder.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        return str(self._folder / f"{version.replace('/', '-').replace(':', '-')}.gguf")

    def remove(self, path: str) -> None:
        """Remove a merged file (a model with a LoRA adapter merged in), and what an interrupted
        merge left of it. Raises WeightsError.
        """
        for one in (Path(path), Path(path + ".tmp")):
            try:
                one.unlink(missing_ok=True)
            except OSError as error:
                raise WeightsError(f"{one} cannot be removed: {error.strerror}.") from error
