"""Finds the k largest of many numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def k_largest(values: npt.NDArray[np.floating[Any]], k: int) -> list[tuple[int, float]]:
    """Return the k largest of `values`, shape (n,), as (index, value), largest first.

    Ties are ordered by index.
    """
    if len(values) > k:
        # Sorting values is many times faster than sorting indexes.
        least = np.sort(values)[-k]
        places = np.flatnonzero(values >= least)
        if len(places) > 4 * k:
            # Thousands may tie with the k-th value; the first k of them are enough.
            above = np.flatnonzero(values > least)
            places = np.sort(np.concatenate((above, np.flatnonzero(values == least)[:k])))
        found = values[places]
        order = np.argsort(-found, kind="stable")[:k]
        places, found = places[order], found[order]
    else:
        places = np.argsort(-values, kind="stable")
        found = values[places]
    return list(zip(places.tolist(), found.tolist(), strict=True))
