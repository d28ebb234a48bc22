"""Tests of the built-in chat model: an adapter merged into the small model when first needed."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from lull.backends.mlx.local_facts import read_local_model
from lull.backends.mlx.weight_folders import ModelFolders
from lull.backends.mlx.weights_process import WeightsProcess
from lull.backends.shipped.english_model import (
    DESCRIPTION,
    NAME,
    WEIGHTS,
    EnglishModel,
    description,
)
from lull.core.errors import ResourceError, WeightsError
from lull.core.models.weight_form import WeightForm
from lull.core.models.weight_work import Report
from tests.backends.reader.conftest import TinyReader

LAYER = "model.layers.0.mlp.up_proj"


@pytest.fixture(scope="module")
def shipped(tiny_reader: TinyReader, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an adapter that changes one layer, with its description."""
    place = tmp_path_factory.mktemp("english")
    base = asyncio.run(tiny_reader.model().folder())
    out, into = load_file(base / "model.safetensors")[f"{LAYER}.weight"].shape
    pair = {
        f"{LAYER}.lora_a": np.full((into, 2), 0.1, np.float16),
        f"{LAYER}.lora_b": np.full((2, out), 0.2, np.float16),
    }
    save_file(pair, str(place / WEIGHTS))
    config = {"fine_tune_type": "lora", "lora_parameters": {"rank": 2, "scale": 2.0}}
    (place / "adapter_config.json").write_text(json.dumps(config))
    said = description(read_local_model(NAME, base))
    (place / DESCRIPTION).write_text(json.dumps(said))
    return place


def english(tiny: TinyReader, shipped: Path, models: Path, work: object = None) -> EnglishModel:
    worker = work or WeightsProcess()
    return EnglishModel(models, worker, shipped=lambda: shipped, file=tiny.base())  # type: ignore[arg-type]


@pytest.mark.slow
async def test_the_made_weights_are_the_base_with_the_adapter_added(
    tiny_reader: TinyReader, shipped: Path, tmp_path: Path
) -> None:
    model = english(tiny_reader, shipped, tmp_path / "models")
    assert not model.is_made
    folder = await model.folder()
    base = load_file(await tiny_reader.model().folder() / "model.safetensors")
    made = load_file(folder / "model.safetensors")
    assert base.keys() == made.keys()
    added = made[f"{LAYER}.weight"].astype("f4") - base[f"{LAYER}.weight"].astype("f4")
    # 2 · (0.1 · 0.2 · 2), but for half precision
    assert np.allclose(added, 0.08, atol=2e-3)
    rest = [name for name in base if name != f"{LAYER}.weight"]
    assert all(np.array_equal(base[name], made[name]) for name in rest)


@pytest.mark.slow
async def test_what_is_told_before_the_weights_are_made_is_true_of_them(
    tiny_reader: TinyReader, shipped: Path, tmp_path: Path
) -> None:
    model = english(tiny_reader, shipped, tmp_path / "models")
    before = model.model
    after = read_local_model(NAME, await model.folder())
    assert description(before) == description(after)
    assert before.folder == after.folder
    assert (before.name, before.sampling.temperature) == ("lull-mini", 0.2)


@pytest.mark.slow
async def test_nothing_is_left_beside_the_folder_and_its_progress_ends(
    tiny_reader: TinyReader, shipped: Path, tmp_path: Path
) -> None:
    model = english(tiny_reader, shipped, tmp_path / "models")
    folder = await model.folder()
    left = {one.name for one in folder.parent.iterdir()}
    assert left == {folder.name, f"{folder.name}.lock"}
    assert model.progress is None
    # Only models that users prepared for training are found by name.
    assert ModelFolders(tmp_path / "models").found(NAME, WeightForm.F32) is None


@pytest.mark.slow
async def test_its_progress_rises_and_one_that_is_cut_off_is_made_the_next_time(
    tiny_reader: TinyReader, shipped: Path, tmp_path: Path
) -> None:
    begun = asyncio.Event()

    class Slow(WeightsProcess):
        async def make_folder(
            self, blob: str, folder: str, form: WeightForm, facts: object, report: Report
        ) -> None:
            report(1, 2)
            begun.set()
            await asyncio.Event().wait()

    models = tmp_path / "models"
    model = english(tiny_reader, shipped, models, Slow())
    making = asyncio.create_task(model.folder())
    await begun.wait()
    assert model.progress is not None and 0.5 < model.progress < 1
    making.cancel()
    await asyncio.gather(making, return_exceptions=True)
    assert model.progress is None
    assert not list(models.glob("*.gguf"))
    again = english(tiny_reader, shipped, models)
    assert (await again.folder()).is_dir()


@pytest.mark.slow
async def test_two_that_need_it_at_once_get_the_same_one(
    tiny_reader: TinyReader, shipped: Path, tmp_path: Path
) -> None:
    model = english(tiny_reader, shipped, tmp_path / "models")
    one, other = await asyncio.gather(model.folder(), model.folder())
    assert one == other == model.model.folder


def test_a_missing_or_damaged_part_is_named(
    tiny_reader: TinyReader, shipped: Path, tmp_path: Path
) -> None:
    with pytest.raises(ResourceError, match=r"adapters\.safetensors cannot be read"):
        _ = english(tiny_reader, tmp_path, tmp_path).model
    (tmp_path / WEIGHTS).write_bytes((shipped / WEIGHTS).read_bytes())
    for text in ("{", "[]", '{"dimensions": {}}'):
        (tmp_path / DESCRIPTION).write_text(text)
        with pytest.raises(ResourceError, match=r"model\.json is damaged"):
            _ = english(tiny_reader, tmp_path, tmp_path).model


@pytest.mark.slow
async def test_a_damaged_adapter_is_said_and_nothing_is_made(
    tiny_reader: TinyReader, shipped: Path, tmp_path: Path
) -> None:
    for one in shipped.iterdir():
        (tmp_path / one.name).write_bytes(one.read_bytes())
    (tmp_path / WEIGHTS).write_bytes((shipped / WEIGHTS).read_bytes()[:-7])
    model = english(tiny_reader, tmp_path, tmp_path / "models")
    with pytest.raises(WeightsError, match="cannot be read"):
        await model.folder()
    assert not model.is_made and not list((tmp_path / "models").glob("*.gguf"))
