"""Decides whether two checks contradict each other: whether no answer can be seen to keep both.

Only exact forms are compared (numbers, languages, letter case, lists, fixed texts). What cannot be
told from them, such as "formal" and "casual", which have no check, is no contradiction here.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from lull.core.checks.check import Check, CheckKind, Part

_LISTS: Final = (CheckKind.BULLETS, CheckKind.NUMBERED_LIST)
_COUNTED: Final = frozenset(
    {
        *_LISTS,
        CheckKind.WORDS,
        CheckKind.SENTENCES,
        CheckKind.PARAGRAPHS,
        CheckKind.LINES,
        CheckKind.CHARACTERS,
    }
)
_HOLDS: Final = {
    # A list item is on a line of its own, and has a word of at least a letter.
    **dict.fromkeys(
        _LISTS,
        frozenset({CheckKind.LINES, CheckKind.SENTENCES, CheckKind.WORDS, CheckKind.CHARACTERS}),
    ),
    CheckKind.SENTENCES: frozenset({CheckKind.WORDS, CheckKind.CHARACTERS}),
    CheckKind.WORDS: frozenset({CheckKind.CHARACTERS}),
    CheckKind.LINES: frozenset({CheckKind.CHARACTERS}),
}
"""For each kind, the kinds of which an answer has at least as many."""


def cannot_both_hold(one: Check, other: Check) -> bool:
    """Whether no answer can keep both checks; False if this is not certain."""
    if one.part is not other.part:
        return False
    if one == replace(other, must=not other.must):
        return True
    if not (one.must and other.must):
        return False
    return _excludes(one, other) or _excludes(other, one)


def _excludes(one: Check, other: Check) -> bool:
    if one.kind in _COUNTED and other.kind in _COUNTED:
        return _counts_exclude(one, other)
    if one.kind in _LISTS and other.kind is CheckKind.NO_BULLETS:
        numbered = one.kind is CheckKind.NUMBERED_LIST
        return other.value == "lists" or numbered == (other.value == "numbered")
    if one.kind is CheckKind.UPPER_CASE and other.kind is CheckKind.LOWER_CASE:
        return True
    if one.kind is other.kind is CheckKind.LANGUAGE:
        return one.value != other.value
    if one.kind is CheckKind.CONTAINS and other.kind is CheckKind.NOT_CONTAINS:
        return bool(one.value) and one.value == other.value
    return False


def _counts_exclude(one: Check, other: Check) -> bool:
    """Whether two checks of counts exclude each other: one wants more than the other allows."""
    if one.kind is not other.kind and other.kind not in _HOLDS.get(one.kind, ()):
        return False
    if one.part is not Part.WHOLE and one.kind is not other.kind:
        return False
    return one.at_least is not None and other.at_most is not None and one.at_least > other.at_most
