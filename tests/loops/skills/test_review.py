"""Tests of the user's decision on a proposal: exact bytes, one transaction, reversible."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import itertools
import json
import sqlite3
from collections.abc import Awaitable
from dataclasses import dataclass, field, replace

import pytest

from lull.core.errors import Conflict, LullError, NotFound, StoreError, UsageError
from lull.core.proof.proposal import Proposal, ProposalKind, ProposalStatus
from lull.core.skills.skill import ChangeKind, Library, SkillKey, SkillStatus
from lull.loops.skills.edit_proposal import EditProposal
from lull.loops.skills.review import Review
from lull.store.skills.proof_records import ProofRecord
from tests.building import prompt_text, user
from tests.loops.classroom import BAD, GOOD, MENU, Classroom, ScriptedJudge, menus

STARS = replace(MENU, body="When you write a menu, join the dishes with stars.")


async def prompt(room: Classroom) -> str:
    return prompt_text(await room.open(user(menus(1)[0])))


async def test_before_the_approval_nothing_of_it_is_in_force(room: Classroom) -> None:
    proposal = await room.proposes()
    assert MENU.body not in await prompt(room)
    assert room.library.generation == 0
    decided = await room.review.approve(proposal.id, sha256=proposal.sha256)
    assert (decided.generation, decided.proposal.status) == (1, ProposalStatus.APPROVED)
    assert MENU.body in await prompt(room)


async def test_the_bytes_in_force_are_those_that_were_read(room: Classroom) -> None:
    proposal = await room.proposes()
    await room.review.approve(proposal.id, sha256=proposal.sha256)
    skill = room.library.get(proposal.key)
    data = room.skills.folders.data(skill.sha256)
    assert skill.sha256 == proposal.sha256 == hashlib.sha256(data).hexdigest()
    assert data == room.proposals.data(proposal.id)


async def test_another_text_than_the_one_that_was_read_is_not_approved(room: Classroom) -> None:
    proposal = await room.proposes()
    await room.review.edit(proposal.id, body="Join with stars.")
    with pytest.raises(Conflict, match="is not the one you read"):
        await room.review.approve(proposal.id, sha256=proposal.sha256)
    assert room.library.generation == 0


async def test_evidence_lies_beside_the_approved_text(room: Classroom) -> None:
    room.judge = ScriptedJudge(lambda q: (GOOD if "|" in q.answer.text else BAD,) * 3)
    room.chats.answers = [lambda ask: "a | b" if MENU.body in str(ask) else "a"]
    proposal = await room.proposes(failures=tuple(await room.failed(*menus(2))))
    while await room.prove.slice():
        pass
    await room.review.approve(proposal.id)
    evidence = room.skills.folders.evidence(proposal.key)
    assert evidence is not None
    assert json.loads(evidence)["skill_sha256"] == proposal.sha256


@pytest.mark.parametrize("kind", [ProposalKind.NEW, ProposalKind.EDIT])
async def test_a_candidate_whose_base_changed_meanwhile_is_stale_and_says_so(
    room: Classroom, kind: ProposalKind
) -> None:
    proposal = await _of_kind(room, kind)
    if kind is ProposalKind.NEW:
        await room.add("menu-style", "When a menu is asked for.", "Be brief.")
    else:
        await room.approve.edit(proposal.key, body="Be brief.")
    (shown,) = [p for p in room.review.proposals() if p.id == proposal.id]
    assert shown.status is ProposalStatus.STALE
    assert "changed since" in shown.reason
    before = room.library
    with pytest.raises(Conflict, match="changed since"):
        await room.review.approve(proposal.id)
    assert room.library == before


async def _of_kind(room: Classroom, kind: ProposalKind) -> Proposal:
    if kind is ProposalKind.NEW:
        return await room.proposes()
    old = await room.approved(STARS)
    return await room.proposes(kind=kind, base_sha256=old.sha256)


async def test_what_changes_between_the_look_and_the_transaction_counts(room: Classroom) -> None:
    proposal = await room.proposes()
    added, approved = await asyncio.gather(
        room.approve.add("menu-style", description="When a menu comes.", body="Be brief."),
        room.review.approve(proposal.id),
        return_exceptions=True,
    )
    failures = [one for one in (added, approved) if isinstance(one, LullError)]
    assert len(failures) == 1
    assert isinstance(failures[0], Conflict)
    assert room.library.generation == 1


async def test_decision_and_generation_are_one_transaction(room: Classroom) -> None:
    """If writing the decision fails, nothing comes into force either."""
    proposal = await room.proposes()
    await room.database.write(
        lambda connection: connection.execute(
            "CREATE TRIGGER refuses BEFORE INSERT ON decisions"
            " BEGIN SELECT RAISE(ABORT, 'no decision today'); END"
        )
    )
    with pytest.raises((LullError, sqlite3.Error)):
        await room.review.approve(proposal.id)
    assert room.skills.library().generation == 0
    assert room.skills.library().skills == {}
    assert room.status(proposal) is ProposalStatus.SCREENED
    assert room.proposals.last_decision() is None


async def test_two_approvals_at_once_make_one_generation(room: Classroom) -> None:
    proposal = await room.proposes()
    done = await asyncio.gather(
        *(room.review.approve(proposal.id) for _ in range(3)), return_exceptions=True
    )
    assert sum(isinstance(one, Conflict) for one in done) == 2
    assert room.library.generation == 1


async def test_quarantine_is_left_only_by_the_users_own_approval(room: Classroom) -> None:
    proposal = await room.proposes(status=ProposalStatus.QUARANTINED, reason="a link")
    decided = await room.review.approve(proposal.id, sha256=proposal.sha256)
    assert decided.generation == 1


async def test_an_edited_candidate_is_another_text_and_is_proved_anew(room: Classroom) -> None:
    room.judge = ScriptedJudge()
    proposal = await room.proposes(failures=tuple(await room.failed(*menus(1))))
    await room.prove.slice()
    assert room.proposals.pairs(proposal.id)
    await room.review.edit(proposal.id, body=STARS.body)
    now = room.now(proposal)
    assert (now.status, now.ground, now.silent) == (ProposalStatus.SCREENED, None, ())
    assert now.sha256 != proposal.sha256
    assert room.proposals.pairs(proposal.id) == []
    assert {trace.source for trace in now.traces if STARS.body in trace.sentence} == {"user"}


async def test_a_rejection_is_remembered_with_its_reason(room: Classroom) -> None:
    proposal = await room.proposes()
    await room.review.reject(proposal.id, reason="bars  look\nodd")
    (remembered,) = room.proposals.rejected("")
    assert (remembered.id, remembered.reason) == (proposal.id, "bars look odd")
    with pytest.raises(Conflict):
        await room.review.approve(proposal.id)


async def test_who_gives_no_reason_is_not_said_to_have_given_one(room: Classroom) -> None:
    proposal = await room.proposes(reason="of its tests")
    await room.review.reject(proposal.id, reason="  ")
    assert room.now(proposal).reason == "no reason given"


async def test_a_secret_in_a_reason_is_not_stored(room: Classroom) -> None:
    proposal = await room.proposes()
    key = "ghp_Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2"
    await room.review.reject(proposal.id, reason=f"it shows {key}")
    assert room.now(proposal).reason == "it shows ⟨secret:github-token:1⟩"


async def test_what_is_put_off_stays_in_the_list_and_can_be_approved_later(
    room: Classroom,
) -> None:
    proposal = await room.proposes()
    await room.review.defer(proposal.id)
    assert [p.id for p in room.review.proposals()] == [proposal.id]
    await room.review.approve(proposal.id)
    assert room.library.generation == 1


# Taking back


@pytest.mark.parametrize("decision", ["reject", "defer", "approve"])
async def test_each_decision_can_be_taken_back(room: Classroom, decision: str) -> None:
    proposal = await room.proposes(status=ProposalStatus.PROVED)
    if decision == "reject":
        await room.review.reject(proposal.id, reason="no")
    elif decision == "defer":
        await room.review.defer(proposal.id)
    else:
        await room.review.approve(proposal.id)
        assert MENU.body in await prompt(room)
    await room.review.undo()
    assert room.status(proposal) is ProposalStatus.PROVED
    assert MENU.body not in await prompt(room)
    with pytest.raises(NotFound):
        await room.review.undo()


async def test_undo_goes_back_one_decision_at_a_time(room: Classroom) -> None:
    first = await room.proposes()
    second = await room.proposes(replace(STARS, name="stars"))
    await room.review.approve(first.id)
    await room.review.reject(second.id, reason="no")
    await room.review.undo()
    assert (room.status(first), room.status(second)) == (
        ProposalStatus.APPROVED,
        ProposalStatus.SCREENED,
    )
    await room.review.undo()
    assert room.status(first) is ProposalStatus.SCREENED
    assert room.library.generation == 2  # taking back is a generation of its own


async def test_an_approved_edit_is_taken_back_to_the_text_before(room: Classroom) -> None:
    old = await room.approved(STARS)
    edit = await room.proposes(kind=ProposalKind.EDIT, base_sha256=old.sha256)
    await room.review.approve(edit.id)
    await room.review.undo()
    assert room.library.get(old.key).sha256 == old.sha256


async def test_what_changed_after_an_approval_is_not_undone_with_it(room: Classroom) -> None:
    proposal = await room.proposes()
    await room.review.approve(proposal.id)
    await room.approve.edit(proposal.key, body="Be brief.")
    with pytest.raises(Conflict):
        await room.review.undo()
    assert room.library.get(proposal.key).body == "Be brief."
    assert room.status(proposal) is ProposalStatus.APPROVED


# Retiring


async def test_an_approved_retirement_takes_the_skill_out_and_undo_brings_it_back(
    room: Classroom,
) -> None:
    skill = await room.approved()
    retire = await room.proposes(
        kind=ProposalKind.RETIRE, base_sha256=skill.sha256, status=ProposalStatus.UNPROVED
    )
    with pytest.raises(UsageError):
        await room.review.edit(retire.id, body="Be brief.")
    await room.review.approve(retire.id)
    assert room.library.get(skill.key).status is SkillStatus.DISABLED
    assert MENU.body not in await prompt(room)
    await room.review.undo()
    assert MENU.body in await prompt(room)


async def test_a_retirement_of_a_text_that_changed_is_stale(room: Classroom) -> None:
    skill = await room.approved()
    retire = await room.proposes(kind=ProposalKind.RETIRE, base_sha256=skill.sha256)
    await room.approve.edit(SkillKey("", "menu-style"), body="Be brief.")
    with pytest.raises(Conflict):
        await room.review.approve(retire.id)
    changes = [generation.change for generation in room.skills.generations()]
    assert ChangeKind.RETIRE not in changes


# Bytes that are not those of their hash


@pytest.mark.parametrize("hurried", [True, False])
async def test_a_text_that_was_changed_below_its_hash_is_never_approved(
    room: Classroom, hurried: bool
) -> None:
    proposal = await room.proposes()

    def tampered(connection: sqlite3.Connection) -> None:
        data = room.proposals.data(proposal.id).replace(b"bars", b"lies")
        connection.execute("UPDATE proposals SET bytes = ? WHERE id = ?", (data, proposal.id))

    await room.database.write(tampered)
    assert room.review.proposals() == []
    with pytest.raises(StoreError, match="not the one that its sha256 names"):
        await room.review.approve(proposal.id, sha256=None if hurried else proposal.sha256)
    with pytest.raises(StoreError, match="damaged"):
        room.review.proposal(proposal.key.name)
    told = room.proposals.damage_error()
    assert told is not None and proposal.id in told.detail
    await room.prove.slice()
    assert room.chats.asked == []
    assert room.library.generation == 0


@dataclass
class Memory:
    """Stores examples of skills, once it is open; a kill may come before it does."""

    open: bool = True
    killed: bool = False
    stored: list[str] = field(default_factory=list)

    async def remember(self, proposal: Proposal) -> bool:
        if self.killed:
            raise asyncio.CancelledError
        self.stored += [proposal.id] * self.open
        return self.open


def review_with(room: Classroom, memory: Memory) -> Review:
    return Review(
        room.proposals,
        room.approve,
        EditProposal(room.proposals, room.rewards, in_use=room, clock=room.clock),
        in_use=room,
        proofs=room.prove,
        clock=room.clock,
        examples=memory,
    )


@pytest.mark.parametrize("memory", [Memory(open=False), Memory(killed=True)])
async def test_examples_of_an_approved_skill_are_stored_though_it_was_killed_or_too_early(
    room: Classroom, memory: Memory
) -> None:
    proposal = await room.proposes()
    with contextlib.suppress(asyncio.CancelledError):
        await review_with(room, memory).approve(proposal.id, sha256=proposal.sha256)
    assert room.proposals.get(proposal.id).status is ProposalStatus.APPROVED
    assert memory.stored == []
    anew = Memory()
    await review_with(room, anew).remember_examples()
    await review_with(room, anew).remember_examples()
    assert anew.stored == [proposal.id]


async def test_of_an_approval_that_was_undone_meanwhile_no_examples_are_stored(
    room: Classroom,
) -> None:
    proposal = await room.proposes()
    review = review_with(room, Memory(open=False))
    await review.approve(proposal.id, sha256=proposal.sha256)
    await review.undo()
    anew = Memory()
    await review_with(room, anew).remember_examples()
    assert anew.stored == []
    assert room.proposals.examples_due() == []


async def test_an_approval_that_is_refused_at_last_leaves_no_strange_proof(
    room: Classroom,
) -> None:
    """What it kept of its proof counts as Lull's own, as after a kill at that moment."""
    proposal = await room.proposes()
    looks = itertools.count(1)

    def activate(evidence: bytes, refused_at: int) -> Awaitable[object]:
        def check(_: Library) -> None:
            if next(looks) == refused_at:
                raise Conflict("decided meanwhile")

        return room.approve.activate(
            proposal.text,
            proposal.key,
            data=room.proposals.data(proposal.id),
            sha256=proposal.sha256,
            check=check,
            evidence=evidence,
            also=lambda *_: None,
        )

    await activate(b"the first", refused_at=0)
    with pytest.raises(Conflict, match="meanwhile"):
        await activate(b"the second", refused_at=4)  # in the transaction, behind its files
    kept = room.skills.folders.kept_evidence(proposal.sha256)
    assert kept == b"the second"
    assert room.skills.proof_record(proposal.sha256, kept) is ProofRecord.OURS
