"""Finds and names folders of MLX weights: those that Lull made, and those that users added.

Implements the `WeightFolders` port. A folder that Lull makes gets its name only when
complete.
"""

from __future__ import annotations

import hashlib
import json
import re
import struct
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from lull.backends.system.durable import write_file_atomically
from lull.core.chat.messages import Sampling
from lull.core.chat.model_name import canonical
from lull.core.errors import WeightsError
from lull.core.models.mlx_weights import MlxWeights
from lull.core.models.weight_form import WeightForm
from lull.core.models.weight_work import AdoptableFolder

FACTS: Final = "lull.json"
"""File in each folder that Lull made which records the source of its weights."""
LAYOUT: Final = 2
"""Version of the folders that Lull makes; raise it when the same file would give another folder.

1: control tokens that stand before the others, as SmolLM2's do, were read as other tokens.
"""
_LONGEST_HEADER: Final = 100_000_000
"""Most bytes of a safetensors header."""
_COPY_AGAIN: Final = "Copy or download the model again."
_ENDS: Final = {WeightForm.F32: "", WeightForm.HALF: "-f16", WeightForm.FOUR_BIT: "-4bit"}


class ModelFolders:
    """The folders of MLX weights below the folder `root`; names new folders and finds existing
    ones.
    """

    def __init__(self, root: Path) -> None:
        self._root = root

    def folder_path(self, name: str, sha256: str, form: WeightForm) -> str:
        """Return the path at which the MLX weights made from a file of this SHA-256 belong."""
        plain = re.sub(r"[^a-z0-9._]+", "-", canonical(name).removesuffix(":latest")).strip("-.")
        return str(self._root / f"{plain[:80]}-{sha256[:12]}{_ENDS[form]}")

    def found(self, model: str, form: WeightForm) -> MlxWeights | None:
        """Return the newest MLX weights of a model, found by the model's name; None if there are
        none yet.

        Folders made by Lull must have the weight format `form`; folders added by users may have
        any.
        """
        whole = [path for path in self._root.glob(f"*/{FACTS}") if _is(path, model, form)]
        newest = max(whole, key=lambda path: path.stat().st_mtime_ns, default=None)
        if newest is None:
            return None
        said = _object(newest)
        return MlxWeights(
            folder=Path(str(said.get("folder") or newest.parent)),
            digest=str(said.get("digest", "")),
            sha256=str(said.get("sha256", "")),
            from_ollama="folder" not in said,
            system=str(said.get("system", "")),
            sampling=_sampling(said.get("parameters")),
        )

    def adopt(self, found: AdoptableFolder) -> str:
        """Register a folder of MLX weights that lies elsewhere; return the model's name."""
        name = re.sub(r"[^a-z0-9._]+", "-", Path(found.path).name.lower()).strip("-._") or "model"
        mark = hashlib.sha256(found.path.encode("utf-8", "surrogateescape")).hexdigest()[:12]
        name = f"{name[:60]}-mlx"
        place = self._root / f"{name}-{mark}"
        place.mkdir(parents=True, exist_ok=True)
        said = {"name": name, "folder": found.path, "architecture": found.model_type}
        write_file_atomically(place / FACTS, json.dumps(said, sort_keys=True).encode())
        return name

    def inspect(self, path: str) -> AdoptableFolder:
        """Check that a folder holds complete MLX weights, and describe it. Raises WeightsError."""
        folder = Path(path)
        if not folder.is_dir():
            raise WeightsError(f"There is no folder {path}.", hint="Name one with MLX weights.")
        config = _object(folder / "config.json")
        if not any((folder / one).is_file() for one in ("tokenizer.json", "tokenizer.model")):
            raise WeightsError(f"There is no tokenizer.json in {path}.", hint=_COPY_AGAIN)
        files = _weight_files(folder)
        return AdoptableFolder(
            path=str(folder.resolve()),
            model_type=str(config.get("model_type", "")),
            n_bytes=sum(map(_checked, files)),
        )


def is_current(folder: Path) -> bool:
    """Whether a folder that Lull made is complete and as this version would make it."""
    try:
        layout = _object(folder / FACTS).get("layout")
        if layout == LAYOUT:
            return True
        tokenizer = folder / "tokenizer.json"
        return layout == 1 and _numbered_right(tokenizer, tokenizer.stat().st_mtime_ns)
    except (WeightsError, OSError):
        return False


@lru_cache(maxsize=32)
def _numbered_right(tokenizer: Path, _written_ns: int) -> bool:
    """Whether the control tokens of a folder of layout 1 have the numbers that they are said to
    have: those that the vocabulary lacks are numbered behind it, one after the other.
    """
    said = _object(tokenizer)
    model, added = said.get("model"), said.get("added_tokens")
    known = model.get("vocab") if isinstance(model, dict) else None
    if not isinstance(known, dict) or not isinstance(added, list):
        return False
    free = len(known)
    for one in added:
        number = known.get(one.get("content"), free)
        free += number == free
        if number != one.get("id"):
            return False
    return True


def _is(facts: Path, model: str, form: WeightForm) -> bool:
    try:
        said = _object(facts)
    except WeightsError:
        return False
    name = said.get("name")
    return (
        isinstance(name, str)
        and canonical(name) == canonical(model)
        and ("folder" in said or (said.get("form") == form.value and is_current(facts.parent)))
    )


def _sampling(parameters: object) -> Sampling:
    """Convert Ollama's parameters to those the engine supports."""
    said = parameters if isinstance(parameters, dict) else {}

    def number(key: str) -> float | None:
        value = said.get(key)
        return float(value) if isinstance(value, int | float) else None

    def whole(key: str) -> int | None:
        value = number(key)
        return None if value is None else int(value)

    stop = said.get("stop")
    return Sampling(
        temperature=number("temperature"),
        top_p=number("top_p"),
        top_k=whole("top_k"),
        stop=tuple(map(str, stop)) if isinstance(stop, list) else (),
        repeat_penalty=number("repeat_penalty"),
        repeat_last_n=whole("repeat_last_n"),
        presence_penalty=number("presence_penalty"),
        frequency_penalty=number("frequency_penalty"),
    )


def _weight_files(folder: Path) -> list[Path]:
    index = folder / "model.safetensors.index.json"
    if index.is_file():
        places = _object(index).get("weight_map")
        named = set(places.values()) if isinstance(places, dict) else set()
        return [folder / str(name) for name in sorted(named, key=str)]
    files = sorted(folder.glob("model*.safetensors"))
    if not files:
        raise WeightsError(
            f"There are no weights (model*.safetensors) in {folder}.",
            hint="Name a folder with weights in MLX format.",
        )
    return files


def _checked(file: Path) -> int:
    """Return a weights file's size. Raises WeightsError if it is shorter than its header says."""
    try:
        size = file.stat().st_size
        with file.open("rb") as stream:
            (length,) = struct.unpack("<Q", stream.read(8).ljust(8, b"\xff"))
            header = json.loads(stream.read(length)) if length <= _LONGEST_HEADER else {}
        entries = [one for key, one in header.items() if key != "__metadata__"]
        wanted = 8 + length + max(int(one["data_offsets"][1]) for one in entries)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise WeightsError(f"{file} is missing or damaged.", hint=_COPY_AGAIN) from error
    if size < wanted:
        raise WeightsError(f"{file} is cut short: {size} of {wanted} bytes.", hint=_COPY_AGAIN)
    return size


def _object(file: Path) -> dict[str, Any]:
    try:
        value = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise WeightsError(f"{file} is missing or is not JSON.", hint=_COPY_AGAIN) from error
    if not isinstance(value, dict):
        raise WeightsError(f"{file} is not a JSON object.", hint=_COPY_AGAIN)
    return value
