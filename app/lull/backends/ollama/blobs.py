"""Finds the weight file of an Ollama model on this machine.

`/api/show` names the file in its Modelfile, and Ollama does not serve weights over HTTP, so the
file must be readable here. If it is not at that path (Ollama in a container or as a system
service), the usual stores are searched for the same digest.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from lull.core.errors import WeightsError
from lull.core.models.ollama_model import ShownModel

SYSTEM_STORES = ("/usr/share/ollama/.ollama/models", "/var/lib/ollama/models")
"""Folders where Ollama's installer and Linux distributions store models.

See docs/linux.md and ollama.service.
"""


def _may_read(path: Path) -> bool:
    return os.access(path, os.R_OK)


@dataclass(frozen=True, slots=True)
class OllamaBlobs:
    """Finds the weight files of Ollama's models on this machine; implements WeightFiles."""

    environ: Mapping[str, str]
    may_read: Callable[[Path], bool] = _may_read

    def readable_blob(self, model: ShownModel) -> Path:
        """Find an Ollama model's weights file on this machine and return its path. Blocking.

        Raises WeightsError, which says what the user can do, if the file is missing or unreadable.
        """
        if not model.blobs:
            raise WeightsError(f"Ollama does not say where the weights of {model.name} are.")
        forbidden: Path | None = None
        for path in _places(model, self.environ):
            try:
                if path.is_file():
                    if self.may_read(path):
                        return path
                    forbidden = forbidden or path
            except OSError:
                forbidden = forbidden or path
        if forbidden is not None:
            raise WeightsError(
                f"Lull has no access to the weights of {model.name}: {forbidden}.",
                hint="Give yourself permission to read Ollama's models: `sudo chmod -R a+rX "
                f"{_store(forbidden)}`.",
            )
        raise WeightsError(
            f"The weights of {model.name} are not on this machine at {model.blobs[0]}.",
            hint="If Ollama runs in a container, set the environment variable OLLAMA_MODELS to the "
            "folder on this machine that holds its models.",
        )


def _places(model: ShownModel, environ: Mapping[str, str]) -> Iterator[Path]:
    named = Path(model.blobs[0])
    yield named
    if not model.blob_sha256:
        return
    stores = [environ.get("OLLAMA_MODELS") or "", *SYSTEM_STORES]
    if environ.get("HOME"):
        stores.insert(1, str(Path(environ["HOME"]) / ".ollama" / "models"))
    for store in stores:
        path = Path(store) / "blobs" / f"sha256-{model.blob_sha256}"
        if store and path != named:
            yield path


def _store(blob: Path) -> Path:
    """Return the Ollama store that contains this weights file; the file itself if it lies in no
    store."""
    return blob.parent.parent if blob.parent.name == "blobs" else blob
