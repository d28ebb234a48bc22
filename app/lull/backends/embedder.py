"""Vectors that need no download: hashed word and character n-grams.

Feature hashing with signs (Weinberger et al., ICML 2009), sublinear term frequency, unit length.
They know spelling, not meaning; for "a request like this one" that is most of the way.
"""

from __future__ import annotations

import math
import zlib
from collections import Counter
from collections.abc import Sequence

from lull.core.retrieval import terms

TEXT_LIMIT = 1000
"""Characters that are read: bounds the work on the request path."""


class HashedNgrams:
    """Words, and 3- to 5-grams of each word, hashed into `dimensions` signed buckets."""

    name = "hashed-ngrams-1"
    dimensions = 512

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [self._one(text[:TEXT_LIMIT]) for text in texts]

    def _one(self, text: str) -> list[float]:
        counts: Counter[str] = Counter()
        for word in terms(text):
            counts[f"w {word}"] += 2
            padded = f"<{word}>"
            for n in (3, 4, 5):
                counts.update(padded[i : i + n] for i in range(len(padded) - n + 1))
        vector = [0.0] * self.dimensions
        for feature, count in counts.items():
            code = zlib.crc32(feature.encode())
            vector[code % self.dimensions] += (1 + math.log(count)) * (1 if code >> 31 else -1)
        length = math.sqrt(sum(value * value for value in vector)) or 1.0
        return [value / length for value in vector]
