"""Data types for the header of a GGUF model file: its metadata, and the positions of its tensors in
the file.

Covers the part of the format that Lull uses
(https://github.com/ggml-org/ggml/blob/master/docs/gguf.md); reading the bytes is done elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from lull.core.errors import WeightsError

Scalar = bool | int | float | str
MetaValue = Scalar | tuple[Scalar, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseTensor:
    """Where and how a GGUF model file stores one tensor of its weights."""

    name: str
    shape: tuple[int, ...]
    """Shape of the tensor, rows first as in numpy and MLX; GGUF stores it reversed."""
    kind: str
    """Storage type: F32, F16, BF16, Q8_0, Q4_K …"""
    offset: int
    """Position of the tensor in bytes from the start of the data section."""
    n_bytes: int

    @property
    def size(self) -> int:
        """The number of weights in the tensor."""
        return prod(self.shape)


class Metadata:
    """Typed access to a GGUF file's metadata.

    Raises WeightsError for a missing key or a wrong type, because the file's contents are not
    trusted.
    """

    def __init__(self, values: Mapping[str, MetaValue]) -> None:
        self.values = values

    @property
    def architecture(self) -> str:
        """The name of the model's architecture."""
        return self.text("general.architecture")

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def text(self, key: str, default: str | None = None) -> str:
        """Return the text under a key of a GGUF file. Raises WeightsError if it is missing or
        something else.
        """
        found = self.values.get(key, default)
        if not isinstance(found, str):
            raise self._wrong(key, "text")
        return found

    def number(self, key: str, default: float | None = None) -> float:
        """Return the finite number stored under a key of the GGUF metadata. Raises WeightsError for
        anything else.
        """
        found = self.values.get(key, default)
        if isinstance(found, bool) or not isinstance(found, int | float):
            raise self._wrong(key, "a number")
        if not math.isfinite(found):
            raise self._wrong(key, "a number")
        return float(found)

    def whole(self, key: str, default: int | None = None, *, at_most: int = 1 << 31) -> int:
        """Return the whole number from 0 to `at_most` stored under a key of the GGUF metadata.
        Raises WeightsError for anything else.
        """
        found = self.values.get(key, default)
        if isinstance(found, bool) or not isinstance(found, int) or not 0 <= found <= at_most:
            raise self._wrong(key, "a whole number of a possible size")
        return found

    def yes(self, key: str, *, default: bool) -> bool:
        """Return the truth value under a key of a GGUF file. Raises WeightsError if it is something
        else.
        """
        found = self.values.get(key, default)
        if not isinstance(found, bool):
            raise self._wrong(key, "true or false")
        return found

    def texts(self, key: str) -> tuple[str, ...]:
        """Return the list of texts under a key of a GGUF file. Raises WeightsError if
        it is none.
        """
        found = self.values.get(key)
        if not isinstance(found, tuple) or not all(isinstance(one, str) for one in found):
            raise self._wrong(key, "a list of texts")
        return tuple(one for one in found if isinstance(one, str))

    def numbers(self, key: str) -> tuple[float, ...]:
        """Return the list of numbers under a key of a GGUF file. Raises WeightsError
        if it is none.
        """
        found = self.values.get(key)
        if not isinstance(found, tuple) or any(isinstance(one, bool | str) for one in found):
            raise self._wrong(key, "a list of numbers")
        return tuple(one for one in found if not isinstance(one, str))

    def _wrong(self, key: str, words: str) -> WeightsError:
        what = f"is not {words}" if key in self.values else "is missing"
        return damaged(f"{key} {what}")


def as_written(value: float) -> float:
    """Return a single-precision number as originally written: 1e-06, not 9.999999974752427e-07."""
    return float(f"{value:.7g}")


def damaged(what: str) -> WeightsError:
    """Return the error for a GGUF model file that is damaged."""
    return WeightsError(
        f"The file is damaged or not what it claims to be: {what}.",
        hint="Fetch the model again with `ollama pull`.",
    )
