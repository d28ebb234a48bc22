"""The fast loop, put together: who is asked, on what is replayed, and which jobs run."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable
from dataclasses import dataclass

from lull.backends.clock import TimeSortedIds
from lull.backends.json_schema import fits_schema
from lull.backends.language_detection import detect
from lull.config.settings import Settings
from lull.core import pocket
from lull.core.check import Check, Tools, parse
from lull.core.errors import LullError
from lull.core.guard import hashed_coin
from lull.core.proposal import CHECK, Proposal
from lull.core.skill import Skill
from lull.loops.evolve import Evolve
from lull.loops.fix_skills import FixSkills
from lull.loops.guard import Guard
from lull.loops.prove import Prove
from lull.loops.replay import Replay
from lull.loops.review import Review
from lull.loops.score import Credit, Score
from lull.loops.standing_wishes import StandingWishes, turned_down
from lull.loops.today import Today
from lull.loops.verify import Verifier
from lull.service.fast_loop import FastLoop
from lull.service.quiet import QuietTimes
from lull.service.wiring.asking import Asked, Stages, World
from lull.service.wiring.own_models import BUILT_IN
from lull.service.wiring.rules import evolve_rule, guard_rule, prove_rule, score_rule
from lull.service.wiring.stores import Stores

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Learning:
    """The fast loop, ready to run."""

    score: Score
    prove: Prove
    review: Review
    guard: Guard
    today: Today
    verifier: Verifier
    fast_loop: FastLoop
    stages: Stages
    asked: Asked

    async def close(self) -> None:
        await self.stages.close()
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
    allowed: Callable[[], bool],
) -> Learning:
    """`allowed`: whether anything but chats stands against asking a model now."""
    stores = world.stores
    asked, stages = Asked(world, settings), Stages(world, settings)
    quiet = QuietTimes(world.activity, after_s=lambda: settings().learning.quiet_s, allowed=allowed)
    today = Today(fixing, library=world.library, facts=stages.facts)
    verifier = Verifier(
        {BUILT_IN: pocket.check},
        checks=lambda sha256: _checks(stores, sha256),
        tools=Tools(detect=detect, fits_schema=fits_schema),
    )
    score = _score(world, settings(), asked, quiet, verifier, credit)
    evolve = _evolve(world, settings(), asked, quiet, today)
    prove = _prove(world, settings(), asked, stages, quiet, today, verifier)
    review = _review(world, prove, credit)
    fast_loop = FastLoop(
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
        score=score,
        prove=prove,
        review=review,
        guard=guard,
        today=today,
        verifier=verifier,
        fast_loop=fast_loop,
        stages=stages,
        asked=asked,
    )


def _score(
    world: World,
    settings: Settings,
    asked: Asked,
    quiet: QuietTimes,
    verifier: Verifier,
    credit: Credit,
) -> Score:
    stores = world.stores
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
        wishes=StandingWishes(
            stores.rewards,
            verifier,
            turned_down=lambda: turned_down(stores.proposals, world.library(), stores.skills),
        ),
    )


def _evolve(
    world: World, settings: Settings, asked: Asked, quiet: QuietTimes, today: Today
) -> Evolve:
    return Evolve(
        rewards=world.stores.rewards,
        proposals=world.stores.proposals,
        today=today,
        library=world.library,
        writers=asked.writers,
        quiet=quiet,
        clock=world.clock,
        ids=TimeSortedIds(),
        rule=evolve_rule(settings),
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


def _checks(stores: Stores, sha256: str) -> list[Check]:
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
