"""Predicts what kind of text a request asks for (e-mail, SQL, poem, …), and which of the user's
rules apply to it.

Each word has a small vector, learned by `bench/kinds`; a request is the sum of its words' vectors,
and a softmax over it gives the probability of each kind. Uses only numpy and a dictionary, because
it runs before every first answer. Unknown words are split into their longest known parts.
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
from lull.core.skills.kind_rules import RuleWithExample
from lull.resources import INSTALL_AGAIN, request_kinds_dir

KINDS_FILE = "kinds.npz"
VECTORS_FILE = "vectors.npy"
"""The words' vectors: mapped into memory, so that only the pages of words that are asked for are
there.
"""
TEXT_LIMIT = 1000
"""Most characters read of a request, to bound the work."""
OPENING_LIMIT = 200
"""Number of characters at a request's start in which its first words are looked for."""
SMALL_TALK_NAME = "small talk"
MOST_SMALL_TALK = 0.15
"""Probability of small talk above which no rule is applied to a message.

1 % of real requests lie above it.
"""
LONGEST_WORD = 40
"""Most letters of a word; longer ones are skipped, because splitting them would be slow."""
INSIDE = "##"
"""Prefix that marks a vocabulary entry as a part inside a word."""
NUMBER = "<0>"
OPENER = "^"
"""Prefix that marks a vocabulary entry as one of a request's first words.

These tell a request's kind more than its subject.
"""
OPENERS = 3
"""Number of first words of a request that count as its opening."""
_LOG_FLOOR = 0.05
"""Constant added before a logarithm to keep it finite."""
_KIND_FLOOR = 0.01
"""Probability added to each kind before two readings are multiplied, so that neither rules a kind
out.
"""
_TOKEN = re.compile(r"[^\W\d_]+|\d+|[^\w\s]")

Vector = npt.NDArray[np.float32]
Stacked = tuple[Vector, Vector]
"""Features of several texts: vectors (texts, dimensions) and kind probabilities (texts, kinds)."""


def opening_words(request: str) -> list[str]:
    """Return the first few (OPENERS) words of a request, in lower case."""
    words = filter(str.isalpha, _TOKEN.findall(request[:OPENING_LIMIT].lower()))
    return [*islice(words, OPENERS)]


class KindVocabulary:
    """Maps a text to vocabulary indexes of its words, word parts and punctuation signs."""

    def __init__(self, words: Sequence[str]) -> None:
        self._places = {word: place for place, word in enumerate(words)}
        self._known = lru_cache(maxsize=4000)(self._parts)

    def word_indexes(self, text: str) -> list[int]:
        """Return the vocabulary indexes of all known words and word parts of a text."""
        out: list[int] = []
        for token in _TOKEN.findall(text.lower()):
            if token.isalpha():
                if len(token) <= LONGEST_WORD:
                    out += self._known(token)
                continue
            place = self._places.get(NUMBER if token.isdigit() else f"<{token}>")
            if place is not None:
                out.append(place)
        return out

    def opening_indexes(self, request: str) -> list[int]:
        """Return the vocabulary indexes of a request's first words; words that the vocabulary does
        not have as first words are left out.
        """
        found = (self._places.get(OPENER + word) for word in opening_words(request))
        return [place for place in found if place is not None]

    def _parts(self, word: str) -> tuple[int, ...]:
        whole = self._places.get(word)
        return (whole,) if whole is not None else tuple(self._split(word))

    def _split(self, word: str) -> list[int]:
        """Split greedily into the longest known parts from the left, skipping unknown letters."""
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
class TextFeatures:
    """Features of a text that tell what kind of request it is, such as its embedding.

    They are all zero if none of its words is in the vocabulary.
    """

    vector: Vector
    """The text's embedding, a unit vector of shape (dimensions,)."""
    kinds: Vector
    """Probability that the text asks for each kind, shape (kinds,)."""
    small_talk: bool
    """Whether the text is likely small talk rather than a request."""


class RequestKinds:
    """Predicts the kind of text that a request asks for, such as an e-mail, with a model trained by
    `bench/kinds`.

    Takes a tenth of a second to load.
    """

    @classmethod
    def shipped(cls) -> RequestKinds:
        """Read the classifier that ships with Lull. Blocking. Raises ResourceError."""
        return cls(request_kinds_dir())

    def __init__(self, folder: Path) -> None:
        """Load the model that predicts the kind of text a request asks for.

        Raises ResourceError if its file is missing or damaged.
        """
        try:
            with (folder / KINDS_FILE).open("rb") as file, np.load(file) as saved:
                words = bytes(saved["words"]).decode().split("\n")
                self._scales = saved["scales"].astype(np.float32)
                self._head = saved["head"].astype(np.float32)
                self._bias = saved["bias"].astype(np.float32)
                self.mix: Vector = saved["mix"].astype(np.float32)
                self.names: list[str] = bytes(saved["kinds"]).decode().split("\n")
            self._vectors = np.asarray(np.load(folder / VECTORS_FILE, mmap_mode="r"))
            """int8, (words, dimensions)."""
        except (OSError, ValueError, KeyError, BadZipFile, EOFError) as error:
            raise ResourceError(
                f"{folder / KINDS_FILE} or {VECTORS_FILE} cannot be read: “{error}”.",
                hint=INSTALL_AGAIN,
            ) from error
        fits = len(words) == len(self._vectors) == len(self._scales)
        if not fits or SMALL_TALK_NAME not in self.names:
            raise ResourceError(
                f"{folder / KINDS_FILE} and {VECTORS_FILE} do not fit.", hint=INSTALL_AGAIN
            )
        self._vocabulary = KindVocabulary(words)
        self._small_talk = self.names.index(SMALL_TALK_NAME)

    def read(self, request: str) -> TextFeatures:
        """Compute the features of a request, such as its embedding and the probability of each kind
        of text.
        """
        text = request[:TEXT_LIMIT]
        return self._read(
            [*self._vocabulary.word_indexes(text), *self._vocabulary.opening_indexes(text)]
        )

    def read_rule(self, said: str) -> TextFeatures:
        """Compute the features of a rule for one kind of request, such as e-mails, from the user's
        words.

        Unlike a request's, its opening words get no weight of their own.
        """
        return self._read(self._vocabulary.word_indexes(said[:TEXT_LIMIT]))

    def _read(self, places: Sequence[int]) -> TextFeatures:
        vector = self._scales[places] @ self._vectors[places].astype(np.float32)
        length = float(np.sqrt(vector @ vector))
        if not length:
            return TextFeatures(vector, np.zeros(len(self._bias), np.float32), False)
        vector /= length
        score = vector @ self._head + self._bias
        kinds = np.exp(score - score.max())
        kinds /= kinds.sum()
        return TextFeatures(vector, kinds, bool(kinds[self._small_talk] > MOST_SMALL_TALK))


class KindRuleSet:
    """The rules of one client (a chat app) that apply to certain kinds of requests, such as
    e-mails, in a form that is fast to compare with a request.
    """

    def __init__(self, kinds: RequestKinds, rules: Sequence[RuleWithExample]) -> None:
        self._mix = kinds.mix
        examples = [kinds.read(rule.example) for rule in rules]
        said = [kinds.read_rule(rule.said) for rule in rules]
        self._rules = kind_rule_arrays(_stacked(examples), _stacked(said))

    def probabilities(self, request: TextFeatures) -> Vector:
        """Return the probability that each of the client's rules applies to the request, shape
        (rules,).
        """
        seen = match_features(request.vector, request.kinds, self._rules)
        likely: Vector = 1 / (1 + np.exp(-(self._mix[:-1] @ seen + self._mix[-1])))
        return likely


@dataclass(frozen=True, slots=True)
class KindRuleArrays:
    """Arrays computed in advance from rules for kinds of requests, such as e-mails, with which a
    request is compared quickly.
    """

    vectors: Vector
    """Vectors of the rules' example requests, then of the words in which users stated the rules.

    Shape (2 · rules, dimensions).
    """
    kinds: Vector
    """Kind probabilities by the rules' example requests, by the users' words, and by both.

    Shape (3 · rules, kinds).
    """
    sure: Vector
    """Certainty of the kinds of the rules' example requests, shape (rules,)."""


def kind_rule_arrays(examples: Stacked, said: Stacked) -> KindRuleArrays:
    """Compute the arrays with which a request is compared to find the rules that apply to it, from
    each rule's example request and the words in which the user stated it.
    """
    (example_vectors, example_kinds), (said_vectors, said_kinds) = examples, said
    together = (example_kinds + _KIND_FLOOR) * (said_kinds + _KIND_FLOOR)
    together /= together.sum(1, keepdims=True)
    return KindRuleArrays(
        np.concatenate([example_vectors, said_vectors]),
        np.concatenate([example_kinds, said_kinds, together]),
        _log((example_kinds**2).sum(1)),
    )


def match_features(vector: Vector, kinds: Vector, rules: KindRuleArrays) -> Vector:
    """Compute seven numbers for each rule that say how well a request matches it, shape (7, rules).

    `vector` and `kinds` are the request's embedding and kind probabilities. The numbers:
    log-probability of a kind in common with the rule's example request, with the user's words and
    with both combined; similarity to both; certainty of the example's and of the request's kinds.
    """
    found: Vector = np.concatenate(
        [
            _log(len(kinds) * (rules.kinds @ kinds)).reshape(3, -1),
            (rules.vectors @ vector).reshape(2, -1),
            rules.sure[None],
            np.full((1, len(rules.sure)), _log(kinds @ kinds), np.float32),
        ]
    )
    return found


def _stacked(read: Sequence[TextFeatures]) -> Stacked:
    return np.array([one.vector for one in read]), np.array([one.kinds for one in read])


def _log(values: npt.ArrayLike) -> Vector:
    found: Vector = np.log(np.asarray(values, np.float32) + _LOG_FLOOR)
    return found
