"""Vectors that need no download: hashed word and character n-grams.

Feature hashing with signs (Weinberger et al., ICML 2009), sublinear term frequency, unit length.
They know spelling, not meaning; for "a request like this one" that is most of the way.
"""

from __future__ import annotations

import math
import zlib
from array import array
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain

import numpy as np
import numpy.typing as npt

from lull.core.retrieval import terms

TEXT_LIMIT = 1000
"""Characters that are read: bounds the work on the request path."""
DIMENSIONS = 512
_SHORT_WORD = 40
_WHOLE_WORD = 1.7
"""Weight of a word as a whole, against 1 for each of its n-grams."""


class HashedNgrams:
    """Words, and 3- to 5-grams of each word, hashed into signed buckets."""

    name = "hashed-ngrams-2"
    dimensions = DIMENSIONS

    def embed(self, texts: Sequence[str]) -> list[array[float]]:
        return [array("f", self._one(text[:TEXT_LIMIT]).tobytes()) for text in texts]

    def _one(self, text: str) -> Vector:
        counts = Counter(terms(text))
        if not counts:
            return np.zeros(DIMENSIONS, np.float32)
        found = [(_features(word), count) for word, count in counts.items()]
        buckets = np.concatenate([bucket for (bucket, _), _ in found])
        weights = [w if count == 1 else w * (1 + math.log(count)) for (_, w), count in found]
        vector = np.bincount(buckets, np.concatenate(weights), DIMENSIONS)
        length = math.sqrt(vector @ vector) or 1.0
        return (vector / length).astype(np.float32)


Vector = npt.NDArray[np.float32]
Features = tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]


def _features(word: str) -> Features:
    """Buckets and signed weights of one word, each of shape (its features,). The same few
    thousand words come again and again, so they are hashed once; a long run of letters is no
    word, and its many n-grams would fill the memory."""
    return _known(word) if len(word) <= _SHORT_WORD else _hashed(word)


def _hashed(word: str) -> Features:
    padded = f"<{word}>"
    grams = (padded[i : i + n] for n in (3, 4, 5) for i in range(len(padded) - n + 1))
    codes = np.array(
        [zlib.crc32(feature.encode()) for feature in chain((f"w {word}",), grams)], np.int64
    )
    weights = np.where(codes >> 31 == 1, 1.0, -1.0)
    weights[0] *= _WHOLE_WORD
    return codes % DIMENSIONS, weights


_known = lru_cache(maxsize=8000)(_hashed)
