"""Tests of reading and writing tensors in GGUF: number formats, order of rows, 4-bit weights."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

from lull.backends.gguf.numbers import decode_tensor, encode_tensor, to_gguf_rows, to_mlx_rows
from lull.backends.mlx import quantizing as four_bit
from lull.core.errors import CannotLearn, WeightsError
from tests.backends.gguf.tiny import as_kind

WRITABLE = {"F32": 0.0, "F16": 1e-3, "BF16": 1e-2, "Q8_0": 0.02, "Q5_1": 0.1, "Q5_0": 0.15}
WRITABLE |= {"Q4_1": 0.2, "Q4_0": 0.3}
BLOCKS = ("Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K", "IQ4_NL", "IQ4_XS")


def drawn(rows: int, columns: int) -> np.ndarray:
    return np.random.default_rng(3).normal(size=(rows, columns)).astype(np.float32)


@pytest.mark.parametrize("kind", WRITABLE)
def test_what_is_stored_comes_back_within_its_steps(kind: str) -> None:
    values = drawn(8, 64)
    data = np.ascontiguousarray(as_kind(values, kind)).view(np.uint8).reshape(-1)
    back = decode_tensor(data, kind, values.shape)
    assert back.shape == values.shape
    assert back.dtype == np.float32
    assert np.abs(back - values).max() <= WRITABLE[kind]


@pytest.mark.parametrize("kind", BLOCKS)
def test_any_rows_of_a_tensor_can_be_read_alone(kind: str) -> None:
    data = as_kind(np.zeros((6, 512), np.float32), kind)
    whole = decode_tensor(data.reshape(-1), kind, (6, 512))
    some = decode_tensor(data[2:4].reshape(-1), kind, (2, 512))
    assert np.array_equal(some, whole[2:4])
    assert np.ptp(whole) > 0


def test_a_q6_k_block_is_read_as_its_layout_says() -> None:
    """Tests reading a Q6_K block by its layout, `block_q6_K` in ggml-common.h.

    The layout is low four bits, high two bits, 16 scales of 16 numbers each, and one factor d.
    """
    block = np.zeros(210, np.uint8)
    block[0], block[128] = 0x05, 0x02  # the first number is 5 + 2·16 - 32 = 5
    block[192] = 3
    block[208:210] = np.array([0.5], np.float16).view(np.uint8)
    found = decode_tensor(block, "Q6_K", (1, 256))[0]
    assert found[0] == 0.5 * 3 * 5
    assert found[1] == 0.5 * 3 * -32
    assert found[16] == 0


def test_numbers_that_are_none_are_refused() -> None:
    data = np.array([1.0, np.nan], np.float32).view(np.uint8)
    with pytest.raises(WeightsError, match="invalid numbers"):
        decode_tensor(data, "F32", (2,))


def test_a_kind_that_nothing_can_read_is_refused_by_name() -> None:
    with pytest.raises(CannotLearn, match="Q8_K"):
        decode_tensor(np.zeros(292, np.uint8), "Q8_K", (1, 256))


def test_half_precision_never_overflows_silently() -> None:
    with pytest.raises(ValueError, match="too large"):
        encode_tensor(np.array([[1e6]], np.float32), "F16")


def test_rows_of_heads_change_places_and_back() -> None:
    values = np.arange(16, dtype=np.float32).reshape(16, 1)
    mlx = to_mlx_rows(values, heads=2)
    assert mlx[:, 0].tolist() == [0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15]
    assert np.array_equal(to_gguf_rows(mlx, heads=2), values)


def test_four_bits_are_mlxs_own() -> None:
    """Tests our 4-bit weights against MLX's, in a child process, as the service never loads MLX."""
    values = drawn(16, 128)
    values[0, :64] = 0
    values[1, :64] = 2.5
    values[2] = -np.abs(values[2])
    words, scales, biases = four_bit.quantize(values)
    script = (
        "import json, sys, numpy as np, mlx.core as mx\n"
        "v, w, s, b = (np.array(x) for x in json.load(sys.stdin))\n"
        "w = mx.array(w.astype(np.uint32))\n"
        "ours = mx.dequantize(w, mx.array(s), mx.array(b), group_size=64, bits=4)\n"
        "theirs = mx.dequantize(*mx.quantize(mx.array(v.astype('f4')), group_size=64, bits=4),"
        " group_size=64, bits=4)\n"
        "print(json.dumps([np.array(ours).tolist(), np.array(theirs).tolist()]))\n"
    )
    sent = [values, words, four_bit.from_bfloat16(scales), four_bit.from_bfloat16(biases)]
    done = subprocess.run(
        [sys.executable, "-c", script],
        input=json.dumps([one.astype(float).tolist() for one in sent]),
        capture_output=True,
        text=True,
        check=True,
    )
    ours, theirs = (np.array(one) for one in json.loads(done.stdout))
    assert np.abs(ours - values).mean() <= np.abs(theirs - values).mean() * 1.02
    assert np.abs(ours - values).max() <= np.ptp(values) / 15
