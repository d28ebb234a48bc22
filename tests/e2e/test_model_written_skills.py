"""Tests of skills written by a model, with real processes: the writer first fails in every way.

Nothing is lost by that, nothing that nobody approved stands in a user's prompt, and each fault is
told in words.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.doubles.scripted_endpoint import (
    BAD_GATEWAY,
    EMPTY,
    HTML_PAGE,
    Answer,
    Says,
    broken_off,
    fenced,
    hangs,
    hostile_skills,
    never_ends,
    resets,
    says_json,
)
from tests.e2e.scripted.three_models import (
    BARS,
    COOK,
    PLAIN,
    REFEREE,
    RIGHT,
    SCRIBE,
    SKILL,
    Models,
    Talk,
    at_home,
    blocks,
    in_turn,
    problems,
    prove,
    rate,
    status,
    turns,
)
from tests.running import Lull, RunningLull

pytestmark = [pytest.mark.full, pytest.mark.timeout(2400)]

MENUS = [f"Please write a menu for {day} with soup and bread" for day in ("Sunday", "May", "Lent")]
COMPLAINT = "no, that is wrong, my guests could not read it"
PROSE = Says(text="Sure! They want bars between the dishes.")
TOO_LONG = says_json({**SKILL, "body": "Join the dishes with bars. " * 60})
NAMELESS = says_json({"description": "When a menu is asked for.", "body": BARS})
FAULTS: dict[str, tuple[Answer, str]] = {
    "no JSON": (PROSE, "is no JSON"),
    "empty": (EMPTY, "is empty"),
    "broken off": (broken_off(SKILL), "cut at the limit"),
    "a field missing": (NAMELESS, "name is missing"),
    "too long": (TOO_LONG, "at most 150 are allowed"),
    "slow": (hangs, "did not answer within 1 s"),
    "without an end": (never_ends, ""),  # too long or too slow, whichever comes first
    "a connection reset": (resets, "cannot be reached"),
    "a web page": (HTML_PAGE, "is not a chat answer"),
    "a gateway's error": (BAD_GATEWAY, "has failed (HTTP 502)"),
}
TIMED = ("slow", "without an end")
"""Faults that only a short time limit ends."""


@pytest.fixture
def models() -> Iterator[Models]:
    with Models() as made:
        yield made


@pytest.fixture
def lull(tmp_path: Path, models: Models) -> Iterator[Lull]:
    """A Lull that does nothing by itself in these tests: it is never quiet for an hour."""
    settings = f"""
[writer]
model = "{SCRIBE}"
address = "{models.address}/v1"
timeout_s = 900

[judge]
model = "{REFEREE}"
address = "{models.address}/v1"

[learning]
quiet_s = 3600
"""
    with at_home(tmp_path / "home", models, settings) as made:
        yield made


def three_failures(lull: Lull, service: RunningLull) -> set[str]:
    """Record three menus, each rated bad and complained about in words that state no rule."""
    for asked in MENUS:
        talk = Talk(service)
        assert talk.says(asked) == PLAIN
        talk.says(COMPLAINT)
    failed = {turn["id"] for turn in turns(lull) if turn["request"] in MENUS}
    assert len(failed) == 3
    for turn in failed:
        rate(lull, turn, "bad")
    return failed


def test_a_writer_that_fails_in_every_way_loses_nothing_and_writes_well_in_the_end(
    lull: Lull, models: Models
) -> None:
    service = lull.serve()
    failed = three_failures(lull, service)

    patience = ""
    for number, (what, (answer, words)) in enumerate(FAULTS.items(), start=1):
        models.writer = answer
        if patience != (patience := "1" if what in TIMED else "900"):
            lull.ask("settings", "set", "writer.timeout_s", patience)
        page = prove(lull)
        assert page["proposals"] == [], what
        assert len(page["faults"]) == number, what
        newest = page["faults"][0]
        assert set(newest["turns"]) == failed, what
        assert not newest["settled"]
        assert newest["due"] is not None
        assert words in newest["problem"], what
        assert newest["problem"].partition(" (")[0] in problems(lull), what
    slow = [asked for asked in models.asked_of(SCRIBE) if asked.left.is_set()]
    assert slow  # it was not left to talk to nobody

    for what, skill in hostile_skills().items():
        models.writer = says_json(skill)
        newest = prove(lull)["faults"][0]
        assert set(newest["turns"]) == failed, what
        assert any(w in newest["problem"] for w in ("is in quarantine", "Lull's own mark")), what
    held = lull.ask("review")["proposals"]
    assert len(held) >= len(hostile_skills()) - 2
    for proposal in held:
        assert proposal["status"] == "quarantined"
        assert proposal["reason"]
        assert proposal["flags"]
        assert proposal["evidence"]["pairs"] == 0
    assert status(lull)["policy"]["generation"] == 0

    # Malformed once: it is asked again, with the reason.
    models.writer = in_turn(PROSE, fenced(SKILL))
    before = len(models.bodies(SCRIBE))
    page = lull.ask("prove", "--wait")
    assert len(models.bodies(SCRIBE)) == before + 2
    assert "cannot be used" in models.bodies(SCRIBE)[-1]["messages"][-1]["content"]
    (proved,) = [p for p in page["proposals"] if p["status"] != "quarantined"]
    assert (proved["status"], proved["origin"], proved["body"]) == ("proved", "model", BARS)
    assert set(proved["turns"]["failures"]) == failed
    evidence = proved["evidence"]
    assert evidence["pairs"] <= 60
    assert evidence["e_value"] >= 20
    assert evidence["requests"] == 3
    assert next(iter(evidence["scored_by"])).startswith(f"judge:{REFEREE} ")
    assert all(fault["settled"] for fault in page["faults"])

    # Nobody has approved anything yet.
    assert Talk(service).says(MENUS[0]) == PLAIN
    for prompt in models.prompts_of_users():
        assert "<skills>" not in prompt
    everything = "\n".join(asked.body.decode() for asked in models.asked_of(COOK))
    for skill in hostile_skills().values():
        assert skill["body"][:20] not in everything  # not even a replay

    done = lull.ask("review", "approve", proved["id"], "--sha256", proved["sha256"])
    assert done["generation"] == 1
    assert Talk(service).says(MENUS[0]) == RIGHT
    assert models.prompts_of_users()[-1].count(BARS) == 1
    assert lull.ask("verify", proved["name"])["holds"] is True
    assert problems(lull) == ""

    seen_by_writer = [str(body) for body in models.bodies(SCRIBE)]
    assert all("<skills>" not in shown for shown in seen_by_writer)
    assert all(COMPLAINT in shown for shown in seen_by_writer)
    wishes = [b for b in models.bodies(REFEREE) if "what the user said they want" in blocks(b)]
    benefit = evidence["pairs"] - evidence["success_pairs"]
    assert len(wishes) == 3 * 2 * benefit  # three votes on each of two answers
    assert all(blocks(body)["what the user said they want"] == COMPLAINT for body in wishes)
    assert all(BARS not in str(body) and "<skills>" not in str(body) for body in wishes)


def test_what_a_model_wrote_is_never_approved_by_itself_from_quarantine(
    lull: Lull, models: Models
) -> None:
    lull.ask("settings", "set", "review.auto_approve", "true")
    service = lull.serve()
    three_failures(lull, service)
    models.writer = says_json(hostile_skills()["sends away"])
    (held,) = prove(lull)["proposals"]
    assert held["status"] == "quarantined"
    assert lull.run("prove", held["id"], "--wait").code == 1  # not even when asked for
    assert lull.ask("status")["policy"]["generation"] == 0
    assert "evil.example" not in "".join(asked.body.decode() for asked in models.asked_of(COOK))


def test_faults_and_failures_outlive_a_kill(lull: Lull, models: Models) -> None:
    service = lull.serve()
    failed = three_failures(lull, service)
    models.writer = PROSE
    prove(lull)
    service.kill()
    lull.serve()
    (fault,) = lull.ask("review")["faults"]
    assert set(fault["turns"]) == failed
    assert "bars between the dishes" in fault["answer"]
    models.writer = says_json(SKILL)
    (proved,) = prove(lull)["proposals"]
    assert set(proved["turns"]["failures"]) == failed


def test_what_nobody_can_score_comes_to_the_user_as_unproved(lull: Lull, models: Models) -> None:
    lull.ask("settings", "set", "judge.model", "")
    service = lull.serve()
    three_failures(lull, service)
    (shown,) = prove(lull)["proposals"]
    assert shown["status"] == "unproved"
    assert shown["reason"].startswith("only you can tell: compare ")
    assert shown["needs"] == "picks"
    lull.ask("review", "approve", shown["id"], "--yes")
    assert Talk(service).says(MENUS[0]) == RIGHT
