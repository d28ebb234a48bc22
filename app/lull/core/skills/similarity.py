"""Text similarity, by which Lull finds duplicate skills, similar requests with bad answers, and
rejected skills that come back in new words.

There are four thresholds. A duplicate says the same as an existing skill and becomes an edit of
it. A rejected text must not return in other words, so there less similarity is enough. Less still
is enough for a complaint that was made before, and failures are grouped most loosely, by what was
asked. Vectors, if any, are passed in.

Jaccard 0.6 and cosine 0.88 come from the design; the others are measured on pairs in the tests.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from lull.core.skills.skill import SkillKey, SkillText
from lull.core.skills.subject_words import terms
from lull.core.skills.word_overlap import (
    covered_share,
    folded,
    is_negated,
    sentences,
    subjects,
    words,
)
from lull.core.text.unicode_safety import normalised_text

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True, kw_only=True)
class LikenessRule:
    """Settings: how similar two skills must be to count as duplicates or as repetitions of each
    other, and two requests with bad answers to be put into one group.
    """

    jaccard: float = 0.6
    """Jaccard similarity of the words of two skills' bodies from which the skills are
    duplicates.
    """
    cosine: float = 0.88
    """Cosine similarity of two skills' vectors from which the skills are duplicates, if both have a
    vector.
    """
    reworded: float = 0.7
    """Similarity of subject words from which a skill counts as a repetition of a rejected one."""
    grouped: float = 0.34
    """Similarity from which two requests with bad answers are put into one group."""
    said_again: float = 0.45
    """Similarity from which two complaints count as the same one said again. Requests that merely
    follow each other in a day's work are as a rule less alike.
    """


DEFAULT_LIKENESS = LikenessRule()


def body_hash(text: SkillText) -> str:
    """Return a hash of a skill's body that is equal for bodies which differ only in case, spaces,
    markdown and punctuation.
    """
    return hashlib.sha256(" ".join(words(normalised_text(text.body))).encode()).hexdigest()


def near_duplicate(
    text: SkillText,
    others: Mapping[SkillKey, SkillText],
    *,
    vector: Sequence[float] = (),
    vectors: Mapping[SkillKey, Sequence[float]] | None = None,
    rule: LikenessRule = DEFAULT_LIKENESS,
) -> SkillKey | None:
    """Return the key of the existing skill that says the same as a new one; if there are several,
    of the most similar. None if there is none.

    `vector` and `vectors` come from the same embedder; a skill without a vector is compared by
    words only.
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
    return frozenset(terms(folded(normalised_text(text)))) or frozenset(
        words(normalised_text(text))
    )


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the Jaccard similarity |A ∩ B| / |A ∪ B| of two sets; 0 if both are empty."""
    return len(one & other) / len(one | other) if one | other else 0.0


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    """Return the cosine similarity of two vectors; 0 if either is missing, zero, or of another
    length.
    """
    size = math.hypot(*one) * math.hypot(*other)
    if not size or len(one) != len(other):
        return 0.0
    return sum(a * b for a, b in zip(one, other, strict=True)) / size


def subject_similarity(a: str, b: str) -> float:
    """Return the similarity of two texts' subject words (those that say what a text is about), in
    [0, 1]; 1 for the same words in any order.

    It is the mean of the shares of subject words that each text has in common with the other.
    """
    one, other = subjects(a), subjects(b)
    if not one or not other:
        return 1.0 if words(a) == words(b) else 0.0
    shared = covered_share(one, other) + covered_share(other, one)
    return shared / 2


def similar_groups(
    items: Sequence[Item],
    text_of: Callable[[Item], str],
    *,
    rule: LikenessRule = DEFAULT_LIKENESS,
    like: Callable[[Item, Item], float] | None = None,
) -> tuple[tuple[Item, ...], ...]:
    """Group items whose texts are similar, and return the groups, largest first. The same items in
    the same order always give the same groups.

    An item joins the group to whose members it is most similar on average, if that reaches the
    threshold; so a chain of small similarities does not join everything. `text_of` returns an
    item's text; `like` adds another measure of similarity, such as the cosine of vectors. The
    larger of the two counts.
    """
    # Each item with its text, computed once, because every item is compared with every other.
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
        max(subject_similarity(text, words_of), like(item, other) if like else 0.0)
        for other, words_of in group
    )
    return sum(shares) / len(group)


def same_in_other_words(
    text: SkillText, rejected: Iterable[SkillText], *, rule: LikenessRule = DEFAULT_LIKENESS
) -> SkillText | None:
    """Return the rejected skill that a proposed skill repeats, in the same or in other words; None
    if the proposed text is new.

    Bodies decide: every sentence of the shorter one must have a counterpart in the other, with the
    same negation. A body that only adds to a rejected one repeats it.
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
    said = [
        (subjects(sentence), is_negated(sentence)) for sentence in sentences(normalised_text(body))
    ]
    return [saying for saying in said if saying[0]] or said


def _same(one: _Saying, other: _Saying) -> float:
    if one[1] != other[1]:
        return 0.0
    return (covered_share(one[0], other[0]) + covered_share(other[0], one[0])) / 2
