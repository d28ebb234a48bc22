"""Tests of whether a rule speaks of a request: decided only with a proof, either way."""

from __future__ import annotations

import pytest

from bench.reader.speaking_of import speaks_of


@pytest.mark.parametrize(
    ("rule", "request_", "does"),
    [
        ("Sign my emails with 'Jo'", "Write an email to Kim", True),
        ("Sign my emails with 'Jo'", "What is a monad?", False),
        ("When I ask for recipes, use grams", "How do I bake bread?", True),
        ("When I ask for recipes, use grams", "Write a haiku", False),
        ("When I ask about my garden, no Latin", "What grows in a shady garden?", True),
        ("When I ask about my garden, no Latin", "Fix this loop", None),
        ("No capital letters", "Fix this loop", True),
        ("Imperial units for my height questions only", "How far is the Moon?", None),
        ("Capitals for anything I hang on the board", "A notice to hang on the board", True),
        ("Only code, no explanation", "Write a function", True),
        ("no emojis", "anything", True),
    ],
)
def test_a_rule_speaks_of_requests_of_its_kind(rule: str, request_: str, does: bool | None) -> None:
    assert speaks_of(rule, request_) is does


@pytest.mark.parametrize(
    ("rule", "request_", "answer", "does"),
    [
        ("Mails end with 'Jo'", "What is the difference between flu and a cold?", "Fever.", False),
        ("Mails end with 'Jo'", "tell Ruben his bike is ready", "Dear Ruben,\n\nit is.", True),
        ("Mails end with 'Jo'", "something for Ruben", "It is ready.", None),
        ("Social posts without hashtags", "commit message: fixes issue 41", "fix: it", False),
        ("No semicolons in javascript", "the same in C", "int a;", False),
        ("No semicolons in javascript", "sort numbers", "const a = 1;", True),
        ("In SQL: never SELECT *", "How do I upsert?", "Use ON CONFLICT.", None),
        ("One word, if it's a yes-or-no question", "can hedgehogs swim", "Yes", True),
        ("One word, if it's a yes-or-no question", "why do they swim", "Food.", False),
        ("Mails to our suppliers in Porto are in Portuguese", "mail to Kim", "Hi", None),
    ],
)
def test_a_rule_for_a_kind_of_request_needs_a_proof_either_way(
    rule: str, request_: str, answer: str, does: bool | None
) -> None:
    assert speaks_of(rule, request_, answer) is does


def test_a_kind_is_told_by_probability_only_where_the_reader_is_sure() -> None:
    rule, request = "Number the steps of every recipe", "shortbread for eight"
    assert speaks_of(rule, request, "") is None
    assert speaks_of(rule, request, "", lambda _: {"recipe": 0.6, "story": 0.1}) is True
    assert speaks_of(rule, request, "", lambda _: {"recipe": 0.2, "story": 0.3}) is None
    assert speaks_of(rule, request, "", lambda _: {"recipe": 0.01, "story": 0.4}) is False
