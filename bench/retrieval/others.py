"""Other retrieval methods, for comparison; each ranks the skills by a score of its own.

BM25 alone is bm25s on plain words. The three "in the manner of MetaClaw" are our own code, written
from what its authors publish about it (arXiv 2603.17187 and its README: skills chosen by template
matching or by embedding similarity, the top few put into each prompt); they are not MetaClaw, and
for want of its encoder, which would have to be downloaded, the embedding is Lull's hashed n-grams.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cache
from typing import Protocol

import bm25s
import numpy as np
import numpy.typing as npt

from bench.private_rules.rule import Words
from lull.backends.retrieval.embedder import HashedNgrams
from lull.backends.retrieval.top_k import k_largest

Scores = npt.NDArray[np.float32]
"""One score per skill, shape (skills,)."""


class Other(Protocol):
    def scores(self, text: str) -> Scores:
        """Return the score of each skill for a request; only positive scores count as found."""


def top(scores: Scores, k: int) -> list[int]:
    """Return the indices of the best k skills with a positive score; ties go to the first in the
    library.
    """
    return [place for place, score in k_largest(scores, k) if score > 0]


def _plain(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def _head(words: Words) -> str:
    return f"{words.name.replace('-', ' ')} {words.description}"


def _whole(words: Words) -> str:
    return f"{_head(words)} {words.body}"


class Bm25:
    """BM25 over each skill's whole text, without stemming or a least score."""

    def __init__(self, skills: Sequence[Words]) -> None:
        self._bm25 = bm25s.BM25(method="lucene")
        self._bm25.index([_plain(_whole(words)) for words in skills], show_progress=False)
        self._none = np.zeros(len(skills), np.float32)

    def scores(self, text: str) -> Scores:
        known = [word for word in set(_plain(text)) if word in self._bm25.vocab_dict]
        found: Scores = self._bm25.get_scores(sorted(known)) if known else self._none
        return found


class KeywordOverlap:
    """MetaClaw's keyword method: counts the words that request and description share."""

    def __init__(self, skills: Sequence[Words]) -> None:
        self._count = len(skills)
        places: dict[str, list[int]] = defaultdict(list)
        for place, words in enumerate(skills):
            for word in set(_plain(_head(words))):
                places[word].append(place)
        self._places = {word: np.array(found) for word, found in places.items()}

    def scores(self, text: str) -> Scores:
        shared = np.zeros(self._count, np.float32)
        for word in set(_plain(text)):
            if word in self._places:
                shared[self._places[word]] += 1
        return shared


_TYPES = {
    "coding": r"\b(code|python|script|function|api|test|bug|sql|program)",
    "research": r"\b(research|paper|source|study|citation|literature)",
    "data": r"\b(data|json|csv|table|chart|metric|statistic|report)",
    "writing": r"\b(write|draft|letter|mail|summary|document|markdown|article)",
    "planning": r"\b(plan|schedule|meeting|task|project|roster|sprint)",
    "safety": r"\b(password|secret|permission|delete|backup|copy)",
}


class Template:
    """MetaClaw's template method: keywords give the type of a task, and all skills of that type are
    found, in library order.
    """

    def __init__(self, skills: Sequence[Words]) -> None:
        types = [_type(_head(words)) for words in skills]
        self._of = {
            kind: np.array([float(t == kind) for t in types], np.float32)
            for kind in (*_TYPES, "general")
        }

    def scores(self, text: str) -> Scores:
        return self._of[_type(text)]


def _type(text: str) -> str:
    hits = {kind: len(re.findall(words, text.lower())) for kind, words in _TYPES.items()}
    best = max(hits, key=lambda kind: hits[kind])
    return best if hits[best] else "general"


_BLOCK = 16


def _embedded(text: str) -> Scores:
    return np.array(HashedNgrams().embed([text])[0], np.float32)


# The same skills stand in every library.
_known = cache(_embedded)


class Dense:
    """Cosine similarity of hashed n-grams (512 dimensions) between the request and each skill's
    text.
    """

    def __init__(self, skills: Sequence[Words], text_of: Callable[[Words], str]) -> None:
        vectors = np.array([_known(text_of(words)) for words in skills], np.float32)
        # In small blocks, as the product does it: a large product wakes a second thread, which
        # on a busy machine takes ten times as long.
        self._count, width = vectors.shape
        empty = np.zeros((-self._count % _BLOCK, width), np.float32)
        self._blocks = np.concatenate((vectors, empty)).reshape(-1, _BLOCK, width)

    def scores(self, text: str) -> Scores:
        query = _embedded(text)
        cosines: Scores = (self._blocks @ query).ravel()[: self._count]
        return cosines


BM25 = "BM25 alone"
OTHERS: dict[str, Callable[[Sequence[Words]], Other]] = {
    BM25: Bm25,
    "n-gram vectors alone": lambda skills: Dense(skills, _head),
    "MetaClaw's manner: template": Template,
    "MetaClaw's manner: keywords": KeywordOverlap,
    "MetaClaw's manner: embedding": lambda skills: Dense(skills, _whole),
}
