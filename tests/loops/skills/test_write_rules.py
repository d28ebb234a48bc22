"""Tests that a lasting wish becomes a skill in the user's own words, placed where it is meant."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from lull.core.feedback.feedback import Scope
from lull.core.proof.proposal import Proposal, ProposalKind, ProposalOrigin
from lull.core.skills.stated_skill import words_of
from tests.building import prompt_text, user
from tests.loops.classroom import Classroom

FEW = '{"kind": "words", "at_most": 20}'
QUIET = f'{{"all": [{FEW}, {{"kind": "no_emoji"}}]}}'
CHECKS = {
    "no emoji": QUIET,
    "twenty words": FEW,
    "five words": '{"kind": "words", "at_most": 5}',
}


@pytest.fixture(autouse=True)
def checked(room: Classroom) -> None:
    """Let rules about a number of words become checks."""
    room.check_of = lambda _kind, rule, *_: next(
        (check for words, check in CHECKS.items() if words in rule), ""
    )


async def said(room: Classroom, words: str, *, asked: str = "a menu please") -> Proposal:
    await room.plays(asked, "soup and fish", words, "noted")
    await room.score.read_new()
    (made,) = await room.evolve.step((ProposalOrigin.EXTRACTIVE,))
    return made


async def prompt(room: Classroom, asked: str) -> str:
    return prompt_text(await room.open(user(asked)))


async def test_a_rule_for_every_answer_stands_in_every_prompt_once_it_is_approved(
    room: Classroom,
) -> None:
    made = await said(room, "no, sign with Jo in every answer")
    assert made.scope is Scope.ALL
    assert "sign with Jo" not in await prompt(room, "name a river")  # nobody has approved it
    await room.review.approve(made.id)
    for asked in ("name a river", "tell a joke", "sum up this letter"):
        assert "sign with Jo in every answer" in await prompt(room, asked)
    (skill,) = room.library.skills.values()
    assert skill.scope is Scope.ALL
    await room.restart()
    assert "sign with Jo" in await prompt(room, "name a lake")


async def test_a_rule_of_a_kind_stands_where_the_like_is_asked_and_nowhere_else(
    room: Classroom,
) -> None:
    made = await said(room, "no, join with bars", asked="write a menu for Sunday")
    assert made.scope is Scope.KIND
    await room.review.approve(made.id)
    assert "join with bars" in await prompt(room, "please write a menu for Friday")
    assert "join with bars" not in await prompt(room, "name the tallest mountain")


async def test_a_rule_that_can_be_checked_brings_its_check(room: Classroom) -> None:
    made = await said(room, "no, always at most twenty words")
    assert made.check
    await room.review.approve(made.id)
    (long,) = await room.plays("a menu please", "soup " * 30)
    await room.score.read_new()
    reward = room.known(long).reward
    assert reward is not None and reward.value == -1.0


async def test_a_newer_word_on_the_same_matter_takes_the_older_ones_place(room: Classroom) -> None:
    first = await said(room, "no, at most twenty words in every answer")
    await room.review.approve(first.id)
    second = await said(room, "no, at most five words in every answer", asked="name a river")
    assert (second.kind, second.key) == (ProposalKind.EDIT, first.key)
    await room.review.approve(second.id)
    (skill,) = room.library.skills.values()
    assert words_of(skill.body) == "at most five words in every answer"


async def test_a_newer_word_on_one_of_several_matters_leaves_the_older_rule(
    room: Classroom,
) -> None:
    """In its place nothing would be left of the other matter."""
    first = await said(room, "no, at most twenty words and no emoji in every answer")
    assert first.check == QUIET
    await room.review.approve(first.id)
    second = await said(room, "no, at most five words in every answer", asked="name a river")
    assert second.kind is ProposalKind.NEW


async def test_what_is_said_of_other_requests_takes_nobodys_place(room: Classroom) -> None:
    first = await said(room, "no, always at most twenty words", asked="write a menu for Sunday")
    await room.review.approve(first.id)
    second = await said(room, "no, always at most five words", asked="name the tallest mountain")
    assert second.kind is ProposalKind.NEW


async def test_the_same_words_of_the_same_kind_of_request_are_no_second_proposal(
    room: Classroom,
) -> None:
    await said(room, "no, join with bars", asked="write a menu for Sunday")
    await room.plays("write a menu for Friday", "figs", "No, join with bars", "noted")
    await room.score.read_new()
    assert await room.evolve.step((ProposalOrigin.EXTRACTIVE,)) == []
    other = await said(room, "no, join with bars", asked="name three rivers of Italy")
    assert other.kind is ProposalKind.NEW


async def test_what_is_said_for_every_answer_after_it_was_said_of_a_kind_is_news(
    room: Classroom,
) -> None:
    await said(room, "no, join with bars", asked="write a menu for Sunday")
    made = await said(room, "no, join with bars in every answer", asked="write a menu for Friday")
    assert made.scope is Scope.ALL


async def test_the_whole_message_decides_the_check_only_if_it_complains_of_the_answer(
    room: Classroom,
) -> None:
    complaints: list[str] = []

    def check_of(
        _kind: str, _rule: str, _answer: str, complaint: str, _possible: Sequence[str]
    ) -> str:
        complaints.append(complaint)
        return ""

    room.check_of = check_of
    await said(room, "no, so long. sign with Jo in every answer")
    assert complaints == ["no, so long. sign with Jo in every answer"]
    await said(room, "lovely, always sign with Flo", asked="a poem please")
    assert complaints[1:] == [""]
