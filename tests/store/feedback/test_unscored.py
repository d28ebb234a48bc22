"""Tests that of a request of very many messages only the newest are read to score it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from lull.config.paths import Paths
from lull.core.chat.trajectory import Selection
from lull.service.wiring.base.stores import Stores, open_stores
from lull.store.feedback.unscored_turns import NEWEST_MESSAGES
from tests.building import answer, turn, user

MANY = 5 * NEWEST_MESSAGES


@pytest.fixture
def stores(tmp_path: Path) -> Iterator[Stores]:
    made = open_stores(Paths(home=tmp_path, temporary=tmp_path))
    with closing(made.database):
        said = [user(f"number {n}") for n in range(MANY)]
        later = [*said, answer("well").message, user("no, shorter")]
        for name, messages in (("t1", said), ("t2", later)):
            one = turn(*messages, completion=answer("well"), turn_id=name, trajectory="c")
            made.trajectories.record(one, session="", selection=Selection())
        made.database.flush()
        yield made


def test_of_a_very_long_request_the_newest_messages_are_read(stores: Stores) -> None:
    first, second = stores.rewards.unscored_turns(limit=10)
    assert first.before is None
    assert second.before is not None
    assert [message.text for message in second.turn.request] == ["no, shorter"]
    last = tuple(user(f"number {n}") for n in range(MANY - NEWEST_MESSAGES, MANY))
    assert first.turn.request == second.before.request == last


def test_what_needs_the_whole_request_gets_it(stores: Stores) -> None:
    (whole,), (brief,) = stores.rewards.served(["t2"]), stores.rewards.served_briefly(["t2"])
    assert (len(whole.turn.request), len(brief.turn.request)) == (MANY + 2, NEWEST_MESSAGES)
    assert whole.asked == brief.asked == "no, shorter"
