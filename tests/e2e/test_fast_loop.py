"""Tests of the fast loop with real processes: ask, correct, read the proof, approve, ask again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lull.contract.json_object import Json
from tests.e2e.corrections import Talk, corrected, one_proposal, proposals, settled
from tests.eventually import eventually
from tests.running import Lull

pytestmark = [pytest.mark.full, pytest.mark.timeout(2400)]


def test_a_correction_in_words_becomes_a_proved_skill_that_is_in_force_when_approved(
    lull: Lull,
) -> None:
    service = lull.serve()
    Talk(service).says("write a route for table chair")  # another kind, answered as it should be
    proposal = corrected(lull, service)
    assert (proposal["kind"], proposal["client"]) == ("new", None)
    assert proposal["body"] == "When you write a menu, join with bars and finish with sugar."
    assert {t["source"] for t in proposal["provenance"]} <= {"user", "model"}

    # Nothing is in force before the user has said so.
    assert Talk(service).says("write a menu for green happy mouse") == "green and happy and mouse"
    (proved,) = lull.ask("prove", proposal["id"], "--wait")["proposals"]
    evidence = proved["evidence"]
    assert proved["status"] == "proved", proved
    assert evidence["pairs"] <= 60
    assert evidence["e_value"] >= 20
    assert evidence["requests"] >= 1
    assert evidence["wins"] > evidence["losses"]

    done = lull.ask("review", "approve", proposal["id"], "--sha256", proved["sha256"])
    assert done["generation"] == 1
    assert Talk(service).says("write a menu for green mouse") == "green | mouse | sugar"
    assert Talk(service).says("write a route for table chair") == "table to chair"
    assert proposals(lull) == []

    name = proposal["name"]
    assert lull.ask("verify", name)["holds"] is True
    turn = lull.ask("show")["turns"][0]
    assert turn["policy"]["generation"] == 1
    (skill,) = lull.ask("skills", "list")["skills"]
    assert (skill["name"], skill["sha256"]) == (name, proved["sha256"])


def test_what_taught_a_skill_is_support_and_never_eligible(proved: Lull) -> None:
    lull = proved
    lull.serve()
    lull.ask("review", "approve", one_proposal(lull)["id"])
    turns = [
        turn
        for conversation in lull.ask("conversations")["conversations"]
        for turn in lull.ask("show", conversation["id"])["turns"]
    ]
    taught = [turn for turn in turns if turn["support"]]
    assert taught
    assert not any(turn["eligible"] for turn in taught)
    failed = next(t for t in turns if t["request"] == "write a menu for apple river stone")
    assert failed["support"]
    assert failed["reward"]["value"] == -1
    assert failed["reward"]["source"] in ("implicit", "verifiable")
    assert failed["reward"]["p_good"] < 0.35


def test_a_rejected_rule_is_not_proposed_again_in_other_words(proved: Lull) -> None:
    lull = proved
    service = lull.serve()
    proposal = one_proposal(lull)
    lull.ask("review", "reject", proposal["id"], "--reason", "only that once")
    talk = Talk(service)
    talk.says("write a menu for green happy mouse")
    talk.says("not like that: for a menu, finish with sugar and use bars")
    settled(lull)
    assert proposals(lull) == []
    assert lull.ask("skills", "list")["skills"] == []


def test_a_decision_can_be_taken_back(proved: Lull) -> None:
    lull = proved
    service = lull.serve()
    proposal = one_proposal(lull)
    lull.ask("review", "approve", proposal["id"])
    assert Talk(service).says("write a menu for green mouse") == "green | mouse | sugar"
    undone = lull.ask("review", "undo")
    assert undone["generation"] == 2
    assert Talk(service).says("write a menu for green mouse") == "green and mouse"
    assert one_proposal(lull)["id"] == proposal["id"]


def test_what_one_client_taught_changes_nothing_for_another(lull: Lull) -> None:
    service = lull.serve()
    proposal = corrected(lull, service, client="anna")
    assert proposal["client"] == "anna"
    lull.ask("review", "approve", proposal["id"], "--yes")
    asked = "write a menu for green mouse"
    assert Talk(service, client="anna").says(asked) == "green | mouse | sugar"
    assert Talk(service, client="ben").says(asked) == "green and mouse"
    assert Talk(service).says(asked) == "green and mouse"
    lull.ask("skills", "copy", proposal["name"], "--client", "anna", "--to", "ben")
    assert Talk(service, client="ben").says(asked) == "green | mouse | sugar"


def test_another_wish_on_the_same_matter_is_an_edit(proved: Lull) -> None:
    lull = proved
    service = lull.serve()
    first = one_proposal(lull)
    lull.ask("review", "approve", first["id"])
    talk = Talk(service)
    assert talk.says("write a menu for green mouse") == "green | mouse | sugar"
    talk.says("no, when you write a menu, join with stars")
    second = one_proposal(lull)
    assert (second["kind"], second["name"]) == ("edit", first["name"])
    assert "-When you write a menu, join with bars and finish with sugar." in second["diff"]
    assert "+When you write a menu, join with stars and finish with sugar." in second["diff"]
    (proved,) = lull.ask("prove", second["id"], "--wait")["proposals"]
    assert proved["status"] == "proved", proved
    lull.ask("review", "approve", second["id"], "--yes")
    assert Talk(service).says("write a menu for green mouse") == "green * mouse * sugar"


def test_a_proof_goes_on_after_the_service_was_killed(lull: Lull) -> None:
    service = lull.serve()
    proposal = corrected(lull, service)
    lull.ask("prove", proposal["id"])
    eventually(lambda: proposals(lull)[0]["evidence"]["pairs"] >= 1)
    service.kill()
    lull.serve()
    found = eventually(lambda: proposals(lull))[0]
    assert found["id"] == proposal["id"]
    before = found["evidence"]["pairs"]
    assert before >= 1
    (proved,) = lull.ask("prove", proposal["id"], "--wait")["proposals"]
    assert proved["status"] == "proved"
    assert proved["evidence"]["pairs"] >= before


def test_a_stale_proposal_says_so(proved: Lull, tmp_path: Path) -> None:
    lull = proved
    lull.serve()
    proposal = one_proposal(lull)
    body = tmp_path / "body"
    body.write_text("When you write a menu, be brief.")
    lull.ask("skills", "add", proposal["name"], "--description", "menus", "--body", f"@{body}")
    assert one_proposal(lull)["status"] == "stale"
    ran = lull.run("review", "approve", proposal["id"], "--yes", "--json")
    assert ran.code == 1
    assert json.loads(ran.out)["error"]["title"] == "Conflict"


@pytest.mark.parametrize(("label", "good"), [("good", True), ("bad", False)])
def test_the_users_rating_decides_over_a_check_on_every_surface(
    proved: Lull, label: str, good: bool
) -> None:
    lull = proved
    service = lull.serve()
    asked = "write a menu for green happy mouse"
    lull.ask("review", "approve", one_proposal(lull)["id"], "--yes")
    Talk(service).says(asked)  # a check says whether it keeps the approved rule
    settled(lull)

    def turn() -> Json:
        return dict(lull.ask("show")["turns"][0])

    assert (turn()["request"], turn()["reward"]["source"]) == (asked, "verifiable")
    lull.ask("rate", turn()["id"], label)
    reward = turn()["reward"]
    assert reward["source"] == "explicit"
    assert (reward["value"] > 0, reward["p_good"] > 0.5) == (good, good)
    settled(lull)
    assert turn()["reward"] == reward
