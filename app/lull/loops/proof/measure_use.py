"""Measures the effect of approved skills (instruction texts), by answering past requests without
them in idle time.

Requests that had a skill in their prompt are replayed once each, with and without it, on the model
that served them, and both answers are scored as in a proof. Each pair of answers is stored, so
measuring goes on where it stopped. `loops/proof/holdout.py` decides what the pairs mean.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from lull.core.errors import LullError
from lull.core.idle.ports import QuietRunner
from lull.core.ports import Clock
from lull.core.proof.in_use import replays_can_measure, should_replay
from lull.core.proof.pairing import least_answered
from lull.core.proof.pairs import Pair, PairPart
from lull.core.proof.proposal import Proposal
from lull.core.proof.rules import HoldoutRule
from lull.core.skills.skill import SkillKey
from lull.loops.proof.measured_skills import MeasuredSkill
from lull.loops.proof.replay import OpensTargets, Replay, ReplayCase, ReplayTarget
from lull.store.feedback.rewards import Rewards
from lull.store.proof.use_replays import UseKey, UseReplayResults, UseReplays, use_key

log = logging.getLogger(__name__)

MOST_LOOKED_AT = 40
"""Most past requests with a skill that are looked through for those whose answers can be scored."""


class WaitingUse(NamedTuple):
    """An approved skill, with the number of past requests that are still to be answered again with
    and without it.
    """

    skill: SkillKey
    left: int


class MeasureUse:
    """Replays past requests with and without approved skills to measure the skills' effects, and
    knows for which skills this is possible.
    """

    def __init__(
        self,
        *,
        replays: UseReplays,
        rewards: Rewards,
        replay: Replay,
        targets: OpensTargets,
        quiet: QuietRunner,
        clock: Clock,
        slice_s: float,
        rule: Callable[[], HoldoutRule],
    ) -> None:
        self._replays = replays
        self._rewards = rewards
        self._replay = replay
        self._targets = targets
        self._quiet = quiet
        self._clock = clock
        self._slice_s = slice_s
        self._rule = rule
        self._measured: Mapping[SkillKey, MeasuredSkill] = {}
        self._left: dict[SkillKey, list[str]] = {}
        """Requests still to be replayed, by skill, newest first."""

    def waiting(self) -> list[WaitingUse]:
        """Return the approved skills with past requests left to replay; cheap, as it is called ten
        times a second.
        """
        return [WaitingUse(key, len(left)) for key, left in self._left.items() if left]

    async def find_replays(self, measured: Mapping[SkillKey, MeasuredSkill]) -> dict[UseKey, bool]:
        """Find the past requests to replay with and without each of these skills, and queue them;
        return for each skill's text whether replays can measure the skill's effect.
        """
        skills = [one.skill for one in measured.values()]
        uses = await asyncio.to_thread(self._replays.uses, skills)
        replayed = await asyncio.to_thread(self._replays.replayed)
        left: dict[SkillKey, list[str]] = {}
        tells: dict[UseKey, bool] = {}
        for key, one in measured.items():
            text = use_key(one.skill)
            before = replayed.get(text, UseReplayResults())
            able = await self._able(one, uses[text].requests, before)
            known = {pair.request for pair in before.pairs}
            tells[text] = replays_can_measure(len(known) + len(able), self._rule().use)
            left[key] = self._wanted(able, before) if tells[text] else []
        self._measured, self._left = measured, left
        return tells

    async def _able(
        self, one: MeasuredSkill, requests: Sequence[str], before: UseReplayResults
    ) -> list[str]:
        """The requests that can be scored and were not replayed yet, newest first."""
        fresh = [turn for turn in requests if turn not in before.measured_turns][:MOST_LOOKED_AT]
        found = await asyncio.to_thread(self._rewards.served, fresh)
        served = {one.turn.id: one for one in found}

        def able() -> list[str]:
            return [
                turn
                for turn in fresh
                if turn in served and self._replay.can_score(one.proposal, served[turn])
            ]

        return await asyncio.to_thread(able)

    def _wanted(self, able: Sequence[str], before: UseReplayResults) -> list[str]:
        rule = self._rule()
        return [
            turn for turn in able if should_replay(turn, before.pairs, rule.use, sure_e=rule.help_e)
        ]

    async def slice(self, skill: SkillKey) -> int:
        """Replay past requests of one approved skill with and without it, for at most half a
        minute; return the number of replays.

        Raises LullError when a model or the judge could not be asked and nothing was replayed.
        """
        end_s = self._clock.monotonic_s() + self._slice_s
        replayed = 0
        while self._left.get(skill) and self._clock.monotonic_s() < end_s:
            try:
                replayed += await self._one(self._measured[skill], self._left[skill])
            except LullError as error:
                if not replayed:
                    raise
                log.info("measuring %s waits: %s", skill.name, error)
                break
        return replayed

    async def _one(self, one: MeasuredSkill, left: list[str]) -> bool:
        """Replay one request; False if it cannot be now. It waits no longer in either case."""
        key = use_key(one.skill)
        parts = [(turn, PairPart.SIBLING) for turn in left]
        plan = least_answered((), parts, successes=False, key=key.sha256)
        if plan is None:
            return False
        done = False
        for served in self._rewards.served([plan.request]):
            stage = await self._targets.open_target(served.turn.model)
            if stage is not None:
                case = self._replay.case_in_use(one.proposal, stage, served)
                if case is None:
                    continue  # not in its prompt today, e.g. with an adapter that has learned it
                pair = await self._replayed(one.proposal, stage, case, plan.seed)
                now = self._clock.now()
                await self._replays.add(key, plan.request, pair, model=stage.digest, at=now)
                done = True
        if plan.request in left:
            left.remove(plan.request)
        return done

    async def _replayed(
        self, proposal: Proposal, stage: ReplayTarget, case: ReplayCase, seed: int
    ) -> Pair | None:
        """Replay one request; None if nothing could score its answers."""
        # The caller decided that it is time for replays; chats still go before each of them.
        return await self._quiet.run(
            lambda: self._replay.pair_if_possible(proposal, stage, case, seed), hurry=True
        )
