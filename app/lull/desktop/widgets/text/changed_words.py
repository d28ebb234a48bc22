"""Finds the words that differ between two versions of a line, for the marks inside a diff."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from typing import Final

_WORD: Final = re.compile(r"\w+|\s+|[^\w\s]")
LEAST_ALIKE: Final = 0.4
"""Least similarity of two lines, 0 to 1, at which only their differing words are marked; below it,
none are.
"""
MOST_WORDS: Final = 1_000
"""Most words and signs of a line that are compared: the comparison takes quadratic time."""

Range = tuple[int, int]


def changed_words(old: str, new: str) -> tuple[list[Range], list[Range]]:
    """Return which parts of two lines differ: for each line, the (start, end) ranges of characters
    that the other lacks.

    Both lists are empty if the lines are unrelated, or too long to compare.
    """
    olds, news = _WORD.findall(old), _WORD.findall(new)
    if max(len(olds), len(news)) > MOST_WORDS:
        return [], []
    matcher = SequenceMatcher(None, olds, news, autojunk=False)
    blocks = matcher.get_matching_blocks()
    shared = sum(len("".join(olds[one.a : one.a + one.size]).strip()) for one in blocks)
    if 2 * shared < LEAST_ALIKE * (len(old.strip()) + len(new.strip())):
        return [], []
    changes = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    return (
        _ranges(olds, ((start, end) for _, start, end, _, _ in changes)),
        _ranges(news, ((start, end) for _, _, _, start, end in changes)),
    )


def _ranges(words: Sequence[str], spans: Iterable[Range]) -> list[Range]:
    """Turn ranges of words into ranges of characters; ranges with only a space between them are
    joined.
    """
    at = [0]
    for word in words:
        at.append(at[-1] + len(word))
    found: list[Range] = []
    for first, last in spans:
        if first == last:
            continue
        start, end = at[first], at[last]
        text = "".join(words[first:last])
        if text.strip():  # a mark begins and ends at a word
            start += len(text) - len(text.lstrip())
            end -= len(text) - len(text.rstrip())
        if found and not "".join(words)[found[-1][1] : start].strip():
            start = found.pop()[0]
        found.append((start, end))
    return found
