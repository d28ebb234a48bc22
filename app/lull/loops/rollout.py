"""Several answers to each stored request, sampled while nobody is here, and what each is worth.

The request is asked as it would be asked today, skills and all, of the policy that is to be
trained: at temperature 1 without any cut, so that the log-probabilities are those of the policy
itself. Each group is stored before the next is begun; what is stopped is begun again.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from lull.core.errors import RequestError
from lull.core.messages import Message, Sampling
from lull.core.model_name import canonical
from lull.core.ports import Clock, Ids
from lull.core.rollout import Drawn, GroupState, Policy, RolloutGroup, held_out, next_prompt
from lull.core.skill import Skill
from lull.loops.at_once import at_once
from lull.loops.eligible import Eligible
from lull.loops.examine import Examine, Worth
from lull.loops.learner import Learner, Said, prompt_ids, prompt_of, sampled
from lull.loops.today import Today
from lull.loops.verify import Wish
from lull.store.reward_rows import Served
from lull.store.rewards import Rewards
from lull.store.training import Training


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutRule:
    group_size: int = 4
    most_a_prompt: int = 32
    answer_tokens: int = 512
    looked_at: int = 2000
    """Newest turns of the model."""
    groups_at_once: int = 4
    """Sampled side by side: the engine decodes several answers nearly as fast as one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A stored request that may train the weights."""

    served: Served
    skills: tuple[Skill, ...]
    """That it would get today."""
    wish: Wish | None = None
    """What the user said, by which answers to it are scored; None: by nothing that was said."""

    @property
    def turn(self) -> str:
        return self.served.turn.id

    @property
    def held_out(self) -> bool:
        """Kept for the gate."""
        return held_out(self.served.asked)

    @property
    def marks(self) -> tuple[str, ...]:
        return marks_of_skills(self.skills)

    @property
    def stand(self) -> tuple[tuple[str, ...], str]:
        """Under which its groups were sampled and scored, if they are to count today."""
        return self.marks, self.wish.turn if self.wish is not None else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Book:
    """What may be sampled now, and who can tell."""

    prompts: tuple[Prompt, ...]
    """Newest first; only those whose answers somebody can score."""
    wishes: tuple[Wish, ...]
    unscored: int
    """Requests that may train, and of which nobody can tell good answers from bad ones."""


def marks_of_skills(skills: Sequence[Skill]) -> tuple[str, ...]:
    return tuple(sorted(skill.sha256 for skill in skills))


class Rollouts:
    def __init__(
        self,
        *,
        rewards: Rewards,
        training: Training,
        eligible: Eligible,
        today: Today,
        examine: Examine,
        clock: Clock,
        ids: Ids,
        rule: Callable[[], RolloutRule],
    ) -> None:
        self._rewards = rewards
        self._training = training
        self._eligible = eligible
        self._today = today
        self._examine = examine
        self._clock = clock
        self._ids = ids
        self._rule = rule

    def candidates(self, model: str) -> list[Served]:
        """Newest complete turns of this model in everybody's room, newest first. What one client
        taught stays with it, and weights answer everybody."""
        spelled = [name for name in self._rewards.models() if canonical(name) == canonical(model)]
        found = [
            one
            for name in spelled
            for one in self._rewards.recent(room="", model=name, limit=self._rule().looked_at)
        ]
        found.sort(key=lambda one: one.turn.id, reverse=True)
        return found[: self._rule().looked_at]

    def served(self, turns: Sequence[str]) -> list[Served]:
        return self._rewards.served(turns)

    def book(self, model: str) -> Book:
        """Blocks."""
        recent = self.candidates(model)
        judged = self._eligible.of([one.turn.id for one in recent])
        wishes = self._examine.wishes(recent)
        prompts, unscored = [], 0
        for one in recent:
            known = judged.get(one.turn.id)
            if known is None or known.why_no_prompt:
                continue
            skills = self._today.skills(one) or ()
            if self._examine.can_score(one, skills, wishes):
                wish = self._examine.held_to(one, wishes)
                prompts.append(Prompt(served=one, skills=skills, wish=wish))
            else:
                unscored += 1
        return Book(prompts=tuple(prompts), wishes=wishes, unscored=unscored)

    def next_of(self, book: Book, policy: Policy, but: Sequence[str] = ()) -> Prompt | None:
        """The request that is to be sampled next; None: each has had its share, or is kept for
        the gate. Blocks."""
        by_turn = {
            prompt.turn: prompt
            for prompt in book.prompts
            if prompt.turn not in but and not prompt.held_out
        }
        done = self._states(by_turn, policy)
        turn = next_prompt(tuple(by_turn), done, most=self._rule().most_a_prompt)
        return by_turn[turn] if turn is not None else None

    def _states(self, by_turn: dict[str, Prompt], policy: Policy) -> dict[str, list[GroupState]]:
        """Of the groups whose prompts had the skills that they would have today, and that were
        scored by what is wished today."""
        return {
            turn: [state for skills, wish, state in states if (skills, wish) == by_turn[turn].stand]
            for turn, states in self._training.states(policy).items()
            if turn in by_turn
        }

    def telling(self, book: Book, policy: Policy) -> list[RolloutGroup]:
        """Groups of this policy that a run may be made of, oldest first."""
        return _that_stand(book, self._training.groups(policy, states={GroupState.TELLING}))

    def all_of(self, book: Book, policy: Policy) -> list[RolloutGroup]:
        """Every scored group that this policy sampled, used or not."""
        scored = {GroupState.TELLING, GroupState.FLAT}
        return _that_stand(book, self._training.groups(policy, states=scored, unused=False))

    # Sampling

    async def some(self, learner: Learner, policy: Policy, book: Book) -> int:
        """A few groups, each stored as it ends; how many there were, 0 when nothing is left.
        Raises EngineError, UpstreamDown."""
        chosen = await asyncio.to_thread(self._next_few, book, policy)
        await at_once(self._one(learner, policy, book, prompt) for prompt in chosen)
        return len(chosen)

    def _next_few(self, book: Book, policy: Policy) -> list[Prompt]:
        chosen: list[Prompt] = []
        while len(chosen) < self._rule().groups_at_once:
            prompt = self.next_of(book, policy, [one.turn for one in chosen])
            if prompt is None:
                break
            chosen.append(prompt)
        return chosen

    async def _one(self, learner: Learner, policy: Policy, book: Book, prompt: Prompt) -> None:
        states = await asyncio.to_thread(self._training.states, policy)
        number = len(states.get(prompt.turn, ()))
        messages = prompt_of(learner, prompt.served, prompt.skills)
        said: list[Said] = []
        try:
            ids = await prompt_ids(learner, messages)
        except RequestError:  # it does not fit the window any more
            ids = ()
        if ids:
            said = await self._samples(learner, policy, prompt, number, messages)
        worth = [
            await self._examine.worth(prompt.served, prompt.skills, book.wishes, one.completion)
            for one in said
        ]
        await self._training.add_group(
            self._group(policy, prompt, number, ids=ids, said=said, worth=worth)
        )

    async def _samples(
        self,
        learner: Learner,
        policy: Policy,
        prompt: Prompt,
        number: int,
        messages: tuple[Message, ...],
    ) -> list[Said]:
        rule = self._rule()
        free = Sampling(temperature=1.0, top_p=1.0, top_k=0, max_tokens=rule.answer_tokens)
        seeds = [seed_of(policy, prompt.turn, number, one) for one in range(rule.group_size)]
        adapter = policy.adapter or None
        return await at_once(
            sampled(learner, messages, replace(free, seed=seed), adapter=adapter) for seed in seeds
        )

    def _group(
        self,
        policy: Policy,
        prompt: Prompt,
        number: int,
        *,
        ids: tuple[int, ...],
        said: Sequence[Said],
        worth: Sequence[Worth | None],
    ) -> RolloutGroup:
        return RolloutGroup(
            id=self._ids.new("group"),
            turn=prompt.turn,
            trajectory=prompt.served.turn.trajectory,
            at=self._clock.now(),
            policy=policy,
            skills=prompt.marks,
            number=number,
            prompt_ids=ids,
            samples=tuple(
                Drawn(ids=one.ids, logprobs=one.logprobs, reward=known.reward if known else None)
                for one, known in zip(said, worth, strict=True)
            ),
            scored_by=next((known.by for known in worth if known is not None), ""),
            wish=prompt.stand[1],
        )


def _that_stand(book: Book, groups: Sequence[RolloutGroup]) -> list[RolloutGroup]:
    """Those whose prompts would be the same today, and whose scores go by the same words."""
    stands = {prompt.turn: prompt.stand for prompt in book.prompts}
    return [group for group in groups if stands.get(group.turn) == (group.skills, group.wish)]


def seed_of(policy: Policy, turn: str, number: int, sample: int) -> int:
    """The same for the same answer, whenever it is drawn, and another for every other."""
    text = f"{policy.base}\0{policy.adapter}\0{turn}\0{number}\0{sample}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") >> 1
