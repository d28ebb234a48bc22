"""Tests that a day and a night of heavy use do not make a real service grow.

The service and its children are real processes; a scripted upstream and the built-in model answer.
An hour of the day is compressed into what the user does in it: the clock is the one that `lull
demo` sets, moved on in steps, and at the end of each hour by twenty minutes, in which the machine
slept. Waits on the monotonic clock stay as long as they are, but for the half hour after which an
engine that nobody uses is unloaded. In the night the user is away and Lull may train.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from lull.cli.demo.service import CALM, HERE, PlayedTime, SimulatedPresence
from lull.contract import routes
from tests.backends.calendars.texts import calendar, event
from tests.eventually import eventually
from tests.running import RunningLull
from tests.service.process.killed.street import Cook
from tests.service.process.whole_day import measuring
from tests.service.process.whole_day.growth import Sample, slopes, what_grows
from tests.service.process.whole_day.heavy_user import HeavyUser

pytestmark = [pytest.mark.soak, pytest.mark.timeout(7200)]

HOURS = 24
NIGHT = range(15, 22)
"""Hours in which the user sleeps; the day begins at eight."""
FILLING = 1_200
"""Requests before the day, which fill what remembers the newest so many: that is no growth."""
RATED = 260
"""Of these, those that are rated good: so many that each client's past requests have taken the form
in memory that they keep (`recollection.FEW_REQUESTS`)."""
WISHES = 40
"""Conversations before the night, of which there is something to train."""
KEPT_BACKUPS = 2
STEPS = 6
"""Steps in which an hour's clock moves on, besides the sleep at its end."""
CHATS_A_STEP = 3
ASLEEP = timedelta(minutes=20)
TRAINING_S = 300.0
"""How long a night waits for a training run to be judged."""
IDLE_MIN = 0.5
"""Minutes without use after which an engine leaves; half an hour unless the user sets it. It counts
on the monotonic clock, so it is as much shorter as an hour of this day is: an hour takes a minute.
"""
AWAY = {**CALM, "input_idle_s": 9000, "locked": True}
SETTINGS = """\
[learning]
quiet_s = 0
[skills]
facts_within_ms = 5000.0
[idle]
source = "file:{signals}"
locked_after_min = 0.1
[engine]
idle_unload_min = {idle_min}
[backup]
every_days = 1
keep = {backups}
[training]
model = "pocket"
rounds = 1
trial_share = 0
"""
MIB = float(1 << 20)
LIMITS = {
    "memory of": 4 * MIB,
    "memory of service": MIB,
    "threads of": 0.25,
    "descriptors of": 0.25,
    "children": 0.1,
    "files in": 0.25,
    "bytes in": MIB / 16,
    # Overhead: the database's pages that hold nothing of the user's, and its log of changes.
    "overhead": MIB / 16,
    "log of changes": MIB / 2,
    # Kept for the user. Of the library's texts: one file or two for each change of a skill.
    "library's files for a change": 0.05,
    # A past request takes some 4 kB: its vector, which Chroma also keeps in a queue, and its text.
    "bytes in vectors": MIB / 4,
    # What the night's training leaves, once.
    "files in runs": 8.0,
    "bytes in runs": 8 * MIB,
    "files in adapters": 2.0,
    "bytes in adapters": 2 * MIB,
    "bytes in models": MIB,
}
"""What may be added in an hour behind the warm-up. A step in the middle, as the training's, counts
as a slope of a tenth of it. Not watched by its bytes: what the user has backups made of."""
KEPT = ("files in library", "files in backups", "bytes in backups", "bytes in database")
"""Measures that grow by what is kept for the user, and are told without it under other names."""


@dataclass
class WholeDay:
    user: HeavyUser
    played: PlayedTime
    desk: SimulatedPresence
    feed: Path
    samples: list[Sample] = field(default_factory=list)
    kept: list[Sample] = field(default_factory=list)

    def lives(self, hour: int) -> None:
        night = hour in NIGHT
        self.desk.says(AWAY if hour in NIGHT[1:] else HERE)
        if hour == NIGHT.start:
            self.user.wishes(WISHES)
            self.desk.says(AWAY)
            self._trains()
        for step in range(STEPS):
            if not night:
                self.user.chats(CHATS_A_STEP)
                self._does(hour, step)
            self.played.skip((timedelta(hours=1) - ASLEEP) / STEPS)
        if hour == NIGHT[-1]:
            self._waits_for_engines_to_leave()
        self.played.skip(ASLEEP)
        measuring.settled(self.user.running)
        self.samples.append(self._sample())
        told = {"hour": hour, **self.samples[-1], **self.kept[-1], "did": self.user.did}
        sys.stdout.write(f"{json.dumps(told)}\n")
        # Between two hours of a real day this child rests long enough to leave.
        eventually(lambda: "memory of chroma" not in measuring.processes(self.user.running))

    def _does(self, hour: int, step: int) -> None:
        """Do what is done once in an hour, and now and then."""
        user = self.user
        match step:
            case 0:
                user.teaches()
            case 1:
                user.judges()
                user.looks()
            case 2:
                user.writes_skills()
                user.is_refused()
            case 3:
                self.feed.write_bytes(feed_at(datetime.fromtimestamp(self.played.now_s(), UTC)))
                user.pauses()
            case 4 if hour % 3 == 0:
                user.tidies()
            case 5 if hour % 6 == 4:
                user.backs_up()
            case _:
                user.looks()

    def _trains(self) -> None:
        """Wait in the night until a run is judged, if there is something to train."""

        def judged() -> list[Any]:
            runs = self.user.socket.get(routes.TRAIN)["runs"]
            return [one for one in runs if one["status"] in ("promoted", "rejected")]

        until_s = time.monotonic() + TRAINING_S
        while not judged() and time.monotonic() < until_s:
            time.sleep(2)
        self.user.did["trained"] = len(judged())

    def _waits_for_engines_to_leave(self) -> None:
        """Wait at the end of the night, hours after the last use, until no engine is loaded."""
        until_s = time.monotonic() + TRAINING_S
        while "memory of engine" in measuring.processes(self.user.running):
            if time.monotonic() > until_s:
                break
            time.sleep(2)

    def _sample(self) -> Sample:
        home, did = self.user.running.lull.home, self.user.did
        found = {**measuring.processes(self.user.running), **measuring.files(home)}
        texts, backups = found["files in library"], found.get("files in backups", 0)
        assert backups <= did["backups"] + KEPT_BACKUPS
        kept = {name: found.pop(name) for name in KEPT if name in found}
        self.kept.append(kept)
        return {
            **found,
            **measuring.overhead(home),
            "library's files for a change": texts / max(1, did["own"] + did["approve"]),
        }


def feed_at(now: datetime) -> bytes:
    """A calendar with an appointment in each of the next hours."""
    begins = [now + timedelta(hours=hour) for hour in range(1, 6)]
    parts = [
        event(f"UID:{at:%d%H}", f"DTSTART:{at:%Y%m%dT%H%M%SZ}", "DURATION:PT30M", "SUMMARY:Tom")
        for at in begins
    ]
    return calendar(*parts)


@pytest.fixture
def day(tmp_path: Path) -> Iterator[WholeDay]:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    played = PlayedTime(tmp_path / "clock.json")
    played.set((datetime.now(UTC) - timedelta(days=2)).replace(hour=8, minute=0))
    desk = SimulatedPresence(tmp_path / "signals.json", played)
    (home / "settings.toml").write_text(
        SETTINGS.format(signals=desk.file, backups=KEPT_BACKUPS, idle_min=IDLE_MIN)
    )
    feed = tmp_path / "appointments.ics"
    with desk, Cook() as cook, RunningLull.cleaned_up(home, upstream=cook.address) as lull:
        running = lull.serve("--played-clock", str(played.file), anew=True)
        eventually(lambda: lull.ask("status")["upstream"]["ok"])
        user = HeavyUser(running, random.Random(11))
        feed.write_bytes(feed_at(datetime.now(UTC)))
        wanted = {"location": str(feed), "means": "busy", "label": "work"}
        assert user.socket.ask("POST", routes.CALENDARS, wanted).status == 200
        yield WholeDay(user, played, desk, feed)


def test_nothing_grows_with_a_day_and_a_night_of_use(day: WholeDay) -> None:
    day.user.fills(FILLING, good=RATED)
    for hour in range(HOURS):
        day.lives(hour)
    for name, grows in slopes(day.samples).items():
        seen = [sample[name] for sample in day.samples if name in sample]
        sys.stdout.write(f"{name}: {min(seen):.1f} to {max(seen):.1f}, {grows:+.2f} an hour\n")
    assert day.user.socket.get(routes.STATUS)["problems"] == []
    assert not what_grows(day.samples, LIMITS)
    assert day.user.running.stop() == 0
