"""Tests of telling what kind of thing a request asks for, and which of the user's rules apply."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lull.backends.reader.request_kinds import (
    KINDS_FILE,
    TEXT_LIMIT,
    VECTORS_FILE,
    KindRuleSet,
    KindVocabulary,
    RequestKinds,
)
from lull.backends.retrieval.skill_index import WordIndex
from lull.core.chat.client import Client
from lull.core.errors import ResourceError
from lull.core.feedback.feedback import Scope
from lull.core.skills.kind_rules import RuleWithExample, kind_rule
from lull.core.skills.skill import EVERYBODY, Library, Skill
from lull.core.skills.skill_ranking import RetrievalRule
from lull.core.skills.stated_skill import skill_of
from lull.resources import request_kinds_dir

ANYBODY = Client(name="test")
FLOOR = RetrievalRule().kinds_floor
SHIPPED = RequestKinds(request_kinds_dir())


@pytest.fixture
def kinds() -> RequestKinds:
    return SHIPPED


EMAILS = RuleWithExample(
    example="Draft an email to my landlord about the heating", said="no bullet points in emails"
)
GRAMS = RuleWithExample(
    example="How do I make a lemon drizzle cake?", said="in recipes I want grams, not cups"
)


def rule_skill(rule: RuleWithExample, client: str = EVERYBODY) -> Skill:
    text = skill_of(rule.said, scope=Scope.KIND, kind_of_rule=None, asked=rule.example)
    return Skill(
        client=client,
        name=text.name,
        version=1,
        sha256=text.body,
        description=text.description,
        body=text.body,
    )


def test_a_rule_holds_for_a_request_of_its_kind_that_shares_no_word_with_it(
    kinds: RequestKinds,
) -> None:
    shelf = KindRuleSet(kinds, [EMAILS, GRAMS])
    letter = kinds.read("I need to write to the insurance, they haven't answered since May")
    supper = kinds.read("Something warm for six with the leftover chicken and some noodles")
    code = kinds.read("Sort this list of dicts by age in Python")
    email, grams = shelf.probabilities(letter)
    assert email > FLOOR > grams
    email, grams = shelf.probabilities(supper)
    assert grams > FLOOR > email
    assert (shelf.probabilities(code) < FLOOR).all()


@given(st.text(max_size=300))
def test_any_text_is_read(text: str) -> None:
    read = SHIPPED.read(text)
    assert np.isfinite(read.vector).all()
    assert read.kinds.sum() == pytest.approx(1.0, abs=1e-3) or not read.kinds.any()


@pytest.mark.parametrize("text", ["", "   ", "🙂🙂", "漢字", "\x00"])
def test_what_has_no_known_word_is_like_no_rule(kinds: RequestKinds, text: str) -> None:
    assert not kinds.read(text).kinds.any()
    assert (KindRuleSet(kinds, [EMAILS, GRAMS]).probabilities(kinds.read(text)) < FLOOR).all()


def test_an_unknown_word_is_read_as_the_longest_known_parts() -> None:
    vocabulary = KindVocabulary(["wärme", "pumpe", "##pumpe", "##n", "<?>", "<0>"])
    assert vocabulary.word_indexes("Wärmepumpe?") == [0, 1, 4]
    assert vocabulary.word_indexes("22 pumpe") == [5, 1]
    assert vocabulary.word_indexes("x" * 50_000) == []


def test_a_long_request_costs_no_more_than_its_beginning(kinds: RequestKinds) -> None:
    book = "Unwahrscheinlichkeitsbetrachtungen quux " * 5000

    def took_s(text: str) -> float:
        began = time.thread_time()
        kinds.read(text)
        return time.thread_time() - began

    def least_s(text: str) -> float:
        return min(took_s(text) for _ in range(20))

    # Reading the whole book would take two hundred times as long.
    assert least_s(book) < 10 * least_s(book[:TEXT_LIMIT])


@pytest.mark.parametrize("damaged", [KINDS_FILE, VECTORS_FILE])
@pytest.mark.parametrize("damage", ["missing", "empty", "cut", "other"])
def test_a_missing_or_damaged_file_is_said_in_plain_words(
    tmp_path: Path, damaged: str, damage: str
) -> None:
    for name in (KINDS_FILE, VECTORS_FILE):
        (tmp_path / name).write_bytes((request_kinds_dir() / name).read_bytes())
    RequestKinds(tmp_path)
    file = tmp_path / damaged
    whole = file.read_bytes()
    file.unlink()
    if damage == "empty":
        file.write_bytes(b"")
    elif damage == "cut":
        file.write_bytes(whole[: len(whole) // 2])
    elif damage == "other":
        with file.open("wb") as other:
            np.savez(other, words=np.zeros(3, np.uint8))
    with pytest.raises(ResourceError, match="kinds"):
        RequestKinds(tmp_path)


def test_the_words_vectors_lie_in_the_file_and_not_in_memory() -> None:
    kinds = RequestKinds(request_kinds_dir())
    assert not kinds._vectors.flags.owndata
    assert isinstance(kinds._vectors.base, np.memmap)


async def _index(*skills: Skill, kinds: RequestKinds | None) -> WordIndex:
    index = WordIndex()
    await index.follow(Library(1, {one.key: one for one in skills}))
    if kinds is not None:
        await index.use_kinds(kinds)
    return index


LETTER = "I need to write to the insurance, they haven't answered since May"


def test_the_index_finds_rules_by_kind_once_the_kinds_are_there(kinds: RequestKinds) -> None:
    rule = rule_skill(EMAILS)
    before = asyncio.run(_index(rule, kinds=None))
    assert before.kinds(LETTER, client=ANYBODY) == {}
    after = asyncio.run(_index(rule, kinds=kinds))
    assert list(after.kinds(LETTER, client=ANYBODY, least=FLOOR)) == [rule.key]


def test_a_rule_whose_kind_can_be_told_is_not_found_by_words_alone(kinds: RequestKinds) -> None:
    rule = rule_skill(EMAILS)
    text = "why is the heating cold, landlord"
    without = asyncio.run(_index(rule, kinds=None))
    assert rule.key in without.lexical(text, client=ANYBODY)
    assert asyncio.run(_index(rule, kinds=kinds)).lexical(text, client=ANYBODY) == {}


def test_the_index_tells_a_kind_also_for_a_rule_that_it_has_not(kinds: RequestKinds) -> None:
    rule = kind_rule(rule_skill(EMAILS))
    assert rule is not None
    assert asyncio.run(_index(kinds=None)).kind_probability(rule, LETTER) is None
    index = asyncio.run(_index(kinds=kinds))
    there = asyncio.run(_index(rule_skill(EMAILS), kinds=kinds))
    (known,) = there.kinds(LETTER, client=ANYBODY).values()
    assert index.kind_probability(rule, LETTER) == pytest.approx(known)
    assert index.kind_probability(rule, "thanks a lot!") == 0.0


def test_a_rule_that_is_approved_later_is_found_at_once(kinds: RequestKinds) -> None:
    async def story() -> None:
        index = await _index(kinds=kinds)
        assert index.kinds(LETTER, client=ANYBODY) == {}
        rule = rule_skill(EMAILS)
        await index.follow(Library(2, {rule.key: rule}))
        assert rule.key in index.kinds(LETTER, client=ANYBODY, least=FLOOR)

    asyncio.run(story())


def test_no_client_gets_the_rules_of_another(kinds: RequestKinds) -> None:
    index = asyncio.run(_index(rule_skill(EMAILS, client="mail"), kinds=kinds))
    assert index.kinds(LETTER, client=Client(name="mail", apart=True), least=FLOOR)
    assert index.kinds(LETTER, client=Client(name="other", apart=True)) == {}
    assert index.kinds(LETTER, client=Client(name="mail")) == {}


def test_small_talk_brings_no_rule(kinds: RequestKinds) -> None:
    index = asyncio.run(_index(rule_skill(EMAILS), rule_skill(GRAMS), kinds=kinds))
    for text in ("hi", "thanks a lot!", "I'm off to lunch", "Good morning", "lol", "Never mind"):
        assert index.kinds(text, client=ANYBODY, least=FLOOR) == {}, text
