"""Reads the header of a GGUF file: metadata and tensor positions, not the tensor data.

Used instead of the `gguf` package's reader because model files are untrusted: every count and
length is checked against the file's size before use, so a damaged or hostile file causes one clear
error instead of exhausting memory or looping.

Layout: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md, versions 2 and 3.
"""

from __future__ import annotations

import mmap
import os
import stat
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Final

from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType

from lull.core.errors import WeightsError
from lull.core.models.gguf.head import BaseTensor, Metadata, MetaValue, Scalar, damaged

MAGIC: Final = b"GGUF"
ALIGNMENT: Final = 32
MOST_KEYS: Final = 1 << 16
MOST_TENSORS: Final = 1 << 16
MOST_DIMENSIONS: Final = 4
_LONGEST_NAME: Final = 1 << 10
_BIG_ENDIAN: Final = (2 << 24, 3 << 24)

_TEXT, _LIST, _BOOL = 8, 9, 7
_STRUCT_LETTERS: Final = dict(zip((0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12), "BbHhIifBQqd", strict=True))
"""`struct` letter of each value type with a fixed size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GgufFile:
    """The parsed header of a GGUF file."""

    path: Path
    version: int
    size_bytes: int
    metadata: Metadata
    tensors: tuple[BaseTensor, ...]
    keys: int
    keys_at: tuple[int, int]
    """Byte range of all metadata keys and values."""
    data_at: int
    alignment: int

    @contextmanager
    def data(self) -> Iterator[memoryview]:
        """Context manager that yields the file's bytes, memory-mapped.

        Raises WeightsError if the file is gone or was truncated.
        """
        with _opened(self.path) as view:
            if len(view) < self.size_bytes:
                raise damaged(f"{self.path.name} has become shorter")
            yield view

    def bytes_of(self, view: memoryview, tensor: BaseTensor) -> memoryview:
        """Return a tensor's bytes, as a slice of the file's memory without copying."""
        start = self.data_at + tensor.offset
        return view[start : start + tensor.n_bytes]


def read_gguf(path: Path) -> GgufFile:
    """Parse a GGUF file's header. Raises WeightsError with one sentence for any defect."""
    with _opened(path) as view:
        return _read(path, _Cursor(view))


@contextmanager
def _opened(path: Path) -> Iterator[memoryview]:
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise WeightsError(f"{path} is not a file.")
        with path.open("rb") as stream:
            if os.fstat(stream.fileno()).st_size < len(MAGIC):
                raise damaged(f"{path.name} is empty or cut short")
            mapped = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    except OSError as error:
        raise WeightsError(f"{path} cannot be read: {error.strerror or error}.") from error
    # Not closed explicitly: arrays may still refer to it; the last one frees it.
    yield memoryview(mapped)


class _Cursor:
    """Reads a file forward, never past its end."""

    def __init__(self, view: memoryview) -> None:
        self.view = view
        self.at = 0

    def take(self, length: int, what: str) -> memoryview:
        if length > len(self.view) - self.at:
            raise damaged(f"it ends inside {what}")
        piece = self.view[self.at : self.at + length]
        self.at += length
        return piece

    def unpack(self, letters: str, what: str) -> tuple[Scalar, ...]:
        return struct.unpack("<" + letters, self.take(struct.calcsize("<" + letters), what))

    def whole(self, letter: str, what: str) -> int:
        (value,) = self.unpack(letter, what)
        assert isinstance(value, int)
        return value

    def text(self, what: str, *, longest: int | None = None) -> str:
        length = self.whole("Q", what)
        if longest is not None and length > longest:
            raise damaged(f"{what} has {length} bytes")
        try:
            return bytes(self.take(length, what)).decode("utf-8")
        except UnicodeDecodeError:
            raise damaged(f"{what} is not UTF-8") from None


def _read(path: Path, cursor: _Cursor) -> GgufFile:
    if bytes(cursor.take(4, "its first bytes")) != MAGIC:
        raise WeightsError(
            f"{path.name} is not a GGUF file.", hint="Only models in GGUF format can be read."
        )
    version = cursor.whole("I", "its version")
    if version not in (2, 3):
        order = " of the other byte order" if version in _BIG_ENDIAN else f" of version {version}"
        raise WeightsError(f"{path.name} is a GGUF file{order}, which Lull does not read.")
    n_tensors = _counted(cursor, "tensors", MOST_TENSORS)
    n_keys = _counted(cursor, "keys", MOST_KEYS)
    keys_from = cursor.at
    metadata = _metadata(cursor, n_keys)
    keys_to = cursor.at
    alignment = metadata.whole("general.alignment", ALIGNMENT, at_most=1 << 20)
    if alignment == 0 or alignment & (alignment - 1):
        raise damaged(f"general.alignment is {alignment}")
    tensors = tuple(_tensor(cursor) for _ in range(n_tensors))
    data_at = -(-cursor.at // alignment) * alignment
    _check_places(tensors, alignment, room=len(cursor.view) - data_at)
    return GgufFile(
        path=path,
        version=version,
        size_bytes=len(cursor.view),
        metadata=metadata,
        tensors=tensors,
        keys=n_keys,
        keys_at=(keys_from, keys_to),
        data_at=data_at,
        alignment=alignment,
    )


def _counted(cursor: _Cursor, what: str, most: int) -> int:
    count = cursor.whole("Q", f"the number of {what}")
    if count > most:
        raise damaged(f"it says that it has {count} {what}")
    return count


def _metadata(cursor: _Cursor, count: int) -> Metadata:
    values: dict[str, MetaValue] = {}
    for _ in range(count):
        key = cursor.text("a key", longest=_LONGEST_NAME)
        if key in values:
            raise damaged(f"the key {key[:80]!r} appears there twice")
        values[key] = _value(cursor, key[:80])
    return Metadata(values)


def _value(cursor: _Cursor, key: str) -> MetaValue:
    kind = cursor.whole("I", key)
    if kind == _LIST:
        return _list(cursor, key)
    return _scalar(cursor, kind, key)


def _scalar(cursor: _Cursor, kind: int, key: str) -> Scalar:
    if kind == _TEXT:
        return cursor.text(key)
    if kind not in _STRUCT_LETTERS:
        raise damaged(f"{key} has a value of the unknown type {kind}")
    (value,) = cursor.unpack(_STRUCT_LETTERS[kind], key)
    return bool(value) if kind == _BOOL else value


def _list(cursor: _Cursor, key: str) -> tuple[Scalar, ...]:
    kind, count = cursor.whole("I", key), cursor.whole("Q", key)
    if kind == _TEXT:
        # Each text takes at least the 8 bytes of its length.
        if count > (len(cursor.view) - cursor.at) // 8:
            raise damaged(f"{key} says that it has {count} entries")
        return tuple(cursor.text(key) for _ in range(count))
    if kind not in _STRUCT_LETTERS:
        raise damaged(f"{key} is a list of the unknown type {kind}")
    width = struct.calcsize("<" + _STRUCT_LETTERS[kind])
    piece = cursor.take(width * count, key)
    values: tuple[Scalar, ...] = struct.unpack(f"<{count}{_STRUCT_LETTERS[kind]}", piece)
    return tuple(map(bool, values)) if kind == _BOOL else values


def _tensor(cursor: _Cursor) -> BaseTensor:
    name = cursor.text("a tensor's name", longest=_LONGEST_NAME)
    what = f"the tensor {name[:80]}"
    n_dimensions = cursor.whole("I", what)
    if not 1 <= n_dimensions <= MOST_DIMENSIONS:
        raise damaged(f"{what} has {n_dimensions} dimensions")
    sizes = [cursor.whole("Q", what) for _ in range(n_dimensions)]
    number, offset = cursor.whole("I", what), cursor.whole("Q", what)
    try:
        kind = GGMLQuantizationType(number)
        block, block_bytes = GGML_QUANT_SIZES[kind]
    except (ValueError, KeyError):
        raise WeightsError(
            f"{what.capitalize()} is stored in a way that Lull does not know (type {number}).",
            hint="A newer Lull may know it; a Q8_0 or F16 version of the model works already.",
        ) from None
    # Checked one by one, because a product of hostile sizes may look small.
    if any(not 1 <= size <= 1 << 40 for size in sizes) or sizes[0] % block:
        raise damaged(f"{what} has the shape {tuple(reversed(sizes))}")
    n_bytes = prod(sizes) // block * block_bytes
    shape = tuple(reversed(sizes))
    return BaseTensor(name=name, shape=shape, kind=kind.name, offset=offset, n_bytes=n_bytes)


def _check_places(tensors: tuple[BaseTensor, ...], alignment: int, *, room: int) -> None:
    end, names = 0, set[str]()
    for tensor in sorted(tensors, key=lambda one: one.offset):
        what = f"the tensor {tensor.name[:80]}"
        if tensor.name in names:
            raise damaged(f"{what} appears there twice")
        names.add(tensor.name)
        if tensor.offset % alignment or tensor.offset < end:
            raise damaged(f"{what} begins inside another one")
        end = tensor.offset + tensor.n_bytes
        if end > room:
            raise damaged(f"it is cut short: {what} ends {end - room} bytes past its end")
