"""Tests of what the user says in Lull's window about an answer: it counts as their next message
does, and a denial undoes the reading of one and says nothing of the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from lull.core.chat.messages import Finish
from lull.core.chat.trajectory import Selection
from lull.core.errors import NotFound, UsageError
from lull.core.events import EventKind
from lull.core.feedback.exchange import Exchange
from lull.core.feedback.feedback import Feedback, MessageFindings
from lull.core.feedback.signals import SignalKind
from lull.service.feedback.user_words import MOST_CHARACTERS, UserWords
from lull.service.process.bus import EventBus
from lull.store.chat.corrections import CORRECTION_ROUTE
from lull.store.chat.event_log import EventLog
from tests.building import ANYBODY, turn, user
from tests.loops.classroom import Classroom


class Hearing:
    """A reader that takes every message for a correction, and keeps what it was asked."""

    name, light = "hearing", True

    def __init__(self) -> None:
        self.read_: list[Exchange] = []

    async def read(self, exchanges: Sequence[Exchange]) -> list[MessageFindings | None]:
        self.read_ += exchanges
        return [MessageFindings(correction=0.9, lasting=0.1) for _ in exchanges]


def words_of(room: Classroom) -> UserWords:
    async def count(found: Sequence[Feedback]) -> None:
        await room.score.rescore_with_feedback(found)

    return UserWords(
        room.trajectories,
        room.feedback,
        clock=room.clock,
        ids=room.ids,
        bus=EventBus(EventLog(room.database), room.clock),
        count=count,
    )


def hard_of_hearing(room: Classroom) -> Hearing:
    """Let messages be read later, by a reader that is asked for."""
    room.hears_at_once, room.reader = False, Hearing()
    room.learn()
    return room.reader


def kinds(room: Classroom, turn: str) -> list[SignalKind]:
    return [signal.kind for signal in room.known(turn).signals]


async def heard(room: Classroom) -> None:
    await room.score.read_new()
    while await room.hear.step(count=room.score.rescore_with_feedback):
        pass


async def test_an_older_answer_is_corrected_as_by_the_next_message(room: Classroom) -> None:
    reader = hard_of_hearing(room)
    first, second = await room.plays("list two dishes", "soup, bread", "and desserts", "cake, ice")
    await heard(room)
    reader.read_.clear()
    made = await words_of(room).correct(first, {"words": " Join them with bars. "})
    await room.settled()
    await heard(room)
    assert [(one.asked, one.answer, one.said) for one in reader.read_] == [
        ("list two dishes", "soup, bread", "Join them with bars.")
    ]
    assert SignalKind.CORRECTION in kinds(room, first)
    found = room.feedback.about([first])[first]
    assert found.turn == made["turn"] and found.before == first
    _, turns = room.trajectories.get(str(made["conversation"]))
    assert [(one.id, one.route == CORRECTION_ROUTE) for one in turns] == [
        (first, False),
        (made["turn"], True),
        (second, False),
    ]
    said = turns[1]
    assert (said.finish, said.answered, said.answer.text) == (Finish.HANGUP, False, "")
    assert [one.text for one in said.request] == ["Join them with bars."]


async def test_a_much_older_answer_is_found_too(room: Classroom) -> None:
    reader = hard_of_hearing(room)
    turns = await room.plays(*(word for n in range(70) for word in (f"q{n}", f"a{n}")))
    await room.score.read_new()
    reader.read_.clear()
    await words_of(room).correct(turns[0], {"words": "Say it in French."})
    await room.settled()
    await heard(room)
    assert ("a0", "Say it in French.") in [(one.answer, one.said) for one in reader.read_]


async def test_the_chat_app_does_not_know_of_it(room: Classroom) -> None:
    first, _ = await room.plays("list two dishes", "soup, bread", "and desserts", "cake, ice")
    before = room.trajectories.counts()
    made = await words_of(room).correct(first, {"words": "My key is sk-ant-" + "a1B2" * 20})
    newest = room.trajectories.newest_answer()
    assert room.trajectories.counts() == before
    assert newest is not None and newest[0] != made["turn"]
    _, turns = room.trajectories.get(str(made["conversation"]))
    assert "a1B2" not in turns[1].request[-1].text  # secrets are removed here, too


async def test_a_session_goes_on_from_its_last_answer(room: Classroom) -> None:
    named = turn(user("list two dishes"), turn_id="turn_0", trajectory="c", number=3)
    room.trajectories.record(named, session="s", selection=Selection())
    await words_of(room).correct("turn_0", {"words": "Join them with bars."})
    later = replace(named, stamp=replace(named.stamp, turn="turn_1", number=4))
    room.trajectories.record(later, session="s", selection=Selection())
    room.clock.advance(60)
    await words_of(room).correct("turn_0", {"words": "Join them, please."})
    await room.settled()
    at = room.trajectories.session_position(ANYBODY, "s")
    assert at is not None and at.turns == 4


@pytest.mark.parametrize("wanted", [{}, {"words": " "}, {"words": "a" * (MOST_CHARACTERS + 1)}])
async def test_no_words_and_too_many_are_refused(room: Classroom, wanted: dict[str, str]) -> None:
    (asked,) = await room.plays("list two dishes", "soup, bread")
    with pytest.raises(UsageError):
        await words_of(room).correct(asked, wanted)


async def test_only_an_answer_can_be_corrected(room: Classroom) -> None:
    (asked,) = await room.plays("list two dishes", "soup, bread")
    made = await words_of(room).correct(asked, {"words": "Join them with bars."})
    for other in ("turn_none", str(made["turn"])):
        with pytest.raises(NotFound):
            await words_of(room).correct(other, {"words": "Join them."})


async def test_a_denial_undoes_the_reading_and_says_nothing_of_the_answer(room: Classroom) -> None:
    hard_of_hearing(room)
    first, _ = await room.plays("list two dishes", "soup, bread", "and desserts?", "cake, ice")
    await heard(room)
    assert SignalKind.CORRECTION in kinds(room, first)
    said = words_of(room)
    assert await said.deny(first, {"denied": True}) == {"denied": True}
    assert SignalKind.CORRECTION not in kinds(room, first)
    assert room.known(first).reward is None  # neither good nor bad
    assert room.served(first).turn.label is None
    await room.hear.read_again(room.feedback.newest(limit=10))
    assert not room.feedback.about([first])[first].findings.corrects  # nobody reads it anew
    assert await said.deny(first, {"denied": False}) == {"denied": False}
    assert SignalKind.CORRECTION in kinds(room, first)
    with pytest.raises(NotFound):
        await said.deny("turn_none", {"denied": True})
    with pytest.raises(UsageError):
        await said.deny(first, {})


async def test_a_denied_wish_is_no_verdict_on_the_answer_before_it(room: Classroom) -> None:
    first, _ = await room.plays(
        "write a menu", "soup, bread", "no, in menus, use at most 1 word", "soup"
    )
    await heard(room)
    assert SignalKind.CHECK in kinds(room, first)
    await words_of(room).deny(first, {"denied": True})
    assert kinds(room, first) == []
    assert room.known(first).reward is None


async def test_the_service_is_told_of_the_words(room: Classroom) -> None:
    (asked,) = await room.plays("list two dishes", "soup, bread")
    log = EventLog(room.database)
    made = await words_of(room).correct(asked, {"words": "Join them with bars."})
    await room.settled()
    told = [one.fields for one in log.after(0) if one.kind == EventKind.TURN_RECORDED]
    assert told[-1] == made
