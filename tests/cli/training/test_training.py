"""Tests of `lull train` and `lull forget`, with a real service and without one."""

from __future__ import annotations

import pytest

from tests.building import bytes_below
from tests.e2e.corrections import Talk, corrected
from tests.eventually import eventually
from tests.running import Lull

pytestmark = [pytest.mark.full, pytest.mark.timeout(2400)]

RUN_KEYS = {
    *("id", "kind", "status", "why", "steps", "of", "reward_before", "reward_after", "kl"),
    *("tokens", "took_s", "verdict", "reasons"),
}


def test_runs_are_listed_without_a_service_and_the_rest_needs_one(lull: Lull) -> None:
    assert lull.ask("train", "list") == {"runs": []}
    assert "Nothing was trained yet." in lull.run("train", "list").out
    for words in (("train", "now"), ("train", "cancel", "run_1")):
        assert lull.run(*words).code == 3, words
    assert lull.run("train", "show", "run_1").code == 1
    lull.serve().stop()
    assert lull.ask("train", "list") == {"runs": []}


def test_train_now_says_what_is_wanted_before_anything_can_be_trained(lull: Lull) -> None:
    service = lull.serve()
    Talk(service).says("write a menu for apple river stone")
    done = lull.ask("train", "now", "--wait")
    assert done["runs"] == [] and done["doing"] == "nothing"
    assert "both good and bad answers" in done["text"]
    assert done["text"].startswith("Not enough to train on yet. ")
    # Nothing else is started in its place.
    assert "yourself" not in lull.ask("why")["because"]
    shown = lull.run("train", "show", "run_none", "--json")
    assert shown.code == 1 and shown.json["error"]["title"] == "Not found"
    assert lull.run("train", "cancel", "run_none").code == 1
    lull.ask("settings", "set", "training.enabled", "false")
    assert lull.ask("train", "now", "--wait")["text"].startswith("Training is switched off")


def test_forgetting_says_what_came_of_a_conversation_and_removes_every_word(lull: Lull) -> None:
    """Chroma and SQLite keep deleted data in their files until they are made to remove it."""
    service = lull.serve()
    rule = "when you write a menu, join with bars and start with velvet"
    proposal = corrected(lull, service, rule)
    (conversation,) = lull.ask("conversations")["conversations"]
    lull.ask("review", "approve", proposal["id"], "--yes")
    assert Talk(service).says("write a menu for green mouse") == "velvet | green | mouse"
    turn = lull.ask("show")["turns"][0]["id"]
    memory = lull.home / "vectors" / "chroma.sqlite3"

    def remembered() -> bool:
        lull.ask("rate", turn, "good")
        return memory.exists() and b"green mouse" in b"".join(
            data for _, data in bytes_below(memory.parent)
        )

    assert eventually(remembered)
    newest = lull.ask("conversations")["conversations"][0]["id"]
    said = lull.ask("forget", newest)
    assert said["done"] is False and said["removed"]["turns"] == 1
    assert lull.ask("show", newest)["turns"]

    for one in (newest, conversation["id"]):
        done = lull.ask("forget", one, "--yes")
        assert done["done"] is True
    assert done["removed"] == {"turns": 2, "skills": 1, "runs": 0, "adapters": 0, "proposals": 1}
    assert lull.ask("conversations")["conversations"] == []
    assert lull.ask("skills", "list", "--all")["skills"] == []
    assert lull.run("forget", newest, "--yes").code == 1
    # The service still has all of it open, and answers as it did before anything was taught.
    assert Talk(service).says("write a menu for table chair") == "table and chair"
    service.stop()
    for word in (b"velvet", b"river stone", b"green mouse", b"join-with-bars"):
        found = [str(path) for path, data in bytes_below(lull.home) if word in data.lower()]
        assert found == [], word
