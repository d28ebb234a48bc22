"""Builds the jobs that learn skills (instruction texts): scoring answers, writing candidates,
proving them by replay, and review by the user.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from lull.backends.reader.small_reader import SmallReader
from lull.backends.system.clock import TimeSortedIds
from lull.config.settings import Settings
from lull.core.checks.rules.stated_check import proposed_check
from lull.core.models.exam import ModelRole
from lull.core.proof.holdout import hashed_coin
from lull.core.proof.rules import HoldoutRule
from lull.core.skills.ports import KindMatch
from lull.core.training.ports import Curriculum
from lull.loops.chat.current_selection import CurrentSelection
from lull.loops.chat.select_skills import SelectSkills
from lull.loops.feedback.ask_judge import AskJudge
from lull.loops.feedback.credit_wins import Credit, CreditWins
from lull.loops.feedback.first_hearing import FirstHearing
from lull.loops.feedback.hear import Hear
from lull.loops.feedback.reward_book import RewardBook
from lull.loops.feedback.score import Score
from lull.loops.feedback.standing_wishes import DecisionsOnWishes, StandingWishes
from lull.loops.feedback.verify import Verifier
from lull.loops.proof.holdout import Holdout
from lull.loops.proof.measure_placing import MeasurePlacing
from lull.loops.proof.retire_skills import RetireSkills
from lull.loops.proof.skill_coins import SkillCoins
from lull.loops.skills.evolve import Evolve
from lull.loops.skills.find_failures import FindFailures
from lull.loops.skills.propose import Propose
from lull.loops.skills.write_rules import RuleWriter
from lull.pocket import merging, parsing
from lull.pocket.reader import PocketReader
from lull.pocket.writer import PocketWriter
from lull.service.feedback.fast_loop import FastLoop
from lull.service.feedback.rating import PROBLEM
from lull.service.idle.quiet import QuietTimes
from lull.service.models.aux_models import AuxModels
from lull.service.models.replay_targets import ReplayTargets
from lull.service.process.problems import Problems
from lull.service.wiring.base.own_models import TOY
from lull.service.wiring.base.shared import SharedParts
from lull.service.wiring.base.stores import Stores
from lull.service.wiring.learning.asking import ModelsByBackends
from lull.service.wiring.learning.checks import TOOLS
from lull.service.wiring.learning.curriculum import curriculum_of
from lull.service.wiring.learning.exams import ExamParts, exams_of
from lull.service.wiring.learning.placing import placing_of
from lull.service.wiring.learning.proofs import ProofInputs, ProofParts, proofs_of
from lull.service.wiring.learning.rules import evolve_rule, holdout_rule, score_rule
from lull.store.feedback.reward_rows import ServedTurn
from lull.store.skills.skill_checks import ApprovedChecks


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedModels:
    """The models that Lull itself asks, to read feedback, judge answers, write skills and replay
    requests, and the exams that decide which model does what.
    """

    exams: ExamParts
    targets: ReplayTargets
    reader: SmallReader
    aux: AuxModels

    async def close(self) -> None:
        """Close the connections and processes through which Lull asks chat models."""
        await self.exams.examinees.close()
        await self.targets.close()
        await self.reader.close()
        await self.aux.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoringParts:
    """The parts that turn the user's ratings, messages and actions into scores of answers."""

    hear: Hear
    verifier: Verifier
    book: RewardBook
    score: Score


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningParts:
    """The jobs that learn skills (instruction texts) from feedback; LoRA training uses some of
    their parts, too.
    """

    models: AskedModels
    scoring: ScoringParts
    proofs: ProofParts
    placing: MeasurePlacing
    current_selection: CurrentSelection
    curriculum: Curriculum
    fast_loop: FastLoop


def holdout_of(shared: SharedParts, settings: Callable[[], Settings]) -> Holdout:
    """Build the skill holdout, which leaves a skill (an instruction text) that is in use out of
    some conversations, to measure whether it still helps.

    It is built before the other learning parts, because the request path uses it.
    """
    stores = shared.stores

    def rule() -> HoldoutRule:
        return holdout_rule(settings())

    retiring = RetireSkills(
        skills=stores.skills,
        proposals=stores.proposals,
        approve=shared.approve,
        clock=shared.clock,
        ids=TimeSortedIds(),
        problems=shared.problems,
    )
    return Holdout(
        evidence=stores.use,
        coins=SkillCoins(coin=hashed_coin(stores.trajectories.key.hex()), rule=rule),
        retiring=retiring,
        proposals=stores.proposals,
        in_use=shared.in_use,
        rule=rule,
    )


def learning_of(
    shared: SharedParts,
    settings: Callable[[], Settings],
    *,
    holdout: Holdout,
    fixing: SelectSkills,
    kinds: KindMatch,
    credit: Credit,
    reader: SmallReader,
    allowed: Callable[[], bool],
) -> LearningParts:
    """Build the jobs that learn from feedback: scoring answers, writing skills, proving skills by
    replays of past requests, and review by the user.

    The function `allowed` returns False while models may only be asked for users' chats, as when
    the battery is low.
    """
    quiet = QuietTimes(
        shared.activity, after_s=lambda: settings().learning.quiet_s, allowed=allowed
    )
    make = ModelsByBackends(shared.models.ollama.address, shared.asking)
    exams = exams_of(shared, settings, make, quiet)
    asked = AuxModels(
        make,
        settings,
        problems=shared.problems,
        own_writers=(PocketWriter(), RuleWriter(partial(proposed_check, tools=TOOLS))),
        reader=reader,
        admitted=exams.examine.admitted,
    )
    targets = ReplayTargets(
        make,
        settings,
        local=shared.models.local,
        ollama=shared.models.ollama,
        places=shared.models.places,
        judge=lambda: asked.model_name(ModelRole.JUDGE),
    )
    inputs = ProofInputs(
        targets=targets,
        quiet=quiet,
        current_selection=CurrentSelection(
            fixing, in_use=shared.in_use, facts=targets.facts, kinds=kinds
        ),
        verifier=_verifier(shared.stores),
    )
    credit = _reporting(credit, shared.problems)
    scoring = _scoring(shared, settings(), asked, inputs, credit, exams)
    proofs = proofs_of(shared, settings, asked, inputs, holdout=holdout, credit=credit)
    return LearningParts(
        models=AskedModels(exams=exams, targets=targets, reader=reader, aux=asked),
        scoring=scoring,
        proofs=proofs,
        placing=placing_of(shared, targets, quiet, slice_s=settings().learning.slice_s),
        current_selection=inputs.current_selection,
        curriculum=curriculum_of(shared, inputs.current_selection),
        fast_loop=_fast_loop(shared, settings(), asked, inputs, scoring, proofs),
    )


def _reporting(credit: Credit, problems: Problems) -> Credit:
    """Return a function that saves a request as an exemplar like `credit`; a failure is a problem
    that the user sees, and no more: answers are scored without it.
    """

    async def attempt(served: ServedTurn, skills: Sequence[str]) -> bool:
        saved = await problems.attempt(PROBLEM, lambda: credit(served, skills))
        return saved is True

    return attempt


def _scoring(
    shared: SharedParts,
    settings: Settings,
    asked: AuxModels,
    inputs: ProofInputs,
    credit: Credit,
    exams: ExamParts,
) -> ScoringParts:
    hear = _hear(shared, asked, inputs.quiet)
    book = _book(shared, settings, asked, inputs, credit, exams)
    return ScoringParts(
        hear=hear,
        verifier=inputs.verifier,
        book=book,
        score=_score(shared, book, inputs.verifier),
    )


def _fast_loop(
    shared: SharedParts,
    settings: Settings,
    asked: AuxModels,
    inputs: ProofInputs,
    scoring: ScoringParts,
    proofs: ProofParts,
) -> FastLoop:
    return FastLoop(
        hear=scoring.hear,
        book=scoring.book,
        score=scoring.score,
        ask_judge=_ask_judge(shared, settings, asked, inputs.quiet, scoring.book),
        evolve=_evolve(shared, settings, asked, inputs.quiet, inputs.current_selection),
        proving=proofs.proving,
        settle=shared.stores.database.flush,
        bus=shared.bus,
        problems=shared.problems,
    )


def _verifier(stores: Stores) -> Verifier:
    return Verifier(
        {TOY: parsing.check},
        checks=ApprovedChecks(stores.skills.folders),
        tools=TOOLS,
    )


def _hear(shared: SharedParts, asked: AuxModels, quiet: QuietTimes) -> Hear:
    return Hear(
        shared.stores.feedback,
        shared.stores.rewards,
        reader=asked.reader,
        quiet=quiet,
        clock=shared.clock,
    )


def _ask_judge(
    shared: SharedParts, settings: Settings, asked: AuxModels, quiet: QuietTimes, book: RewardBook
) -> AskJudge:
    return AskJudge(
        shared.stores.rewards,
        book=book,
        judges=asked,
        quiet=quiet,
        clock=shared.clock,
        rule=score_rule(settings),
    )


def _book(
    shared: SharedParts,
    settings: Settings,
    asked: AuxModels,
    inputs: ProofInputs,
    credit: Credit,
    exams: ExamParts,
) -> RewardBook:
    rewards = shared.stores.rewards

    return RewardBook(
        rewards,
        crediting=CreditWins(
            rewards,
            verifier=inputs.verifier,
            in_use=shared.in_use,
            current_selection=inputs.current_selection,
            credit=credit,
        ),
        clock=shared.clock,
        coin=random.SystemRandom().random,
        rule=score_rule(settings),
        judge_belief=lambda: exams.examine.judge_belief(asked.model_name(ModelRole.JUDGE)),
    )


def _score(shared: SharedParts, book: RewardBook, verifier: Verifier) -> Score:
    stores = shared.stores
    return Score(
        stores.rewards,
        book=book,
        verifier=verifier,
        hearing=FirstHearing(stores.feedback, own={TOY: PocketReader()}, clock=shared.clock),
        wishes=StandingWishes(
            stores.rewards,
            stores.feedback,
            verifier,
            decisions=DecisionsOnWishes(stores.proposals, stores.skills, in_use=shared.in_use),
        ),
    )


def _evolve(
    shared: SharedParts,
    settings: Settings,
    asked: AuxModels,
    quiet: QuietTimes,
    current_selection: CurrentSelection,
) -> Evolve:
    stores, ids, rule = shared.stores, TimeSortedIds(), evolve_rule(settings)
    propose = Propose(
        rewards=stores.rewards,
        proposals=stores.proposals,
        in_use=shared.in_use,
        merging=merging,
        checks=ApprovedChecks(stores.skills.folders),
        clock=shared.clock,
        ids=ids,
        rule=rule,
    )
    return Evolve(
        propose=propose,
        failing=FindFailures(
            rewards=stores.rewards,
            feedback=stores.feedback,
            proposals=stores.proposals,
            current_selection=current_selection,
        ),
        proposals=stores.proposals,
        in_use=shared.in_use,
        writers=asked.writers,
        quiet=quiet,
        clock=shared.clock,
        ids=ids,
        rule=rule,
    )
