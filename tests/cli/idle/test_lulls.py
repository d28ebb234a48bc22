"""Tests of `lull why`, `pause` and `resume` with a real service whose signals come from a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.eventually import eventually
from tests.running import Lull

pytestmark = pytest.mark.slow

AWAY = {"input_idle_s": 5000, "locked": True, "on_mains": True, "load_of_others": 0.0}
HERE = {**AWAY, "input_idle_s": 1, "locked": False}


def says(file: Path, signals: dict[str, object]) -> None:
    """Write the file of signals anew before a question: what is older than a minute is ignored."""
    file.write_text(json.dumps({**signals, "memory_free_share": 0.9, "hot": False, "call": False}))


@pytest.mark.full
def test_why_says_what_stands_against_it_and_a_pause_outlives_a_restart(
    lull: Lull, tmp_path: Path
) -> None:
    file = tmp_path / "signals.json"
    lull.ask("settings", "set", "idle.source", f"file:{file}")
    lull.ask("settings", "set", "idle.locked_after_min", "0.1")
    says(file, HERE)
    service = lull.serve()
    why = lull.ask("why")
    assert why["state"] == "closed"
    assert {gate["name"]: gate["state"] for gate in why["gates"]}["input"] == "closed"
    assert lull.ask("status")["learning"]["state"] == "closed"

    def free() -> bool:
        says(file, AWAY)
        return bool(lull.ask("why")["state"] == "open")

    assert eventually(free)
    assert "Free to work" in lull.run("why").out
    paused = lull.ask("pause", "8h")
    assert (paused["state"], bool(paused["until"])) == ("paused", True)
    assert service.stop() == 0
    lull.serve()
    assert lull.ask("why")["state"] == "paused"
    assert lull.ask("resume")["state"] != "paused"


def test_a_pause_of_no_known_length_is_refused(lull: Lull) -> None:
    ran = lull.run("pause", "3 weeks", "--json")
    assert ran.code == 2
    assert "for-good" in ran.json["error"]["detail"]


def test_without_a_service_there_is_nothing_to_ask(lull: Lull) -> None:
    assert lull.run("why", "--json").code == 3
