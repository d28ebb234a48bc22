"""Tests of stored feedback: what waits survives a restart, and a turn's newest reading counts."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lull.core.feedback.feedback import Feedback, MessageFindings, RuleKind, Scope
from lull.core.proof.proposal import ProposalStatus
from lull.store.feedback.feedback import (
    FEEDBACK_ROWS,
    FeedbackRows,
    WaitingMessage,
    feedback_from_json,
    feedback_to_json,
)
from lull.store.rows.measured_rows import damaged_measurements, remove_measurements
from tests.loops.classroom import MENU, Classroom

NOW = datetime(2026, 11, 21, 9, tzinfo=UTC)
RULE = MessageFindings(
    correction=0.9,
    lasting=0.9,
    scope=Scope.KIND,
    scope_p=0.8,
    quote=("Use bars.", "Always."),
    kind_of_rule=RuleKind.PREFERENCE,
    check="contains",
)
WRONG = MessageFindings(correction=0.9, lasting=0.1)


@pytest.fixture
async def room(tmp_path: Path) -> AsyncIterator[Classroom]:
    """A classroom in which no message is read unless the test does it."""
    made = Classroom(tmp_path, hears_at_once=False)
    yield made
    await asyncio.to_thread(made.database.close)


def rows(room: Classroom) -> FeedbackRows:
    return room.feedback


async def talk(room: Classroom, **more: object) -> tuple[str, str]:
    """Play a request, its answer and the user's reply; return the ids of both turns."""
    before, turn = await room.plays("a menu", "soup", "no, use bars", "ok", **more)  # type: ignore[arg-type]
    return before, turn


def heard(
    turn: str, before: str, *, by: str = "reader-1", what: MessageFindings = RULE
) -> Feedback:
    later_s = int(by[-1])
    read_at = NOW + timedelta(seconds=later_s)
    return Feedback(turn=turn, before=before, read_by=by, read_at=read_at, findings=what)


async def waits(room: Classroom) -> tuple[str, str]:
    before, turn = await talk(room)
    await rows(room).enqueue([WaitingMessage(turn=turn, before=before)], at=NOW)
    return before, turn


async def test_what_waits_survives_a_restart_and_is_found_oldest_first(room: Classroom) -> None:
    talks = [await waits(room) for _ in range(3)]
    await room.restart()
    found = rows(room).waiting(limit=2)
    assert [(one.before, one.turn) for one in found] == talks[:2]
    assert rows(room).count_waiting() == 3


async def test_what_was_read_waits_no_more_and_a_second_wait_adds_nothing(room: Classroom) -> None:
    before, turn = await waits(room)
    await rows(room).enqueue([WaitingMessage(turn=turn, before=before)], at=NOW)
    assert rows(room).count_waiting() == 1
    assert rows(room).of([turn]) == {}  # nobody has read it
    await rows(room).save([heard(turn, before)])
    assert rows(room).count_waiting() == 0
    assert rows(room).of([turn]) == {turn: heard(turn, before)}


@pytest.mark.logs("damaged")
@pytest.mark.parametrize("damage", ["no JSON", '{"lasting": 1.0}', "[]", "{}"])
async def test_what_was_damaged_is_read_again(room: Classroom, damage: str) -> None:
    before, turn = await talk(room)
    await rows(room).save([heard(turn, before), heard(turn, before, by="reader-2")])
    database = room.database
    await database.write(lambda c: c.execute("UPDATE feedback SET heard = ?", (damage,)))
    await asyncio.to_thread(database.mend)
    left = database.read(lambda c: damaged_measurements(c, [FEEDBACK_ROWS]))
    await database.write(lambda c: remove_measurements(c, [FEEDBACK_ROWS], left))
    assert [one.turn for one in rows(room).waiting(limit=9)] == [turn]
    assert rows(room).of([turn]) == {}
    assert await asyncio.to_thread(database.mend) == {}


async def test_what_the_newest_reader_heard_counts_for_everybody(room: Classroom) -> None:
    before, turn = await talk(room)
    older, newer = heard(turn, before), heard(turn, before, by="reader-2", what=WRONG)
    await rows(room).save([newer])
    await rows(room).save([older])  # whichever was written last
    assert rows(room).of([turn]) == {turn: newer}
    assert rows(room).about([before]) == {before: newer}
    assert rows(room).newest(limit=9) == [newer]
    assert rows(room).lasting_wishes(limit=9) == []
    trajectory = room.served(turn).turn.trajectory
    assert rows(room).of_conversation(trajectory) == [newer]


async def test_the_same_reader_again_takes_its_own_place(room: Classroom) -> None:
    before, turn = await talk(room)
    await rows(room).save([heard(turn, before)])
    await rows(room).save([heard(turn, before, what=WRONG)])
    assert rows(room).of([turn])[turn].findings == WRONG


async def test_of_several_messages_behind_one_answer_the_newest_speaks(room: Classroom) -> None:
    before, first = await talk(room)
    _, second = await talk(room)
    await rows(room).save([heard(second, before, what=WRONG), heard(first, before)])
    assert rows(room).about([before])[before].turn == second


async def test_pages_go_from_the_newest_to_older_ones(room: Classroom) -> None:
    turns = []
    for _ in range(3):
        before, turn = await talk(room)
        await rows(room).save([heard(turn, before)])
        turns.append(turn)
    page = rows(room).newest(limit=2)
    assert [one.turn for one in page] == turns[:0:-1]
    assert [one.turn for one in rows(room).newest(limit=2, after=page[-1].turn)] == turns[:1]


async def test_a_wish_of_which_a_proposal_was_made_is_no_news(room: Classroom) -> None:
    before, turn = await talk(room)
    await rows(room).save([heard(turn, before)])
    assert [one.turn for one in rows(room).lasting_wishes(limit=9)] == [turn]
    await room.proposes(MENU, wish_turns=(turn,), status=ProposalStatus.REJECTED)
    assert rows(room).lasting_wishes(limit=9) == []


async def test_neither_is_one_that_the_user_keeps_out_of_learning(room: Classroom) -> None:
    before, turn = await talk(room)
    await rows(room).save([heard(turn, before)])
    trajectory = room.served(turn).turn.trajectory
    await room.trajectories.exclude(trajectory, True, at=NOW)
    assert rows(room).lasting_wishes(limit=9) == []
    assert rows(room).wishes(owner="", model="llama3.2", limit=None) == []
    await room.trajectories.exclude(trajectory, False, at=NOW)
    assert len(rows(room).lasting_wishes(limit=9)) == 1


@pytest.mark.parametrize(
    "what",
    [WRONG, replace(RULE, lasting=0.57), replace(RULE, quote=()), replace(RULE, unsure=True)],
)
async def test_what_is_no_lasting_wish_is_none_in_the_rows_either(
    room: Classroom, what: MessageFindings
) -> None:
    before, turn = await talk(room)
    await rows(room).save([heard(turn, before, what=what)])
    assert rows(room).lasting_wishes(limit=9) == []


async def test_a_row_that_was_marked_when_less_was_enough_is_none_either(room: Classroom) -> None:
    before, turn = await talk(room)
    await rows(room).save([heard(turn, before, what=replace(RULE, lasting=0.57))])
    await room.database.write(lambda c: c.execute("UPDATE feedback SET lasts = 1"))
    assert rows(room).lasting_wishes(limit=9) == []


async def test_wishes_are_those_of_a_room_and_a_model(room: Classroom) -> None:
    mine = await talk(room)
    theirs = await talk(room, model="another")
    for before, turn in (mine, theirs):
        await rows(room).save([heard(turn, before)])
    found = rows(room).wishes(owner="", model="llama3.2", limit=9)
    assert [one.turn for one in found] == [mine[1]]
    assert rows(room).wishes(owner="anna", model="llama3.2", limit=9) == []


@pytest.mark.parametrize("which", ["the turn", "the conversation"])
async def test_what_was_heard_goes_with_its_turn(room: Classroom, which: str) -> None:
    before, turn = await waits(room)
    other_before, other = await talk(room)
    await rows(room).save([heard(turn, before), heard(other, other_before)])
    await rows(room).enqueue([WaitingMessage(turn=other, before=other_before)], at=NOW)
    table, name = ("turns", turn)
    if which == "the conversation":
        table, name = ("trajectories", room.served(turn).turn.trajectory)
    await room.database.write(lambda c: c.execute(f"DELETE FROM {table} WHERE id = ?", (name,)))
    assert [one.turn for one in rows(room).newest(limit=9)] == [other]


async def test_of_a_turn_that_is_gone_nothing_is_written(room: Classroom) -> None:
    await rows(room).enqueue([WaitingMessage(turn="turn_gone", before="turn_gone_too")], at=NOW)
    await rows(room).save([heard("turn_gone", "turn_gone_too")])
    assert rows(room).count_waiting() == 0
    assert rows(room).newest(limit=9) == []


probabilities = st.floats(0, 1)


@given(
    st.builds(
        MessageFindings,
        correction=probabilities,
        lasting=probabilities,
        thanks=probabilities,
        scope=st.none() | st.sampled_from(Scope),
        scope_p=probabilities,
        quote=st.lists(st.text(), max_size=3).map(tuple),
        kind_of_rule=st.none() | st.sampled_from(RuleKind),
        check=st.text(max_size=9),
        possible_checks=st.lists(st.text(max_size=9), max_size=3).map(tuple),
        unsure=st.booleans(),
    )
)
def test_whatever_was_heard_is_read_back_the_same(what: MessageFindings) -> None:
    assert feedback_from_json(feedback_to_json(what)) == what


def test_what_was_heard_before_possible_checks_were_kept_has_none() -> None:
    what = MessageFindings(correction=0.9, lasting=0.9, check="words", possible_checks=("words",))
    fields = json.loads(feedback_to_json(what))
    del fields["possible_checks"]
    assert feedback_from_json(json.dumps(fields)) == replace(what, possible_checks=())
