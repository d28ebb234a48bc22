"""The built-in English chat model, `lull-mini`: a small open model into whose weights a LoRA
adapter that ships with Lull is merged.

The adapter was trained (bench/english/) to make the model keep rules in Lull's prompt block;
resources/english/CARD.md says how well it does. The merged weights are made in a folder at first
use (some seconds, 270 MB), and again if the folder is damaged. A description of the merged model
ships with the adapter, so the model can be listed before its weights exist.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from lull.backends.mlx.weight_folders import ModelFolders
from lull.backends.shipped.made_once import FolderMadeOnce
from lull.backends.shipped.small_model import SmallFile, make_parent_folder
from lull.core.chat.messages import Sampling
from lull.core.errors import ResourceError
from lull.core.models.local_model import LocalModel, Tensor
from lull.core.models.weight_form import WeightForm
from lull.core.models.weight_work import WeightWork
from lull.resources import INSTALL_AGAIN

NAME: Final = "lull-mini"
DESCRIPTION: Final = "model.json"
"""File beside the adapter that describes the merged model."""
WEIGHTS: Final = "adapters.safetensors"
SAMPLING: Final = Sampling(temperature=0.2, top_p=0.9, max_tokens=512, repeat_penalty=1.1)
"""Temperature and top_p are what the base model's authors advise (Hugging Face's card of
SmolLM2-135M-Instruct). The limit and the penalty are ours: so small a model says the same for ever.
The penalty is Ollama's usual one: of 30 plain answers (greedy, to 220 tokens) 20 went round in
circles without it and none with it, and 37 of 60 rules were kept instead of 36.
"""
_MERGING_SHARE: Final = 0.35
"""Share of the making that the merging takes; converting the result takes the rest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EnglishFiles:
    """The files that ship for the built-in chat model: a LoRA adapter, and a description of the
    merged model, such as its context window.
    """

    folder: Path
    base_sha256: str

    def digest(self) -> str:
        """Return one hash over all parts of the built-in chat model: base model, LoRA adapter and
        description. Blocking.

        Raises ResourceError.
        """
        found = hashlib.sha256(self.base_sha256.encode())
        for name in (WEIGHTS, DESCRIPTION):
            found.update(_bytes(self.folder / name))
        return found.hexdigest()

    def model(self, digest: str, place: Path) -> LocalModel:
        """Return the properties of the built-in chat model, such as its context window; its weights
        are or will be in the folder `place`.

        Raises ResourceError if the description is damaged.
        """
        file = self.folder / DESCRIPTION
        try:
            said = json.loads(_bytes(file))
            return model_from_description(
                said, digest=digest, folder=place, at=file.stat().st_mtime
            )
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise ResourceError(f"{file} is damaged.", hint=INSTALL_AGAIN) from error


def description(model: LocalModel) -> dict[str, Any]:
    """Return the content, as JSON, of the description file for this built-in model: all its
    properties but name, hash, date and folder.
    """
    return {
        "parameters": model.parameters,
        "size_bytes": model.size_bytes,
        "family": model.family,
        "quantization": model.quantization,
        "window_tokens": model.window_tokens,
        "template": model.template,
        "license": model.license,
        "dimensions": dict(model.dimensions),
        "tensors": [[one.name, one.dtype, list(one.shape)] for one in model.tensors],
        "eos_token_id": model.eos_token_id,
    }


def model_from_description(
    said: dict[str, Any], *, digest: str, folder: Path, at: float
) -> LocalModel:
    """Build the object with the built-in model's properties from the content `said` of its
    description file, with the given hash and folder.

    `at` is when the file was made, in seconds since 1970. Raises KeyError, TypeError, ValueError.
    """
    return LocalModel(
        **{
            **said,
            "dimensions": tuple(said["dimensions"].items()),
            "tensors": tuple(
                Tensor(name=str(name), dtype=str(dtype), shape=tuple(shape))
                for name, dtype, shape in said["tensors"]
            ),
        },
        name=NAME,
        digest=digest,
        modified_at=datetime.fromtimestamp(at, UTC),
        folder=folder,
        sampling=SAMPLING,
    )


class EnglishModel:
    """The built-in chat model: its properties, such as its context window, and its folder of
    weights, made at first use.
    """

    def __init__(
        self,
        models: Path,
        work: WeightWork,
        *,
        shipped: Callable[[], Path],
        file: SmallFile | None = None,
    ) -> None:
        """Configure the model; `models` is the folder that contains all models' weights.

        The function `shipped` returns the folder of the shipped adapter or raises ResourceError.
        `file` replaces the wheel's GGUF file.
        """
        self._models = models
        self._work = work
        self._shipped = shipped
        self._file = file or SmallFile()
        self.progress: float | None = None
        """Share of the weights that is made, 0 to 1; None while they are not being made."""

    @cached_property
    def _files(self) -> EnglishFiles:
        return EnglishFiles(folder=self._shipped(), base_sha256=self._file.sha256)

    @cached_property
    def model(self) -> LocalModel:
        """The built-in model's properties, such as its context window, whether or not its weights
        are made.

        Raises ResourceError if something that it is made of is missing or damaged.
        """
        self._file.path()
        digest = self._files.digest()
        place = ModelFolders(self._models).folder_path(NAME, digest, WeightForm.HALF)
        return self._files.model(digest, Path(place))

    @cached_property
    def _once(self) -> FolderMadeOnce:
        return FolderMadeOnce(self.model.folder, self._make)

    @property
    def is_made(self) -> bool:
        """Whether the built-in model's folder of weights is there and complete. Blocking. Raises
        ResourceError.
        """
        return self._once.is_made

    async def folder(self) -> Path:
        """Return the folder of the built-in model's weights, making them if they are missing.

        Raises ResourceError, WeightsError, Conflict. If cancelled, the next call continues.
        """
        return await self._once.folder()

    async def _make(self) -> None:
        place = self.model.folder
        file = await asyncio.to_thread(self._file.verified_path)
        await asyncio.to_thread(make_parent_folder, place)
        merged = place.with_name(f"{place.name}.gguf")
        facts = {"name": NAME, "sha256": self.model.digest}
        self.progress = 0.0
        try:
            await self._work.merge(
                str(file), str(self._files.folder), str(merged), self._report(0.0, _MERGING_SHARE)
            )
            report = self._report(_MERGING_SHARE, 1.0)
            await self._work.make_folder(str(merged), str(place), WeightForm.HALF, facts, report)
        finally:
            self.progress = None
            await asyncio.to_thread(merged.unlink, missing_ok=True)

    def _report(self, start: float, end: float) -> Callable[[int, int], None]:
        def report(done: int, of: int) -> None:
            self.progress = start + (end - start) * done / max(of, 1)

        return report


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise ResourceError(
            f"{file} cannot be read: {error.strerror}.", hint=INSTALL_AGAIN
        ) from error
