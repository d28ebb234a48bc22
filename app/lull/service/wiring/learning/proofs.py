"""Builds the jobs that prove skills (instruction texts): replays of past requests, blind comparison
by the user, measuring skills in use, and review.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass

from lull.backends.retrieval.skill_index import WordIndex
from lull.backends.system.clock import TimeSortedIds
from lull.config.settings import Settings
from lull.loops.chat.current_selection import CurrentSelection
from lull.loops.chat.select_skills import SelectSkills
from lull.loops.feedback.credit_wins import Credit
from lull.loops.feedback.verify import Verifier
from lull.loops.proof.compare import Compare
from lull.loops.proof.holdout import Holdout
from lull.loops.proof.measure_use import MeasureUse
from lull.loops.proof.proof_ground import ProofGround
from lull.loops.proof.prove import Prove
from lull.loops.proof.replay import Replay
from lull.loops.proof.try_out import TryOut
from lull.loops.skills.edit_proposal import EditProposal
from lull.loops.skills.proved_requests import ProvedRequests
from lull.loops.skills.review import Review
from lull.service.idle.quiet import QuietTimes
from lull.service.models.aux_models import AuxModels
from lull.service.models.replay_targets import ReplayTargets
from lull.service.proof.proving import ProofRunner
from lull.service.wiring.base.shared import SharedParts
from lull.service.wiring.learning.rules import holdout_rule, prove_rule


@dataclass(frozen=True, slots=True, kw_only=True)
class ProofInputs:
    """The parts needed to prove skills by replayed requests: the models to ask, the times when they
    may be asked, the current choice of skills for a prompt, and the verifier of answers.
    """

    targets: ReplayTargets
    quiet: QuietTimes
    current_selection: CurrentSelection
    verifier: Verifier


@dataclass(frozen=True, slots=True, kw_only=True)
class ProofParts:
    """The jobs that prove skills by replaying past requests with and without them, the part through
    which the user reviews skills, and the holdout, which leaves skills out of some conversations to
    measure them.
    """

    holdout: Holdout
    prove: Prove
    compare: Compare
    review: Review
    requests: ProvedRequests
    measure: MeasureUse
    proving: ProofRunner


def proofs_of(
    shared: SharedParts,
    settings: Callable[[], Settings],
    asked: AuxModels,
    inputs: ProofInputs,
    *,
    holdout: Holdout,
    credit: Credit,
) -> ProofParts:
    """Build the jobs that prove skills by replaying past requests with and without them."""
    prove = _prove(shared, settings(), asked, inputs)
    requests = ProvedRequests(shared.stores.proposals, shared.stores.rewards, credit)
    review = _review(shared, prove, requests)
    measure = _measure(shared, settings, prove, inputs)
    proving = ProofRunner(
        prove,
        review=review,
        holdout=holdout,
        measure=measure,
        bus=shared.bus,
        problems=shared.problems,
        auto_approve=lambda: settings().review.auto_approve,
    )
    compare = _compare(shared, prove, inputs)
    return ProofParts(
        holdout=holdout,
        prove=prove,
        compare=compare,
        review=review,
        requests=requests,
        measure=measure,
        proving=proving,
    )


def _prove(shared: SharedParts, settings: Settings, asked: AuxModels, inputs: ProofInputs) -> Prove:
    rule = prove_rule(settings)
    replay = Replay(
        rewards=shared.stores.rewards,
        current_selection=inputs.current_selection,
        in_use=shared.in_use,
        verifier=inputs.verifier,
        judges=asked,
        warm=rule.warm,
    )
    return Prove(
        proposals=shared.stores.proposals,
        replay=replay,
        ground=ProofGround(
            proposals=shared.stores.proposals, in_use=shared.in_use, judges=asked, rule=rule
        ),
        targets=inputs.targets,
        quiet=inputs.quiet,
        clock=shared.clock,
        rule=rule,
    )


def _compare(shared: SharedParts, prove: Prove, inputs: ProofInputs) -> Compare:
    return Compare(
        proposals=shared.stores.proposals,
        replay=prove.replay,
        prove=prove,
        in_use=shared.in_use,
        targets=inputs.targets,
        quiet=inputs.quiet,
        clock=shared.clock,
        ids=TimeSortedIds(),
        toss=lambda: bool(secrets.randbits(1)),
    )


def try_out_of(
    shared: SharedParts, requests: ProvedRequests, fixing: SelectSkills, index: WordIndex
) -> TryOut:
    """Build the service's TryOut, which makes the prompts of any request with and without a
    proposed or approved skill that the user wants to try.
    """
    return TryOut(
        proposals=shared.stores.proposals,
        in_use=shared.in_use,
        fixing=fixing,
        index=index.with_library,
        requests=requests,
    )


def _measure(
    shared: SharedParts, settings: Callable[[], Settings], prove: Prove, inputs: ProofInputs
) -> MeasureUse:
    return MeasureUse(
        replays=shared.stores.use.replays,
        rewards=shared.stores.rewards,
        replay=prove.replay,
        targets=inputs.targets,
        quiet=inputs.quiet,
        clock=shared.clock,
        slice_s=prove.rule.slice_s,
        rule=lambda: holdout_rule(settings()),
    )


def _review(shared: SharedParts, prove: Prove, requests: ProvedRequests) -> Review:
    return Review(
        shared.stores.proposals,
        shared.approve,
        EditProposal(
            shared.stores.proposals,
            shared.stores.rewards,
            in_use=shared.in_use,
            clock=shared.clock,
        ),
        in_use=shared.in_use,
        proofs=prove,
        clock=shared.clock,
        examples=requests,
    )
