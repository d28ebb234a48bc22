"""What kind of thing a request asks for: an e-mail, a recipe, SQL, a poem, … and rules like it.

Each word has a small vector, learned by `bench/kinds`; a request is the sum of its words' vectors,
and a softmax over it says how likely each kind is. Nothing but numpy and a dictionary, because it
runs before every first answer. Words that are not known are read as the longest parts that are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from lull.core.errors import ResourceError
from lull.core.kind_rules import KindRule
from lull.resources import INSTALL_AGAIN

FILE = "kinds.npz"
TEXT_LIMIT = 1000
"""Characters of a request that are read: bounds the work on the request path."""
OPENING_LIMIT = 200
"""Characters in which the first words are looked for."""
SMALL_TALK_NAME = "small talk"
SMALL_TALK = 0.15
"""Probability of small talk from which on no rule comes; 1 % of real requests lie above it."""
SHORT_WORD = 40
"""Longer runs of letters are no words, and taking them apart would take long."""
INSIDE = "##"
"""Before a part that stands inside a word."""
NUMBER = "<0>"
OPENER = "^"
"""Before one of the first words of a request, which tell more of its kind than of its subject."""
OPENERS = 3
_LEAST = 0.05
"""Added before a logarithm: two texts of no common kind are not infinitely unlike."""
_UNLIKELY = 0.01
"""Added before kinds are multiplied: neither reading may rule a kind out."""
_TOKEN = re.compile(r"[^\W\d_]+|\d+|[^\w\s]")

Vector = npt.NDArray[np.float32]
Stacked = tuple[Vector, Vector]
"""Vectors, (texts, dimensions), and kinds, (texts, kinds)."""


def opening_words(request: str) -> list[str]:
    words = filter(str.isalpha, _TOKEN.findall(request[:OPENING_LIMIT].lower()))
    return [*islice(words, OPENERS)]


class Vocabulary:
    """Splits a text into the numbers of its known words, parts of words and signs."""

    def __init__(self, words: Sequence[str]) -> None:
        self._places = {word: place for place, word in enumerate(words)}
        self._known = lru_cache(maxsize=4000)(self._parts)

    def places(self, text: str) -> list[int]:
        out: list[int] = []
        for token in _TOKEN.findall(text.lower()):
            if token.isalpha():
                if len(token) <= SHORT_WORD:
                    out += self._known(token)
                continue
            place = self._places.get(NUMBER if token.isdigit() else f"<{token}>")
            if place is not None:
                out.append(place)
        return out

    def opening(self, request: str) -> list[int]:
        """The numbers of its first words as such, of those that are known to begin requests."""
        found = (self._places.get(OPENER + word) for word in opening_words(request))
        return [place for place in found if place is not None]

    def _parts(self, word: str) -> tuple[int, ...]:
        whole = self._places.get(word)
        return (whole,) if whole is not None else tuple(self._split(word))

    def _split(self, word: str) -> list[int]:
        """The longest known part from the left, again and again; a sign that is none is skipped."""
        out, at = [], 0
        while at < len(word):
            for end in range(len(word), at + 1, -1):
                part = word[at:end]
                place = self._places.get(part) if at == 0 or end - at > 3 else None
                if place is None and at > 0:
                    place = self._places.get(INSIDE + part)
                if place is not None:
                    out.append(place)
                    at = end
                    break
            else:
                at += 1
        return out


@dataclass(frozen=True, slots=True)
class Read:
    """One text. All zero where no word of it is known."""

    vector: Vector
    """(dimensions,), of length 1."""
    kinds: Vector
    """(kinds,), the probability of each."""
    small_talk: bool
    """Likely said between people, and about no request."""


class RequestKinds:
    """What `bench/kinds` learned. Takes a tenth of a second to load."""

    def __init__(self, folder: Path) -> None:
        """Raises ResourceError: the file is missing or damaged."""
        try:
            with (folder / FILE).open("rb") as file, np.load(file) as saved:
                words = bytes(saved["words"]).decode().split("\n")
                self._vectors = saved["vectors"]
                """int8, (words, dimensions)."""
                self._scales = saved["scales"].astype(np.float32)
                self._head = saved["head"].astype(np.float32)
                self._bias = saved["bias"].astype(np.float32)
                self.mix: Vector = saved["mix"].astype(np.float32)
                self.names: list[str] = bytes(saved["kinds"]).decode().split("\n")
        except (OSError, ValueError, KeyError, BadZipFile, EOFError) as error:
            raise ResourceError(f"{folder / FILE}: {error}", hint=INSTALL_AGAIN) from error
        fits = len(words) == len(self._vectors) == len(self._scales)
        if not fits or SMALL_TALK_NAME not in self.names:
            raise ResourceError(f"{folder / FILE} does not fit together.", hint=INSTALL_AGAIN)
        self._vocabulary = Vocabulary(words)
        self._small_talk = self.names.index(SMALL_TALK_NAME)

    def read(self, request: str) -> Read:
        text = request[:TEXT_LIMIT]
        return self._read([*self._vocabulary.places(text), *self._vocabulary.opening(text)])

    def read_rule(self, said: str) -> Read:
        """What was said of a kind of request: how it begins tells nothing."""
        return self._read(self._vocabulary.places(said[:TEXT_LIMIT]))

    def _read(self, places: Sequence[int]) -> Read:
        vector = self._scales[places] @ self._vectors[places].astype(np.float32)
        length = float(np.sqrt(vector @ vector))
        if not length:
            return Read(vector, np.zeros(len(self._bias), np.float32), False)
        vector /= length
        score = vector @ self._head + self._bias
        kinds = np.exp(score - score.max())
        kinds /= kinds.sum()
        return Read(vector, kinds, bool(kinds[self._small_talk] > SMALL_TALK))


class KindShelf:
    """The rules of one room, ready to be compared with a request."""

    def __init__(self, kinds: RequestKinds, rules: Sequence[KindRule]) -> None:
        self._mix = kinds.mix
        examples = [kinds.read(rule.example) for rule in rules]
        said = [kinds.read_rule(rule.said) for rule in rules]
        self._rules = shelved(_stacked(examples), _stacked(said))

    def likeness(self, request: Read) -> Vector:
        """(rules,), for each the probability that it holds for this request."""
        seen = features(request.vector, request.kinds, self._rules)
        likely: Vector = 1 / (1 + np.exp(-(self._mix[:-1] @ seen + self._mix[-1])))
        return likely


@dataclass(frozen=True, slots=True)
class Shelved:
    """What is known of rules before any request comes."""

    vectors: Vector
    """(2 · rules, dimensions): of the examples, then of the users' words."""
    kinds: Vector
    """(3 · rules, kinds): of the examples, of the users' words, and of what both together tell."""
    sure: Vector
    """(rules,): how sure the kinds of the examples are."""


def shelved(examples: Stacked, said: Stacked) -> Shelved:
    (example_vectors, example_kinds), (said_vectors, said_kinds) = examples, said
    together = (example_kinds + _UNLIKELY) * (said_kinds + _UNLIKELY)
    together /= together.sum(1, keepdims=True)
    return Shelved(
        np.concatenate([example_vectors, said_vectors]),
        np.concatenate([example_kinds, said_kinds, together]),
        _log((example_kinds**2).sum(1)),
    )


def features(vector: Vector, kinds: Vector, rules: Shelved) -> Vector:
    """(7, rules): what is seen of a request beside each rule. How likely it has a kind in common
    with the rule's example, with the user's words and with what both together tell, how near it is
    to both, and how sure the kinds of the example and of the request are."""
    found: Vector = np.concatenate(
        [
            _log(len(kinds) * (rules.kinds @ kinds)).reshape(3, -1),
            (rules.vectors @ vector).reshape(2, -1),
            rules.sure[None],
            np.full((1, len(rules.sure)), _log(kinds @ kinds), np.float32),
        ]
    )
    return found


def _stacked(read: Sequence[Read]) -> Stacked:
    return np.array([one.vector for one in read]), np.array([one.kinds for one in read])


def _log(values: npt.ArrayLike) -> Vector:
    found: Vector = np.log(np.asarray(values, np.float32) + _LEAST)
    return found
