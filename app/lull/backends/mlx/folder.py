"""Converts a GGUF file to a folder that mlx-lm loads: config, tokenizer, safetensors.

It may be interrupted at any time. Shards are written to a `….partial` folder, each under a
temporary name until complete; a second run keeps complete shards. The folder is renamed last, so
one with the final name is complete. The output depends only on the file.
"""

from __future__ import annotations

import json
import os
import shutil
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np

from lull.backends.gguf.file import GgufFile, read_gguf
from lull.backends.gguf.numbers import Array, decode_tensor, row_bytes, to_mlx_rows
from lull.backends.mlx import quantizing as four_bit
from lull.backends.mlx.weight_folders import FACTS, LAYOUT, is_current
from lull.backends.system.durable import exclusive_lock, fsync_folder, write_file_atomically
from lull.core.errors import CannotLearn, WeightsError
from lull.core.models.gguf.architectures import Layout
from lull.core.models.gguf.shape import MappedTensor, ModelShape, model_shape
from lull.core.models.gguf.tokenizer import RebuiltTokenizer, rebuilt_tokenizer
from lull.core.models.weight_form import SPARE_BYTES, WeightForm
from lull.core.models.weight_work import Report

_SHARD_BYTES: Final = 512 * 1024 * 1024
_WEIGHTS_PER_CHUNK: Final = 16 * 1024 * 1024
"""Weights converted at a time."""
_BYTES_PER_NUMBER: Final = {"F32": 4, "U32": 4, "F16": 2, "BF16": 2}
_LARGEST_F16: Final = 65_504.0


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightArray:
    """Name, type and shape of one weight array to write to a safetensors file."""

    name: str
    dtype: str
    shape: tuple[int, ...]

    @property
    def n_bytes(self) -> int:
        """Size of the array's numbers, in bytes."""
        return int(np.prod(self.shape, dtype=np.int64)) * _BYTES_PER_NUMBER[self.dtype]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shard:
    """One safetensors file of weights to be written."""

    file: str
    tensors: tuple[MappedTensor, ...]
    pieces: tuple[WeightArray, ...]

    @property
    def header(self) -> bytes:
        """The header of the safetensors file: its length, then JSON padded to eight bytes.

        See https://huggingface.co/docs/safetensors.
        """
        entries: dict[str, Any] = {"__metadata__": {"format": "mlx"}}
        at = 0
        for piece in self.pieces:
            entries[piece.name] = {
                "dtype": piece.dtype,
                "shape": list(piece.shape),
                "data_offsets": [at, at := at + piece.n_bytes],
            }
        text = json.dumps(entries, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 8)
        return struct.pack("<Q", len(text)) + text

    @property
    def n_bytes(self) -> int:
        """Size of the file, in bytes, its header included."""
        return len(self.header) + sum(piece.n_bytes for piece in self.pieces)


@dataclass(frozen=True, slots=True, kw_only=True)
class WritingPlan:
    """Plan of a folder of MLX weights: all files and arrays to be written, worked out before
    anything is written.
    """

    source: GgufFile
    shape: ModelShape
    tokenizer: RebuiltTokenizer
    form: WeightForm
    shards: tuple[Shard, ...]

    @property
    def n_bytes(self) -> int:
        """Size of all weight files together, in bytes."""
        return sum(shard.n_bytes for shard in self.shards)


def plan_folder(path: Path, form: WeightForm) -> WritingPlan:
    """Plan the folder of MLX weights to make from a GGUF file, reading only the file's header.

    `form` is the format of the weights. Raises CannotLearn, WeightsError.
    """
    source = read_gguf(path)
    shape = model_shape(source.metadata, source.tensors, _frequencies(source))
    vocabulary = shape.config["vocab_size"]
    assert isinstance(vocabulary, int)
    tokenizer = rebuilt_tokenizer(source.metadata, vocabulary)
    if not tokenizer.chat_template:
        raise CannotLearn(
            "Its file holds no chat template, so Lull does not know how its prompts are written.",
            hint="Versions of the model from other publishers may have one.",
        )
    shards = _shards(shape.placed, form)
    return WritingPlan(source=source, shape=shape, tokenizer=tokenizer, form=form, shards=shards)


def check_disk_space(folder: Path, n_bytes: int) -> None:
    """Raise WeightsError if the disk lacks space for `n_bytes` more."""
    place = next(one for one in (folder, *folder.parents) if one.exists())
    free = shutil.disk_usage(place).free
    if free < n_bytes + SPARE_BYTES:
        raise WeightsError(
            f"This needs {gigabytes(n_bytes)} GB in {folder.parent}. {gigabytes(free)} GB are "
            "free there, and some space must stay free.",
            hint="Make room, or move Lull's files with LULL_HOME.",
        )


def gigabytes(n_bytes: float) -> str:
    """Format a number of bytes as GB."""
    return f"{n_bytes / 1e9:.1f}" if n_bytes >= 1e8 else f"{n_bytes / 1e9:.3f}"


def write_folder(
    plan: WritingPlan, folder: Path, *, facts: dict[str, object], report: Report
) -> None:
    """Write the planned folder of MLX weights, or what is missing of it.

    Of a folder that an earlier version of Lull made only the configuration and the tokenizer are
    written again.

    `facts` about the source are stored in the folder's `lull.json`.

    Raises WeightsError if the disk is too full or the file's numbers are invalid, OSError.
    """
    partial = folder.with_name(folder.name + ".partial")
    partial.mkdir(parents=True, exist_ok=True)
    with exclusive_lock(folder.with_name(folder.name + ".lock"), "this model is being made ready"):
        mark = {**facts, "form": plan.form.value, "layout": LAYOUT, "bytes": plan.n_bytes}
        if (folder / FACTS).exists():
            shutil.rmtree(partial, ignore_errors=True)
            if not is_current(folder):  # its weights are right, and its tokenizer may not be
                _write_words(plan, folder)
            # The model's system text or parameters may have changed.
            write_file_atomically(folder / FACTS, _json(mark))
            report(plan.n_bytes, plan.n_bytes)
            return
        _keep_only_ours(partial, mark)
        done = _whole_ones(partial, plan.shards)
        check_disk_space(folder, plan.n_bytes - sum(shard.n_bytes for shard in done))
        _write_shards(plan, partial, done, report)
        _write_words(plan, partial)
        write_file_atomically(partial / FACTS, _json(mark))
        fsync_folder(partial)
        partial.rename(folder)
        fsync_folder(folder.parent)


# The plan


def _frequencies(source: GgufFile) -> list[float]:
    found = next((one for one in source.tensors if one.name == "rope_freqs.weight"), None)
    if found is None:
        return []
    if found.kind != "F32" or found.size > 1 << 16:
        raise WeightsError("“rope_freqs.weight” is not what it should be.")
    with source.data() as view:
        data = np.frombuffer(source.bytes_of(view, found), np.uint8)
        return [float(one) for one in decode_tensor(data, found.kind, (found.size,))]


def _shards(placed: Sequence[MappedTensor], form: WeightForm) -> tuple[Shard, ...]:
    groups: list[list[MappedTensor]] = [[]]
    size = 0
    for one in placed:
        n_bytes = sum(piece.n_bytes for piece in _pieces(one, form))
        if groups[-1] and size + n_bytes > _SHARD_BYTES:
            groups.append([])
            size = 0
        groups[-1].append(one)
        size += n_bytes
    many = len(groups) > 1
    return tuple(
        Shard(
            file=f"model-{at:05}-of-{len(groups):05}.safetensors" if many else "model.safetensors",
            tensors=tuple(group),
            pieces=tuple(piece for one in group for piece in _pieces(one, form)),
        )
        for at, group in enumerate(groups, 1)
    )


def _pieces(one: MappedTensor, form: WeightForm) -> tuple[WeightArray, ...]:
    shape = one.tensor.shape
    if form is not WeightForm.FOUR_BIT:
        dtype = "F32" if form is WeightForm.F32 else "F16"
        return (WeightArray(name=one.name, dtype=dtype, shape=shape),)
    if len(shape) == 1 or not four_bit.can_quantize(shape[-1]):
        return (WeightArray(name=one.name, dtype="BF16", shape=shape),)
    stem = one.name.removesuffix("weight")
    rows, groups = shape[0], shape[1] // four_bit.GROUP
    return (
        WeightArray(name=one.name, dtype="U32", shape=(rows, shape[1] * four_bit.BITS // 32)),
        WeightArray(name=f"{stem}scales", dtype="BF16", shape=(rows, groups)),
        WeightArray(name=f"{stem}biases", dtype="BF16", shape=(rows, groups)),
    )


# The weights


def _write_shards(plan: WritingPlan, partial: Path, done: Sequence[Shard], report: Report) -> None:
    written, total = sum(shard.n_bytes for shard in done), plan.n_bytes
    report(written, total)
    with plan.source.data() as view:
        for shard in plan.shards:
            if shard in done:
                continue
            temporary = partial / f"{shard.file}.tmp"
            with temporary.open("wb") as stream:
                for n_bytes in _write_shard(plan, shard, view, stream):
                    written += n_bytes
                    report(written, total)
                stream.flush()
                os.fsync(stream.fileno())
            temporary.rename(partial / shard.file)


def _write_shard(
    plan: WritingPlan, shard: Shard, view: memoryview, stream: BinaryIO
) -> Iterator[int]:
    """Write one shard and yield the bytes written per chunk."""
    yield stream.write(shard.header)
    at = len(shard.header)
    pieces = {piece.name: piece for piece in shard.pieces}
    for one in shard.tensors:
        own = [pieces[piece.name] for piece in _pieces(one, plan.form)]
        places = [at + sum(piece.n_bytes for piece in own[:k]) for k in range(len(own))]
        for values in _chunks(plan, one, view):
            for k, array in enumerate(_arrays(values, plan.form, own)):
                stream.seek(places[k])
                places[k] += stream.write(np.ascontiguousarray(array).tobytes())
                yield array.nbytes
        at += sum(piece.n_bytes for piece in own)


def _chunks(plan: WritingPlan, one: MappedTensor, view: memoryview) -> Iterator[Array]:
    """Yield the tensor's numbers in MLX's order, some rows at a time.

    Tensors whose rows are reordered are read at once; a query matrix is never very large.
    """
    tensor = one.tensor
    data = np.frombuffer(plan.source.bytes_of(view, tensor), np.uint8)
    if len(tensor.shape) == 1 or one.layout in (Layout.QUERY_ROWS, Layout.KEY_ROWS):
        yield _in_mlx(plan, one, decode_tensor(data, tensor.kind, tensor.shape))
        return
    rows, width = tensor.shape[0], tensor.shape[1]
    step = max(1, _WEIGHTS_PER_CHUNK // width)
    size = row_bytes(tensor)
    for row in range(0, rows, step):
        end = min(rows, row + step)
        piece = data[row * size : end * size]
        yield _in_mlx(plan, one, decode_tensor(piece, tensor.kind, (end - row, width)))


def _in_mlx(plan: WritingPlan, one: MappedTensor, values: Array) -> Array:
    if one.layout in (Layout.QUERY_ROWS, Layout.KEY_ROWS):
        return to_mlx_rows(values, plan.shape.heads_of(one.layout))
    return values - np.float32(1) if one.layout is Layout.PLUS_ONE else values


def _arrays(values: Array, form: WeightForm, pieces: Sequence[WeightArray]) -> tuple[Array, ...]:
    if form is WeightForm.F32:
        return (values.astype("<f4", copy=False),)
    if form is WeightForm.HALF:
        if np.abs(values).max(initial=0.0) > _LARGEST_F16:
            raise WeightsError("It holds numbers that half precision cannot hold.")
        return (values.astype("<f2"),)
    if len(pieces) == 1:
        return (four_bit.to_bfloat16(values),)
    return four_bit.quantize(values)


# The rest


def _write_words(plan: WritingPlan, partial: Path) -> None:
    tokenizer = plan.tokenizer
    config = plan.shape.config | {"eos_token_id": list(tokenizer.ends)}
    if tokenizer.begin is not None:
        config["bos_token_id"] = tokenizer.begin
    if plan.form is WeightForm.FOUR_BIT:
        how: dict[str, object] = {"group_size": four_bit.GROUP, "bits": four_bit.BITS}
        config |= {"quantization": how, "quantization_config": how}
    write_file_atomically(partial / "config.json", _json(config))
    write_file_atomically(partial / "tokenizer.json", _json(tokenizer.tokenizer))
    write_file_atomically(partial / "tokenizer_config.json", _json(tokenizer.config))
    write_file_atomically(partial / "chat_template.jinja", tokenizer.chat_template.encode())
    if len(plan.shards) > 1:
        places = {piece.name: shard.file for shard in plan.shards for piece in shard.pieces}
        index = {"metadata": {"total_size": plan.n_bytes}, "weight_map": places}
        write_file_atomically(partial / "model.safetensors.index.json", _json(index))


def _json(value: object) -> bytes:
    # ASCII output escapes lone surrogates, which UTF-8 cannot encode.
    return json.dumps(value, sort_keys=True).encode()


def _keep_only_ours(partial: Path, mark: dict[str, object]) -> None:
    """Delete files in the partial folder that an interrupted run with other parameters left."""
    marked = partial / "making.json"
    if not marked.exists() or marked.read_bytes() != _json(mark):
        shutil.rmtree(partial)
        partial.mkdir()
        write_file_atomically(marked, _json(mark))


def _whole_ones(partial: Path, shards: Sequence[Shard]) -> list[Shard]:
    def whole(file: Path, n_bytes: int) -> bool:
        return file.is_file() and file.stat().st_size == n_bytes

    return [shard for shard in shards if whole(partial / shard.file, shard.n_bytes)]
