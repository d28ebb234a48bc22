"""Samples groups of answers to stored requests while the computer is idle, and scores them, for
GRPO.

Each request is asked as it would be sent today, with skills, of the policy (the model) that is to
be trained. Answers are sampled at temperature 1 without top-k or top-p, so that the
log-probabilities are the policy's own. Each group is stored when it ends; a group that was
interrupted is sampled again.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from lull.core.chat.messages import Message, Sampling
from lull.core.chat.model_name import canonical
from lull.core.errors import RequestError
from lull.core.ports import Clock, Ids
from lull.core.skills.skill import Skill
from lull.core.training.rollout import (
    GroupState,
    RolloutAnswer,
    RolloutGroup,
    SampledPolicy,
    held_out,
    next_prompt,
)
from lull.loops.chat.current_selection import CurrentSelection
from lull.loops.feedback.at_once import at_once
from lull.loops.feedback.verify import Wish
from lull.loops.training.eligible import Eligible
from lull.loops.training.learner import Learner, LearnerAnswer, prompt_ids, prompt_of, sample_answer
from lull.loops.training.rewarding import AnswerWorth, RewardAnswers
from lull.store.feedback.reward_rows import ServedTurn
from lull.store.feedback.rewards import Rewards
from lull.store.training.training import Training


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutRule:
    """Settings for sampling groups of answers (several for each request) for training."""

    group_size: int = 4
    """Number of answers sampled for each request (a group)."""
    most_a_prompt: int = 32
    """Maximum number of groups of answers sampled for one request."""
    answer_tokens: int = 512
    """Most tokens of a sampled answer."""
    looked_at: int = 2000
    """Most recorded turns of the model, newest first, from which requests to sample answers for are
    chosen.
    """
    answers_at_once: int = 16
    """Most answers that the engine decodes at the same time, which is nearly as fast as one."""

    @property
    def groups_at_once(self) -> int:
        """Number of groups of answers that are sampled at the same time: those that fit into the
        engine together, and at least one.
        """
        return max(1, self.answers_at_once // self.group_size)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A stored request whose answers may be used for training, with the skills (instruction texts)
    that it would get today.
    """

    served: ServedTurn
    skills: tuple[Skill, ...]
    """The skills that the request would get today."""
    wish: Wish | None = None
    """The user's wish against which answers to the request are scored; None if there is none."""

    @property
    def turn(self) -> str:
        """Id of the conversation turn that the request comes from."""
        return self.served.turn.id

    @property
    def held_out(self) -> bool:
        """Whether the request is held out from training, to test new adapters on."""
        return held_out(self.served.asked)

    @property
    def skill_hashes(self) -> tuple[str, ...]:
        """The sorted sha256 of the skills (instruction texts) that the request would get today."""
        return hashes_of_skills(self.skills)

    @property
    def scoring_basis(self) -> tuple[tuple[str, ...], str]:
        """The key by which stored scores of answers to this request are recognised as out of date:
        the hashes of the skills and the id of the turn that the user corrected ("" for none), on
        both of which the scores depend.
        """
        return self.skill_hashes, self.wish.turn if self.wish is not None else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestPool:
    """The stored requests for which answers may be sampled now, the user's wishes by which these
    answers are scored, and how many other requests cannot be scored.
    """

    prompts: tuple[Prompt, ...]
    """Requests whose answers can be scored, newest first."""
    wishes: tuple[Wish, ...]
    unscored: int
    """Number of requests that may be trained on but whose answers cannot be scored."""


def hashes_of_skills(skills: Sequence[Skill]) -> tuple[str, ...]:
    """Return the sorted sha256 of the texts of these skills (instruction texts)."""
    return tuple(sorted(skill.sha256 for skill in skills))


class Rollouts:
    """Chooses stored requests, samples a group of answers to each for GRPO training, and stores the
    groups.
    """

    def __init__(
        self,
        *,
        rewards: Rewards,
        training: Training,
        eligible: Eligible,
        current_selection: CurrentSelection,
        rewarding: RewardAnswers,
        clock: Clock,
        ids: Ids,
        rule: Callable[[], RolloutRule],
    ) -> None:
        self._rewards = rewards
        self._training = training
        self._eligible = eligible
        self._current_selection = current_selection
        self._rewarding = rewarding
        self._clock = clock
        self._ids = ids
        self._rule = rule

    def candidates(self, model: str) -> list[ServedTurn]:
        """Return the model's recorded turns (requests with their answers) from which training
        chooses its examples, newest first.

        Turns of clients that have a skill library of their own in Lull are left out, because the
        trained weights answer every client.
        """
        spelled = [name for name in self._rewards.models() if canonical(name) == canonical(model)]
        found = [
            one
            for name in spelled
            for one in self._rewards.recent(owner="", model=name, limit=self._rule().looked_at)
        ]
        found.sort(key=lambda one: one.turn.id, reverse=True)
        return found[: self._rule().looked_at]

    def served(self, turns: Sequence[str]) -> list[ServedTurn]:
        """Return the stored turns (requests with answers) that have these ids."""
        return self._rewards.served(turns)

    def collect_requests(self, model: str) -> RequestPool:
        """Collect the stored requests for which the model may now sample new answers to train on.
        Blocking.
        """
        recent = self.candidates(model)
        judged = self._eligible.check_turns([one.turn.id for one in recent])
        wishes = self._rewarding.wishes(recent)
        prompts, unscored = [], 0
        for one in recent:
            known = judged.get(one.turn.id)
            if known is None or known.why_no_prompt:
                continue
            skills = self._current_selection.skills(one) or ()
            if self._rewarding.can_score(one, skills, wishes):
                wish = self._rewarding.applicable_wish(one, wishes)
                prompts.append(Prompt(served=one, skills=skills, wish=wish))
            else:
                unscored += 1
        return RequestPool(prompts=tuple(prompts), wishes=wishes, unscored=unscored)

    def next_request(
        self, pool: RequestPool, policy: SampledPolicy, exclude: Sequence[str] = ()
    ) -> Prompt | None:
        """Choose the request to sample answers for next, excluding the turn ids in `exclude`.
        Blocking.

        None if all have enough groups of answers or are held out for testing adapters.
        """
        by_turn = {
            prompt.turn: prompt
            for prompt in pool.prompts
            if prompt.turn not in exclude and not prompt.held_out
        }
        done = self._states(by_turn, policy)
        turn = next_prompt(tuple(by_turn), done, most=self._rule().most_a_prompt)
        return by_turn[turn] if turn is not None else None

    def _states(
        self, by_turn: dict[str, Prompt], policy: SampledPolicy
    ) -> dict[str, list[GroupState]]:
        """States of the groups whose skills and wish are still those of today, by turn."""
        return {
            turn: [
                state
                for skills, wish, state in states
                if (skills, wish) == by_turn[turn].scoring_basis
            ]
            for turn, states in self._training.group_states(policy).items()
            if turn in by_turn
        }

    def groups_with_signal(self, pool: RequestPool, policy: SampledPolicy) -> list[RolloutGroup]:
        """Return those groups of answers sampled from this policy (base and adapter) that no
        training run has used and whose answers differ in reward, oldest first.

        Training can learn nothing from a group whose answers all have the same reward.
        """
        return _that_stand(pool, self._training.groups(policy, states={GroupState.TELLING}))

    def scored_groups(self, pool: RequestPool, policy: SampledPolicy) -> list[RolloutGroup]:
        """Return every scored group of answers sampled from this policy (base and adapter), used in
        training or not.
        """
        scored = {GroupState.TELLING, GroupState.FLAT}
        return _that_stand(pool, self._training.groups(policy, states=scored, unused=False))

    # Sampling

    async def sample_next(self, learner: Learner, policy: SampledPolicy, pool: RequestPool) -> int:
        """Sample and store groups of answers for the next few requests; return for how many
        requests, 0 when none is left.

        Raises EngineError, UpstreamDown.
        """
        chosen = await asyncio.to_thread(self._next_few, pool, policy)
        await at_once(self._one(learner, policy, pool, prompt) for prompt in chosen)
        return len(chosen)

    def _next_few(self, book: RequestPool, policy: SampledPolicy) -> list[Prompt]:
        chosen: list[Prompt] = []
        while len(chosen) < self._rule().groups_at_once:
            prompt = self.next_request(book, policy, [one.turn for one in chosen])
            if prompt is None:
                break
            chosen.append(prompt)
        return chosen

    async def _one(
        self, learner: Learner, policy: SampledPolicy, book: RequestPool, prompt: Prompt
    ) -> None:
        states = await asyncio.to_thread(self._training.group_states, policy)
        number = len(states.get(prompt.turn, ()))
        messages = prompt_of(learner, prompt.served, prompt.skills)
        said: list[LearnerAnswer] = []
        try:
            ids = await prompt_ids(learner, messages)
        except RequestError:  # the prompt no longer fits the context window
            ids = ()
        if ids:
            said = await self._samples(learner, policy, prompt, number, messages)
        worth = [
            await self._rewarding.score_answer(
                prompt.served, prompt.skills, book.wishes, one.completion
            )
            for one in said
        ]
        await self._training.add_group(
            self._group(policy, prompt, number, ids=ids, said=said, worth=worth)
        )

    async def _samples(
        self,
        learner: Learner,
        policy: SampledPolicy,
        prompt: Prompt,
        number: int,
        messages: tuple[Message, ...],
    ) -> list[LearnerAnswer]:
        rule = self._rule()
        free = Sampling(temperature=1.0, top_p=1.0, top_k=0, max_tokens=rule.answer_tokens)
        seeds = [seed_of(policy, prompt.turn, number, one) for one in range(rule.group_size)]
        adapter = policy.adapter or None
        return await at_once(
            sample_answer(learner, messages, replace(free, seed=seed), adapter=adapter)
            for seed in seeds
        )

    def _group(
        self,
        policy: SampledPolicy,
        prompt: Prompt,
        number: int,
        *,
        ids: tuple[int, ...],
        said: Sequence[LearnerAnswer],
        worth: Sequence[AnswerWorth | None],
    ) -> RolloutGroup:
        return RolloutGroup(
            id=self._ids.new("group"),
            turn=prompt.turn,
            trajectory=prompt.served.turn.trajectory,
            at=self._clock.now(),
            policy=policy,
            skills=prompt.skill_hashes,
            number=number,
            prompt_ids=ids,
            samples=tuple(
                RolloutAnswer(
                    ids=one.ids, logprobs=one.logprobs, reward=known.reward if known else None
                )
                for one, known in zip(said, worth, strict=True)
            ),
            scored_by=next((known.by for known in worth if known is not None), ""),
            wish=prompt.scoring_basis[1],
        )


def _that_stand(book: RequestPool, groups: Sequence[RolloutGroup]) -> list[RolloutGroup]:
    """Return the groups of answers that were sampled with the skills and for the wish that are in
    force today.
    """
    stands = {prompt.turn: prompt.scoring_basis for prompt in book.prompts}
    return [group for group in groups if stands.get(group.turn) == (group.skills, group.wish)]


def seed_of(policy: SampledPolicy, turn: str, number: int, sample: int) -> int:
    """Return the random seed for sampling one answer. It depends only on the policy (base model and
    adapter), the request's turn id, the group of answers (`number`) and the answer's place in it
    (`sample`).
    """
    text = f"{policy.base}\0{policy.adapter}\0{turn}\0{number}\0{sample}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") >> 1
