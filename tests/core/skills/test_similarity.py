"""Tests of similarity: duplicates, groups of similar failures, and rejected skills in new words.

`same_in_other_words` was measured on the pairs below, which were written after its threshold was
set: it finds 14 of the 26 pairs that say the same in other words, and none of the 26 that only
speak of the same matter.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lull.core.skills.similarity import (
    body_hash,
    cosine,
    jaccard,
    near_duplicate,
    same_in_other_words,
    similar_groups,
    subject_similarity,
)
from lull.core.skills.skill import SkillKey, SkillText

SAME = [
    ("Use dashes in lists.", "Write lists with dashes."),
    ("Begin each item with a hyphen.", "Start every item with a dash."),
    ("Keep answers short.", "Answer briefly."),
    ("Put the price last.", "The price goes at the end."),
    ("Always back up the file before you change it.", "Before changing a file, back it up."),
    ("Never use emojis.", "Do not use any emojis."),
    ("Avoid the passive voice.", "Do not write in the passive voice."),
    ("Answer in German.", "Reply in German."),
    ("Write dates as YYYY-MM-DD.", "Use YYYY-MM-DD for dates."),
    ("Sort lists alphabetically.", "Lists are in alphabetical order."),
    ("Recommend vegetarian dishes.", "Suggest vegetarian meals."),
    ("Name the sources at the end.", "Finish with the sources."),
    ("Run the tests before committing.", "Execute the tests prior to committing."),
    ("Give prices in euros.", "State prices in euros."),
    ("Number the steps.", "Give the steps numbers."),
    ("Add a summary at the end.", "Close with a summary."),
    ("Do not repeat the question.", "Never repeat the question."),
    ("Address customers politely.", "Be polite to clients."),
    ("Use metric units.", "Units are metric."),
    ("Leave out headings.", "Write without headings."),
    ("Explain the code line by line.", "Describe the code line by line."),
    ("Open letters with Moin.", "Begin letters with Moin."),
    ("Round amounts to two decimals.", "Two decimals: round amounts so."),
    ("Use tables for comparisons.", "Make comparisons as tables."),
    ("Write in simple words. Use short sentences.", "Use short sentences and simple words."),
    ("Ask before deleting files.", "Before you delete files, ask."),
]
OTHER = [
    ("Use dashes in lists.", "Use commas in lists."),
    ("Use dashes in lists.", "Never use dashes in lists."),
    ("Keep answers short.", "Keep answers polite."),
    ("Put the price last.", "Put the name last."),
    ("Answer in German.", "Answer in French."),
    ("Sort lists alphabetically.", "Sort lists by date."),
    ("Name the sources at the end.", "Leave the sources out."),
    ("Write dates as YYYY-MM-DD.", "Write times with a colon."),
    ("Number the steps.", "Explain the steps."),
    ("Use tables for comparisons.", "Use prose for comparisons."),
    ("Round amounts to two decimals.", "Give amounts in dollars."),
    ("Run the tests before committing.", "Write the tests before the code."),
    ("Open letters with Moin.", "Sign letters with initials."),
    ("Recommend vegetarian dishes.", "Name the cooking time of dishes."),
    ("Do not repeat the question.", "Repeat the question first."),
    ("Use metric units.", "Use imperial units."),
    ("Leave out headings.", "Put headings in capitals."),
    ("Explain the code line by line.", "Give code without an explanation."),
    ("Ask before deleting files.", "Back files up every evening."),
    ("Avoid the passive voice.", "Write in the present tense."),
    ("Begin each item with a verb.", "Begin each item with a dash."),
    ("Write for children.", "Write for engineers."),
    ("Use the Oxford comma.", "Use British spelling."),
    ("Add a docstring to functions.", "Keep functions short."),
    ("Prefer trains to planes.", "Prefer hotels near the station."),
    ("Plan seven days.", "Plan with the weather in mind."),
]


def skill(body: str, name: str = "a-skill", description: str = "When asked.") -> SkillText:
    return SkillText(name=name, description=description, body=body)


def test_rewordings_that_keep_their_words_are_known_again_and_nothing_else_is() -> None:
    """Words alone do not tell that "briefly" means "short"; vectors do. It is worse to hold a new
    wish back than to ask about an old one again.
    """
    found = [(a, b) for a, b in SAME if same_in_other_words(skill(a), [skill(b)])]
    wrong = [(a, b) for a, b in OTHER if same_in_other_words(skill(a), [skill(b)])]
    assert len(found) >= 14, set(SAME) - set(found)
    assert wrong == []


def test_a_rejected_text_does_not_come_back_under_another_name_or_with_an_addition() -> None:
    old = skill("Use dashes in lists.", name="dashes")
    assert same_in_other_words(skill("use  DASHES in **lists**", name="other"), [old]) == old
    more = skill("Use dashes in lists. End with a friendly greeting to Anna.")
    assert same_in_other_words(more, [old]) == old
    assert same_in_other_words(skill("Write poems in rhyme."), [old]) is None
    assert same_in_other_words(skill("Use dashes."), []) is None


def test_a_duplicate_is_found_by_words_or_by_vector() -> None:
    others = {
        SkillKey("", "dashes"): skill("Use dashes between the dishes of a menu."),
        SkillKey("", "poems"): skill("Poems must rhyme."),
    }
    assert near_duplicate(skill("In a menu, use dashes between dishes."), others) == ("", "dashes")
    assert near_duplicate(skill("Write the weather first."), others) is None
    vectors = {SkillKey("", "poems"): (1.0, 0.1)}
    verses = skill("Verses end alike.")
    assert near_duplicate(verses, others, vector=(1.0, 0.0), vectors=vectors) == ("", "poems")
    assert near_duplicate(verses, others, vector=(0.0, 1.0), vectors=vectors) is None
    assert near_duplicate(verses, others, vectors=vectors) is None


def test_the_hash_of_a_body_does_not_see_its_dress() -> None:
    assert body_hash(skill("Use **dashes**.")) == body_hash(skill("use   dashes"))
    assert body_hash(skill("Use dashes.")) != body_hash(skill("Use commas."))


def test_requests_of_one_kind_make_one_group_whatever_comes_between() -> None:
    asked = [
        "write a menu with soup and fish",
        "plan a trip to the lake",
        "a menu with fish and cake please",
        "menu: soup, cake",
        "plan our trip to the sea",
        "who wrote Faust?",
    ]
    found = similar_groups(asked, str)
    assert found[0] == (asked[0], asked[2], asked[3])
    assert (asked[1], asked[4]) in found
    assert similar_groups(asked, str) == found
    assert sorted(x for group in found for x in group) == sorted(asked)


def test_a_measure_from_outside_can_join_what_words_do_not() -> None:
    assert len(similar_groups(["fish", "trout"], str)) == 2
    assert len(similar_groups(["fish", "trout"], str, like=lambda a, b: 0.9)) == 1


@given(st.text(max_size=60), st.text(max_size=60))
def test_likeness_is_symmetric_and_a_share(a: str, b: str) -> None:
    assert 0 <= subject_similarity(a, b) <= 1
    assert subject_similarity(a, b) == pytest.approx(subject_similarity(b, a))
    assert subject_similarity(a, a) == pytest.approx(1)


@given(st.lists(st.text(max_size=30), max_size=12))
def test_every_item_is_in_exactly_one_group(items: list[str]) -> None:
    numbered = list(enumerate(items))
    found = similar_groups(numbered, lambda item: item[1])
    assert sorted(x for group in found for x in group) == numbered


def test_measures_of_nothing_are_nothing() -> None:
    assert jaccard(frozenset(), frozenset()) == 0
    assert cosine((), (1.0,)) == cosine((0.0,), (1.0,)) == cosine((1.0, 0.0), (1.0,)) == 0
