"""Tests of the list of conversations: filters, and what a row tells."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from lull.core.chat.messages import Message, MessagePart, PartKind, Role
from lull.core.chat.trajectory import InjectedSkill, Selection, Turn
from lull.core.errors import NotFound
from lull.service.chat.views import turn_view
from lull.store.chat.conversation_list import UNRATED, ConversationQuery
from lull.store.chat.trajectories import Label, Trajectories
from lull.store.chat.turn_rows import TITLE_CHARACTERS
from tests.building import KEY, opened, system, turn, user
from tests.doubles.fakes import FakeClock

NOW = FakeClock().now()
MENU = InjectedSkill(name="menu-style", version=2, sha256="a" * 64)


def said(number: int) -> Turn:
    made = turn(user(f"question {number}"), turn_id=f"turn_{number}", trajectory=f"conv_{number}")
    model = "big" if number % 2 else "small"
    skills = (MENU,) if number == 3 else ()
    return replace(made, stamp=replace(made.stamp, model=model, skills=skills))


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Trajectories]:
    with opened(tmp_path / "lull.db") as database:
        made = Trajectories(database, key=KEY)
        for number in range(4):
            made.record(said(number), session="", selection=Selection())
        database.flush()
        await made.label("turn_0", Label.GOOD, at=NOW)
        await made.label("turn_1", Label.BAD, at=NOW)
        await made.exclude("conv_2", True, at=NOW)
        yield made


def ids(store: Trajectories, wanted: ConversationQuery) -> list[str]:
    return sorted(row.id for row in store.page(wanted, limit=9)[0])


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (ConversationQuery(), "0123"),
        (ConversationQuery(model="big"), "13"),
        (ConversationQuery(label="good"), "0"),
        (ConversationQuery(label="bad"), "1"),
        (ConversationQuery(label=UNRATED), "23"),
        (ConversationQuery(skill="menu-style"), "3"),
        (ConversationQuery(skill="menu"), ""),
        (ConversationQuery(excluded=True), "2"),
        (ConversationQuery(excluded=False, model="small"), "0"),
        (ConversationQuery(search="question", label="bad"), "1"),
        (ConversationQuery(client="nobody"), ""),
    ],
)
async def test_only_what_was_asked_for_is_listed(
    store: Trajectories, wanted: ConversationQuery, found: str
) -> None:
    assert ids(store, wanted) == [f"conv_{number}" for number in found]


async def test_a_row_says_what_it_is_about_and_what_the_user_said_of_it(
    store: Trajectories,
) -> None:
    rows = {row.id: row for row in store.page(limit=9)[0]}
    assert rows["conv_0"].title == "question 0"
    assert (rows["conv_0"].label, rows["conv_2"].label) == (Label.GOOD, None)
    assert [name for name, row in rows.items() if row.excluded] == ["conv_2"]
    assert store.clients_and_models() == (["test"], ["big", "small"])


async def test_a_long_first_request_is_cut(store: Trajectories) -> None:
    store.record(
        turn(user("long words " * 90), turn_id="turn_9", trajectory="conv_9"),
        session="",
        selection=Selection(),
    )
    store._db.flush()
    title = next(row.title for row in store.page(limit=9)[0] if row.id == "conv_9")
    assert len(title) <= TITLE_CHARACTERS
    assert title.endswith("…")


async def test_a_title_is_what_the_user_asked_and_not_what_a_client_sends_around_it(
    store: Trajectories,
) -> None:
    """Claude Code 2.1 sends a reminder before the user's words and a system text behind them."""
    parts = ("<system-reminder>\nToday is Monday.\n</system-reminder>\n\n", "Name three rivers.")
    asked = Message(
        role=Role.USER, parts=tuple(MessagePart(kind=PartKind.TEXT, text=one) for one in parts)
    )
    made = turn(asked, system("These agents can be used."), turn_id="turn_9", trajectory="conv_9")
    store.record(made, session="", selection=Selection())
    store._db.flush()
    row = next(row for row in store.page(limit=9)[0] if row.id == "conv_9")
    assert row.title == "Name three rivers."
    assert turn_view(store.turn("turn_9"), None)["request"] == asked.text


async def test_one_that_is_let_in_again_is_listed_so(store: Trajectories) -> None:
    await store.exclude("conv_2", False, at=NOW)
    assert ids(store, ConversationQuery(excluded=True)) == []
    with pytest.raises(NotFound):
        await store.exclude("conv_none", True, at=NOW)
