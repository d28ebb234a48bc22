"""The few largest of many numbers, and where they stand."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def best(values: npt.NDArray[np.floating[Any]], k: int) -> list[tuple[int, float]]:
    """The k largest of `values`, shape (n,), with their places: largest first, of equal ones the
    first first."""
    if len(values) > k:
        # Sorting the bare values is many times faster than sorting their places.
        least = np.sort(values)[-k]
        places = np.flatnonzero(values >= least)
        if len(places) > 4 * k:
            # Thousands may be equal to the last one: the first of them are enough.
            above = np.flatnonzero(values > least)
            places = np.sort(np.concatenate((above, np.flatnonzero(values == least)[:k])))
        found = values[places]
        order = np.argsort(-found, kind="stable")[:k]
        places, found = places[order], found[order]
    else:
        places = np.argsort(-values, kind="stable")
        found = values[places]
    return list(zip(places.tolist(), found.tolist(), strict=True))
