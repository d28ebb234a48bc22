"""Tests of `lull review`, `prove` and `verify` without a terminal, for scripts and for people."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from lull.cli.proof.prove import progress_words
from lull.cli.skills.review_actions import fetch
from lull.core.errors import EvolverFault, UpstreamDown
from lull.core.proof.last_look import last_look
from lull.core.proof.proposal import ProposalKind, ProposalStatus, Trace
from lull.core.skills.skill import SkillKey
from lull.loops.skills.review import NO_REASON
from lull.service.proof.verifying import repair_evidence
from tests.cli.conftest import Here
from tests.cli.parser.test_words import one_line
from tests.desk import GROUND, Desk, looked, pairs, proved, spent

HIDDEN = "Join\u202e with \x1b[2Jbars.\u200b\r"


def test_nothing_to_review_says_when_there_will_be(desk: Desk, here: Here) -> None:
    assert here("review", "--json").json["proposals"] == []
    ran = here("review")
    assert (ran.code, ran.err) == (0, "")
    assert "Nothing to review" in ran.out and "lull prove" in ran.out


def test_the_list_for_scripts(desk: Desk, here: Here) -> None:
    first, second = desk.propose("first"), desk.propose("second")
    document = here("review", "--json").json
    assert [p["id"] for p in document["proposals"]] == [second.id, first.id]
    assert document == here("review", "list", "--json").json
    assert set(document["proposals"][0]) >= {
        *("id", "kind", "name", "client", "status", "sha256", "diff", "evidence"),
        *("provenance", "flags", "description", "body", "reason", "made", "origin", "wish"),
        *("check", "base_sha256"),
    }
    here("review", "reject", first.id, "--reason", "no")
    assert len(here("review", "--json").json["proposals"]) == 1
    assert len(here("review", "--all", "--json").json["proposals"]) == 2
    assert len(here("review", "list", "--all", "--json").json["proposals"]) == 2


def test_the_list_for_people(desk: Desk, here: Here) -> None:
    desk.propose("first", replays=proved(), status=ProposalStatus.PROVED, client="desk")
    desk.propose("second", status=ProposalStatus.UNPROVED, reason="nothing can score it")
    out = here("review").out
    assert out.startswith("SUGGESTION")
    assert "proved on 1 request: " in out and "UNPROVED: nothing can score it" in out
    assert "lull review approve ID --sha256 H" in out
    assert "\x1b" not in out, "no colours where no terminal is"


def test_one_proposal_is_shown_whole(desk: Desk, here: Here) -> None:
    made = desk.propose(
        replays=pairs(5, 1, 2),
        status=ProposalStatus.PROVING,
        wish="use bars",
        check='{"kind": "words", "at_most": 60}',
        flags=({"kind": "url", "text": "It holds an address.", "quote": "http://x"},),
        traces=(
            Trace(
                sentence="Join the words", source="user", turn="turn_2", quoted=("Join the words",)
            ),
            Trace(sentence="with", source="model"),
            Trace(sentence="bars.", source="untrusted", turn="turn_1"),
        ),
    )
    ran = here("review", "show", made.id)
    assert (ran.code, ran.err) == (0, "")
    for part in (
        "New skill “menu-style” for everybody: being proved, 8 of at most 60 pairs",
        made.sha256,
        "+Join the words with bars.",
        "1 request, replayed 8 times without and with the skill:",
        "5 better with it, 1 worse, 2 alike",
        "The evidence comes from only 1 request",
        "You said: “use bars”",
        "turn_1",
        "your words in turn_2: Join the words",
        "written by Lull: with",
        "SOMEBODY ELSE (a file, a tool, a page) in turn_1: bars.",
        "Look at this: It holds an address. “http://x”",
        "A check comes with it: The answer must have at most 60 words.",
    ):
        assert part in ran.out
    assert here("review", "show", made.id, "--json").json["proposal"]["id"] == made.id


def test_what_is_hidden_in_a_text_is_named(desk: Desk, here: Here) -> None:
    made = desk.propose(
        body="Join\u202e with bars.\u200b And\u00a0so on 👩\u200d💻.",
        wish=HIDDEN,
        flags=({"kind": "hidden", "text": HIDDEN, "quote": HIDDEN},),
        traces=(Trace(sentence=HIDDEN, source="untrusted", turn="turn_1"),),
        reason=HIDDEN,
        status=ProposalStatus.QUARANTINED,
    )
    desk.fault(problem=HIDDEN, answer=HIDDEN)
    for words in (["review"], ["review", "show", made.id]):
        out = here(*words).out
        assert not {"\x1b", "\u202e", "\u200b", "\r"} & set(out)
    assert "+Join⟨U+202E⟩ with bars.⟨U+200B⟩ And\u00a0so on 👩\u200d💻." in out
    assert "with ⟨U+001B⟩[2Jbars.⟨U+200B⟩" in out
    assert here("review", "show", made.id, "--json").json["proposal"]["wish"] == HIDDEN


def test_a_spoiled_answer_is_told_with_its_next_try(desk: Desk, here: Here) -> None:
    desk.fault()
    out = here("review").out
    assert "1 answer of the skill writer could not be used" in out
    assert "It is no JSON." in out and "Sure! Here is⟨U+001B⟩[2J a skill" in out
    assert "lull prove" in out
    assert here("review", "--json").json["faults"][0]["answer"] == "Sure! Here is\x1b[2J a skill"


def test_approving_by_the_hash(desk: Desk, here: Here) -> None:
    made = desk.propose()
    ran = here("review", "approve", made.id, "--sha256", "0" * 64)
    assert ran.code == 1
    assert one_line(ran.err).startswith("lull: Conflict: ") and made.sha256 in ran.err
    assert desk.library.generation == 0
    done = here("review", "approve", made.id, "--sha256", made.sha256, "--json").json
    assert done["generation"] == 1 and done["proposal"]["status"] == "approved"
    assert desk.body() == "Join the words with bars."
    assert here("review", "approve", made.id).code == 1


@pytest.mark.parametrize(
    ("status", "replays", "why"),
    [
        (ProposalStatus.SCREENED, 0, "It was not tested yet"),
        (ProposalStatus.UNPROVED, 5, "Tests did not show that it helps: no benefit."),
        (ProposalStatus.UNPROVED, 0, "It cannot be tested automatically: no benefit."),
    ],
)
def test_what_was_not_proved_is_approved_only_with_a_second_word(
    desk: Desk, here: Here, status: ProposalStatus, replays: int, why: str
) -> None:
    made = desk.propose(status=status, replays=pairs(0, replays), reason="no benefit")
    ran = here("review", "approve", made.id)
    assert ran.code == 2
    assert why in one_line(ran.err) and "--yes" in ran.err
    assert desk.library.generation == 0
    assert here("review", "approve", made.id, "--yes").code == 0
    assert desk.status(made) == "approved"


def test_what_is_put_off_until_a_time_is_out_of_the_list(desk: Desk, here: Here) -> None:
    made = desk.propose(status=ProposalStatus.PROVED, replays=proved())
    for wrong in ("tomorrow", "2026-11-21T20:00:00", "1999-01-01T00:00:00+00:00"):
        ran = here("review", "defer", made.id, "--until", wrong)
        assert ran.code in (1, 2)
        one_line(ran.err)
    until = (desk.clock.now() + timedelta(hours=1)).isoformat()
    assert here("review", "defer", made.id, "--until", until).code == 0
    listed = here("review", "--json").json
    assert listed["proposals"] == [] and listed["snoozed"][0]["id"] == made.id
    assert "1 is put off until later" in here("review").out
    desk.clock.advance(3601)
    assert here("review", "--json").json["proposals"][0]["status"] == "proved"


def test_a_text_that_changed_after_it_was_read_is_not_approved(
    desk: Desk, here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = desk.propose(status=ProposalStatus.PROVED, replays=proved())

    def fetch_and_change(*wanted: Any) -> Any:
        read = fetch(*wanted)
        desk.do(desk.review.edit(made.id, description=None, body="Join them with dashes."))
        return read

    monkeypatch.setattr("lull.cli.skills.review.fetch", fetch_and_change)
    ran = here("review", "approve", made.id)
    assert ran.code == 1
    assert "not the one you read" in ran.err
    assert desk.library.generation == 0


def test_yes_approves_only_the_text_that_was_shown(desk: Desk, here: Here) -> None:
    made = desk.propose(status=ProposalStatus.PROVED, replays=proved())
    assert "Join the words with bars." in here("review", "show", made.id).out
    desk.do(desk.review.edit(made.id, description=None, body="Join them with dashes."))
    here("review")  # a list shows no text whole
    ran = here("review", "approve", made.id, "--yes")
    assert ran.code == 1
    assert "not the one you read" in one_line(ran.err) and "lull review show" in ran.err
    assert desk.library.generation == 0
    assert "Join them with dashes." in here("review", "show", made.id).out
    assert here("review", "approve", made.id, "--yes").code == 0
    assert desk.body() == "Join them with dashes."


def test_yes_prints_the_text_that_was_not_shown_before(desk: Desk, here: Here) -> None:
    made = desk.propose(status=ProposalStatus.PROVED, replays=proved())
    out = here("review", "approve", made.id, "--yes").out
    assert "Join the words with bars." in out and made.sha256 in out and "Generation 1" in out


def test_yes_approves_the_text_that_was_written_in_its_place(desk: Desk, here: Here) -> None:
    made = desk.propose(status=ProposalStatus.PROVED, replays=proved())
    here("review", "show", made.id)
    assert here("review", "edit", made.id, "--body", "Join them with dashes.").code == 0
    assert here("review", "approve", made.id, "--yes").code == 0
    assert desk.body() == "Join them with dashes."


@pytest.mark.parametrize("shown", [False, True])
def test_what_is_quarantined_still_asks_for_its_hash(desk: Desk, here: Here, shown: bool) -> None:
    made = desk.propose(status=ProposalStatus.QUARANTINED)
    if shown:
        here("review", "show", made.id)
    for words in ((), ("--yes",)):
        ran = here("review", "approve", made.id, *words)
        assert ran.code == 1
        assert "--sha256" in ran.err
        assert desk.status(made) == "quarantined"


def test_approving_for_people_says_what_follows(desk: Desk, here: Here) -> None:
    made = desk.propose(status=ProposalStatus.PROVED, replays=proved())
    out = here("review", "approve", made.id).out
    assert "Generation 1" in out and "from your next message" in out and "undo" in out
    gone = desk.propose(kind=ProposalKind.RETIRE, status=ProposalStatus.UNPROVED)
    assert "in no prompt any more" in here("review", "approve", gone.id).out


def test_rejecting_deferring_and_undoing(desk: Desk, here: Here) -> None:
    made = desk.propose()
    assert here("review", "defer", made.id, "--json").json["proposal"]["status"] == "deferred"
    done = here("review", "reject", made.id, "--reason", "not that", "--json").json
    assert (done["proposal"]["status"], done["proposal"]["reason"]) == ("rejected", "not that")
    assert here("review", "undo", "--json").json["proposal"]["status"] == "deferred"
    assert "put off" not in here("review", "undo").out
    assert desk.status(made) == "screened"
    ran = here("review", "undo")
    assert ran.code == 1 and "nothing to undo" in one_line(ran.err)
    done = here("review", "reject", made.id, "--json").json
    assert (done["proposal"]["status"], done["proposal"]["reason"]) == ("rejected", NO_REASON)


def test_stopping_a_test_says_how_it_goes_on(desk: Desk, here: Here) -> None:
    made = desk.propose(replays=proved()[:3], status=ProposalStatus.PROVING, stopped=True)
    ran = here("review", "stop", made.id)
    assert (ran.code, ran.err) == (0, "") and desk.proofs.stopped == [made.id]
    goes_on = f"stopped by you, 3 of at most 60 pairs; `lull prove {made.id}` goes on"
    assert ran.out == f"“menu-style”: {goes_on}.\n"
    assert here("review", "stop", made.id, "--json").json["proposal"]["stopped"] is True
    assert goes_on in here("review").out


def test_a_test_that_waits_says_for_how_many(desk: Desk, here: Here) -> None:
    first, second = desk.propose("first"), desk.propose("second")
    desk.proofs.before = {first.id: 1, second.id: 2}
    out = here("review").out
    assert "it waits for 1 other test" in out and "it waits for 2 other tests" in out


def test_editing_from_words_files_and_stdin(
    desk: Desk, here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = desk.propose()
    file = tmp_path / "body.txt"
    file.write_text("Verbinde mit ✓.\n")
    done = here("review", "edit", made.id, "--body", f"@{file}", "--json").json
    assert done["proposal"]["body"] == "Verbinde mit ✓."
    done = here("review", "edit", made.id, "--description", "When asked.", "--json").json
    assert (done["proposal"]["description"], done["proposal"]["body"]) == (
        "When asked.",
        "Verbinde mit ✓.",
    )
    stale = here("review", "edit", made.id, "--body", "x", "--sha256", made.sha256)
    assert stale.code == 1 and "not the one you read" in one_line(stale.err)
    ran = here("review", "edit", made.id)
    assert ran.code == 2 and "Nothing to edit" in one_line(ran.err)
    assert here("review", "edit", made.id, "--body", "").code == 1


@pytest.mark.parametrize(
    "words",
    [
        ["show"],
        ["approve"],
        ["defer"],
        ["reject", "--reason", "x"],
        ["edit", "--body", "x"],
    ],
    ids=lambda words: words[0],
)
def test_an_unknown_proposal_is_one_line(desk: Desk, here: Here, words: list[str]) -> None:
    for name in ("prop_none", "../status", "a b", "é"):
        ran = here("review", words[0], name, *words[1:], "--json")
        assert ran.code == 1, ran
        assert ran.json["error"]["title"] == "Not found"
        one_line(ran.err)


# prove


def test_prove_pushes_and_answers_with_the_proposals(desk: Desk, here: Here) -> None:
    made = desk.propose()
    document = here("prove", "--json").json
    assert [p["id"] for p in document["proposals"]] == [made.id]
    assert "The proofs have begun" in here("prove").out
    ran = here("prove", made.id, "--wait")
    assert (ran.code, ran.err) == (0, ""), "progress stands on terminals alone"
    assert made.id in ran.out
    assert desk.proofs.asked == [(None, False), (None, False), (made.id, True)]
    ran = here("prove", "prop_none")
    assert ran.code == 1 and "prop_none" in one_line(ran.err)


def test_prove_says_what_a_judge_or_a_writer_could_not_do(desk: Desk, here: Here) -> None:
    desk.propose()
    desk.proofs.undone = [UpstreamDown("referee does not answer.", hint="Start Ollama.")]
    ran = here("prove")
    assert ran.code == 0
    assert "Not done: " in ran.out and "referee does not answer. (Start Ollama.)" in ran.out
    (problem,) = here("prove", "--json").json["problems"]
    assert problem["detail"] == "referee does not answer."


def test_progress_tells_how_far_and_how_long_at_most() -> None:
    proposal = {
        "name": "menu-style",
        "evidence": {
            "pairs": 12,
            "most_pairs": 60,
            "wins": 9,
            "losses": 1,
            "e_value": 14.23,
            "needs_e_value": 20.0,
        },
    }
    said = "menu-style: 12 of at most 60 pairs, 9 won, 1 lost, e = 14.2 of 20"
    assert progress_words(proposal, None) == said
    assert progress_words(proposal, 0.5) == f"{said}, 24 s left at most"
    assert progress_words(proposal, 5.0) == f"{said}, 4 min left at most"
    longer = {**proposal, "evidence": {**proposal["evidence"], "most_pairs_if_open": 120}}
    assert progress_words(longer, None) == f"{said} (up to 120 if still undecided by then)"
    assert progress_words(longer, 5.0).endswith("9 min left at most")


# The last look


def test_what_the_last_look_accepted_says_so_and_what_its_coin_was(desk: Desk, here: Here) -> None:
    ground = looked(accepted=True)
    made = desk.propose(replays=spent(), status=ProposalStatus.PROVED, ground=ground)
    assert ground.look is not None
    assert (
        "proved by the final draw on 1 request: 37 won, 23 lost; by luck at most once in 1.82"
        in here("review").out
    )
    shown = here("review", "show", made.id).out
    assert "e = 1.82 where 20 is wanted" in shown
    assert "once in 20 times at most, last look included." in shown
    assert "Its 120 pairs were spent before that, so one last look decided" in shown
    assert "a chance of 9%, and the coin, drawn before the first pair, accepted it" in shown
    evidence = here("review", "show", made.id, "--json").json["proposal"]["evidence"]
    assert evidence["shown_by"] == "last look"
    assert evidence["last_look"]["accepted"] is True
    assert evidence["last_look"]["coin"] == ground.look.coin


def test_what_the_last_look_refused_says_so_too(desk: Desk, here: Here) -> None:
    made = desk.propose(
        replays=spent(), status=ProposalStatus.UNPROVED, ground=looked(accepted=False)
    )
    assert "drawn before the first pair, went against it" in here("review", "show", made.id).out


def test_a_coin_is_not_shown_before_its_look(desk: Desk, here: Here) -> None:
    look = replace(last_look("prop_1"), after=0)
    made = desk.propose(
        replays=pairs(3), status=ProposalStatus.PROVING, ground=replace(GROUND, look=look)
    )
    ran = here("review", "show", made.id, "--json")
    assert ran.json["proposal"]["evidence"]["last_look"] is None
    assert str(look.coin) not in ran.out


def test_verify_says_which_way_a_skill_was_accepted(desk: Desk, here: Here) -> None:
    ground = looked(accepted=True)
    made = desk.propose(replays=spent(), status=ProposalStatus.PROVED, ground=ground)
    here("review", "approve", made.id)
    document = here("verify", "menu-style", "--json").json
    assert document["holds"] is True
    assert document["why"].startswith("Proved by the final draw on 1 request")
    assert "with a chance of 9.1%, and its number, drawn again from the seed" in document["why"]
    assert document["evidence"]["shown_by"] == "last look"
    plain = desk.propose("by-evidence", replays=proved(), status=ProposalStatus.PROVED)
    here("review", "approve", plain.id)
    document = here("verify", "by-evidence", "--json").json
    assert document["why"].startswith("Proved on 1 request")
    assert (document["evidence"]["shown_by"], document["evidence"]["last_look"]) == (
        *("evidence", None),
    )


# verify


def test_verify_beside_the_service_and_without_it(home: Path, here: Here) -> None:
    with Desk(home).open() as desk:
        made = desk.propose(replays=proved(), status=ProposalStatus.PROVED)
        here("review", "approve", made.id)
        beside = here("verify", "menu-style", "--json").json
        here("skills", "add", "by-hand", "--description", "d", "--body", "b")
    alone = here("verify", "menu-style", "--json").json
    assert alone == beside
    assert alone["holds"] is True and "on 1 request" in alone["why"]
    assert "holds. Proved on 1 request" in here("verify", "menu-style").out
    ran = here("verify", "by-hand", "--json")
    assert (ran.code, ran.json["holds"]) == (0, False)
    no_proof = "There is no proof of “by-hand”. It was written by hand"
    assert here("verify", "by-hand").out.startswith(no_proof)
    strict = here("verify", "by-hand", "--strict", "--json")
    assert strict.code == 1 and strict.json["holds"] is False
    assert one_line(strict.err).startswith("lull: The proof does not hold: ")
    assert here("verify", "menu-style", "--strict").code == 0
    for words in (["nothing-here"], ["menu-style", "--client", "desk"], ["No_Name"]):
        ran = here("verify", *words)
        assert ran.code == 1
        one_line(ran.err)


def test_a_tampered_file_is_found_without_a_service(home: Path, here: Here) -> None:
    with Desk(home).open() as desk:
        made = desk.propose(replays=proved(), status=ProposalStatus.PROVED)
        here("review", "approve", made.id)
        file = desk.stores.skills.folders.folder(SkillKey("", "menu-style")) / "evidence.json"
    document = json.loads(file.read_text())
    document["decision"]["e_value"] *= 2
    file.write_text(json.dumps(document))
    ran = here("verify", "menu-style", "--json")
    assert ran.json["holds"] is False and "e_value" in ran.json["why"]
    file.write_bytes(b"\xff\xfe" + b"[" * 100_000)
    assert "cannot be read" in here("verify", "menu-style", "--json").json["why"]
    file.unlink()
    assert (
        "the file with the evidence was removed"
        in here("verify", "menu-style", "--json").json["why"]
    )


@pytest.mark.logs("the proof of skill menu-style was changed")
def test_a_tampered_proof_is_put_right_from_its_whole_copy_or_told(home: Path, here: Here) -> None:
    with Desk(home).open() as desk:
        made = desk.propose(replays=proved(), status=ProposalStatus.PROVED)
        here("review", "approve", made.id)
        skills, proposals = desk.stores.skills, desk.stores.proposals
        sha256 = desk.library.get(SkillKey("", "menu-style")).sha256
        beside = skills.folders.folder(SkillKey("", "menu-style")) / "evidence.json"
        kept = skills.folders.versions / sha256[:2] / f"{sha256}.evidence.json"
        whole = kept.read_bytes()
        for file in (beside, kept):
            file.write_bytes(whole.replace(b'"wins"', b'"losses"'))
            assert repair_evidence(skills, proposals) == []
            assert beside.read_bytes() == kept.read_bytes() == whole
        beside.unlink()
        assert repair_evidence(skills, proposals) == []
        assert beside.read_bytes() == whole
        for file in (beside, kept):
            file.write_bytes(whole.replace(b'"seed": 1', b'"seed": 9'))
        (error,) = repair_evidence(skills, proposals)
        assert "The proof of 'menu-style' was changed outside of Lull" in error.detail


def test_verify_by_a_laxer_rule_of_the_users_own(home: Path, here: Here) -> None:
    """What was proved by Lull's default rule still holds where the user's settings ask for less."""
    with Desk(home).open() as desk:
        made = desk.propose(replays=proved(), status=ProposalStatus.PROVED)
        here("review", "approve", made.id)
    here("settings", "set", "learning.alpha", "0.2")
    assert here("verify", "menu-style", "--json").json["holds"] is True
    here("settings", "set", "learning.alpha", "0.001")
    assert "the rule is 0.001" in here("verify", "menu-style", "--json").json["why"]
    (home / "settings.toml").write_text("nonsense")
    assert here("verify", "menu-style", "--json").json["holds"] is True


def test_a_failure_in_anothers_words_cannot_steer_the_screen(desk: Desk, here: Here) -> None:
    desk.proofs.error = EvolverFault("It said \x1b[2J\u202e.", answer="x")
    ran = here("prove", "--wait")
    assert ran.code == 1
    assert "It said ⟨U+001B⟩[2J⟨U+202E⟩." in one_line(ran.err)
