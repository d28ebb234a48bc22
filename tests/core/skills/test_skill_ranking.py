"""Tests of choosing skills for a prompt: which ones fit, and in which order."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lull.core.chat.context_window import TokenRate
from lull.core.skills.past_requests import PastRequestScores
from lull.core.skills.prompt_block import skills_block
from lull.core.skills.skill import Skill, SkillKey
from lull.core.skills.skill_ranking import (
    RetrievalRule,
    SkillChoice,
    choose,
    past_request_score,
    ranked,
)
from lull.core.skills.subject_words import says_little, stem, terms

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
    count = TokenRate().text_tokens
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
        taken = count(skills_block([s.body for s in choice.skills]))
        assert prompt + taken + reply <= window
        assert taken <= min(RULE.budget_tokens, window * RULE.budget_share)
        assert len([s for s in choice.skills if s in retrieved]) <= len(pinned) + RULE.at_most
    if len(choice.skills) < len(pinned):
        assert choice.why


@given(skills, st.integers(0, 500))
def test_what_is_spent_already_counts(found: list[Skill], spent: int) -> None:
    count = TokenRate().text_tokens
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
    taken = count(skills_block([s.body for s in choice.skills])) if choice.skills else 0
    assert not choice.skills or taken + spent <= RULE.budget_tokens


def test_pinned_skills_come_first_and_the_reason_is_given() -> None:
    choice = choose(
        pinned=[skill("p", "x" * 900)],
        retrieved=[skill("r", "y" * 900)],
        window_tokens=8192,
        prompt_tokens=10,
        reply_tokens=10,
        tokens_of=TokenRate().text_tokens,
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
        tokens_of=TokenRate().text_tokens,
        rule=RULE,
    )
    assert [s.name for s in choice.skills] == ["s0", "s1", "s2"]


def test_a_skill_below_every_floor_is_not_found() -> None:
    a, b, c = (SkillKey("", name) for name in "abc")
    order = ranked(lexical={a: 0.9, b: 5.0}, exemplars={a: 0.2, c: 0.6}, uses={a: 1000}, rule=RULE)
    assert a not in order
    assert set(order) == {b, c}


def test_many_past_requests_must_say_more_than_a_lone_one() -> None:
    lone = PastRequestScores(wanted=0.6, helped=0.6, among=1)
    assert past_request_score(lone, says_little=False) == pytest.approx(0.6)
    assert past_request_score(lone._replace(among=500), says_little=False) == 0
    assert past_request_score(lone, says_little=True) == 0
    refused = PastRequestScores(wanted=0.6, helped=-0.2, among=1)
    assert past_request_score(refused, says_little=False) == -0.2


def test_what_requests_like_this_one_clearly_wanted_comes_though_others_wanted_nothing() -> None:
    clear = PastRequestScores(wanted=0.9, helped=-0.2, among=500)
    assert past_request_score(clear, says_little=False) == pytest.approx(0.9)
    assert past_request_score(clear, says_little=True) == -0.2


def test_a_skill_is_not_found_by_words_where_past_requests_speak_against_it() -> None:
    a, b = SkillKey("", "a"), SkillKey("", "b")
    order = ranked(lexical={a: 9.0, b: 9.0}, exemplars={a: -0.5}, uses={}, rule=RULE)
    assert order == [b]


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


# What holds for every request


def chosen(*, window: int = 8192, **skills: list[Skill]) -> SkillChoice:
    return choose(
        pinned=skills.get("pinned", []),
        general=skills.get("general", []),
        retrieved=skills.get("retrieved", []),
        window_tokens=window,
        prompt_tokens=0,
        reply_tokens=0,
        tokens_of=TokenRate().text_tokens,
        rule=RULE,
    )


def names(choice: SkillChoice) -> list[str]:
    return [skill.name for skill in choice.skills]


def test_what_holds_for_every_request_stands_between_the_pinned_and_the_found() -> None:
    choice = chosen(pinned=[skill("p")], general=[skill("g")], retrieved=[skill("r")])
    assert names(choice) == ["p", "g", "r"]
    assert choice.why == ""


def test_a_full_sheet_leaves_room_for_what_this_request_is_about() -> None:
    budget = min(RULE.budget_tokens, int(8192 * RULE.budget_share))
    sheet = [skill(f"g{n}", f"{n}" * budget) for n in range(9)]
    about = skill("r", "r" * budget)
    choice = chosen(general=sheet, retrieved=[about])
    assert about in choice.skills
    assert names(choice)[0] == "g0"  # the most proven first
    taken = choice.skills[: choice.skills.index(about)]
    share = TokenRate().text_tokens(skills_block([s.body for s in taken])) / budget
    assert share <= RULE.sheet_share
    left = [s.name for s in sheet if s not in choice.skills]
    assert left and all(name in choice.why for name in left)


def test_a_line_that_the_request_leaves_room_for_joins_behind_it() -> None:
    budget = min(RULE.budget_tokens, int(8192 * RULE.budget_share))
    sheet = [skill(f"g{n}", f"{n}" * budget) for n in range(3)]
    alone, beside = chosen(general=sheet), chosen(general=sheet, retrieved=[skill("r")])
    assert len(alone.skills) >= 2
    assert set(names(beside)) >= {"g0", "r"}
    assert names(beside).index("r") < len(names(beside)) - 1


def test_of_the_lines_without_room_those_that_the_request_is_about_join_first() -> None:
    sheet = [skill(f"g{n}", f"{n}" * RULE.budget_tokens) for n in range(9)]
    choice = chosen(general=sheet, retrieved=[sheet[7]])
    assert "g7" in names(choice)
    assert names(choice).index("g7") < RULE.at_most + 1


def test_measuring_a_long_sheet_looks_at_each_line_once() -> None:
    measured: list[str] = []

    def tokens_of(text: str) -> int:
        measured.append(text)
        return TokenRate().text_tokens(text)

    sheet = [skill(f"g{n}", f"{n}" * 90) for n in range(40)]
    choose(
        pinned=[],
        general=sheet,
        retrieved=sheet[20:],
        window_tokens=8192,
        prompt_tokens=0,
        reply_tokens=0,
        tokens_of=tokens_of,
        rule=RULE,
    )
    assert len(measured) == len(sheet) + 1  # and the block around them


def test_a_general_skill_that_is_found_as_well_stands_once_and_takes_no_place_of_the_found() -> (
    None
):
    general = skill("g")
    others = [skill(f"r{n}") for n in range(RULE.at_most)]
    choice = chosen(general=[general], retrieved=[general, *others])
    assert names(choice) == ["g", *(s.name for s in others)]


@given(skills, skills, skills, st.integers(0, 9000))
def test_a_sheet_takes_no_more_than_its_budget_however_long_it_is(
    pinned: list[Skill], general: list[Skill], retrieved: list[Skill], window: int
) -> None:
    pinned = [replace(s, name=f"p{n}") for n, s in enumerate(pinned)]
    general = [replace(s, name=f"g{n}") for n, s in enumerate(general)]
    choice = chosen(window=window, pinned=pinned, general=general, retrieved=retrieved)
    assert len(set(names(choice))) == len(choice.skills)
    if choice.skills:
        taken = TokenRate().text_tokens(skills_block([s.body for s in choice.skills]))
        assert taken <= min(RULE.budget_tokens, window * RULE.budget_share)
    wanted = {s.name for s in (*pinned, *general)}
    if not wanted <= set(names(choice)):
        assert choice.why


def test_a_rule_for_this_kind_of_request_is_found_without_a_word_in_common() -> None:
    likely, unlikely = SkillKey("", "likely"), SkillKey("", "unlikely")
    kinds = {likely: RULE.kinds_floor, unlikely: RULE.kinds_floor - 0.01}
    assert ranked(lexical={}, exemplars={}, uses={}, kinds=kinds, rule=RULE) == [likely]


def test_two_witnesses_rank_before_one() -> None:
    both, one = SkillKey("", "both"), SkillKey("", "a-one")
    found = ranked(
        lexical={both: RULE.lexical_floor},
        exemplars={},
        uses={},
        kinds={both: 0.9, one: 0.9},
        rule=RULE,
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
