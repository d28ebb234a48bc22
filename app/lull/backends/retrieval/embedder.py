"""Computes text vectors without a model download: hashed words and character n-grams.

Words that say nothing about the subject count as well, because they distinguish a question from a
task; a text of only such words has no vector. Feature hashing with signs (Weinberger et al., ICML
2009), sublinear term frequency, unit length. The vectors capture spelling, not meaning, which
suffices to find similar requests.
"""

from __future__ import annotations

import math
import zlib
from array import array
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from lull.core.skills.subject_words import stemmed_words, terms

TEXT_LIMIT = 1000
"""Most characters of a text that are embedded, to bound the work."""
DIMENSIONS = 512
_LONGEST_CACHED_WORD = 40
_WHOLE_WORD_WEIGHT = 1.2
"""Weight of a spoken word; each n-gram of a subject word has weight 1."""


class HashedNgrams:
    """Computes text embeddings by signed feature hashing of all words, and of the character 3- to
    5-grams of the words that say what the text is about.
    """

    name = "hashed-ngrams-3"
    dimensions = DIMENSIONS

    def embed(self, texts: Sequence[str]) -> list[array[float]]:
        """Return one vector of unit length for each text; only a long text's beginning counts."""
        return [array("f", self._one(text[:TEXT_LIMIT]).tobytes()) for text in texts]

    def _one(self, text: str) -> Vector:
        subjects = _counted(terms(text))
        if not subjects:
            return np.zeros(DIMENSIONS, np.float32)
        words = _counted(stemmed_words(text))
        buckets, weights = array("q"), array("d")
        for features, counted in ((_features, subjects), (_whole, words)):
            for word, count in counted.items():
                its, weight = features(word)
                buckets += its
                weights += weight if count == 1 else _times(weight, 1 + math.log(count))
        vector = np.bincount(
            np.frombuffer(buckets, np.int64), np.frombuffer(weights, np.float64), DIMENSIONS
        )
        length = math.sqrt(vector @ vector) or 1.0
        return (vector / length).astype(np.float32)


Vector = npt.NDArray[np.float32]
Features = tuple["array[int]", "array[float]"]
"""Buckets (int64) and signed weights (float64). Plain arrays, because a text's some sixty pairs are
put together several times faster than NumPy's.
"""


def _counted(words: Sequence[str]) -> dict[str, int]:
    """Count each word, in order of appearance. For so few words faster than a `Counter`."""
    counts: dict[str, int] = {}
    for word in words:
        counts[word] = counts.get(word, 0) + 1
    return counts


def _times(weights: array[float], factor: float) -> array[float]:
    return array("d", [weight * factor for weight in weights])


def _features(word: str) -> Features:
    """Return the buckets and signed weights of one word's n-grams.

    Words are cached, as the same few thousand recur; long runs of letters are not, to bound memory.
    """
    return _known(word) if len(word) <= _LONGEST_CACHED_WORD else _hashed(word)


def _whole(word: str) -> Features:
    """Return the bucket and signed weight of a word as a whole."""
    return _known_whole(word) if len(word) <= _LONGEST_CACHED_WORD else _hashed_whole(word)


def _hashed(word: str) -> Features:
    padded = f"<{word}>"
    return _signed([padded[i : i + n] for n in (3, 4, 5) for i in range(len(padded) - n + 1)])


def _hashed_whole(word: str) -> Features:
    buckets, signs = _signed([f"w {word}"])
    return buckets, _times(signs, _WHOLE_WORD_WEIGHT)


def _signed(features: Sequence[str]) -> Features:
    codes = [zlib.crc32(feature.encode()) for feature in features]
    return (
        array("q", [code % DIMENSIONS for code in codes]),
        array("d", [1.0 if code >> 31 else -1.0 for code in codes]),
    )


_known = lru_cache(maxsize=8000)(_hashed)
_known_whole = lru_cache(maxsize=8000)(_hashed_whole)
