"""The fast loop, put together: who is asked, on what is replayed, and which jobs run."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import aiohttp

from lull.backends.clock import SystemClock, TimeSortedIds
from lull.backends.engine_chat import EngineChat
from lull.backends.extractive_evolver import ExtractiveEvolver
from lull.backends.llm_judge import JudgePrompts, LlmJudge
from lull.backends.model_evolver import ModelEvolver
from lull.backends.ollama import OllamaFacts
from lull.backends.ollama_chat import OllamaChat
from lull.backends.openai_chat import OpenAIChat
from lull.config.learning import JudgeSettings, WriterSettings
from lull.config.settings import Settings
from lull.core import pocket
from lull.core.check import Check, parse
from lull.core.errors import LullError
from lull.core.failures import SetRule
from lull.core.guard import hashed_coin
from lull.core.messages import Sampling
from lull.core.policy import ModelFacts
from lull.core.ports import ChatModel, Judge
from lull.core.proposal import CHECK, Origin, Proposal
from lull.core.rules import EvolveRule, GuardRule, ProveRule, ScoreRule
from lull.core.skill import Library, Skill
from lull.loops.approve import Approve
from lull.loops.evolve import Evolve, Writer
from lull.loops.fix_skills import FixSkills
from lull.loops.guard import Guard
from lull.loops.prove import Prove
from lull.loops.replay import Replay, Stage
from lull.loops.review import Review
from lull.loops.score import Credit, Score
from lull.loops.today import Today
from lull.loops.verify import Verifier
from lull.service.bus import Bus
from lull.service.fast_loop import FastLoop
from lull.service.local_model import LocalModels, served_sampling
from lull.service.problems import Problems
from lull.service.quiet import Activity, QuietTimes
from lull.service.wiring.own_models import BUILT_IN
from lull.service.wiring.stores import Stores

log = logging.getLogger(__name__)

REPLAY_WITHIN_S = 600.0
"""One replayed answer: a large model may have to be loaded first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """What the fast loop shares with the rest of the service."""

    stores: Stores
    clock: SystemClock
    bus: Bus
    problems: Problems
    local: LocalModels
    ollama: OllamaFacts
    session: aiohttp.ClientSession
    """For the users' own requests."""
    asking: aiohttp.ClientSession
    """For what Lull asks itself."""
    library: Callable[[], Library]
    approve: Approve
    activity: Activity


class Asked:
    """The models that Lull asks for itself, by the settings as they stand."""

    def __init__(self, world: World, settings: Callable[[], Settings]) -> None:
        self._world = world
        self._settings = settings
        self._judge: tuple[JudgeSettings, Judge] | None = None
        self._writer: tuple[WriterSettings, ModelEvolver] | None = None
        self._coin = random.SystemRandom()
        self._opened: list[OllamaChat] = []

    async def close(self) -> None:
        for chat in self._opened:
            await chat.close()

    def judge(self) -> Judge | None:
        wanted = self._settings().judge
        if not wanted.model:
            return None
        if self._judge is None or self._judge[0] != wanted:
            chat = self._chat(wanted)
            if chat is None:
                return None
            judge = LlmJudge(
                chat,
                coin=self._coin,
                prompts=JudgePrompts.shipped(),
                votes=wanted.votes,
                temperature=wanted.temperature,
            )
            self._judge = (wanted, judge)
        return self._judge[1]

    def writers(self) -> Sequence[Writer]:
        """The user's own words first: they need no model and are the most trusted."""
        writers = [Writer(evolver=ExtractiveEvolver(), origin=Origin.EXTRACTIVE)]
        wanted = self._settings().writer
        if not wanted.model:
            return writers
        if self._writer is None or self._writer[0] != wanted:
            chat = self._chat(wanted)
            if chat is None:
                return writers
            self._writer = (wanted, ModelEvolver(chat, coin=self._coin))
        return [*writers, Writer(evolver=self._writer[1], origin=Origin.MODEL)]

    def _chat(self, wanted: JudgeSettings | WriterSettings) -> ChatModel | None:
        """None, and a problem, for an address that may not be asked."""
        name = "judge" if isinstance(wanted, JudgeSettings) else "skill writer"
        try:
            if wanted.address:
                return OpenAIChat(
                    wanted.address,
                    wanted.model,
                    session=self._world.asking,
                    timeout_s=wanted.timeout_s,
                    allow_remote=wanted.allow_remote,
                )
            chat = OllamaChat(
                self._world.ollama.address,
                wanted.model,
                timeout_s=wanted.timeout_s,
                allow_remote=wanted.allow_remote,
                own_upstream=True,
            )
            self._opened.append(chat)
            return chat
        except LullError as error:
            self._world.problems.came(name, error)
            return None


class Stages:
    """On which model a proof runs: the one that failed, as it serves now."""

    def __init__(self, world: World, settings: Callable[[], Settings]) -> None:
        self._world = world
        self._settings = settings
        self._chats: dict[str, OllamaChat] = {}

    async def close(self) -> None:
        for chat in self._chats.values():
            await chat.close()

    def facts(self, model: str) -> ModelFacts | None:
        """What is known of a model now, without asking anybody."""
        if self._world.local.serves(model):
            return self._world.local.facts(model)
        return self._world.ollama.known(model)

    async def stage(self, model: str) -> Stage | None:
        if self._world.local.serves(model):
            return self._own(model)
        try:
            facts = self._world.ollama.facts(model)
            known = facts if isinstance(facts, ModelFacts) else await facts
            if model not in self._chats:
                self._chats[model] = OllamaChat(
                    self._world.ollama.address,
                    model,
                    timeout_s=REPLAY_WITHIN_S,
                    allow_remote=self._settings().upstream.allow_remote_models,
                    own_upstream=True,
                )
        except LullError as error:
            log.info("%s cannot be asked now: %s", model, error)
            return None
        return Stage(
            chat=self._chats[model],
            system=known.system,
            digest=known.digest,
            engine="ollama",
            adapter=known.adapter,
            sampling=Sampling(),
        )

    def _own(self, model: str) -> Stage:
        served = self._world.local.served(model)
        sampling = served_sampling(served.model)
        return Stage(
            chat=EngineChat(
                served.engine, served.model.name, timeout_s=REPLAY_WITHIN_S, own_sampling=sampling
            ),
            system="",
            digest=served.model.digest,
            engine="mlx",
            adapter=served.adapter,
            sampling=sampling,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Learning:
    """The fast loop, ready to run."""

    score: Score
    prove: Prove
    review: Review
    guard: Guard
    today: Today
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
        rule=lambda: _guard_rule(settings()),
        tell=lambda skill, why: world.problems.came("live guard", _retired(skill, why)),
    )


def learning_of(
    world: World,
    settings: Callable[[], Settings],
    *,
    guard: Guard,
    fixing: FixSkills,
    credit: Credit,
) -> Learning:
    stores, clock = world.stores, world.clock
    asked, stages = Asked(world, settings), Stages(world, settings)
    quiet = QuietTimes(world.activity, after_s=lambda: settings().learning.quiet_s)
    today = Today(fixing, library=world.library, facts=stages.facts)
    verifier = Verifier({BUILT_IN: pocket.check}, checks=lambda sha256: _checks(stores, sha256))
    score = Score(
        stores.rewards,
        verifier=verifier,
        judge=asked.judge,
        quiet=quiet,
        clock=clock,
        coin=random.SystemRandom().random,
        rule=_score_rule(settings()),
        credit=credit,
    )
    evolve = Evolve(
        rewards=stores.rewards,
        proposals=stores.proposals,
        today=today,
        library=world.library,
        writers=asked.writers,
        quiet=quiet,
        clock=clock,
        ids=TimeSortedIds(),
        rule=_evolve_rule(settings()),
    )
    rule = _prove_rule(settings())
    replay = Replay(
        rewards=stores.rewards,
        today=today,
        library=world.library,
        verifier=verifier,
        judge=asked.judge,
        warm=rule.warm,
    )
    prove = Prove(
        proposals=stores.proposals,
        replay=replay,
        library=world.library,
        judge=asked.judge,
        stage=stages.stage,
        quiet=quiet,
        clock=clock,
        rule=rule,
    )

    async def remember(proposal: Proposal) -> None:
        for served in stores.rewards.served(prove.won(proposal)):
            await credit(served, [proposal.key.name])

    review = Review(
        stores.proposals,
        world.approve,
        library=world.library,
        evidence=prove.evidence,
        clock=clock,
        approved=remember,
    )
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
        fast_loop=fast_loop,
        stages=stages,
        asked=asked,
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


def _score_rule(settings: Settings) -> ScoreRule:
    return ScoreRule(settle_s=settings.learning.settle_s)


def _evolve_rule(settings: Settings) -> EvolveRule:
    learning = settings.learning
    return EvolveRule(
        sets=SetRule(alike=learning.alike),
        most_active=learning.most_active,
        most_open=learning.most_open,
    )


def _prove_rule(settings: Settings) -> ProveRule:
    learning, rule = settings.learning, ProveRule()
    proof = replace(rule.proof, alpha=learning.alpha, most_pairs=learning.most_pairs)
    return replace(rule, proof=proof, slice_s=learning.slice_s)


def _guard_rule(settings: Settings) -> GuardRule:
    guard = settings.guard
    return GuardRule(
        share=guard.leave_out_share, settle_uses=guard.settle_uses, stale_days=guard.stale_days
    )
