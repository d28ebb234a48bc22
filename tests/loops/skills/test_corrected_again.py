"""Tests of a second correction of an answer that the user has corrected in words before."""

from __future__ import annotations

import pytest

from lull.core.proof.proposal import Proposal
from lull.core.skills.stated_skill import words_of
from lull.store.chat.corrections import Correction
from tests.loops.classroom import Classroom

ASKED = "Write an email to my landlord about the heating."
ANSWER = "Dear landlord, the heating is broken and has been for days."
FIRST = "No, end emails with kind regards."
SECOND = "No, use at most 50 words in emails."
RULE = "use at most 50 words in emails."


async def correct(room: Classroom, answer: str, words: str) -> list[Proposal]:
    """Say something about an answer in Lull's window; return what is proposed of it."""
    room.clock.advance(1)
    said = Correction(turn=room.ids.new("turn"), about=answer, words=words, at=room.clock.now())
    await room.trajectories.correct(said)
    await room.settled()
    await room.score.read_new()
    return await room.evolve.step()


@pytest.mark.parametrize("then", ["open", "approved", "rejected"])
async def test_a_second_wish_about_an_answer_becomes_a_suggestion_too(
    room: Classroom, then: str
) -> None:
    (answer,) = await room.failed(ASKED, said=ANSWER)
    (first,) = await correct(room, answer, FIRST)
    if then == "approved":
        await room.review.approve(first.id)
    elif then == "rejected":
        await room.review.reject(first.id, reason="not always")
    made = await correct(room, answer, SECOND)
    assert [words_of(one.text.body) for one in made] == [RULE]


async def test_a_wish_is_heard_after_words_of_which_nothing_was_made(room: Classroom) -> None:
    (answer,) = await room.failed(ASKED, said=ANSWER)
    (first,) = await correct(room, answer, FIRST)
    await room.review.approve(first.id)
    assert await correct(room, answer, FIRST) == []  # a skill says it already
    (made,) = await correct(room, answer, SECOND)
    assert words_of(made.text.body) == RULE
