"""Makes replay examples (recorded good answers to train on again), which keep a model from
unlearning what it did well.

Half of the examples have skills (instruction texts) in the prompt, so that the model does not
forget how to follow them. Where too few successes are known, the model's own answers to practice
requests are used, so that it keeps doing what it does today.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

from lull.core.chat.messages import Message
from lull.core.errors import RequestError
from lull.core.feedback.reward import GREY
from lull.core.skills.skill import Skill
from lull.core.training.examples import GraduationExample, ReplayExample
from lull.core.training.ports import Curriculum
from lull.core.training.ratings import rating_held_out
from lull.loops.chat.current_selection import CurrentSelection
from lull.loops.feedback.verify import Wish
from lull.loops.proof.replay import prompt_with_skills
from lull.loops.training.eligible import Eligible
from lull.loops.training.learner import (
    AskedAnswers,
    Learner,
    LearnerAnswer,
    answer_ids,
    end_token,
    prompt_ids,
    prompt_of,
)
from lull.loops.training.rewarding import RewardAnswers, may_train
from lull.loops.training.rollout import Prompt
from lull.loops.training.teacher import TaughtPrompt, distill_examples, map_in_batches
from lull.store.feedback.reward_rows import ServedTurn

ANCHOR_TOKENS = 96
"""Maximum tokens of an answer that the model generates for a replay example."""

DRAWS_PER_EXAMPLE = 12
"""How many curriculum requests are drawn for each example about the skill.

Most requests are about something else.
"""

SPARE = 1.25
"""How many requests the teacher is asked for each example wanted; more than 1, since some answers
do not follow the skill.
"""


class ReplayExamples:
    """Makes two kinds of training examples: replay examples, which keep a model from unlearning
    what it did well, and those that train a skill (an instruction text) into its weights.
    """

    def __init__(
        self,
        *,
        eligible: Eligible,
        rewarding: RewardAnswers,
        current_selection: CurrentSelection,
        curriculum: Curriculum,
    ) -> None:
        self._eligible = eligible
        self._rewarding = rewarding
        self._current_selection = current_selection
        self._curriculum = curriculum
        self._ends: dict[str, int] = {}
        """Token that ends an answer, by the model's digest."""
        self.asked = AskedAnswers()
        """Cache of the model's answers for the training run that is being made."""

    async def contrast(self, learner: Learner, skill: Skill, count: int) -> list[GraduationExample]:
        """Make up to `count` examples whose target is the model's present answer to the same
        prompt, so that the model learns when not to apply a skill (an instruction text).

        Half have skills in the prompt; the requests of the rest are not about the skill. Without
        such examples a skill that is trained in spreads to all requests (measured: docs/adr/0032).
        """
        half = count // 2
        with_ = await self._anchored(learner, skill, count - half, with_skills=True)
        plain = await self._anchored(learner, skill, half, with_skills=False)
        return [
            replace(one, id=f"own-contrast-{number}") for number, one in enumerate((*with_, *plain))
        ]

    async def _anchored(
        self, learner: Learner, skill: Skill, count: int, *, with_skills: bool
    ) -> list[GraduationExample]:
        def fits(prompt: TaughtPrompt, said: LearnerAnswer) -> bool:
            return with_skills or not self._against(learner, skill, prompt, said)

        drawn = self._curriculum.anchors(learner.name, 2 * count, with_skills, skill.body)
        prompts = [TaughtPrompt(id="", student=one, teacher=one) for one in drawn]
        return await distill_examples(
            self.asked, learner, prompts, fits, count=count, most_tokens=ANCHOR_TOKENS
        )

    async def practice_examples(
        self, learner: Learner, skill: Skill, count: int
    ) -> list[GraduationExample]:
        """Make at most `count` examples that train a skill (an instruction text) into the weights,
        from practice requests on its subject: similar past requests or generated ones.

        Users' own requests are too few: repeated many times, they would be learned by heart.
        """
        wish = (Wish(skill.body, ""),)
        form = learner.prompt
        prompts: list[TaughtPrompt] = []
        for prompt in self._curriculum.anchors(
            learner.name, DRAWS_PER_EXAMPLE * count, False, skill.body
        ):
            if len(prompts) >= SPARE * count:
                break
            if self._rewarding.violates_wish(learner.name, wish, asked=prompt[-1].text, answer=""):
                with_ = prompt_with_skills(
                    prompt, [skill.body], system=form.system, place=form.place
                )
                prompts.append(TaughtPrompt(id="", student=prompt, teacher=with_))
        found = await self.of_teacher(
            learner, skill, prompts, count=count, most_tokens=ANCHOR_TOKENS
        )
        return [replace(one, id=f"own-alike-{number}") for number, one in enumerate(found)]

    async def of_teacher(
        self,
        learner: Learner,
        skill: Skill,
        prompts: Sequence[TaughtPrompt],
        *,
        count: int,
        most_tokens: int,
    ) -> list[GraduationExample]:
        """Make up to `count` training examples whose targets are the model's own answers with a
        skill (an instruction text) in its prompt, so that it learns to give them without it.

        Answers that do not follow the skill are left out. Raises EngineError.
        """

        def fits(prompt: TaughtPrompt, said: LearnerAnswer) -> bool:
            return not self._against(learner, skill, prompt, said)

        return await distill_examples(
            self.asked, learner, prompts, fits, count=count, most_tokens=most_tokens
        )

    def _against(
        self, learner: Learner, skill: Skill, prompt: TaughtPrompt, said: LearnerAnswer
    ) -> bool:
        return self._rewarding.violates_wish(
            learner.name,
            (Wish(skill.body, ""),),
            asked=prompt.asked,
            answer=said.completion.message.text,
        )

    async def replays(
        self,
        learner: Learner,
        wanted: int,
        recent: Sequence[ServedTurn],
        *,
        graduates: Skill | None,
        changes: Sequence[str] = (),
        seed: str,
    ) -> tuple[tuple[ReplayExample, ...], tuple[Prompt, ...]]:
        """Return about `wanted` replay examples (good answers to train on again), and the recorded
        requests that they come from.

        Half of them have skills in the prompt. None is the model's own answer to a request of the
        same known kind as one in `changes`, whose answers are to change, unless a skill in its
        prompt says how; most of those with skills are of these kinds then, where skills are
        forgotten first. Raises EngineError.
        """
        if wanted <= 0:
            return (), ()
        known = await asyncio.to_thread(self._successes, recent)
        wishes = await asyncio.to_thread(self._rewarding.wishes, recent)
        if graduates is not None:
            wishes = (*wishes, Wish(graduates.body, ""))
        chance = random.Random(seed)
        kinds = {self._curriculum.subject(learner.name, asked): asked for asked in changes}
        kinds.pop("", None)
        found: list[ReplayExample] = []
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
            found += await self._own_answers(
                learner, missing, wishes, with_skills=with_skills, kinds=kinds
            )
        return tuple(found), tuple(used)

    def _successes(self, recent: Sequence[ServedTurn]) -> list[Prompt]:
        """Turns that went well, may train, and still pass today's checks and wishes."""
        trains = self._rewarding.judge_may_train()[0]
        wishes = self._rewarding.wishes(recent)
        judged = self._eligible.check_turns([one.turn.id for one in recent])
        found = []
        for one in recent:
            known, reward = judged.get(one.turn.id), one.reward.reward
            if known is None or known.why_not or reward is None or reward.p_good <= GREY[1]:
                continue
            if rating_held_out(one.asked):  # kept for the gate
                continue
            if not may_train(reward.source, judge_may_train=trains):
                continue
            skills = self._current_selection.skills(one) or ()
            if self._rewarding.still_good(one, skills, wishes):
                found.append(Prompt(served=one, skills=skills))
        return found

    async def _success(self, learner: Learner, prompt: Prompt) -> ReplayExample | None:
        messages = prompt_of(learner, prompt.served, prompt.skills)
        try:
            end = await self.end_token(learner, messages)
            if end is None:
                return None
            ids = await answer_ids(
                learner.engine, messages, prompt.served.turn.answer.text, end=end
            )
            before = await prompt_ids(learner, messages)
        except RequestError:
            return None
        return ReplayExample(id=prompt.turn, prompt_ids=before, ids=ids) if ids else None

    async def end_token(self, learner: Learner, prompt: tuple[Message, ...]) -> int | None:
        """Return the token with which the model ends an answer, cached; None if its answer to this
        prompt does not end.
        """
        if learner.digest not in self._ends:
            end = await end_token(learner, prompt)
            if end is None:
                return None
            self._ends[learner.digest] = end
        return self._ends[learner.digest]

    async def _own_answers(
        self,
        learner: Learner,
        count: int,
        wishes: Sequence[Wish],
        *,
        with_skills: bool,
        kinds: Mapping[str, str],
    ) -> list[ReplayExample]:
        """The policy's greedy answers to curriculum requests, except those against a wish, and
        those that no skill asks for to requests of the kinds that are to change.
        """
        if count <= 0:
            return []
        kind = "with-skills" if with_skills else "plain"

        async def one(numbered: tuple[int, tuple[Message, ...]]) -> ReplayExample | None:
            number, prompt = numbered
            try:
                said = await self.asked.greedy_answer(learner, prompt, most_tokens=ANCHOR_TOKENS)
                before = await self.asked.ids(learner, prompt)
            except RequestError:
                return None
            asked, answer = prompt[-1].text, said.completion.message.text
            if not with_skills and self._rewarding.violates_wish(
                learner.name, wishes, asked=asked, answer=answer
            ):
                return None
            return ReplayExample(id=f"own-{kind}-{number}", prompt_ids=before, ids=said.ids)

        prompts = self._anchors(learner.name, count, with_skills=with_skills, kinds=kinds)
        made = await map_in_batches(list(enumerate(prompts)), one)
        return [example for example in made if example is not None]

    def _anchors(
        self, model: str, count: int, *, with_skills: bool, kinds: Mapping[str, str]
    ) -> list[tuple[Message, ...]]:
        """Curriculum requests whose answers may stay as they are; `kinds` has a request of each
        kind that is to change.
        """
        abouts = kinds if with_skills and kinds else {"": ""}
        found = []
        for number, (own, about) in enumerate(abouts.items()):
            share = len(range(number, count, len(abouts)))
            for prompt in self._curriculum.anchors(model, share, with_skills, about):
                kind = self._curriculum.subject(model, prompt[-1].text)
                if kind not in kinds or kind == own:
                    found.append(prompt)
        return found
