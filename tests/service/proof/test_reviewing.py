"""Tests of proposals over the control API: what is shown, what a decision does, who is told."""

from __future__ import annotations

import asyncio
import hashlib
import socket
import threading
from contextlib import closing
from dataclasses import replace

import pytest

from lull.contract.json_object import Json
from lull.core.errors import NotFound, UpstreamDown
from lull.core.proof.pairs import PairPart
from lull.core.proof.proof import ProofRule
from lull.core.proof.proposal import Proposal, ProposalKind, ProposalStatus, Trace
from lull.core.skills.skill import SkillKey
from lull.service.proof.reviewing import ReviewRequests
from tests.desk import DecidedProofs, Desk, pairs, proved
from tests.eventually import PATIENCE_S, eventually
from tests.service.control.socket_client import ControlSocket, Said

KEYS = ["id", "kind", "name", "client", "status", "sha256", "diff", "evidence", "provenance"]
EVIDENCE = {"pairs", "requests", "wins", "losses", "e_value", "harm_e_value"}


@pytest.fixture
def api(desk: Desk) -> ControlSocket:
    return ControlSocket(desk.paths.home)


def do(api: ControlSocket, proposal: str, action: str, **wanted: object) -> Said:
    return api.ask("POST", f"/v1/proposals/{proposal}/{action}", wanted)


def only(api: ControlSocket) -> Json:
    (proposal,) = api.get("/v1/proposals")["proposals"]
    assert isinstance(proposal, dict)
    return proposal


def refused(said: Said, status: int) -> str:
    assert said.status == status, said
    assert set(said.json["error"]) >= {"title", "detail", "hint"}
    detail: str = said.json["error"]["detail"]
    return detail


def test_nothing_yet(api: ControlSocket) -> None:
    page = api.get("/v1/proposals")
    assert page == {
        "proposals": [],
        "faults": [],
        "generation": 0,
        "pushed": False,
        "snoozed": [],
        "turned_down": [],
        "undo": None,
    }


def test_a_proposal_shows_all_that_a_decision_needs(desk: Desk, api: ControlSocket) -> None:
    made = desk.propose(
        wish="use bars",
        wish_turns=("turn_2",),
        flags=({"kind": "url", "text": "an address", "quote": "http://x"},),
        check='{"kind": "words", "at_most": 60}',
        traces=(
            Trace(sentence="Join the words", source="user", turn="turn_2"),
            Trace(sentence="with bars.", source="model"),
        ),
    )
    shown = only(api)
    assert list(shown)[: len(KEYS)] == KEYS
    assert (shown["id"], shown["kind"], shown["name"]) == (made.id, "new", "menu-style")
    assert (shown["client"], shown["status"], shown["sha256"]) == (None, "screened", made.sha256)
    assert (
        shown["evidence"].items()
        >= dict.fromkeys(EVIDENCE - {"e_value", "harm_e_value"}, 0).items()
    )
    assert shown["evidence"]["e_value"] == shown["evidence"]["harm_e_value"] == 1.0
    derived, written = {"whose": "derived", "quoted": []}, {"whose": "lull", "quoted": []}
    assert shown["provenance"] == [
        {"sentence": "Join the words", "source": "user", "turn": "turn_2", **derived},
        {"sentence": "with bars.", "source": "model", "turn": None, **written},
    ]
    assert shown["flags"] == [{"kind": "url", "text": "an address", "quote": "http://x"}]
    assert shown["check"] == "The answer must have at most 60 words."
    assert shown["origin"] == "extractive" and shown["wish"] == "use bars"
    assert shown["body"] == "Join the words with bars." and shown["base_sha256"] == ""
    assert hashlib.sha256(shown["text"].encode()).hexdigest() == made.sha256
    lines = shown["diff"].split("\n")
    assert lines[:2] == ["--- /dev/null", "+++ menu-style proposed"]
    assert [line[1:] for line in lines[3:]] == shown["text"].split("\n")[:-1]
    assert api.get(f"/v1/proposals/{made.id}") == {
        "generation": 0,
        "proposal": shown,
        "read": "",
    }


def test_the_evidence_counts_what_was_replayed(desk: Desk, api: ControlSocket) -> None:
    desk.propose(replays=pairs(9, 1, 2, successes=6), status=ProposalStatus.PROVING)
    evidence = only(api)["evidence"]
    assert (evidence["pairs"], evidence["requests"]) == (18, 1)
    assert (evidence["wins"], evidence["losses"]) == (9, 1)
    assert evidence["e_value"] > 1 and evidence["harm_e_value"] == 1.0
    assert (evidence["success_pairs"], evidence["success_losses"]) == (6, 0)
    assert (evidence["needs_e_value"], evidence["most_pairs"]) == (20.0, 60)
    assert (evidence["better"]["share"], evidence["better"]["n"]) == (0.9, 10)
    assert evidence["better"]["above"] is None  # not shown yet to be better at all
    assert evidence["kept"] is None  # not each answer was found to keep to a rule
    assert evidence["scored_by"] == {"pocket": 18}
    assert evidence["picks"] == {"done": 0, "alike": 0, "wanted": 1, "most": 102, "sitting": 12}


@pytest.mark.parametrize(
    ("scored_by", "check", "kept"),
    [("verifier:check", True, True), ("judge:j1", False, True), ("user", False, False),
     ("verifier:check", False, False), ("verifier:schema", True, False)],
)  # fmt: skip
def test_the_evidence_says_how_often_the_rule_was_kept_where_that_was_scored(
    desk: Desk, api: ControlSocket, scored_by: str, check: bool, kept: bool
) -> None:
    scores = [(0.0, 1.0)] * 7 + [(1.0, 0.0)] + [(1.0, 1.0)] * 2 + [(0.0, 0.0)] * 5
    done = pairs(len(scores), successes=3)
    fallen = [
        replace(pair, without=without, with_=with_, scored_by=scored_by)
        for pair, (without, with_) in zip(done, scores, strict=False)
    ]
    more = {"check": '{"contains": "x"}'} if check else {}
    desk.propose(replays=[*fallen, *done[15:]], status=ProposalStatus.PROVING, **more)
    counted = {"pairs": 15, "with": 9, "without": 3, "both": 2, "neither": 5, "parts": []}
    assert only(api)["evidence"]["kept"] == (counted if kept else None)


def test_newest_first_and_decided_ones_only_when_asked_for(desk: Desk, api: ControlSocket) -> None:
    first, second = desk.propose("first"), desk.propose("second", client="desk")
    listed = api.get("/v1/proposals")["proposals"]
    assert [(p["id"], p["client"]) for p in listed] == [(second.id, "desk"), (first.id, None)]
    assert do(api, first.id, "reject", reason="no").status == 200
    assert [p["id"] for p in api.get("/v1/proposals")["proposals"]] == [second.id]
    everything = api.get("/v1/proposals?all=1")["proposals"]
    assert [(p["id"], p["status"]) for p in everything] == [
        (second.id, "screened"),
        (first.id, "rejected"),
    ]
    assert everything[1]["reason"] == "no"


def test_an_edit_and_a_retirement_are_compared_with_what_is_in_force(
    desk: Desk, api: ControlSocket
) -> None:
    desk.skill("menu-style", "Join with dots.")
    edit = desk.propose(kind=ProposalKind.EDIT, body="Join with bars.")
    gone = desk.propose(kind=ProposalKind.RETIRE, status=ProposalStatus.UNPROVED)
    retire, changed = api.get("/v1/proposals")["proposals"]
    assert (retire["id"], changed["id"]) == (gone.id, edit.id)
    assert "-Join with dots." in changed["diff"] and "+Join with bars." in changed["diff"]
    assert retire["diff"].split("\n")[1] == "+++ /dev/null"
    assert not [line for line in retire["diff"].split("\n")[2:] if line.startswith("+")]


def test_a_sign_that_some_screens_take_for_a_line_end_hides_no_line(
    desk: Desk, api: ControlSocket
) -> None:
    desk.propose(body="Join.\u2028+++ harmless\u2029and so on")
    lines = only(api)["diff"].split("\n")
    assert lines[-1] == "+Join.\u2028+++ harmless\u2029and so on"


def test_a_lost_text_hides_no_other_proposal(desk: Desk, api: ControlSocket) -> None:
    desk.skill("menu-style", "Join with dots.")
    desk.propose(kind=ProposalKind.EDIT, body="Join with bars.")
    desk.propose("other")
    sha256 = desk.library.get(SkillKey("", "menu-style")).sha256
    (desk.stores.skills.folders.versions / sha256[:2] / f"{sha256}.md").unlink()
    other, edit = api.get("/v1/proposals")["proposals"]
    assert other["flags"] == []
    assert [flag["kind"] for flag in edit["flags"]] == ["lost-text"]


def test_one_that_is_forgotten_at_that_moment_costs_the_others_nothing(desk: Desk) -> None:
    gone, stays = desk.propose("gone"), desk.propose("stays")
    database = desk.stores.database

    class ForgetsOne(DecidedProofs):
        def rule_for(self, proposal: Proposal) -> ProofRule:
            database.submit(
                lambda c: c.execute("DELETE FROM proposals WHERE name = 'gone'")
            ).result()
            return super().rule_for(proposal)

    reviewing = ReviewRequests(
        review=desk.review,
        proposals=desk.stores.proposals,
        skills=desk.stores.skills,
        in_use=desk,
        deciding=ForgetsOne(),
        proofs=desk.proofs,
        bus=desk.bus,
    )
    assert [one["id"] for one in reviewing.list()["proposals"]] == [stays.id]
    for reading in (desk.stores.proposals.data, reviewing.show, reviewing.pairs):
        with pytest.raises(NotFound, match=f"There is no suggestion {gone.id}"):
            reading(gone.id)


def test_approval_puts_the_exact_text_into_force(desk: Desk, api: ControlSocket) -> None:
    made = desk.propose(replays=proved(), status=ProposalStatus.PROVED)
    said = do(api, made.id, "approve", sha256=made.sha256)
    assert said.status == 200
    assert said.json["generation"] == 1
    assert said.json["proposal"]["status"] == "approved"
    assert said.json["proposal"]["generation"] == 1
    assert desk.library.get(SkillKey("", "menu-style")).sha256 == made.sha256
    assert desk.events() == [(made.id, "approved")]
    assert desk.proofs.looked == 1, "there may be room for the next candidate"
    assert "approved already" in refused(do(api, made.id, "approve"), 409)


def test_another_hash_approves_nothing(desk: Desk, api: ControlSocket) -> None:
    made = desk.propose()
    for action in ("approve", "reject", "defer", "edit"):
        said = do(api, made.id, action, sha256="0" * 64, reason="x", body="y")
        assert "is not the one you read" in refused(said, 409)
    assert api.ask("GET", f"/v1/proposals/{made.id}?sha256={'0' * 64}").status == 409
    assert api.ask("GET", f"/v1/proposals/{made.id}?sha256={made.sha256}").status == 200
    assert desk.status(made) == "screened" and desk.library.generation == 0
    assert desk.events() == [] and desk.proofs.looked == 0


def test_what_was_overtaken_says_so_and_is_not_approved(desk: Desk, api: ControlSocket) -> None:
    desk.skill("menu-style", "Join with dots.")
    made = desk.propose(kind=ProposalKind.EDIT, body="Join with bars.")
    desk.do(desk.approve.edit(SkillKey("", "menu-style"), body="Join with stars."))
    shown = only(api)
    assert shown["status"] == "stale" and "changed since" in shown["reason"]
    assert "changed since" in refused(do(api, made.id, "approve"), 409)
    assert desk.body() == "Join with stars."
    assert do(api, made.id, "reject", reason="overtaken", sha256=made.sha256).status == 200


@pytest.mark.parametrize(
    ("reason", "kept"),
    [
        ("not  what\nI meant", "not what I meant"),
        (None, "no reason given"),
        ("  \n", "no reason given"),
    ],
)
def test_a_rejection_keeps_its_reason_and_needs_none(
    desk: Desk, api: ControlSocket, reason: str | None, kept: str
) -> None:
    made = desk.propose()
    said = do(api, made.id, "reject", reason=reason)
    assert said.json["proposal"]["reason"] == kept
    assert desk.events() == [(made.id, "rejected")]


def test_deferring_and_undoing(desk: Desk, api: ControlSocket) -> None:
    made = desk.propose()
    assert do(api, made.id, "defer").json["proposal"]["status"] == "deferred"
    assert only(api)["status"] == "deferred"
    undone = api.ask("POST", "/v1/proposals/undo").json
    assert undone["proposal"]["status"] == "screened"
    refused(api.ask("POST", "/v1/proposals/undo"), 404)
    do(api, made.id, "approve")
    assert desk.body()
    undone = api.ask("POST", "/v1/proposals/undo", {}).json
    assert (undone["generation"], undone["proposal"]["status"]) == (2, "screened")
    assert desk.library.get(SkillKey("", "menu-style")).status == "archived"
    assert desk.events()[-1] == (made.id, "screened")


def test_an_edit_is_another_text_with_another_hash_and_no_proof(
    desk: Desk, api: ControlSocket
) -> None:
    made = desk.propose(replays=proved(), status=ProposalStatus.PROVED)
    said = do(api, made.id, "edit", body="Join with stars.", sha256=made.sha256)
    edited = said.json["proposal"]
    assert (edited["body"], edited["status"]) == ("Join with stars.", "screened")
    assert edited["description"] == "When a menu is asked for."
    assert edited["sha256"] != made.sha256 and edited["evidence"]["pairs"] == 0
    assert "+Join with stars." in edited["diff"]
    assert "is not the one you read" in refused(
        do(api, made.id, "approve", sha256=made.sha256), 409
    )
    assert do(api, made.id, "approve", sha256=edited["sha256"]).status == 200
    assert desk.body() == "Join with stars."


def test_quarantine_is_left_only_by_the_users_own_word(desk: Desk, api: ControlSocket) -> None:
    made = desk.propose(status=ProposalStatus.QUARANTINED, reason="an order from a web page")
    shown = only(api)
    assert (shown["status"], shown["reason"]) == ("quarantined", "an order from a web page")
    said = api.ask("POST", "/v1/proposals/prove", {"id": made.id})
    assert "quarantined" in refused(said, 409) and desk.proofs.asked == []


def test_spoiled_answers_of_a_writer_are_shown_until_something_came_of_them(
    desk: Desk, api: ControlSocket
) -> None:
    desk.fault(turns=("turn_1",), due=desk.clock.now())
    other = desk.fault(turns=("turn_9",))
    desk.propose(failures=("turn_1",))
    newest, oldest = api.get("/v1/proposals")["faults"]
    assert newest["id"] == other.id and newest["answer"] == other.answer
    assert (newest["settled"], newest["due"]) == (False, None)
    assert oldest["settled"] is True and oldest["due"]
    assert newest["writer"] == "model:writer" and newest["problem"] == "It is no JSON."


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "/v1/proposals/prop_none", None, 404),
        ("POST", "/v1/proposals/prop_none/approve", {}, 404),
        ("POST", "/v1/proposals/prop_none/reject", {"reason": "x"}, 404),
        ("POST", "/v1/proposals/prop_none/defer", {}, 404),
        ("POST", "/v1/proposals/prop_none/edit", {"body": "x"}, 404),
        ("POST", "/v1/proposals/prop_000001/dance", {}, 400),
        ("POST", "/v1/proposals/prop_000001/approve", b"", 400),
        ("POST", "/v1/proposals/prop_000001/approve", [], 400),
        ("POST", "/v1/proposals/prop_000001/approve", {"sha256": 5}, 400),
        ("POST", "/v1/proposals/prop_000001/reject", {"reason": ["x"]}, 400),
        ("POST", "/v1/proposals/prop_000001/reject", {"reason": "\ud800"}, 400),
        ("POST", "/v1/proposals/prop_000001/edit", {}, 400),
        ("POST", "/v1/proposals/prop_000001/edit", {"body": ""}, 400),
        ("POST", "/v1/proposals/prop_000001/edit", {"body": "a\0b"}, 400),
        ("POST", "/v1/proposals/prop_000001/edit", {"body": "\x1b[2J"}, 400),
        ("POST", "/v1/proposals/prop_000001/edit", {"description": "x" * 2000}, 400),
        ("POST", "/v1/proposals/prop_000001/edit", {"scope": "some"}, 400),
        ("POST", "/v1/proposals/prop_000001/edit", {"scope": 3}, 400),
        ("POST", "/v1/proposals/prop_000001/edit", {"check": "{"}, 400),
        ("POST", "/v1/proposals/prop_000001/edit", {"check": '{"kind": "mood"}'}, 400),
        ("POST", "/v1/proposals/prop_none/compare", {}, 404),
        ("POST", "/v1/proposals/prop_none/pick", {"pair": "pair_1", "pick": "a"}, 404),
        ("POST", "/v1/proposals/prop_000001/pick", {"pair": "pair_1", "pick": "c"}, 400),
        ("POST", "/v1/proposals/prop_000001/pick", {"pair": 1, "pick": "a"}, 400),
        ("POST", "/v1/proposals/prop_000001/pick", {"pair": "pair_9", "pick": "a"}, 409),
        ("POST", "/v1/proposals/undo", {}, 404),
        ("POST", "/v1/proposals/prove", {"id": "prop_none"}, 404),
        ("POST", "/v1/proposals/prove", {"id": 7}, 400),
        ("PUT", "/v1/proposals", None, 405),
        ("GET", "/v1/skills/verify?name=nothing-here", None, 404),
        ("GET", "/v1/skills/verify?name=No_Name", None, 400),
        ("GET", "/v1/skills/verify", None, 400),
    ],
)
def test_what_is_wrong_comes_back_as_words(
    desk: Desk, api: ControlSocket, method: str, path: str, body: object, status: int
) -> None:
    made = desk.propose()
    detail = refused(api.ask(method, path, body), status)
    assert "Error at" not in detail, "a fault of ours"
    assert desk.status(made) == "screened" and desk.library.generation == 0


def test_the_snapshot_of_a_window_holds_the_proposals(desk: Desk, api: ControlSocket) -> None:
    made = desk.propose()
    snapshot = api.get("/v1/snapshot")
    assert [p["id"] for p in snapshot["proposals"]] == [made.id]
    assert {"faults", "pushed", "skills", "conversations", "generation"} <= set(snapshot)


def test_a_decision_that_was_begun_ends_when_the_asker_left(desk: Desk, api: ControlSocket) -> None:
    """A stored decision must also be followed, or it would be in force after a restart only."""
    made = desk.propose()
    reached, go_on = desk.hold_following()
    with closing(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)) as leaving:
        leaving.connect(api.path)
        leaving.sendall(
            b"POST /v1/proposals/%s/approve HTTP/1.1\r\nHost: x\r\n"
            b"Content-Length: 2\r\n\r\n{}" % made.id.encode()
        )
        reached.wait(PATIENCE_S)
    assert api.get("/v1/proposals")["generation"] == 0
    desk.call(go_on.set)
    assert eventually(lambda: desk.library.generation == 1)
    assert eventually(lambda: desk.proofs.looked == 1), "and others are told"


# Proving


def test_a_push_begins_the_proofs_and_answers_with_the_list(desk: Desk, api: ControlSocket) -> None:
    made = desk.propose()
    done = api.ask("POST", "/v1/proposals/prove", {}).json
    assert [p["id"] for p in done["proposals"]] == [made.id]
    assert api.ask("POST", "/v1/proposals/prove", {"id": made.id, "wait": True}).status == 200
    assert desk.proofs.asked == [(None, False), (made.id, True)]


def test_who_waits_gets_the_answer_at_the_end(desk: Desk, api: ControlSocket) -> None:
    desk.propose()
    held = desk.hold_proofs()
    said: list[Said] = []
    waiting = threading.Thread(
        target=lambda: said.append(api.ask("POST", "/v1/proposals/prove", {"wait": True}))
    )
    waiting.start()
    assert eventually(lambda: api.get("/v1/proposals")["pushed"])
    assert not said, "it is not answered before it is done"
    desk.call(held.set)
    waiting.join()
    assert said[0].status == 200 and said[0].json["pushed"] is False
    assert desk.proofs.ended == [None]


def test_who_leaves_leaves_the_proofs_running(desk: Desk, api: ControlSocket) -> None:
    held = desk.hold_proofs()
    with closing(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)) as leaving:
        leaving.connect(api.path)
        body = b'{"wait": true}'
        leaving.sendall(
            b"POST /v1/proposals/prove HTTP/1.1\r\nHost: x\r\n"
            b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
        )
        assert eventually(lambda: desk.proofs.asked)
    assert api.get("/v1/proposals")["pushed"] is True
    desk.call(held.set)
    assert eventually(lambda: not api.get("/v1/proposals")["pushed"])
    assert desk.proofs.ended == [None]


def test_a_model_that_is_away_is_told_to_who_waits(desk: Desk, api: ControlSocket) -> None:
    desk.proofs.error = UpstreamDown("The writer does not answer.")
    said = api.ask("POST", "/v1/proposals/prove", {"wait": True})
    assert refused(said, 500) == "The writer does not answer."
    assert api.get("/v1/proposals")["pushed"] is False


@pytest.mark.parametrize("status", [ProposalStatus.APPROVED, ProposalStatus.REJECTED])
def test_what_is_decided_is_not_proved(
    desk: Desk, api: ControlSocket, status: ProposalStatus
) -> None:
    made = desk.propose(status=status)
    said = api.ask("POST", "/v1/proposals/prove", {"id": made.id})
    assert f"is {status} already" in refused(said, 409) and desk.proofs.asked == []


# Verifying


def verify(api: ControlSocket, name: str = "menu-style", client: str = "") -> Json:
    return api.get(f"/v1/skills/verify?name={name}&client={client}")


def approved(desk: Desk, api: ControlSocket, **more: object) -> None:
    made = desk.propose(**more)  # type: ignore[arg-type]
    assert do(api, made.id, "approve").status == 200


def test_a_proof_is_worked_out_again(desk: Desk, api: ControlSocket) -> None:
    approved(desk, api, replays=proved(), status=ProposalStatus.PROVED)
    done = verify(api)
    assert done["holds"] is True, done["why"]
    wins = sum(pair.part is not PairPart.SUCCESS for pair in proved())
    held = len(proved()) - wins
    assert f"Proved on 1 request: better in {wins} and worse in 0 of {wins} pairs" in done["why"]
    assert f"none of {held} past successes got worse" in done["why"]
    assert done["evidence"].items() >= {"pairs": wins + held, "requests": 1, "wins": wins}.items()
    assert (done["skill"], done["client"], done["version"]) == ("menu-style", None, 1)


def test_a_skill_written_by_hand_has_no_proof(desk: Desk, api: ControlSocket) -> None:
    desk.skill("menu-style", "Join with dots.")
    assert (
        verify(api).items()
        >= {
            "holds": False,
            "why": "It was written by hand and has no proof.",
            "evidence": None,
        }.items()
    )


def test_a_text_that_was_changed_after_its_proof_says_so(desk: Desk, api: ControlSocket) -> None:
    approved(desk, api, replays=proved(), status=ProposalStatus.PROVED)
    key = SkillKey("", "menu-style")
    desk.do(desk.approve.edit(key, body="Join with stars."))
    assert "changed after it was approved" in verify(api)["why"]
    desk.do(desk.approve.roll_back())
    assert verify(api)["holds"] is True
    (desk.stores.skills.folders.folder(key) / "SKILL.md").write_text("another text")
    done = verify(api)
    assert done["holds"] is False and "about another text" in done["why"]


def test_an_approval_without_a_proof_is_not_called_one(desk: Desk, api: ControlSocket) -> None:
    approved(desk, api)
    assert "approved before it was tested" in verify(api)["why"]
    approved(desk, api, name="half", replays=pairs(3, 1), status=ProposalStatus.PROVING)
    done = verify(api, "half")
    assert done["holds"] is False and "decide nothing yet" in done["why"]
    approved(desk, api, name="vain", replays=pairs(4, 9), status=ProposalStatus.UNPROVED)
    assert verify(api, "vain")["holds"] is False


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('"losses": 0', '"losses": 7', "losses is 7; its pairs say 0"),
        ('"alpha": 0.05', '"alpha": 0.9', "alpha 0.9; the rule is 0.05"),
        ('"seed": 0', '"seed": 1', "counted 2 times"),
        ("{", "[", "cannot be read"),
        ('"with": 1.0', '"with": NaN', "cannot be read"),
        ('"seed": 0', '"seed": 999', "Pair 1 is not as it was recorded"),
        ('"scored_by": "', '"scored_by": "someone ', "Pair 1 is not as it was recorded"),
        ('"with_sha256": "', '"with_sha256": "0', "Pair 1 is not as it was recorded"),
        ('"without_sha256": "', '"without_sha256": "0', "Pair 1 is not as it was recorded"),
        ('"model": "', '"model": "another ', "It says model is another"),
        ('"skill": "menu-style"', '"skill": "list-style"', "a skill named list-style"),
    ],
)
def test_a_file_that_was_tampered_with_does_not_hold(
    desk: Desk, api: ControlSocket, old: str, new: str, why: str
) -> None:
    approved(desk, api, replays=proved(), status=ProposalStatus.PROVED)
    file = desk.stores.skills.folders.folder(SkillKey("", "menu-style")) / "evidence.json"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))
    done = verify(api)
    assert done["holds"] is False and why in done["why"]


def test_whose_skill_it_is_is_said_where_it_is_not_found(desk: Desk, api: ControlSocket) -> None:
    desk.skill("menu-style", "Join with dots.", client="phone")
    said = refused(api.ask("GET", "/v1/skills/verify?name=menu-style"), 404)
    assert "of everybody" in said
    hint = api.ask("GET", "/v1/skills/verify?name=menu-style").json["error"]["hint"]
    assert "--client phone" in hint


def test_a_deleted_skill_is_not_found(desk: Desk, api: ControlSocket) -> None:
    approved(desk, api)
    api.change(do="delete", name="menu-style")
    said = api.ask("GET", "/v1/skills/verify?name=menu-style")
    assert "was deleted" in refused(said, 404)


def test_skills_of_two_clients_are_two(desk: Desk, api: ControlSocket) -> None:
    approved(desk, api, replays=proved(), client="desk", status=ProposalStatus.PROVED)
    assert verify(api, client="desk")["holds"] is True
    assert api.ask("GET", "/v1/skills/verify?name=menu-style").status == 404


# Comparing


def waits(desk: Desk) -> str:
    made = desk.propose(
        status=ProposalStatus.UNPROVED, needs_picks=True, reason="only you can tell"
    )
    return made.id


def test_a_proposal_that_only_the_user_can_tell_says_so(desk: Desk, api: ControlSocket) -> None:
    waits(desk)
    shown = only(api)
    assert (shown["status"], shown["needs"]) == ("unproved", "picks")
    assert shown["evidence"]["picks"]["wanted"] == 6


def test_pairs_are_asked_for_and_picked_from_over_the_socket(
    desk: Desk, api: ControlSocket
) -> None:
    proposal = waits(desk)
    for number in range(1, 7):
        pair = api.ask("POST", f"/v1/proposals/{proposal}/compare", {}).json
        assert (pair["pair"], pair["request"]) == (f"pair_{number}", "write a menu")
        assert (pair["picks"], pair["wanted"]) == (number - 1, 7 - number)
        assert not {"with_first", "seed", "skill"} & set(pair)
        done = do(api, proposal, "pick", pair=pair["pair"], pick="a").json
    assert (done["status"], done["wins"], done["losses"], done["wanted"]) == ("proved", 6, 0, 0)
    assert done["e_value"] >= 20 and done["open"] is False
    assert desk.proofs.picks == 6
    assert only(api)["evidence"]["scored_by"] == {"user": 6}


def test_while_the_model_answers_the_asker_is_told_so_and_gets_the_pair_later(
    desk: Desk, api: ControlSocket
) -> None:
    proposal = waits(desk)

    async def hold() -> None:
        desk.compare.held = asyncio.Event()

    desk.do(hold())
    first = api.ask("POST", f"/v1/proposals/{proposal}/compare", {}).json
    assert (first["pair"], first["working"]) == (None, True)
    assert desk.compare.held is not None
    desk.call(desk.compare.held.set)

    def pair() -> object:
        return api.ask("POST", f"/v1/proposals/{proposal}/compare", {}).json["pair"]

    assert eventually(pair) == "pair_1"


def test_a_model_that_is_away_is_told_to_who_compares(desk: Desk, api: ControlSocket) -> None:
    proposal = waits(desk)
    desk.compare.error = UpstreamDown("Nobody answers there.")
    said = api.ask("POST", f"/v1/proposals/{proposal}/compare", {})
    assert refused(said, 500) == "Nobody answers there."


def test_scope_and_check_are_edited_and_the_proof_of_the_text_stays(
    desk: Desk, api: ControlSocket
) -> None:
    made = desk.propose(
        replays=proved(), status=ProposalStatus.PROVED, check='{"kind": "words", "at_most": 60}'
    )
    edited = do(api, made.id, "edit", scope="all", check="", sha256=made.sha256).json["proposal"]
    assert (edited["scope"], edited["check"], edited["check_json"]) == ("all", None, None)
    assert (edited["status"], edited["evidence"]["pairs"]) == ("proved", len(proved()))
    assert "scope: all" in edited["text"] and edited["sha256"] != made.sha256
    assert do(api, made.id, "approve", sha256=edited["sha256"]).status == 200
    assert verify(api)["holds"] is True
