"""Tests of what the service reports about old conversations that went into the trash."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from lull.service.chat.throwing_away import TrashRequests
from lull.service.process.bus import EventBus
from lull.service.process.problems import Problems
from lull.store.chat.event_log import EventLog
from tests.loops.forgetting.test_sweep import Home


async def test_what_went_is_counted_by_the_day_on_which_it_went(tmp_path: Path) -> None:
    home = Home(tmp_path)
    throwing = TrashRequests(
        home.sweep,
        Problems(EventBus(EventLog(home.database), home.clock)),
        settle=home.database.flush,
    )
    home.say(*range(25))
    home.clock.at += timedelta(days=400)
    first = home.clock.at.date().isoformat()
    assert (await throwing.carry_out({"do": "sweep"}))["moved"] == 25
    home.say(100, 101)
    home.clock.at += timedelta(days=100)
    second = home.clock.at.date().isoformat()
    await throwing.carry_out({"do": "sweep"})
    held = throwing.trash_totals()
    assert (held["conversations"], held["days"]) == (27, {first: 25, second: 2})
    home.database.close()
