"""What must hold of all that is stored, after each step of a history.

Whatever can be said without asking the code under test is said here from the books: what a turn was
stamped with, which turns taught a skill, which proposals were approved.
"""

from __future__ import annotations

from collections.abc import Sequence

from lull.core.feedback.reward import Source
from lull.core.proof.proof import ProofState, decide
from lull.core.proof.proposal import Proposal, ProposalKind, ProposalStatus
from lull.core.skills.skill import SkillStatus
from lull.core.skills.subject_words import terms
from lull.service.proof.verifying import verify_stored_proof
from lull.store.chat.trajectories import Label
from lull.store.feedback.reward_rows import ServedTurn
from tests.loops.histories.house import PROVE
from tests.loops.histories.player import Player
from tests.loops.histories.promises import owner_of


def check_stored(player: Player) -> None:
    player.house.settle()
    served = player.house.rewards.served(sorted(player.notes.turns))
    _check_stamps(player, served)
    _check_ratings(served)
    proposals = player.house.proposals.undecided(everything=True)
    _check_proposals(player, proposals)
    _check_support(player, served, proposals)
    _check_candidates_reached_nobody(player, proposals)
    _check_working_copies(player)


def _check_stamps(player: Player, served: Sequence[ServedTurn]) -> None:
    """Check that every recorded turn is stored, with the stamp that it had when it arrived."""
    assert {one.turn.id for one in served} == player.notes.turns.keys()
    assert player.house.trajectories.counts()[1] == len(served)
    for one in served:
        stamp = player.notes.turns[one.turn.id].stamp
        turn = one.turn
        assert (turn.generation, turn.base, turn.adapter) == (
            stamp.policy.generation,
            stamp.policy.model,
            stamp.policy.adapter,
        )
        assert turn.skills == stamp.skills
        assert (turn.trajectory, turn.number) == (stamp.trajectory, stamp.number)
        assert turn.at == stamp.at.isoformat()
        assert (one.client, one.apart) == (stamp.client, stamp.apart)


def _check_ratings(served: Sequence[ServedTurn]) -> None:
    """Check that a rated turn has the user's score, whatever a tool, a check or a judge says."""
    for one in served:
        reward = one.reward.reward
        if one.turn.label is not None:
            assert reward is not None
            assert reward.source is Source.EXPLICIT
            assert (reward.value > 0) is (one.turn.label is Label.GOOD)
        else:
            assert reward is None or reward.source is not Source.EXPLICIT


def _check_support(
    player: Player, served: Sequence[ServedTurn], proposals: Sequence[Proposal]
) -> None:
    """Check that turns that taught a skill or stood in a proof, or are like one, train nothing."""
    support = _support(player, proposals)
    asked = player.asked | {one.turn.id: one.asked for one in served}
    player.asked = asked
    taught = [frozenset(terms(asked[turn])) for turn in support]
    judged = player.house.eligible.check_turns([one.turn.id for one in served])
    for one in served:
        found = judged[one.turn.id]
        assert found.support == (one.turn.id in support)
        player.seen["support turns"] += found.support
        if found.why_not:
            continue
        player.seen["eligible turns"] += 1
        assert one.turn.id not in support
        words = frozenset(terms(one.asked))
        assert not any(_near(words, other) for other in taught), f"{one.asked} taught a skill"
        assert one.turn.complete and one.reward.reward is not None
        current_selection = player.house.current_selection.skills(one)
        assert current_selection is not None
        assert {s.sha256 for s in current_selection} == {s.sha256 for s in one.turn.skills}


def _support(player: Player, proposals: Sequence[Proposal]) -> set[str]:
    """The support turns, from each proposal's own fields and its replays; a turn stays support
    until the proposal is rejected.
    """
    for proposal in proposals:
        found = player.taught.setdefault(proposal.id, set())
        found.update(proposal.failures, proposal.wish_turns)
        found.update(pair.request for pair in player.house.proposals.pairs(proposal.id))
    rejected = {p.id for p in proposals if p.status is ProposalStatus.REJECTED}
    return {turn for name, turns in player.taught.items() if name not in rejected for turn in turns}


def _near(one: frozenset[str], other: frozenset[str]) -> bool:
    return one == other or len(one & other) >= 0.6 * len(one | other) > 0


def _check_proposals(player: Player, proposals: Sequence[Proposal]) -> None:
    """Check that no proposal is lost, all are readable, and those called proved are proved."""
    notes, store = player.notes, player.house.proposals
    assert notes.proposals <= {proposal.id for proposal in proposals}
    notes.proposals = {proposal.id for proposal in proposals}
    for proposal in proposals:
        assert store.data(proposal.id)
        for turn in (*proposal.failures, *proposal.wish_turns):
            assert owner_of(player.arrivals[turn].client) == proposal.key.client
        pairs = store.pairs(proposal.id)
        for pair in pairs:
            assert player.tried.setdefault((proposal.id, pair), proposal.sha256) == proposal.sha256
        if proposal.status is ProposalStatus.PROVED:
            rule = player.house.prove.ground.rule_for(proposal)
            successes = proposal.replayable
            decision = decide(pairs, rule, successes=successes, look=proposal.last_look)
            assert decision.state is ProofState.PROVED
            player.seen["proved"] += 1
        if proposal.status is ProposalStatus.APPROVED:
            _check_approved(player, proposal)
        player.seen[f"{proposal.status} by {proposal.origin}"] += 1


def _check_approved(player: Player, proposal: Proposal) -> None:
    """Check that an approved text is in its approval's generation, and that its proof holds."""
    assert proposal.generation is not None
    stood = player.book.pages[proposal.generation][proposal.key]
    assert stood.sha256 == proposal.sha256
    if proposal.kind is ProposalKind.RETIRE:
        assert stood.status is SkillStatus.DISABLED
        return
    assert stood.active
    stands = player.book.page[proposal.key]
    if stands.status is SkillStatus.ARCHIVED or stands.sha256 != proposal.sha256:
        return
    if proposal.before is ProposalStatus.PROVED:
        said = verify_stored_proof(
            player.house.skills,
            player.house.proposals,
            name=proposal.key.name,
            client=proposal.key.client,
            rule=PROVE.proof,
        )
        assert said["holds"], said["why"]
        player.seen["proofs verified"] += 1


def _check_candidates_reached_nobody(player: Player, proposals: Sequence[Proposal]) -> None:
    """Check that no model got a text from quarantine, even in a proof, before its approval."""
    for proposal in proposals:
        if proposal.status is ProposalStatus.QUARANTINED:
            player.quarantined.add(proposal.text.body)
    policies = player.world.policies.values()
    prompts = [prompt for policy in policies for prompt in policy.prompts]
    for body in player.quarantined - set(player.book.bodies().values()):
        assert not any(body in prompt for prompt in prompts)
    for policy in policies:
        policy.prompts.clear()


def _check_working_copies(player: Player) -> None:
    """Check that the folders that a person may edit equal the library, also after a death."""
    for key, stands in player.book.page.items():
        file = player.house.skills.folders.folder(key) / "SKILL.md"
        if key in {item.key for item in player.house.skills.strange}:
            continue  # somebody wrote there what nobody approved: it is left as it is
        if stands.status is SkillStatus.ARCHIVED:
            assert not file.exists()
        else:
            assert file.read_bytes() == stands.data
