"""The few largest of many numbers, and where they stand."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def best(values: npt.NDArray[np.floating[Any]], k: int) -> list[tuple[int, float]]:
    """The k largest of `values`, shape (n,), with their places: largest first, of equal ones the
    first first."""
    if len(values) <= k:
        places = np.argsort(-values, kind="stable")
    else:
        # Sorting the bare values is many times faster than sorting places, and than partitioning
        # where thousands are equal.
        least = np.sort(values)[-k]
        above = np.flatnonzero(values > least)
        above = above[np.argsort(-values[above], kind="stable")]
        level = np.flatnonzero(values == least)[: k - len(above)]
        places = np.concatenate((above, level))
    return list(zip(places.tolist(), values[places].tolist(), strict=True))
