"""Names and removes the files into which an adapter is merged before Ollama gets them."""

from __future__ import annotations

from pathlib import Path

from lull.core.errors import WeightsError


class MergedFiles:
    """The files of models with an adapter merged in, in one folder; each exists only until Ollama
    has it. Blocking.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def path_for(self, version: str) -> str:
        """Return where to write the merged file of a published version; makes the folder."""
        self._folder.mkdir(parents=True, exist_ok=True)
        return str(self._folder / f"{version.replace('/', '-').replace(':', '-')}.gguf")

    def remove(self, path: str) -> None:
        """Remove a merged file, and what an interrupted merge left of it. Raises WeightsError."""
        for one in (Path(path), Path(path + ".tmp")):
            try:
                one.unlink(missing_ok=True)
            except OSError as error:
                raise WeightsError(f"{one} cannot be removed: {error.strerror}.") from error
