"""The fast loop, put together: who is asked, on what is replayed, and which jobs run."""

from __future__ import annotations

import logging
import random
import secrets
from collections.abc import Callable
from dataclasses import dataclass

from lull.backends.clock import TimeSortedIds
from lull.backends.small_reader import SmallReader
from lull.config.settings import Settings
from lull.core.calibration import Prior
from lull.core.check import Check, parse
from lull.core.errors import LullError
from lull.core.guard import hashed_coin
from lull.core.models.exam import Role
from lull.core.ports import Curriculum
from lull.core.proposal import CHECK, Proposal
from lull.core.reward import Source
from lull.core.skill import Skill
from lull.loops.compare import Compare
from lull.loops.evolve import Evolve
from lull.loops.fix_skills import FixSkills
from lull.loops.guard import Guard
from lull.loops.hear import Hear
from lull.loops.propose import Propose
from lull.loops.prove import Prove
from lull.loops.replay import Replay
from lull.loops.review import Review
from lull.loops.score import Credit, Score
from lull.loops.standing_wishes import StandingWishes, turned_down
from lull.loops.today import Today
from lull.loops.verify import Verifier
from lull.pocket import language, merging
from lull.pocket.reader import PocketReader
from lull.service.fast_loop import FastLoop
from lull.service.quiet import QuietTimes
from lull.service.wiring.asking import Asked, Stages, World
from lull.service.wiring.checks import TOOLS, derived_check
from lull.service.wiring.curriculum import curriculum_of
from lull.service.wiring.exams import ExamParts, exams_of
from lull.service.wiring.own_models import BUILT_IN
from lull.service.wiring.rules import evolve_rule, guard_rule, prove_rule, score_rule
from lull.service.wiring.stores import Stores

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Learning:
    """The fast loop, ready to run."""

    reader: SmallReader
    hear: Hear
    score: Score
    prove: Prove
    compare: Compare
    review: Review
    guard: Guard
    today: Today
    verifier: Verifier
    curriculum: Curriculum
    fast_loop: FastLoop
    stages: Stages
    asked: Asked
    exams: ExamParts

    async def close(self) -> None:
        await self.exams.close()
        await self.stages.close()
        await self.reader.close()
        await self.asked.close()


def guard_of(world: World, settings: Callable[[], Settings]) -> Guard:
    """Made before the request path, which asks it."""
    stores = world.stores
    return Guard(
        flips=stores.flips,
        skills=stores.skills,
        proposals=stores.proposals,
        approve=world.approve,
        library=world.library,
        coin=hashed_coin(stores.chain_key.hex()),
        clock=world.clock,
        ids=TimeSortedIds(),
        rule=lambda: guard_rule(settings()),
        tell=lambda skill, why: world.problems.came(f"retired {skill.name}", _retired(skill, why)),
    )


def learning_of(
    world: World,
    settings: Callable[[], Settings],
    *,
    guard: Guard,
    fixing: FixSkills,
    credit: Credit,
    reader: SmallReader,
    allowed: Callable[[], bool],
) -> Learning:
    """`allowed`: whether anything but chats stands against asking a model now."""
    stores = world.stores
    quiet = QuietTimes(world.activity, after_s=lambda: settings().learning.quiet_s, allowed=allowed)
    exams = exams_of(world, settings, quiet)
    asked = Asked(world, settings, reader=reader, admitted=exams.examine.admitted)
    stages = Stages(world, settings, judge=lambda: asked.named(Role.JUDGE))
    today = Today(fixing, library=world.library, facts=stages.facts)
    verifier = Verifier(
        {BUILT_IN: language.check},
        checks=lambda sha256: checks_of(stores, sha256),
        derived=derived_check,
        tools=TOOLS,
    )
    hear = Hear(
        stores.feedback,
        stores.rewards,
        own={BUILT_IN: PocketReader()},
        reader=asked.reader,
        quiet=quiet,
        clock=world.clock,
    )
    score = _score(world, settings(), asked, quiet, verifier, credit, hear, exams)
    evolve = _evolve(world, settings(), asked, quiet, today)
    prove = _prove(world, settings(), asked, stages, quiet, today, verifier)
    compare = Compare(
        proposals=stores.proposals,
        replay=prove.replay,
        prove=prove,
        library=world.library,
        stage=stages.stage,
        quiet=quiet,
        clock=world.clock,
        ids=TimeSortedIds(),
        toss=lambda: bool(secrets.randbits(1)),
    )
    review = _review(world, prove, credit)
    fast_loop = FastLoop(
        hear=hear,
        score=score,
        evolve=evolve,
        prove=prove,
        review=review,
        guard=guard,
        settle=stores.database.flush,
        bus=world.bus,
        problems=world.problems,
        auto_approve=lambda: settings().review.auto_approve,
    )
    return Learning(
        reader=reader,
        hear=hear,
        score=score,
        prove=prove,
        compare=compare,
        review=review,
        guard=guard,
        today=today,
        verifier=verifier,
        curriculum=curriculum_of(world),
        fast_loop=fast_loop,
        stages=stages,
        asked=asked,
        exams=exams,
    )


def _score(
    world: World,
    settings: Settings,
    asked: Asked,
    quiet: QuietTimes,
    verifier: Verifier,
    credit: Credit,
    hear: Hear,
    exams: ExamParts,
) -> Score:
    stores = world.stores

    def beliefs() -> dict[Source, Prior]:
        found = exams.examine.judge_belief(asked.named(Role.JUDGE))
        return {} if found is None else {Source.JUDGE: found}

    return Score(
        stores.rewards,
        verifier=verifier,
        judge=asked.judge,
        quiet=quiet,
        clock=world.clock,
        coin=random.SystemRandom().random,
        rule=score_rule(settings),
        credit=credit,
        library=world.library,
        hear=hear,
        wishes=StandingWishes(
            stores.rewards,
            stores.feedback,
            verifier,
            turned_down=lambda: turned_down(stores.proposals, world.library(), stores.skills),
        ),
        beliefs=beliefs,
    )


def _evolve(
    world: World, settings: Settings, asked: Asked, quiet: QuietTimes, today: Today
) -> Evolve:
    stores, ids, rule = world.stores, TimeSortedIds(), evolve_rule(settings)
    propose = Propose(
        rewards=stores.rewards,
        proposals=stores.proposals,
        library=world.library,
        merging=merging,
        checks=lambda sha256: checks_of(stores, sha256),
        clock=world.clock,
        ids=ids,
        rule=rule,
    )
    return Evolve(
        propose=propose,
        rewards=stores.rewards,
        feedback=stores.feedback,
        proposals=stores.proposals,
        today=today,
        writers=asked.writers,
        quiet=quiet,
        clock=world.clock,
        ids=ids,
        rule=rule,
    )


def _prove(
    world: World,
    settings: Settings,
    asked: Asked,
    stages: Stages,
    quiet: QuietTimes,
    today: Today,
    verifier: Verifier,
) -> Prove:
    rule = prove_rule(settings)
    replay = Replay(
        rewards=world.stores.rewards,
        today=today,
        library=world.library,
        verifier=verifier,
        judge=asked.judge,
        warm=rule.warm,
    )
    return Prove(
        proposals=world.stores.proposals,
        replay=replay,
        library=world.library,
        judge=asked.judge,
        stage=stages.stage,
        quiet=quiet,
        clock=world.clock,
        rule=rule,
    )


def _review(world: World, prove: Prove, credit: Credit) -> Review:
    stores = world.stores

    async def remember(proposal: Proposal) -> None:
        for served in stores.rewards.served(prove.won(proposal)):
            await credit(served, [proposal.key.name])

    return Review(
        stores.proposals,
        world.approve,
        library=world.library,
        evidence=prove.evidence,
        clock=world.clock,
        approved=remember,
    )


def checks_of(stores: Stores, sha256: str) -> list[Check]:
    """The check that was approved with a skill's text; one that cannot be read checks nothing."""
    try:
        text = stores.skills.folders.text(sha256).metadata.get(CHECK, "")
        return [parse(text)] if text else []
    except LullError as error:
        log.info("a skill's check is not used: %s", error)
        return []


def _retired(skill: Skill, why: str) -> LullError:
    return LullError(
        f"The skill '{skill.name}' was taken out: {why}.",
        hint=f"`lull skills enable {skill.name}` brings it back.",
    )
