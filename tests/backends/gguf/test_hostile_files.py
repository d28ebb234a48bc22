"""Tests of damaged and hostile GGUF files: each gives one clear error in little memory."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from lull.backends.gguf.file import read_gguf
from lull.backends.mlx.folder import plan_folder, write_folder
from lull.core.errors import WeightsError
from lull.core.models.weight_form import WeightForm
from tests.backends.gguf.tiny import Tiny, write

HUGE = (1 << 64) - 1


def text(value: str | bytes) -> bytes:
    data = value.encode() if isinstance(value, str) else value
    return struct.pack("<Q", len(data)) + data


def head(tensors: int, keys: int, *, version: int = 3, magic: bytes = b"GGUF") -> bytes:
    return magic + struct.pack("<IQQ", version, tensors, keys)


def tensor(name: str, sizes: tuple[int, ...], *, kind: int = 0, offset: int = 0) -> bytes:
    shape = struct.pack(f"<I{len(sizes)}Q", len(sizes), *sizes)
    return text(name) + shape + struct.pack("<IQ", kind, offset)


def numbered(value: int) -> bytes:
    return struct.pack("<II", 4, value)


LIST = struct.pack("<I", 9)
HOSTILE: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "cut short"),
    "three bytes": (b"GGU", "cut short"),
    "another format": (b"PK\x03\x04" + bytes(100), "not a GGUF file"),
    "a head that ends": (b"GGUF\x03\x00", "ends inside"),
    "version 1": (head(0, 0, version=1), "version 1"),
    "the other byte order": (head(0, 0, version=3 << 24), "byte order"),
    "endless tensors": (head(HUGE, 0), "tensors"),
    "endless keys": (head(0, HUGE), "keys"),
    "an endless key": (head(0, 1) + struct.pack("<Q", HUGE), "a key"),
    "an endless text": (head(0, 1) + text("k") + struct.pack("<IQ", 8, HUGE), "ends inside k"),
    "an endless list": (
        head(0, 1) + text("k") + LIST + struct.pack("<IQ", 0, HUGE),
        "ends inside k",
    ),
    "an endless list of texts": (
        head(0, 1) + text("k") + LIST + struct.pack("<IQ", 8, HUGE),
        "entries",
    ),
    "a list of lists": (
        head(0, 1) + text("k") + LIST + struct.pack("<IQ", 9, 1),
        "unknown type 9",
    ),
    "an unknown type": (head(0, 1) + text("k") + struct.pack("<I", 99), "unknown type 99"),
    "a text that is none": (
        head(0, 1) + text("k") + struct.pack("<I", 8) + text(b"\xff\xfe"),
        "not UTF-8",
    ),
    "a key twice": (head(0, 2) + 2 * (text("k") + numbered(1)), "twice"),
    "an alignment of none": (
        head(0, 1) + text("general.alignment") + numbered(0),
        "alignment",
    ),
    "an alignment of 3": (head(0, 1) + text("general.alignment") + numbered(3), "alignment"),
    "no dimensions": (head(1, 0) + tensor("t", ()), "0 dimensions"),
    "a thousand dimensions": (
        head(1, 0) + text("t") + struct.pack("<I", 1000),
        "1000 dimensions",
    ),
    "a size of none": (head(1, 0) + tensor("t", (0, 4)), "shape"),
    "an endless size": (head(1, 0) + tensor("t", (HUGE, HUGE)), "shape"),
    "sizes whose product is small again": (
        head(1, 0) + tensor("t", (1 << 32, 1 << 32)),
        "cut short",
    ),
    "half a block": (head(1, 0) + tensor("t", (33,), kind=8), "shape"),
    "an unknown kind": (head(1, 0) + tensor("t", (32,), kind=12345), "does not know"),
    "data behind the end": (head(1, 0) + tensor("t", (1024,)), "cut short"),
    "an offset behind the end": (head(1, 0) + tensor("t", (1,), offset=1 << 62), "cut short"),
    "a crooked offset": (head(1, 0) + tensor("t", (1,), offset=7) + bytes(64), "inside another"),
    "two tensors in one place": (
        head(2, 0) + tensor("a", (8,)) + tensor("b", (8,)) + bytes(200),
        "inside another",
    ),
    "a tensor twice": (
        head(2, 0) + tensor("a", (8,)) + tensor("a", (8,), offset=32) + bytes(200),
        "twice",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_one_clear_error(name: str, tmp_path: Path) -> None:
    data, words = HOSTILE[name]
    path = tmp_path / "model.gguf"
    path.write_bytes(data)
    with pytest.raises(WeightsError, match=words) as refused:
        read_gguf(path)
    assert "\n" not in str(refused.value)


def test_what_is_no_file_is_one_clear_error(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nothing.gguf"):
        with pytest.raises(WeightsError):
            read_gguf(path)


def test_a_file_cut_anywhere_is_one_clear_error(tmp_path: Path) -> None:
    whole = tmp_path / "whole.gguf"
    write(whole, Tiny(layers=1))
    data = whole.read_bytes()
    path = tmp_path / "cut.gguf"
    draw = random.Random(5)
    # The file ends with padding after the last tensor, which may be missing.
    places = [*range(0, 64, 7), *(draw.randrange(len(data) - 64) for _ in range(60))]
    for place in places:
        path.write_bytes(data[:place])
        with pytest.raises(WeightsError):
            plan_folder(path, WeightForm.F32)


def test_a_file_with_any_byte_of_its_head_turned_is_read_or_refused(tmp_path: Path) -> None:
    whole = tmp_path / "whole.gguf"
    write(whole, Tiny(layers=1))
    data = whole.read_bytes()
    ends = read_gguf(whole).data_at
    path = tmp_path / "turned.gguf"
    draw = random.Random(11)
    refused = 0
    for _ in range(150):
        turned = bytearray(data)
        for _ in range(draw.choice((1, 1, 4))):
            turned[draw.randrange(ends)] ^= 1 << draw.randrange(8)
        path.write_bytes(turned)
        try:
            plan_folder(path, WeightForm.F32)
        except WeightsError:
            refused += 1
    assert refused > 20


def key(tiny: Tiny, name: str, value: object) -> Tiny:
    from dataclasses import replace

    return replace(tiny, more={**tiny.more, name: value})


LIES: dict[str, tuple[Callable[[], Tiny], str]] = {
    "no heads": (lambda: key(Tiny(), "llama.attention.head_count", 0), "no heads"),
    "more layers than there are": (lambda: key(Tiny(), "llama.block_count", 3), "has no"),
    "endless layers": (lambda: key(Tiny(), "llama.block_count", 1 << 30), "layers"),
    "other heads": (lambda: key(Tiny(), "llama.attention.head_count", 8), "shape"),
    "another width": (lambda: key(Tiny(), "llama.embedding_length", 128), "shape"),
    "a text for a number": (lambda: key(Tiny(), "llama.context_length", "long"), "whole number"),
    "an endless rotary base": (
        lambda: key(Tiny(), "llama.rope.freq_base", float("inf")),
        "not a number",
    ),
    "experts": (lambda: key(Tiny(), "llama.expert_count", 8), "mixture of experts"),
    "an unknown architecture": (lambda: Tiny(architecture="mystery"), "mystery"),
    "hybrid attention": (lambda: Tiny(architecture="qwen35"), "qwen35"),
    "another way to stretch": (
        lambda: key(key(Tiny(), "llama.rope.scaling.type", "su"), "llama.rope.scaling.factor", 2.0),
        "window",
    ),
    "half the head turned": (lambda: key(Tiny(), "llama.rope.dimension_count", 8), "rotary"),
    "an unknown cut": (lambda: Tiny(cut="nobody-knows"), "nobody-knows"),
    "qwen2 cut like another": (lambda: Tiny(architecture="qwen2", cut="gpt-2"), "gpt-2"),
    "an end that is no token": (
        lambda: key(Tiny(), "tokenizer.ggml.eot_token_id", 99_999),
        "99999",
    ),
    "no chat template": (lambda: Tiny(chat_template=""), "no chat template"),
}


@pytest.mark.parametrize("name", LIES)
def test_a_model_that_contradicts_itself_is_refused_before_anything_is_written(
    name: str, tmp_path: Path
) -> None:
    make, words = LIES[name]
    path = tmp_path / "model.gguf"
    write(path, make())
    with pytest.raises(WeightsError, match=words):
        plan_folder(path, WeightForm.F32)


def test_a_file_that_becomes_shorter_meanwhile_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    write(path, Tiny())
    plan = plan_folder(path, WeightForm.F32)
    path.write_bytes(path.read_bytes()[:-4096])
    with pytest.raises(WeightsError, match="shorter"):
        write_folder(plan, tmp_path / "folder", facts={}, report=lambda _done, _of: None)
