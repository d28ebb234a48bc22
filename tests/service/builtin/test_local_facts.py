"""Tests of the spellings of a built-in model's name, and of the facts read from its folder."""

from __future__ import annotations

import asyncio
import json
import shutil
import struct
from pathlib import Path

import pytest

from lull.backends.mlx.local_facts import read_local_model
from lull.core.errors import ResourceError
from lull.resources import pocket_dir
from lull.service.builtin.listings import short_count
from lull.service.builtin.model import EngineModels, ServedModel
from lull.service.builtin.names import name_key, parse_name
from tests.service.builtin.scripted import ScriptedEngine, StoppedClock, pocket


def models(engine: ScriptedEngine) -> EngineModels:
    served = EngineModels(clock=StoppedClock())
    served.publish(ServedModel(model=pocket(), engine=engine))
    return served


@pytest.mark.parametrize(
    "spelling", ["pocket", "Pocket:latest", "library/POCKET", "registry.ollama.ai/library/pocket"]
)
def test_spellings_of_one_name(spelling: str) -> None:
    served = models(ScriptedEngine())
    assert served.serves(spelling)
    served.withdraw(spelling)
    assert not served.serves("pocket")


@pytest.mark.parametrize("text", ["", ":", "a b//c", "pocket:", "/pocket", "a/b/c/d:e:f", "x" * 99])
def test_what_is_no_name(text: str) -> None:
    assert parse_name(text) is None
    assert not models(ScriptedEngine()).serves(text)


def test_other_names_are_other_models() -> None:
    spellings = ["pocket", "pocket:v2", "me/pocket", "host:1/library/pocket"]
    assert len({name_key(text) for text in spellings}) == len(spellings)
    names = [parse_name(text) for text in spellings]
    shorts = [name.short for name in names if name]
    assert shorts == [
        "pocket:latest",
        "pocket:v2",
        "me/pocket:latest",
        "host:1/library/pocket:latest",
    ]


@pytest.mark.parametrize(
    ("count", "short"),
    [
        (557_056, "557K"),
        (1_235_814_400, "1.2B"),
        (7_000_000_000, "7B"),
        (22_565_376, "22.57M"),
        (12, "12"),
    ],
)
def test_a_count_is_printed_as_ollama_prints_it(count: int, short: str) -> None:
    assert short_count(count) == short


def folder_with_weights(folder: Path) -> Path:
    config = {"model_type": "llama", "num_hidden_layers": 3, "hidden_size": 128}
    config |= {"num_attention_heads": 4, "max_position_embeddings": 2048, "eos_token_id": [2]}
    (folder / "config.json").write_text(json.dumps(config))
    tensors = {"a": {"dtype": "F16", "shape": [4, 8], "data_offsets": [0, 64]}}
    header = json.dumps({"__metadata__": {}, **tensors}).encode()
    data = struct.pack("<Q", len(header)) + header + bytes(64)
    (folder / "model.safetensors").write_bytes(data)
    (folder / "chat_template.jinja").write_text("{{ messages }}")
    (folder / "tokenizer.json").write_text(json.dumps({"model": {"vocab": {}}}))
    return folder


def test_facts_are_read_from_a_folder(tmp_path: Path) -> None:
    model = read_local_model("pocket", folder_with_weights(tmp_path))
    assert (model.parameters, model.quantization, model.family) == (32, "F16", "llama")
    assert (model.window_tokens, model.eos_token_id, len(model.digest)) == (2048, 2, 64)
    assert dict(model.dimensions)["attention.key_length"] == 32
    (tmp_path / "model.safetensors").write_bytes(
        (tmp_path / "model.safetensors").read_bytes()[:-1] + b"x"
    )
    assert read_local_model("pocket", tmp_path).digest != model.digest


async def test_verbose_shows_the_vocabulary(tmp_path: Path) -> None:
    folder = folder_with_weights(tmp_path)
    tokenizer = {
        "model": {"vocab": {"b": 1, "a": 0}, "merges": [["a", "b"], "b a"]},
        "added_tokens": [{"id": 2, "content": "<end>"}],
    }
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    served = EngineModels(clock=StoppedClock())
    model = await asyncio.to_thread(read_local_model, "pocket", folder)
    served.publish(ServedModel(model=model, engine=ScriptedEngine()))
    said = await served.answer_non_chat(
        "POST", "/api/show", b'{"model":"pocket","verbose":true}', alone=True
    )
    assert said is not None
    info = json.loads(b"".join([piece async for piece in said.chunks]))["model_info"]
    assert info["tokenizer.ggml.tokens"] == ["a", "b", "<end>"]
    assert info["tokenizer.ggml.token_type"] == [1, 1, 3]
    assert info["tokenizer.ggml.merges"] == ["a b", "b a"]


def copied_pocket(tmp_path: Path) -> Path:
    return Path(shutil.copytree(pocket_dir(), tmp_path / "pocket"))


def test_a_folder_without_a_model_is_told_in_words(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match=r"There is no config.json in .*\. \(Copy or download"):
        read_local_model("pocket", tmp_path)
    with pytest.raises(ResourceError, match="There is no model folder at"):
        read_local_model("pocket", tmp_path / "none")


@pytest.mark.parametrize("left", [0, 7, 9, 600, 625_502, -1])
def test_weights_that_are_cut_short_are_told_in_words(tmp_path: Path, left: int) -> None:
    folder = copied_pocket(tmp_path)
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:left])
    with pytest.raises(ResourceError, match=r"model.safetensors is (cut short|damaged)"):
        read_local_model("pocket", folder)


@pytest.mark.parametrize("header", [b"[]", b"{}", b"7", b'{"a": 1}', b'{"a": {"data_offsets": 1}}'])
def test_a_header_that_says_nothing_is_told_in_words(tmp_path: Path, header: bytes) -> None:
    folder = folder_with_weights(tmp_path)
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(header)) + header + bytes(9))
    with pytest.raises(ResourceError, match=r"model.safetensors is damaged"):
        read_local_model("pocket", folder)


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "tokenizer_config.json"])
@pytest.mark.parametrize("left", [0, 0.5, 0.99])
def test_a_file_beside_the_weights_that_is_cut_is_told_in_words(
    tmp_path: Path, name: str, left: float
) -> None:
    folder = copied_pocket(tmp_path)
    data = (folder / name).read_bytes()
    (folder / name).write_bytes(data[: int(len(data.rstrip()) * left)])
    with pytest.raises(ResourceError, match=f"{name} cannot be read as JSON"):
        read_local_model("pocket", folder)


def test_a_tokenizer_that_is_missing_or_empty_is_told_in_words(tmp_path: Path) -> None:
    folder = copied_pocket(tmp_path)
    (folder / "tokenizer.json").write_text("{}")
    with pytest.raises(ResourceError, match=r"tokenizer.json is damaged: it holds no vocabulary"):
        read_local_model("pocket", folder)
    (folder / "tokenizer.json").unlink()
    with pytest.raises(ResourceError, match=r"There is no tokenizer.json in"):
        read_local_model("pocket", folder)
