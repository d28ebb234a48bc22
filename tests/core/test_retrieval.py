"""What fits into a prompt, and in which order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lull.core.injection import block
from lull.core.retrieval import RetrievalRule, choose, ranked, says_little, stem, terms
from lull.core.skill import Skill, SkillKey
from lull.core.window import TokenRate

RULE = RetrievalRule()


def skill(name: str, body: str = "Do so.", *, pinned: bool = False) -> Skill:
    return Skill(
        client="",
        name=name,
        version=1,
        sha256=name,
        description="When asked.",
        body=body,
        pinned=pinned,
    )


skills = st.lists(st.integers(1, 3000), max_size=8).map(
    lambda sizes: [skill(f"s{i}", "w" * size) for i, size in enumerate(sizes)]
)


@given(skills, skills, st.integers(0, 9000), st.integers(0, 9000), st.integers(0, 4000))
def test_chosen_skills_never_take_the_room_of_history_or_reply(
    pinned: list[Skill], retrieved: list[Skill], window: int, prompt: int, reply: int
) -> None:
    count = TokenRate().text
    choice = choose(
        pinned=pinned,
        retrieved=retrieved,
        window_tokens=window,
        prompt_tokens=prompt,
        reply_tokens=reply,
        tokens_of=count,
        rule=RULE,
    )
    if choice.skills:
        taken = count(block([s.body for s in choice.skills]))
        assert prompt + taken + reply <= window
        assert taken <= min(RULE.budget_tokens, window * RULE.budget_share)
        assert len([s for s in choice.skills if s in retrieved]) <= len(pinned) + RULE.at_most
    if len(choice.skills) < len(pinned):
        assert choice.why


@given(skills, st.integers(0, 500))
def test_what_is_spent_already_counts(found: list[Skill], spent: int) -> None:
    count = TokenRate().text
    choice = choose(
        pinned=[],
        retrieved=found,
        window_tokens=8192,
        prompt_tokens=100,
        reply_tokens=100,
        tokens_of=count,
        rule=RULE,
        spent_tokens=spent,
    )
    taken = count(block([s.body for s in choice.skills])) if choice.skills else 0
    assert not choice.skills or taken + spent <= RULE.budget_tokens


def test_pinned_skills_come_first_and_the_reason_is_given() -> None:
    choice = choose(
        pinned=[skill("p", "x" * 900)],
        retrieved=[skill("r", "y" * 900)],
        window_tokens=8192,
        prompt_tokens=10,
        reply_tokens=10,
        tokens_of=TokenRate().text,
        rule=RULE,
    )
    assert [s.name for s in choice.skills] == ["p"]
    assert "left out r" in choice.why


def test_at_most_three_are_retrieved() -> None:
    choice = choose(
        pinned=[],
        retrieved=[skill(f"s{i}") for i in range(9)],
        window_tokens=32_768,
        prompt_tokens=10,
        reply_tokens=10,
        tokens_of=TokenRate().text,
        rule=RULE,
    )
    assert [s.name for s in choice.skills] == ["s0", "s1", "s2"]


def test_a_skill_below_every_floor_is_not_found() -> None:
    a, b, c = (SkillKey("", name) for name in "abc")
    order = ranked(lexical={a: 0.9, b: 5.0}, exemplars={a: 0.2, c: 0.6}, uses={a: 1000}, rule=RULE)
    assert a not in order
    assert set(order) == {b, c}


def test_use_only_breaks_ties_between_relevant_skills() -> None:
    a, b = SkillKey("", "a"), SkillKey("", "b")
    assert ranked(lexical={a: 3.0, b: 3.0}, exemplars={}, uses={b: 9}, rule=RULE)[0] == b
    assert ranked(lexical={a: 9.0, b: 3.0}, exemplars={}, uses={b: 9}, rule=RULE)[0] == a


def test_words_are_stripped_to_their_subject() -> None:
    assert terms("Summarise the articles, please!") == terms("summarising article")
    assert terms("Thanks so much, that's great!") == []
    assert stem("dishes") and stem("is") == "is"
    assert terms("メニューを書いて")
    assert all(len(term) >= 1 for term in terms("a b c дом Straße L'été don’t"))


@given(st.text(max_size=200))
def test_no_text_breaks_the_words(text: str) -> None:
    assert all(terms(text))


@pytest.mark.parametrize(
    ("one", "other"),
    [("menus", "menu"), ("lists", "list"), ("status", "status"), ("reports", "reporting")],
)
def test_spellings_of_one_word_meet(one: str, other: str) -> None:
    assert terms(one) == terms(other)


def test_a_rule_for_this_kind_of_request_is_found_without_a_word_in_common() -> None:
    likely, unlikely = SkillKey("", "likely"), SkillKey("", "unlikely")
    kinds = {likely: RULE.kinds_floor, unlikely: RULE.kinds_floor - 0.01}
    assert ranked(lexical={}, exemplars={}, uses={}, kinds=kinds, rule=RULE) == [likely]


def test_two_witnesses_rank_before_one() -> None:
    both, one = SkillKey("", "both"), SkillKey("", "a-one")
    found = ranked(
        lexical={both: 2.0}, exemplars={}, uses={}, kinds={both: 0.9, one: 0.9}, rule=RULE
    )
    assert found == [both, one]


@pytest.mark.parametrize("text", ["Never mind", "How was your weekend?", "Good morning", "Why not"])
def test_a_remark_of_few_words_asks_for_no_kind_of_thing(text: str) -> None:
    assert says_little(text)


@pytest.mark.parametrize(
    "text", ["Summarize this", "I need to write to the insurance again, urgent"]
)
def test_a_task_or_a_subject_asks_for_something(text: str) -> None:
    assert not says_little(text)
