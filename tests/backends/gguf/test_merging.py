"""Tests of merging an adapter into a GGUF file: only what was learned differs from the base."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from lull.backends.gguf.file import GgufFile, read_gguf
from lull.backends.gguf.merging import merge, read_lora
from lull.backends.gguf.numbers import Array, decode_tensor, to_mlx_rows
from lull.backends.mlx.folder import plan_folder, write_folder
from lull.core.errors import WeightsError
from lull.core.models.weight_form import WeightForm
from tests.backends.gguf.adapters import SCALE, random_adapter, saved
from tests.backends.gguf.tiny import Tiny, write


def unheard(_done: int, _of: int) -> None:
    pass


def bytes_of(file: GgufFile, name: str) -> bytes:
    tensor = next(one for one in file.tensors if one.name == name)
    with file.data() as view:
        return bytes(file.bytes_of(view, tensor))


def values_of(file: GgufFile, name: str) -> Array:
    tensor = next(one for one in file.tensors if one.name == name)
    return decode_tensor(np.frombuffer(bytes_of(file, name), np.uint8), tensor.kind, tensor.shape)


def both(tiny: Tiny, folder: Path, adapter: Path | None = None) -> tuple[GgufFile, GgufFile, Path]:
    """Write a model and merge an adapter into it; return (base, merged, adapter folder)."""
    write(folder / "base.gguf", tiny)
    plan = plan_folder(folder / "base.gguf", WeightForm.F32)
    if adapter is None:
        write_folder(plan, folder / "mlx", facts={}, report=unheard)
        adapter = random_adapter(folder / "mlx", folder / "adapter")
    out = folder / "merged.gguf"
    made = merge(plan.source, plan.shape, read_lora(adapter), out, report=unheard)
    assert made.sha256 == hashlib.sha256(out.read_bytes()).hexdigest()
    assert made.n_bytes == out.stat().st_size
    return plan.source, read_gguf(out), adapter


@pytest.mark.parametrize(
    ("kind", "becomes", "within"),
    [("F16", "F16", 2e-3), ("BF16", "F16", 1e-2), ("Q4_0", "Q8_0", 0.02)],
)
def test_each_changed_tensor_is_the_bases_and_what_was_learned(
    kind: str, becomes: str, within: float, tmp_path: Path
) -> None:
    base, merged, adapter = both(Tiny(kind=kind), tmp_path)
    arrays = load_file(adapter / "adapters.safetensors")
    for name, path in {
        "blk.0.attn_v.weight": "model.layers.0.self_attn.v_proj",
        "blk.1.ffn_down.weight": "model.layers.1.mlp.down_proj",
        "output.weight": "lm_head",
    }.items():
        change = SCALE * (arrays[f"{path}.lora_a"] @ arrays[f"{path}.lora_b"]).T
        expected = values_of(base, name) + change
        found = values_of(merged, name)
        assert np.abs(found - expected).max() <= within
        assert np.abs(found - values_of(base, name)).max() > 10 * within
        assert next(one.kind for one in merged.tensors if one.name == name) == becomes


def test_query_rows_of_a_llama_are_changed_where_llama_cpp_has_them(tmp_path: Path) -> None:
    base, merged, adapter = both(Tiny(kind="F32", heads=2, kv_heads=1), tmp_path)
    arrays = load_file(adapter / "adapters.safetensors")
    path = "model.layers.0.self_attn.q_proj"
    change = SCALE * (arrays[f"{path}.lora_a"] @ arrays[f"{path}.lora_b"]).T
    name = "blk.0.attn_q.weight"
    in_mlx = to_mlx_rows(values_of(merged, name) - values_of(base, name), heads=2)
    assert np.allclose(in_mlx, change, atol=2e-3)


def test_all_else_is_the_same_byte_for_byte(tmp_path: Path) -> None:
    tiny = Tiny(architecture="qwen2", cut="qwen2", kind="Q8_0", more={"general.alignment": 64})
    base, merged, _ = both(tiny, tmp_path)
    data = {one: one.path.read_bytes() for one in (base, merged)}
    assert data[merged][slice(*merged.keys_at)] == data[base][slice(*base.keys_at)]
    assert [one.name for one in merged.tensors] == [one.name for one in base.tensors]
    untouched = [one.name for one in base.tensors if len(one.shape) == 1 or "embd" in one.name]
    assert len(untouched) > 10
    for name in untouched:
        assert bytes_of(merged, name) == bytes_of(base, name)


def test_an_adapter_of_nothing_leaves_the_numbers_as_they_are(tmp_path: Path) -> None:
    pair = {"lora_a": np.ones((64, 4)), "lora_b": np.zeros((4, 64))}
    path = "model.layers.0.self_attn.q_proj"
    adapter = saved({f"{path}.{leaf}": one for leaf, one in pair.items()}, tmp_path / "adapter")
    base, merged, _ = both(Tiny(), tmp_path, adapter)
    assert bytes_of(merged, "blk.0.attn_q.weight") == bytes_of(base, "blk.0.attn_q.weight")


def test_it_is_the_same_file_each_time(tmp_path: Path) -> None:
    _, first, adapter = both(Tiny(), tmp_path)
    (tmp_path / "again").mkdir()
    _, second, _ = both(Tiny(), tmp_path / "again", adapter)
    assert first.path.read_bytes() == second.path.read_bytes()


UP = "model.layers.{}.mlp.up_proj.lora_{}"
WRONG: dict[str, tuple[dict[str, tuple[int, int]], str]] = {
    "another shape": ({UP.format(0, "a"): (64, 4), UP.format(0, "b"): (4, 95)}, "does not fit"),
    "no such layer": ({UP.format(9, "a"): (64, 4), UP.format(9, "b"): (4, 96)}, "does not fit"),
    "half a pair": ({"lm_head.lora_a": (64, 4)}, "something other"),
    "ranks that differ": ({"lm_head.lora_a": (64, 4), "lm_head.lora_b": (5, 288)}, "wrong shapes"),
    "something else": ({"lm_head.weight": (64, 4)}, "something other"),
    "nothing": ({}, "something other"),
}


@pytest.mark.parametrize("name", WRONG)
def test_an_adapter_of_another_model_is_refused(name: str, tmp_path: Path) -> None:
    shapes, words = WRONG[name]
    arrays = {key: np.ones(shape) for key, shape in shapes.items()}
    adapter = saved(arrays, tmp_path / "adapter")
    with pytest.raises(WeightsError, match=words):
        both(Tiny(), tmp_path, adapter)
    assert not (tmp_path / "merged.gguf").exists()


def test_an_adapter_whose_files_are_damaged_is_refused(tmp_path: Path) -> None:
    adapter = saved({"lm_head.lora_a": np.ones((64, 4))}, tmp_path / "adapter")
    (adapter / "adapters.safetensors").write_bytes(b"\x00" * 20)
    with pytest.raises(WeightsError, match="cannot be read"):
        read_lora(adapter)
    with pytest.raises(WeightsError, match="cannot be read"):
        read_lora(tmp_path / "nowhere")
    pair = {"lm_head.lora_a": np.full((64, 4), np.nan), "lm_head.lora_b": np.ones((4, 288))}
    nan = saved(pair, tmp_path / "nan")
    with pytest.raises(WeightsError, match="invalid numbers"):
        read_lora(nan)
