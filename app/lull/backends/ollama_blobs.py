"""Where the weights of an Ollama model lie on this machine, and whether we may read them.

`/api/show` names the file in its Modelfile. Ollama hands out no weights over HTTP, so the file must
be readable here; where it is not at the named place (Ollama runs in a container, or as a service of
the system), the usual stores are tried by the same digest.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from lull.core.errors import WeightsError
from lull.core.ollama_model import ShownModel

SYSTEM_STORES = ("/usr/share/ollama/.ollama/models", "/var/lib/ollama/models")
"""Of Ollama's own installer and of distributions (docs/linux.md, ollama.service)."""


def _may_read(path: Path) -> bool:
    return os.access(path, os.R_OK)


def readable_blob(
    model: ShownModel,
    environ: Mapping[str, str],
    *,
    may_read: Callable[[Path], bool] = _may_read,
) -> Path:
    """Raises WeightsError, with what its owner can do."""
    if not model.blobs:
        raise WeightsError(f"Ollama does not say where the weights of {model.name} lie.")
    forbidden: Path | None = None
    for path in _places(model, environ):
        try:
            if path.is_file():
                if may_read(path):
                    return path
                forbidden = forbidden or path
        except OSError:
            forbidden = forbidden or path
    if forbidden is not None:
        raise WeightsError(
            f"The weights of {model.name} may not be read: {forbidden}.",
            hint=f"Let yourself read Ollama's store: `sudo chmod -R a+rX {_store(forbidden)}`.",
        )
    raise WeightsError(
        f"The weights of {model.name} are not on this machine at {model.blobs[0]}.",
        hint="Where Ollama runs in a container, let OLLAMA_MODELS name its store on this machine.",
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
    """The store's folder; `blobs` lies in it."""
    return blob.parent.parent if blob.parent.name == "blobs" else blob
