"""Tests that ten conversations after an approval have the skill without a holdout coin."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from tests.e2e.corrections import Talk, corrected
from tests.running import Lull

pytestmark = [pytest.mark.slow]


def flips(lull: Lull) -> list[float]:
    """Return the holdout share of each coin that was tossed."""
    with closing(sqlite3.connect(f"file:{lull.home / 'lull.db'}?mode=ro", uri=True)) as database:
        return [share for (share,) in database.execute("SELECT share FROM coin_flips")]


def menu(service: object, number: int) -> str:
    words = ("apple", "river", "stone", "mouse", "green", "happy")
    return Talk(service).says(  # type: ignore[arg-type]
        f"write a menu for {words[number % 6]} {words[(number // 6 + number + 1) % 6]}"
    )


@pytest.mark.full
def test_the_first_ten_conversations_after_an_approval_are_left_to_no_coin(lull: Lull) -> None:
    service = lull.serve()
    proposal = corrected(lull, service)
    # Unproved, so that replays cannot tell yet.
    lull.ask("review", "approve", proposal["id"], "--yes")
    for number in range(10):
        assert "|" in menu(service, number)
    lull.ask("show")
    assert flips(lull) == []
    measured = lull.ask("skills", "show", proposal["name"])["skill"]["measured"]
    assert (measured["by"], measured["share"], measured["first_uses"]) == ("coin", 0.02, 10)
    assert (
        "2 % of new conversations go without it" in lull.run("skills", "show", proposal["name"]).out
    )
    menu(service, 10)
    lull.ask("show")
    assert flips(lull) == [0.02]
