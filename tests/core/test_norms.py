"""Norms: what a kind of thing must be like becomes an order, in the user's own words."""

from __future__ import annotations

import pytest

from lull.core.norms import norm_of
from lull.core.signals import SignalKind, read_reply
from lull.core.stated_rule import stated_rule

NORMS = [
    ("menus should end with sugar", "menus", "end with sugar"),
    ("every menu has to finish with honey", "menu", "finish with honey"),
    ("A menu should start with water.", "menu", "start with water"),
    ("menus always end in sugar", "menus", "end in sugar"),
    ("a menu must not start with water", "menu", "do not start with water"),
    ("I want the words joined with bars", "", "join with bars"),
    ("for a menu, I want the words joined with bars", "menu", "join with bars"),
    ("in a menu the words should be joined by bars", "menu", "join by bars"),
    ("I'd like menus to end with sugar", "menus", "end with sugar"),
    ("Emails to my boss must be short", "Emails to my boss", "keep it short"),
    ("it should be joined with bars", "", "join with bars"),
    ("it should have been written in the past tense", "", "write in the past tense"),
    ("you should have ended it with sugar", "", "end with sugar"),
    ("you should have used dashes", "", "use dashes"),
    ("Commit messages must never contain emojis", "Commit messages", "never let it contain emojis"),
    ("every heading should be in bold", "heading", "write it in bold"),
    ("dates must be written as 3 May 2025", "", "write as 3 May 2025"),
    ("it should not be longer than five lines", "", "do not make it longer than five lines"),
    (
        "recipes should list the oven temperature first",
        "recipes",
        "list the oven temperature first",
    ),
    ("all functions must have type hints", "functions", "give it type hints"),
    ("lists should be numbered", "lists", "keep it numbered"),
    ("you forgot the sugar at the end", "", "put the sugar at the end"),
    ("you forgot to mention the deadline", "", "mention the deadline"),
]

STORIES = [
    "the meeting should be on Friday",
    "it should work now",
    "that should do it",
    "the capital should be Canberra",
    "You should try the lasagna",
    "we should meet at noon",
    "tomatoes should be ripe",
    "dogs should be walked daily",
    "I want dogs to be happy",
    "The total should be 42",
    "things should be easy",
    "children should eat vegetables",
    "I want it to rain",
    "he should have called",
    "the server should start with the config file",
    "passwords should be kept safe",
    "meetings should start on time",
    "the train should be here by noon",
    "I need this to be ready by five",
    "it must be raining",
    "you should have seen it",
    "they should have won",
    "Users should be able to log in",
    "plants need to be watered",
]


@pytest.mark.parametrize(("said", "kind", "order"), NORMS)
def test_a_norm_is_an_order(said: str, kind: str, order: str) -> None:
    norm = norm_of(said)
    assert norm is not None
    assert (norm.kind, f"{norm.lead}{norm.words}") == (kind, order)
    assert norm.words in said


@pytest.mark.parametrize("said", STORIES)
def test_what_must_be_so_in_the_world_is_none(said: str) -> None:
    assert norm_of(said) is None


@pytest.mark.parametrize("said", ["menus end with sugar", "a menu is joined with bars"])
def test_a_plain_statement_is_one_only_behind_a_no(said: str) -> None:
    assert norm_of(said) is None
    assert norm_of(said, led=True) is not None


@pytest.mark.parametrize(
    ("asked", "said", "body"),
    [
        ("menu", "menus should end with sugar", "end with sugar."),
        ("menu", "No. For a menu, I want the words joined with bars.", "join with bars."),
        ("menu", "wrong, every menu has to end with honey", "end with honey."),
        ("menu", "again, but end with sugar", "end with sugar."),
        ("menu", "I told you: menus end with sugar", "end with sugar."),
        ("menu", "you should have ended it with sugar", "end with sugar."),
        ("menu", "from now on please end with sugar whenever I ask for a menu", "end with sugar."),
        ("summary", "no, all summaries have to begin with a date", "begin with a date."),
        ("box", "boxes should be written in bold", "write in bold."),
        ("recipe", "no, for recipes give grams, not cups", "give grams, not cups."),
    ],
)
def test_as_a_correction_it_is_a_rule_for_its_kind(asked: str, said: str, body: str) -> None:
    rule = stated_rule(said, asked=f"write a {asked} for apple river stone")
    assert rule is not None
    assert rule.body == f"When you write a {asked}, {body}"
    (signal,) = read_reply(said, asked=f"write a {asked}", answer="apple and river")
    assert (signal.kind, signal.value) == (SignalKind.CORRECTION, -1.0)


def test_for_another_kind_it_is_a_rule_for_that_one() -> None:
    rule = stated_rule("Emails to my boss must be short.", asked="write an email")
    assert rule is not None
    assert rule.body == "When you write emails to my boss, keep it short."
    assert "emails to my boss" in rule.description


@pytest.mark.parametrize(
    "said",
    [
        "Great. Now write a limerick. Limericks should have five lines.",
        "Thanks! A haiku should have 17 syllables, right?",
        "All functions should have tests. Can you write a test for this one?",
        "The kids should be home by five. Remind me what to cook?",
        "We want people to click. Make a second one for Facebook.",
        "An essay must have a thesis. Which thesis would fit climate change?",
    ],
)
def test_behind_a_fresh_order_or_before_a_question_it_corrects_nothing(said: str) -> None:
    assert not [s for s in read_reply(said, asked="write it", answer="…") if s.value < 0]
