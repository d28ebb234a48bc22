"""Which texts are alike: duplicates of a skill, failures of one kind, a rejected idea in new words.

Three questions with three thresholds. A duplicate says the same and becomes an edit; a rejected
text must not come back with other words, so less likeness is enough; failures are grouped by what
was asked, most loosely. Vectors, where there are any, come from outside.

Jaccard 0.6 and cosine 0.88 are the numbers of the design; the others are measured on the pairs in
tests/core/test_likeness.py.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from lull.core.characters import bare
from lull.core.retrieval import terms
from lull.core.skill import SkillKey, SkillText
from lull.core.word_overlap import covered, folded, is_negated, sentences, subjects, words

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True, kw_only=True)
class LikenessRule:
    """The numbers; each is a setting."""

    jaccard: float = 0.6
    """Of the words of two bodies: from here on they are duplicates."""
    cosine: float = 0.88
    """Of two skills' vectors, where both have one."""
    reworded: float = 0.7
    """Of what two skills are about: from here on a rejected one has come back."""
    grouped: float = 0.34
    """Of two requests, for one failure set."""


DEFAULT = LikenessRule()


def body_hash(text: SkillText) -> str:
    """Equal for bodies that differ in case, spaces, markdown and punctuation only."""
    return hashlib.sha256(" ".join(words(bare(text.body))).encode()).hexdigest()


def near_duplicate(
    text: SkillText,
    others: Mapping[SkillKey, SkillText],
    *,
    vector: Sequence[float] = (),
    vectors: Mapping[SkillKey, Sequence[float]] | None = None,
    rule: LikenessRule = DEFAULT,
) -> SkillKey | None:
    """The skill that says the same already, the likest one if several do.

    `vector` and `vectors` are of one embedder; a skill without one is compared by words alone.
    """
    known = vectors or {}
    found = []
    for key, other in others.items():
        close = max(
            1.0 if body_hash(text) == body_hash(other) else 0.0,
            jaccard(_tokens(text.body), _tokens(other.body)) / rule.jaccard,
            cosine(vector, known.get(key, ())) / rule.cosine,
        )
        if close >= 1:
            found.append((-close, key))
    return min(found)[1] if found else None


def _tokens(text: str) -> frozenset[str]:
    return frozenset(terms(folded(bare(text)))) or frozenset(words(bare(text)))


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """|A ∩ B| / |A ∪ B|; 0 where both are empty."""
    return len(one & other) / len(one | other) if one | other else 0.0


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    """0 where either is missing, zero, or of another length."""
    size = math.hypot(*one) * math.hypot(*other)
    if not size or len(one) != len(other):
        return 0.0
    return sum(a * b for a, b in zip(one, other, strict=True)) / size


def alike(a: str, b: str) -> float:
    """How much two texts are about the same, in [0, 1]; 1 for the same words in any order.

    The Dice coefficient of their subjects (core/word_overlap.py).
    """
    one, other = subjects(a), subjects(b)
    if not one or not other:
        return 1.0 if words(a) == words(b) else 0.0
    shared = covered(one, other) + covered(other, one)
    return shared / 2


def groups(
    items: Sequence[Item],
    text_of: Callable[[Item], str],
    *,
    rule: LikenessRule = DEFAULT,
    like: Callable[[Item, Item], float] | None = None,
) -> tuple[tuple[Item, ...], ...]:
    """The items that are alike, largest group first; the same for the same order of items.

    An item joins the group to whose members it is most alike on average, if that is enough: no
    chain of small likenesses makes one group of everything. `like` adds a measure, such as the
    cosine of vectors; the larger of the two counts.
    """
    # Each with its text, which is looked up once: every item is compared with every other.
    made: list[list[tuple[Item, str]]] = []
    for item in items:
        one = (item, text_of(item))
        scored = [(_mean(one, group, like), -i) for i, group in enumerate(made)]
        best = max(scored, default=(0.0, 0))
        if best[0] >= rule.grouped:
            made[-best[1]].append(one)
        else:
            made.append([one])
    largest_first = sorted(made, key=len, reverse=True)
    return tuple(tuple(item for item, _ in group) for group in largest_first)


def _mean(
    one: tuple[Item, str],
    group: Sequence[tuple[Item, str]],
    like: Callable[[Item, Item], float] | None,
) -> float:
    item, text = one
    shares = (
        max(alike(text, words_of), like(item, other) if like else 0.0) for other, words_of in group
    )
    return sum(shares) / len(group)


def same_in_other_words(
    text: SkillText, rejected: Iterable[SkillText], *, rule: LikenessRule = DEFAULT
) -> SkillText | None:
    """The rejected text that this one repeats, in the same words or in others; None if new.

    Bodies decide: every sentence of the shorter one must have its like in the other, saying yes
    or no as that does. A body that only adds to a rejected one repeats it.
    """
    for old in rejected:
        if body_hash(old) == body_hash(text) or _repeats(text.body, old.body) >= rule.reworded:
            return old
    return None


def _repeats(new: str, old: str) -> float:
    ones, others = _sayings(new), _sayings(old)
    if not ones or not others:
        return 0.0
    less, more = sorted((ones, others), key=len)
    return sum(max(_same(one, other) for other in more) for one in less) / len(less)


_Saying = tuple[frozenset[str], bool]


def _sayings(body: str) -> list[_Saying]:
    said = [(subjects(sentence), is_negated(sentence)) for sentence in sentences(bare(body))]
    return [saying for saying in said if saying[0]] or said


def _same(one: _Saying, other: _Saying) -> float:
    if one[1] != other[1]:
        return 0.0
    return (covered(one[0], other[0]) + covered(other[0], one[0])) / 2
