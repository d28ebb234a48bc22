"""Tests of proofs in lulls, real processes: none while the user is here, one by itself when not."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.corrections import Talk, corrected, one_proposal, proposals
from tests.eventually import eventually
from tests.running import Lull

pytestmark = [pytest.mark.full, pytest.mark.timeout(2400)]

CALM = {
    "locked": False,
    "on_mains": True,
    "load_of_others": 0.0,
    "memory_free_share": 0.9,
    "memory_pressure": 0.0,
    "low_power": False,
    "hot": False,
    "call": False,
}
HERE = {**CALM, "input_idle_s": 0}
AWAY = {**CALM, "input_idle_s": 7200}


class Signals:
    """A file of signals, written anew all the time: what is older than a minute is ignored."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.now: dict[str, Any] = HERE
        self.over = threading.Event()

    def keep(self) -> None:
        fresh = self.file.with_suffix(".new")
        while not self.over.wait(0.2):
            fresh.write_text(json.dumps(self.now))
            fresh.replace(self.file)


@contextmanager
def told_by(file: Path) -> Iterator[Signals]:
    signals = Signals(file)
    thread = threading.Thread(target=signals.keep)
    thread.start()
    try:
        yield signals
    finally:
        signals.over.set()
        thread.join()


def meeting(folder: Path) -> Path:
    """Write a calendar with one event, from yesterday to tomorrow."""
    day = timedelta(days=1)
    begin, end = (f"{datetime.now(UTC) + shift:%Y%m%dT%H%M%SZ}" for shift in (-day, day))
    lines = ["BEGIN:VCALENDAR", "BEGIN:VEVENT", "UID:a", f"DTSTART:{begin}", f"DTEND:{end}"]
    file = folder / "meeting.ics"
    file.write_text("\r\n".join([*lines, "END:VEVENT", "END:VCALENDAR", ""]))
    return file


def untouched(lull: Lull) -> bool:
    (proposal,) = proposals(lull)
    return proposal["evidence"]["pairs"] == 0 and proposal["status"] in ("draft", "screened")


def held_back(lull: Lull, reasons: set[str]) -> None:
    """Wait until the proof is due and these hold it back, and nothing else; it has not begun.

    Each `lull why` has the service look whether it may work, and begin if it may. What is called
    `wait` ends some time after the last of the others.
    """

    def held() -> bool:
        why = lull.ask("why")
        assert why["state"] != "open", why
        closed = {one["name"] for one in why["gates"] if one["state"] == "closed"}
        is_due = "proof" in [work["kind"] for work in why["work"]]
        return is_due and closed == reasons | {"wait"}

    assert eventually(held)
    assert untouched(lull)


def test_a_proof_waits_for_a_lull_and_then_needs_no_word(lull: Lull, tmp_path: Path) -> None:
    with told_by(tmp_path / "signals.json") as signals:
        settings = {
            "idle.source": f"file:{signals.file}",
            "idle.after_min": "0.1",
            "idle.blocked_hours": "00:00-24:00",
            "learning.quiet_s": "0",
        }
        for key, value in settings.items():
            lull.ask("settings", "set", key, value)
        service = lull.serve()
        feed = lull.ask("calendar", "add", str(meeting(tmp_path)), "--means", "busy")
        corrected(lull, service)
        held_back(lull, {"input", "calendar", "hours"})
        signals.now = AWAY
        held_back(lull, {"calendar", "hours"})  # the meeting needs the machine
        lull.ask("settings", "set", "idle.blocked_hours", "")
        held_back(lull, {"calendar"})
        lull.ask("calendar", "remove", feed["calendar"]["id"])
        assert eventually(lambda: proposals(lull)[0]["status"] == "proved")


def test_what_an_approved_skill_does_is_measured_while_nobody_is_here(
    proved: Lull, tmp_path: Path
) -> None:
    lull = proved
    with told_by(tmp_path / "signals.json") as signals:
        lull.ask("settings", "set", "idle.source", f"file:{signals.file}")
        lull.ask("settings", "set", "idle.after_min", "1")
        service = lull.serve()
        proposal = one_proposal(lull)
        lull.ask("review", "approve", proposal["id"])
        for words in ("green mouse", "happy river", "stone table", "apple chair"):
            assert "|" in Talk(service).says(f"write a menu for {words}")
        service.stop()
        lull.serve()  # looks at the start at what can be measured
        signals.now = AWAY

        def measured() -> Any:
            lull.ask("why")  # has the service look at the signals now and not at its next turn
            found = lull.ask("skills", "show", proposal["name"])["skill"]["measured"]
            return found if found["pairs"] >= 4 else None

        seen = eventually(measured)
        assert (seen["by"], seen["share"], seen["better"], seen["worse"]) == ("replay", 0.0, 4, 0)


def test_an_answer_is_left_to_be_read_unless_a_short_wait_is_set(
    lull: Lull, tmp_path: Path
) -> None:
    with told_by(tmp_path / "signals.json") as signals:
        lull.ask("settings", "set", "idle.source", f"file:{signals.file}")
        service = lull.serve()
        Talk(service).says("write a menu for green mouse")
        signals.now = AWAY
        words = "Waiting until you have read the last answer."
        assert eventually(lambda: lull.ask("why")["because"] == words)
        lull.ask("settings", "set", "idle.after_min", "0.1")
        assert eventually(lambda: lull.ask("why")["state"] in ("open", "working"))
