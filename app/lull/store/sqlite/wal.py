"""Tells whether SQLite would read a write-ahead log (WAL), or discard it without a word."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

_WAL_MAGIC: Final = (b"\x37\x7f\x06\x82", b"\x37\x7f\x06\x83")
_WAL_HEADER_BYTES: Final = 32
"""Size of the header of SQLite's WAL file in bytes."""


def is_header_valid(wal: Path) -> bool:
    """Return whether SQLite would read this WAL: it is empty, or has a valid magic number and
    checksum.
    """
    with wal.open("rb") as file:
        head = file.read(_WAL_HEADER_BYTES)
    if not head:
        return True
    if len(head) < _WAL_HEADER_BYTES or head[:4] not in _WAL_MAGIC:
        return False
    order = "big" if head[3] & 1 else "little"
    words = [int.from_bytes(head[at : at + 4], order) for at in range(0, 24, 4)]  # type: ignore[arg-type]
    sums = [int.from_bytes(head[at : at + 4], "big") for at in (24, 28)]
    return _checksum(words) == sums


def _checksum(words: Sequence[int]) -> list[int]:
    """Compute the checksum of SQLite's WAL format."""
    one = two = 0
    for at in range(0, len(words), 2):
        one = (one + words[at] + two) & 0xFFFFFFFF
        two = (two + words[at + 1] + one) & 0xFFFFFFFF
    return [one, two]
