"""Tests of `lull rate` against a real service."""

from __future__ import annotations

import pytest

from tests.running import RunningLull

pytestmark = pytest.mark.full


def test_an_answer_is_rated_good_or_bad_and_the_rating_is_taken_back(running: RunningLull) -> None:
    lull = running.lull
    running.chat("write a menu for apple river", client="rated")
    (conversation,) = lull.ask("conversations", "--client", "rated")["conversations"]
    (turn,) = lull.ask("show", conversation["id"])["turns"]
    for label, value in (("good", 1.0), ("bad", -1.0)):
        rated = lull.ask("rate", turn["id"], label)
        assert rated["id"] == turn["id"]
        reward = rated["reward"]
        assert (reward["value"], reward["source"]) == (value, "explicit")
        assert abs(reward["p_good"] - (value + 1) / 2) < 0.05
    assert lull.ask("rate", turn["id"], "clear")["reward"] is None
