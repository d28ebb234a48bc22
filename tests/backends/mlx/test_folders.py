"""Tests of converting a GGUF file into a folder of MLX weights: exact, even when interrupted."""

from __future__ import annotations

import asyncio
import contextlib
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
from mlx_lm.utils import load_tokenizer
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from lull.backends.gguf.numbers import to_mlx_rows
from lull.backends.mlx import folder as mlx_folder
from lull.backends.mlx.folder import FACTS, plan_folder, write_folder
from lull.backends.mlx.weight_folders import ModelFolders
from lull.backends.mlx.weights_process import WeightsProcess
from lull.core.errors import CannotLearn, Conflict, WeightsError
from lull.core.models.weight_form import WeightForm
from tests.backends.gguf.tiny import SPECIALS, Tiny, vocabulary, write
from tests.eventually import PATIENCE_S
from tests.starving import may_starve, starve


def unheard(_done: int, _of: int) -> None:
    pass


def made(tiny: Tiny, folder: Path, form: WeightForm = WeightForm.F32) -> Path:
    file = folder / "model.gguf"
    write(file, tiny)
    write_folder(plan_folder(file, form), folder / "mlx", facts={"name": "tiny"}, report=unheard)
    return folder / "mlx"


def contents(folder: Path) -> dict[str, bytes]:
    return {one.name: one.read_bytes() for one in folder.iterdir()}


class Stop(Exception):
    """Interrupts the conversion, as if the process had died at that moment."""


def test_numbers_come_out_as_they_were_and_where_mlx_wants_them(tmp_path: Path) -> None:
    tiny = Tiny(kind="F32", kv_heads=1)
    values = write(tmp_path / "model.gguf", tiny)
    arrays = load_file(made(tiny, tmp_path) / "model.safetensors")
    assert np.array_equal(arrays["model.embed_tokens.weight"], values["token_embd.weight"])
    assert np.array_equal(arrays["lm_head.weight"], values["output.weight"])
    q, k = arrays["model.layers.1.self_attn.q_proj.weight"], values["blk.1.attn_k.weight"]
    assert np.array_equal(q, to_mlx_rows(values["blk.1.attn_q.weight"], heads=4))
    assert not np.array_equal(q, values["blk.1.attn_q.weight"])
    assert np.array_equal(arrays["model.layers.1.self_attn.k_proj.weight"], to_mlx_rows(k, heads=1))
    assert len(arrays) == len(values)


def test_gemmas_norms_lose_the_one_that_was_added(tmp_path: Path) -> None:
    tiny = Tiny(architecture="gemma2", tokenizer="llama", kind="F32")
    values = write(tmp_path / "model.gguf", tiny)
    arrays = load_file(made(tiny, tmp_path) / "model.safetensors")
    norm = arrays["model.layers.0.pre_feedforward_layernorm.weight"]
    assert np.allclose(norm + 1, values["blk.0.ffn_norm.weight"], atol=1e-6)


@pytest.mark.parametrize(
    "tiny", [Tiny(), Tiny(cut="smollm", specials_first=True), Tiny(tokenizer="llama")]
)
def test_control_tokens_are_read_as_themselves_wherever_they_stand(
    tiny: Tiny, tmp_path: Path
) -> None:
    folder = made(tiny, tmp_path)
    tokens, *_ = vocabulary(tiny)
    for reads in (
        Tokenizer.from_file(str(folder / "tokenizer.json")),
        load_tokenizer(folder),
    ):
        for special in SPECIALS:
            asked = reads.encode(f"{special}a", add_special_tokens=False)
            assert getattr(asked, "ids", asked)[0] == tokens.index(special), special
    ends = json.loads((folder / "config.json").read_text())["eos_token_id"]
    assert load_tokenizer(folder).eos_token_id in ends


def as_before(folder: Path) -> None:
    """Make the folder what an earlier version made: no control tokens in the vocabulary."""
    words, facts = folder / "tokenizer.json", folder / FACTS
    said = json.loads(words.read_text())
    for one in said["added_tokens"]:
        del said["model"]["vocab"][one["content"]]
    words.write_text(json.dumps(said))
    facts.write_text(json.dumps({**json.loads(facts.read_text()), "layout": 1}))


def test_a_folder_of_an_earlier_version_gets_a_new_tokenizer_and_keeps_its_weights(
    tmp_path: Path,
) -> None:
    tiny = Tiny(cut="smollm", specials_first=True)
    folder = made(tiny, tmp_path)
    words, weights = folder / "tokenizer.json", folder / "model.safetensors"
    right, written_ns = words.read_bytes(), weights.stat().st_mtime_ns
    as_before(folder)
    read = Tokenizer.from_file(str(words)).encode(SPECIALS[1]).ids
    assert read != [vocabulary(tiny)[0].index(SPECIALS[1])]
    assert ModelFolders(tmp_path).found("tiny", WeightForm.F32) is None
    made(tiny, tmp_path)
    assert words.read_bytes() == right
    assert weights.stat().st_mtime_ns == written_ns
    assert ModelFolders(tmp_path).found("tiny", WeightForm.F32) is not None


def test_a_folder_of_an_earlier_version_whose_numbers_are_right_stays_in_use(
    tmp_path: Path,
) -> None:
    folder = made(Tiny(), tmp_path)
    as_before(folder)
    tokens, *_ = vocabulary(Tiny())
    read = Tokenizer.from_file(str(folder / "tokenizer.json"))
    assert read.encode(SPECIALS[1]).ids == [tokens.index(SPECIALS[1])]
    assert ModelFolders(tmp_path).found("tiny", WeightForm.F32) is not None


def test_it_is_the_same_folder_each_time(tmp_path: Path) -> None:
    first = contents(made(Tiny(), tmp_path))
    (tmp_path / "again").mkdir()
    assert contents(made(Tiny(), tmp_path / "again")) == first


@pytest.mark.parametrize("form", WeightForm)
def test_stopped_at_any_moment_it_goes_on_and_comes_out_the_same(
    form: WeightForm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mlx_folder, "_SHARD_BYTES", 20_000)
    whole = contents(made(Tiny(), tmp_path, form))
    assert len([name for name in whole if name.startswith("model-")]) > 3
    file, folder = tmp_path / "model.gguf", tmp_path / "second"
    plan = plan_folder(file, form)
    tries = 0
    seen = [0]
    while not folder.exists():
        tries += 1
        # Each try gets further than the one before.
        left = iter(range(10 + 2 * tries))

        def hear(done: int, _of: int, left: Iterator[int] = left) -> None:
            if next(left, None) is None:
                seen.append(done)
                raise Stop

        with suppress(Stop):
            write_folder(plan, folder, facts={"name": "tiny"}, report=hear)
    assert tries > 2
    assert seen == sorted(seen)
    assert contents(folder) == whole
    assert not list(tmp_path.glob("*.partial"))


def test_what_an_old_try_of_another_model_left_is_of_no_use(tmp_path: Path) -> None:
    whole = contents(made(Tiny(), tmp_path))
    partial = tmp_path / "second.partial"
    partial.mkdir()
    (partial / "model.safetensors").write_bytes(bytes(len(whole["model.safetensors"])))
    plan = plan_folder(tmp_path / "model.gguf", WeightForm.F32)
    write_folder(plan, tmp_path / "second", facts={"name": "tiny"}, report=unheard)
    assert contents(tmp_path / "second") == whole


def test_too_little_room_is_said_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "model.gguf"
    write(file, Tiny())
    plan = plan_folder(file, WeightForm.F32)
    usage = shutil.disk_usage(tmp_path)._replace(free=plan.n_bytes)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    with pytest.raises(WeightsError, match="GB are free"):
        write_folder(plan, tmp_path / "mlx", facts={}, report=unheard)
    assert not list(tmp_path.rglob("*.safetensors*"))


def test_only_one_makes_it_at_a_time(tmp_path: Path) -> None:
    file = tmp_path / "model.gguf"
    write(file, Tiny())
    plan = plan_folder(file, WeightForm.F32)

    def another(_done: int, _of: int) -> None:
        write_folder(plan, tmp_path / "mlx", facts={}, report=unheard)

    with pytest.raises(Conflict, match="being made ready"):
        write_folder(plan, tmp_path / "mlx", facts={}, report=another)


def test_progress_never_goes_back_and_ends_at_all_of_it(tmp_path: Path) -> None:
    file = tmp_path / "model.gguf"
    write(file, Tiny())
    plan = plan_folder(file, WeightForm.FOUR_BIT)
    heard: list[tuple[int, int]] = []
    write_folder(plan, tmp_path / "mlx", facts={}, report=lambda *at: heard.append(at))
    assert heard == sorted(heard)
    assert heard[-1] == (plan.n_bytes, plan.n_bytes)
    weights = (tmp_path / "mlx" / "model.safetensors").stat().st_size
    assert weights == plan.n_bytes


def test_half_precision_takes_half_and_holds_the_same_numbers_rounded(tmp_path: Path) -> None:
    exact = load_file(made(Tiny(kind="F32"), tmp_path) / "model.safetensors")
    (tmp_path / "half").mkdir()
    folder = made(Tiny(kind="F32"), tmp_path / "half", WeightForm.HALF)
    halves = load_file(folder / "model.safetensors")
    assert json.loads((folder / FACTS).read_text())["form"] == "f16"
    assert halves.keys() == exact.keys()
    assert all(np.array_equal(halves[name], exact[name].astype(np.float16)) for name in exact)


def test_what_half_precision_cannot_hold_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "model.gguf"
    write(file, Tiny(kind="F32"), also={"output_norm.weight": np.full(64, 1e6, np.float32)})
    with pytest.raises(WeightsError, match="half precision"):
        write_folder(plan_folder(file, WeightForm.HALF), tmp_path / "mlx", facts={}, report=unheard)


def test_four_bits_take_an_eighth(tmp_path: Path) -> None:
    folder = made(Tiny(hidden=256, head=64, inner=512), tmp_path, WeightForm.FOUR_BIT)
    config = json.loads((folder / "config.json").read_text())
    assert config["quantization"] == {"bits": 4, "group_size": 64}
    weights = (folder / "model.safetensors").stat().st_size
    plan = plan_folder(tmp_path / "model.gguf", WeightForm.F32)
    assert weights < 0.16 * plan.n_bytes
    assert json.loads((folder / FACTS).read_text())["form"] == "4-bit"


def llama3_factors(head: int, *, theta: float = 10000.0, factor: float = 8.0) -> Any:
    """Return Llama 3's rope factors, computed in the order of steps of convert_hf_to_gguf.py."""
    found = []
    for k in range(0, head, 2):
        frequency = 1.0 / theta ** (k / head)
        wave = 2 * np.pi / frequency
        smooth = np.clip((8192 / wave - 1) / 3, 0, 1)
        found.append(1 / (smooth + (1 - smooth) / factor))
    return np.array(found, np.float32)


def test_llama_3s_long_window_is_recognised_by_its_factors(tmp_path: Path) -> None:
    tiny = Tiny(head=64, heads=1, kv_heads=1, more={"llama.rope.freq_base": 500000.0})
    factors = llama3_factors(64, theta=500000.0)
    write(tmp_path / "model.gguf", tiny, also={"rope_freqs.weight": factors})
    plan = plan_folder(tmp_path / "model.gguf", WeightForm.F32)
    assert plan.shape.config["rope_scaling"] == {
        "rope_type": "llama3",
        "factor": 8.0,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position_embeddings": 8192,
    }
    write(tmp_path / "other.gguf", tiny, also={"rope_freqs.weight": factors**1.2})
    with pytest.raises(CannotLearn, match="window"):
        plan_folder(tmp_path / "other.gguf", WeightForm.F32)


@pytest.mark.slow
async def test_the_process_says_what_it_finds_and_what_it_refuses(tmp_path: Path) -> None:
    work, file = WeightsProcess(), tmp_path / "model.gguf"
    write(file, Tiny())
    look = await work.inspect(str(file), WeightForm.F32)
    assert look.architecture == "llama"
    heard: list[tuple[int, int]] = []
    folder = tmp_path / "mlx"
    facts = {"name": "tiny"}
    await work.make_folder(
        str(file), str(folder), WeightForm.F32, facts, lambda *at: heard.append(at)
    )
    assert contents(folder) == contents(made(Tiny(), tmp_path))
    assert heard[-1] == (look.n_bytes, look.n_bytes)
    write(file, Tiny(architecture="qwen35"))
    with pytest.raises(CannotLearn, match="qwen35"):
        await work.inspect(str(file), WeightForm.F32)
    with pytest.raises(WeightsError, match="cannot be read"):
        await work.inspect(str(tmp_path / "nothing"), WeightForm.F32)


@pytest.mark.full
@pytest.mark.slow
async def test_cancelled_the_process_is_gone_and_another_goes_on(tmp_path: Path) -> None:
    file, work = tmp_path / "model.gguf", WeightsProcess()
    # Large enough that it is seldom done before its first report.
    write(file, Tiny(hidden=512, inner=2048, layers=12, heads=8, head=64))
    for number in range(20):
        folder, first_word = tmp_path / f"mlx-{number}", asyncio.Event()

        def hear(*_: int, first_word: asyncio.Event = first_word) -> None:
            first_word.set()

        making = asyncio.create_task(
            work.make_folder(str(file), str(folder), WeightForm.F32, {"name": "tiny"}, hear)
        )
        await first_word.wait()
        making.cancel()
        with suppress(asyncio.CancelledError):
            await making
        if making.cancelled():
            break
    assert making.cancelled(), "each was done before its first word was heard"
    # The lock went with the process, so this one is not refused.
    await work.make_folder(str(file), str(folder), WeightForm.F32, {"name": "tiny"}, unheard)
    assert (folder / FACTS).is_file()
    assert not list(tmp_path.glob("*.partial"))


@pytest.mark.full
@pytest.mark.skipif(sys.platform != "linux", reason="limits another process as Linux does")
async def test_one_without_memory_says_so_and_another_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, folder, work = tmp_path / "model.gguf", tmp_path / "mlx", WeightsProcess()
    write(file, Tiny(hidden=512, inner=2048, layers=12, heads=8, head=64))
    for name, value in may_starve(tmp_path / "site").items():
        monkeypatch.setenv(name, value)

    def starved(*_: int) -> None:
        for one in psutil.Process().children():
            with contextlib.suppress(psutil.ZombieProcess):  # of this or of an earlier test
                if any("weights_child" in word for word in one.cmdline()):
                    starve(one.pid)

    with pytest.raises(WeightsError, match="memory") as caught:
        await work.make_folder(str(file), str(folder), WeightForm.F32, {"name": "tiny"}, starved)
    assert "\n" not in str(caught.value)
    assert not folder.exists()
    await work.make_folder(str(file), str(folder), WeightForm.F32, {"name": "tiny"}, unheard)
    assert (folder / FACTS).is_file()
    assert not list(tmp_path.glob("*.partial"))


@pytest.mark.slow
def test_the_process_ends_with_its_parent(tmp_path: Path) -> None:
    """Tests that the child ends when its parent gets a SIGKILL: it notices the closed pipe."""
    file = tmp_path / "model.gguf"
    write(file, Tiny(hidden=512, inner=2048, layers=12, heads=8, head=64))
    # On a slow machine the child may be done before the pipe is closed.
    folders = [tmp_path / f"mlx-{number}" for number in range(20)]
    assert any(_ended_with_its_parent(file, folder) for folder in folders)


def _ended_with_its_parent(file: Path, folder: Path) -> bool:
    wanted = {"do": "make-folder", "blob": str(file), "folder": str(folder)}
    child = subprocess.Popen(
        [sys.executable, "-m", "lull.backends.mlx.weights_child"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with child:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(json.dumps({**wanted, "form": "f32", "facts": {}}).encode() + b"\n")
        child.stdin.flush()
        assert b"done" in child.stdout.readline()
        child.stdin.close()
        code = child.wait(PATIENCE_S)
    if folder.exists():
        return False  # it was done before the pipe was closed
    assert code == 1
    return True
