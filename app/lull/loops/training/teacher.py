"""Asks the model for the answers from which a skill is trained into its weights, by distillation.

The teacher is the current model with the skill (an instruction text) in its prompt; the student
gets the same request without it. Where the skill does not apply, both prompts are the same, and the
answer keeps the model as it is.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from lull.core.chat.messages import Message
from lull.core.errors import RequestError
from lull.core.training.examples import GraduationExample
from lull.loops.feedback.at_once import at_once
from lull.loops.training.learner import AskedAnswers, Learner, LearnerAnswer

ANSWERS_AT_ONCE: Final = 16
"""Answers asked for at the same time: the engine decodes several nearly as fast as one."""

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True, slots=True, kw_only=True)
class TaughtPrompt:
    """One request as two prompts for distillation: for the student without the skill that is to be
    trained into its weights, for the teacher with it.
    """

    id: str
    student: tuple[Message, ...]
    teacher: tuple[Message, ...]

    @property
    def asked(self) -> str:
        """The text of the user's request."""
        return self.student[-1].text


Fits = Callable[[TaughtPrompt, LearnerAnswer], bool]
"""Function that says whether a teacher's answer may be learned from."""


async def distill_examples(
    asked: AskedAnswers,
    learner: Learner,
    prompts: Sequence[TaughtPrompt],
    fits: Fits,
    *,
    count: int,
    most_tokens: int,
) -> list[GraduationExample]:
    """Make distillation examples, whose targets are the teacher's greedy answers, from the first
    `count` prompts for which that answer passes the function `fits`.

    Prompts that are too long, and empty answers, are left out. Raises EngineError.
    """

    async def one(prompt: TaughtPrompt) -> GraduationExample | None:
        try:
            said = await asked.greedy_answer(learner, prompt.teacher, most_tokens=most_tokens)
            if not said.ids or not fits(prompt, said):
                return None
            teacher = await asked.ids(learner, prompt.teacher)
            student = teacher
            if prompt.student != prompt.teacher:
                student = await asked.ids(learner, prompt.student)
        except RequestError:
            return None
        return GraduationExample(
            id=prompt.id, prompt_ids=student, teacher_ids=teacher, sample_ids=said.ids
        )

    found: list[GraduationExample] = []
    for first in range(0, len(prompts), ANSWERS_AT_ONCE):
        if len(found) >= count:
            break
        made = await map_in_batches(prompts[first : first + ANSWERS_AT_ONCE], one)
        found += [example for example in made if example is not None]
    return found[:count]


async def map_in_batches(given: Sequence[T], work: Callable[[T], Awaitable[R]]) -> list[R]:
    """Run an async function on all these items, a few at the same time, and return the results in
    the items' order.
    """

    async def done(one: T) -> R:
        return await work(one)

    found: list[R] = []
    for first in range(0, len(given), ANSWERS_AT_ONCE):
        found += await at_once(done(one) for one in given[first : first + ANSWERS_AT_ONCE])
    return found
