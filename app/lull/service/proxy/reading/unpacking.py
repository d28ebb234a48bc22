"""Decompresses request bodies, and defines the size above which a body counts as long and is parsed
in a child process.
"""

from __future__ import annotations

from typing import Final

import zstandard

from lull.core.errors import RequestError

LONG_BYTES: Final = 256_000
"""Size in bytes above which a body is processed outside the event loop."""
TOO_LONG: Final = 413
"""HTTP status for a request body that is too long."""
MAX_WINDOW: Final = 8 << 20
"""Largest zstd window in bytes, as RFC 9659 allows for HTTP."""
_STEP_BYTES: Final = 128 * 1024
"""Bytes decompressed at once while counting."""


def decompress_zstd(data: bytes, encoding: str, *, limit: int) -> bytes:
    """Return a request's zstd body decompressed, if it has at most `limit` bytes then. Raises
    RequestError.

    The size is counted first, so that a body over the limit is never held in memory.
    """
    if encoding.strip().lower() not in ("zstd", "zst"):
        raise RequestError(f"Content-Encoding {encoding[:40]!r} is not read here.", status=415)
    try:
        size = _size_within(data, limit)
        if size <= limit:
            with _reader(data) as reader:
                return bytes(reader.read(size))
    except zstandard.ZstdError:
        raise RequestError("The body is not valid zstd.", status=400) from None
    raise RequestError(f"The body unpacks to more than {limit} bytes.", status=TOO_LONG)


def _size_within(data: bytes, limit: int) -> int:
    """Decompressed size; if over the limit, the size where counting stopped."""
    size = 0
    with _reader(data) as reader:
        while size <= limit and (step := len(reader.read(_STEP_BYTES))):
            size += step
    return size


def _reader(data: bytes) -> zstandard.ZstdDecompressionReader:
    return zstandard.ZstdDecompressor(max_window_size=MAX_WINDOW).stream_reader(data)
