"""Fixtures for the small reader: a tiny GGUF model, its weights, and a reader with random heads."""

from __future__ import annotations

import asyncio
import hashlib
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from lull.backends.mlx.weights_process import WeightsProcess
from lull.backends.reader.small_reader import SmallReader
from lull.backends.shipped.small_model import SmallFile, SmallModel
from tests.backends.gguf.tiny import Tiny, write

ROOT = Path(__file__).parents[3]


@dataclass(frozen=True)
class TinyReader:
    file: Path
    models: Path
    folder: Path
    sha256: str

    def base(self) -> SmallFile:
        return SmallFile(file=self.file, sha256=self.sha256)

    def model(self, models: Path | None = None) -> SmallModel:
        where = models or self.models
        return SmallModel(where, WeightsProcess(), self.base())


@pytest.fixture(scope="session")
def tiny_reader(tmp_path_factory: pytest.TempPathFactory) -> TinyReader:
    place = tmp_path_factory.mktemp("reader")
    file = place / "tiny.gguf"
    write(file, Tiny(tied=True))
    sha256 = hashlib.sha256(file.read_bytes()).hexdigest()
    tiny = TinyReader(file, place / "models", place / "reader", sha256)
    base = asyncio.run(tiny.model().folder())
    subprocess.run(
        [sys.executable, "-m", "tests.backends.reader.tiny_reader", base, tiny.folder, sha256],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    return tiny


Make = Callable[..., SmallReader]


@pytest.fixture
async def make(tiny_reader: TinyReader) -> AsyncIterator[Make]:
    """A function that makes small readers, which are closed at the end of the test."""
    made: list[SmallReader] = []

    def reader(**more: object) -> SmallReader:
        options = {"folder": tiny_reader.folder, "base": tiny_reader.sha256, **more}
        made.append(SmallReader(tiny_reader.model(), **options))  # type: ignore[arg-type]
        return made[-1]

    yield reader
    for one in made:
        await one.close()
