"""What a run must not unlearn: past successes, and what the model does with requests of ours.

Half of what is replayed has skills in the prompt, because a model that forgets how to read skills
has broken the fast loop. Where too few successes are known, the model's own answers to requests of
ours stand in: what it does today is what it should still do tomorrow.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from dataclasses import replace

from lull.core.errors import RequestError
from lull.core.messages import Message
from lull.core.ports import Curriculum
from lull.core.reward import GREY
from lull.core.rollout import held_out
from lull.core.skill import Skill
from lull.core.training_examples import Graduation, Replay
from lull.loops.eligible import Eligible
from lull.loops.examine import Examine, may_train
from lull.loops.learner import (
    GREEDY,
    Learner,
    Said,
    answer_ids,
    end_token,
    prompt_ids,
    prompt_of,
    sampled,
)
from lull.loops.replay import injected
from lull.loops.rollout import Prompt
from lull.loops.today import Today
from lull.loops.verify import Wish
from lull.store.reward_rows import Served

ANCHOR_TOKENS = 96
"""The longest answer of the model's own that is replayed."""

KINDS = 12
"""So many times more requests are drawn than are wanted of one kind."""


class Keeping:
    def __init__(
        self, *, eligible: Eligible, examine: Examine, today: Today, curriculum: Curriculum
    ) -> None:
        self._eligible = eligible
        self._examine = examine
        self._today = today
        self._curriculum = curriculum
        self._ends: dict[str, int] = {}
        """By digest: the token with which the model ends an answer."""

    async def contrast(self, learner: Learner, skill: Skill, count: int) -> list[Graduation]:
        """As many requests of ours that the skill is not about, or that another skill in the
        prompt answers: there the student is held to what the model does without it. Learned alone,
        a skill spreads to whatever is asked (measured: docs/adr/0032)."""
        found: list[Graduation] = []
        half = count // 2
        for with_skills, some in ((True, count - half), (False, half)):
            for prompt in self._curriculum.anchors(learner.name, 2 * some, with_skills, skill.body):
                if not with_skills:
                    greedy = replace(GREEDY, max_tokens=ANCHOR_TOKENS)
                    said = await sampled(learner, prompt, greedy, adapter=learner.adapter)
                    if self._is_about(learner, skill, prompt, said):
                        continue
                ids = await prompt_ids(learner, prompt)
                number = len(found)
                found.append(
                    Graduation(id=f"own-contrast-{number}", prompt_ids=ids, teacher_ids=ids)
                )
                if len(found) == (count - half if with_skills else count):
                    break
        return found

    async def alike(self, learner: Learner, skill: Skill, count: int) -> list[Graduation]:
        """So many requests of ours that the skill is about, or as many as there are: a few requests
        of the user's, passed over again and again, are learned by heart."""
        found: list[Graduation] = []
        wish = (Wish(skill.body, ""),)
        for prompt in self._curriculum.anchors(learner.name, KINDS * count, False, skill.body):
            if len(found) == count:
                break
            asked = prompt[-1].text
            if not self._examine.speaks_against(learner.name, wish, asked=asked, answer=""):
                continue
            with_ = injected(prompt, [skill.body], system=learner.system)
            found.append(
                Graduation(
                    id=f"own-alike-{len(found)}",
                    prompt_ids=await prompt_ids(learner, prompt),
                    teacher_ids=await prompt_ids(learner, with_),
                )
            )
        return found

    def _is_about(
        self, learner: Learner, skill: Skill, prompt: tuple[Message, ...], said: Said
    ) -> bool:
        return self._examine.speaks_against(
            learner.name,
            (Wish(skill.body, ""),),
            asked=prompt[-1].text,
            answer=said.completion.message.text,
        )

    async def replays(
        self,
        learner: Learner,
        wanted: int,
        recent: Sequence[Served],
        *,
        graduates: Skill | None,
        seed: str,
    ) -> tuple[tuple[Replay, ...], tuple[Prompt, ...]]:
        """So many examples, half of them with skills in their prompts, and the turns that some of
        them were made of. Raises EngineError."""
        if wanted <= 0:
            return (), ()
        known = await asyncio.to_thread(self._successes, recent)
        wishes = await asyncio.to_thread(self._examine.wishes, recent)
        if graduates is not None:
            wishes = (*wishes, Wish(graduates.body, ""))
        chance = random.Random(seed)
        found: list[Replay] = []
        used: list[Prompt] = []
        for with_skills in (True, False):
            half = wanted // 2 if with_skills else wanted - len(found)
            own = [one for one in known if bool(one.skills) is with_skills]
            chance.shuffle(own)
            for prompt in own[:half]:
                replay = await self._success(learner, prompt)
                if replay is not None:
                    found.append(replay)
                    used.append(prompt)
            missing = half - sum(bool(one.skills) is with_skills for one in used)
            found += await self._own_answers(learner, missing, wishes, with_skills=with_skills)
        return tuple(found), tuple(used)

    def _successes(self, recent: Sequence[Served]) -> list[Prompt]:
        """Turns that went well, may train, and would still be called good today."""
        trains = self._examine.judge_trains()[0]
        wishes = self._examine.wishes(recent)
        judged = self._eligible.of([one.turn.id for one in recent])
        found = []
        for one in recent:
            known, reward = judged.get(one.turn.id), one.reward.reward
            if known is None or known.why_not or reward is None or reward.p_good <= GREY[1]:
                continue
            if held_out(one.asked):  # the gate asks whether it still goes well
                continue
            if not may_train(reward.source, judge_trains=trains):
                continue
            skills = self._today.skills(one) or ()
            if self._examine.still_good(one, skills, wishes):
                found.append(Prompt(served=one, skills=skills))
        return found

    async def _success(self, learner: Learner, prompt: Prompt) -> Replay | None:
        messages = prompt_of(learner, prompt.served, prompt.skills)
        try:
            end = await self.end_token(learner, messages)
            if end is None:
                return None
            ids = await answer_ids(learner, messages, prompt.served.turn.answer.text, end=end)
            before = await prompt_ids(learner, messages)
        except RequestError:
            return None
        return Replay(id=prompt.turn, prompt_ids=before, ids=ids) if ids else None

    async def end_token(self, learner: Learner, prompt: tuple[Message, ...]) -> int | None:
        if learner.digest not in self._ends:
            end = await end_token(learner, prompt)
            if end is None:
                return None
            self._ends[learner.digest] = end
        return self._ends[learner.digest]

    async def _own_answers(
        self, learner: Learner, count: int, wishes: Sequence[Wish], *, with_skills: bool
    ) -> list[Replay]:
        """The policy's own greedy answers to requests of ours, but for those that the user wants
        otherwise."""
        if count <= 0:
            return []
        found: list[Replay] = []
        prompts = self._curriculum.anchors(learner.name, count, with_skills, "")
        for number, prompt in enumerate(prompts):
            sampling = replace(GREEDY, max_tokens=ANCHOR_TOKENS)
            try:
                said = await sampled(learner, prompt, sampling, adapter=learner.adapter)
                before = await prompt_ids(learner, prompt)
            except RequestError:
                continue
            asked, answer = prompt[-1].text, said.completion.message.text
            if not with_skills and self._examine.speaks_against(
                learner.name, wishes, asked=asked, answer=answer
            ):
                continue
            kind = "with-skills" if with_skills else "plain"
            found.append(Replay(id=f"own-{kind}-{number}", prompt_ids=before, ids=said.ids))
        return found
