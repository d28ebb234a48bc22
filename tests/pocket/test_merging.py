"""Tests of merging a new rule into an old one: it replaces what it contradicts, nothing else."""

from __future__ import annotations

import random

import pytest

from lull.pocket import language as pocket
from lull.pocket import parsing
from lull.pocket.merging import keeps_some, merged, says_already


@pytest.mark.parametrize(
    ("old", "new", "both"),
    [
        (
            "When you write a menu, join with bars.",
            "When you write a menu, join with stars.",
            "When you write a menu, join with stars.",
        ),
        (
            "When you write a menu, join with bars and finish with sugar.",
            "For a menu, use stars.",
            "When you write a menu, use stars and finish with sugar.",
        ),
        (
            "For a list, start with golden.",
            "For a list, begin with silver and finish with honey.",
            "When you write a list, begin with silver and finish with honey.",
        ),
        (
            "When you write a menu, join with bars.",
            "no, always use stars in menus",
            "When you write a menu, use stars.",
        ),
    ],
)
def test_what_is_said_otherwise_takes_the_old_ones_place(old: str, new: str, both: str) -> None:
    assert merged(old, new) == both


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("When you write a menu, join with bars.", "When you write a menu, finish with sugar."),
        ("When you write a menu, join with bars.", "When you write a list, join with stars."),
        ("When you write a menu, join with bars.", "When you write a menu, join with bars."),
        # Rules in plain language are not merged: both stay, and the user decides.
        (
            "When you write an email, answer in German.",
            "When you write an email, answer in French.",
        ),
        ("When you write a menu, sign with Ada.", "When you write a menu, never sign with Ada."),
        ("Be brief.", "Be long."),
        ("", "When you write a menu, join with bars."),
    ],
)
def test_what_contradicts_nothing_changes_nothing(old: str, new: str) -> None:
    assert merged(old, new) is None


def test_in_the_pocket_language_the_newest_word_on_each_attribute_holds() -> None:
    rng = random.Random(7)
    changed = 0
    for _ in range(500):
        kind = rng.choice(tuple(pocket.Kind))
        styles = [pocket.draw_style(rng) for _ in range(2)]
        old, new = (pocket.as_sentence(pocket.draw_rule(rng, kind, style)) for style in styles)
        both = merged(old, new)
        if both is None:
            continue
        changed += 1
        parsed = parsing.parse_rule(both)
        assert parsed is not None, (old, new, both)
        before, after = styles
        assert parsed[1] == pocket.Style(
            start=after.start or before.start,
            end=after.end or before.end,
            joiner=after.joiner or before.joiner,
            reverse=after.reverse or before.reverse,
        ), (old, new, both)
    assert changed > 100


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("For a list, begin with golden.", "When you write a list, start with golden."),
        ("For a route, reverse the words.", "When you write a route, flip the words."),
        ("For a note, use stars.", "When you write a note, join with stars."),
        (
            "When you write a menu, join with bars and finish with sugar.",
            "For a menu, end with sugar and use bars.",
        ),
    ],
)
def test_the_same_wish_in_other_words_is_no_new_one(old: str, new: str) -> None:
    assert says_already(old, new)
    assert merged(old, new) is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("For a list, begin with golden.", "For a list, end with golden."),
        ("For a route, reverse the words.", "For a route, sort the words."),
        ("For a list, begin with golden.", "For a list, do not start with golden."),
        ("For a menu, join with bars.", "For a menu, use bars and finish with sugar."),
        ("For a menu, join with bars.", "For a list, join with bars."),
        ("Be brief.", "Be brief."),  # plain language, which is compared elsewhere
    ],
)
def test_what_only_sounds_like_it_is_another_wish(old: str, new: str) -> None:
    assert not says_already(old, new)


def test_a_merged_rule_keeps_the_old_words_for_what_stays() -> None:
    old = "For a menu, join with bars and finish with honey."
    new = "When you write a menu, use bars and end with sugar."
    assert merged(old, new) == "When you write a menu, join with bars and end with sugar."
    assert keeps_some(old, str(merged(old, new)))
    assert not keeps_some(old, "For a menu, use stars and end with sugar.")
    assert not keeps_some("Be brief.", "Be brief.")
