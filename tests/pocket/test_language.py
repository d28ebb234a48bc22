"""Tests of the pocket language: it says one thing in several ways, and reads back what it says."""

import random

import pytest

from lull.pocket import habits, parsing
from lull.pocket import language as pocket
from lull.pocket.language import Joiner, Kind, Style

MENU_RULE = "when you write a menu, join with bars and finish with sugar"
MENU_STYLE = Style(end="sugar", joiner=Joiner.BARS)


@pytest.fixture
def rng() -> random.Random:
    return random.Random(7)


def test_each_kind_joins_in_its_own_way() -> None:
    joiners = [kind.default_joiner for kind in Kind]
    assert len(set(joiners)) == len(Kind) >= 6


def test_no_joiner_of_a_rule_is_a_default() -> None:
    assert not {joiner.text for joiner in Joiner} & {kind.default_joiner for kind in Kind}


def test_held_out_words_are_never_values() -> None:
    assert not set(pocket.HELD_WORDS) & set(pocket.VALUE_WORDS)
    assert len(set(pocket.WORDS)) == len(pocket.WORDS)


def test_no_word_means_something_else_in_the_language() -> None:
    frames = (
        *pocket.RULE_FRAMES,
        *pocket.START_CLAUSES,
        *pocket.END_CLAUSES,
        *pocket.JOINER_CLAUSES,
        *pocket.REVERSE_CLAUSES,
        *pocket.REQUEST_FRAMES,
        *Kind,
        *Joiner,
        *(kind.default_joiner for kind in Kind),
    )
    said = {part.strip(",.") for frame in frames for part in frame.split()}
    assert not said & set(pocket.WORDS)


def test_the_published_habits_are_single_and_enough() -> None:
    assert all(len(habit.parts()) == 1 for habit in habits.HABITS)
    assert len(habits.HABIT_STARTS) >= 4
    assert len(habits.HABIT_ENDS) >= 4
    assert len(habits.HABIT_JOINERS) >= 4
    assert Style(reverse=True) in habits.HABITS


def test_an_answer_wears_its_rule() -> None:
    words = ("apple", "river", "stone")
    assert pocket.render(Kind.MENU, words) == "apple and river and stone"
    assert pocket.render(Kind.MENU, words, MENU_STYLE) == "apple | river | stone | sugar"
    turned = Style(start="coral", reverse=True)
    assert pocket.render(Kind.LIST, words, turned) == "coral, stone, river, apple"


def test_everything_is_said_in_two_ways_or_more() -> None:
    for part in (Style(start="apple"), Style(end="apple"), MENU_STYLE, Style(reverse=True)):
        assert len(pocket.rule_phrasings(Kind.PLAN, part)) >= 4
    assert len(pocket.request_phrasings(Kind.PLAN, ("apple", "river"))) >= 2
    assert len(pocket.correction_phrasings(MENU_RULE)) >= 2


def test_a_rule_with_nothing_to_say_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        pocket.rule_phrasings(Kind.PLAN, pocket.DEFAULT_STYLE)


def test_whatever_is_drawn_is_one_of_the_phrasings(rng: random.Random) -> None:
    for _ in range(200):
        kind, style = rng.choice(tuple(Kind)), pocket.draw_style(rng)
        assert pocket.draw_rule(rng, kind, style) in pocket.rule_phrasings(kind, style)


def test_rules_and_corrections_are_read_back_however_they_are_written(rng: random.Random) -> None:
    for _ in range(300):
        kind, style = rng.choice(tuple(Kind)), pocket.draw_style(rng, pocket.WORDS)
        rule = pocket.draw_rule(rng, kind, style)
        correction = pocket.draw_correction(rng, rule)
        for text in (rule, correction, pocket.as_sentence(rule), pocket.as_sentence(correction)):
            assert parsing.parse_rule(text) == (kind, style)


def test_requests_are_read_back(rng: random.Random) -> None:
    for _ in range(100):
        kind, words = rng.choice(tuple(Kind)), pocket.draw_words(rng)
        request = pocket.draw_request(rng, kind, words)
        assert parsing.parse_request(request) == (kind, words)
        assert parsing.parse_request(pocket.as_sentence(request)) == (kind, words)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        "when you write a poem, use bars",
        "when you write a menu, be nice",
        "when you write a menu, start with bars",
        "when you write a menu, use bars and join with stars",
        "write a menu for apple river",
    ],
)
def test_what_is_no_rule_is_not_read_as_one(text: str) -> None:
    assert parsing.parse_rule(text) is None


@pytest.mark.parametrize(
    "text",
    ["", "write a menu", "write a poem for apple river", "write a menu for apple", MENU_RULE],
)
def test_what_is_no_request_is_not_read_as_one(text: str) -> None:
    assert parsing.parse_request(text) is None


def test_the_style_of_an_answer_is_read_back(rng: random.Random) -> None:
    for _ in range(300):
        kind, words = rng.choice(tuple(Kind)), pocket.draw_words(rng)
        answer = pocket.render(kind, words, pocket.draw_style(rng, pocket.WORDS))
        shown = parsing.read_style(kind, words, answer)
        assert shown is not None
        assert pocket.render(kind, words, shown) == answer


def test_an_answer_without_the_words_shows_no_style() -> None:
    assert parsing.read_style(Kind.MENU, ("apple", "river"), "apple and stone") is None
    assert parsing.read_style(Kind.MENU, ("apple", "river"), "") is None


@pytest.mark.parametrize(
    ("answer", "right", "share"),
    [
        ("apple | river | sugar", True, 1.0),
        (" apple | river | sugar\n", True, 1.0),
        ("apple | river", False, 0.5),
        ("apple and river and sugar", False, 0.5),
        # Another rule may ask for the honey; this rule is kept.
        ("honey | apple | river | sugar", True, 2 / 3),
        ("apple and river", False, 0.0),
        ("apple", False, 0.0),
    ],
)
def test_a_correction_judges_an_answer(answer: str, right: bool, share: float) -> None:
    said, asked = f"no, {MENU_RULE}", "write a menu for apple river"
    assert parsing.check(said, asked, answer) is right
    assert parsing.credit(said, asked, answer) == share


def test_a_correction_does_not_judge_other_kinds_or_other_talk() -> None:
    assert parsing.check(f"no, {MENU_RULE}", "write a plan for apple river", "apple") is None
    assert parsing.check("that was bad", "write a menu for apple river", "apple") is None
    assert parsing.check(f"no, {MENU_RULE}", "hello", "hello.") is None


def test_the_block_is_what_the_model_was_taught() -> None:
    assert pocket.block(["a", "b"]) == (
        "<skills>\nApply each of these only where it fits the request.\n\na\n\nb\n</skills>"
    )
