"""Prepares a training run: collects its training examples and replay examples (past good answers),
and writes them to a folder with the spec (the run's settings).

Each kind of run has its own training examples; replay examples (past good answers) keep the model
from forgetting.
"""

from __future__ import annotations

import asyncio
import hashlib
import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace

from lull.core.errors import Conflict, RequestError
from lull.core.ports import Clock
from lull.core.skills.skill import Skill
from lull.core.training.examples import Example, Group, RecordedAnswer, SampledAnswer
from lull.core.training.lesson import GraduationCourse
from lull.core.training.ratings import RATED_REPLAY_SHARE, passes_over_ratings
from lull.core.training.record import WISH, Run, RunProgress, RunSource, RunStatus
from lull.core.training.rollout import RolloutGroup
from lull.core.training.spec import (
    GraduationTerms,
    GrpoTerms,
    KtoTerms,
    Lora,
    RunKind,
    RunSpec,
)
from lull.loops.training.learner import (
    Learner,
    answer_ids,
    prompt_ids,
    prompt_of,
)
from lull.loops.training.ratings import Labelled
from lull.loops.training.replay_examples import ReplayExamples
from lull.loops.training.rollout import Prompt
from lull.loops.training.teacher import TaughtPrompt
from lull.store.feedback.reward_rows import ServedTurn
from lull.store.training.run_folders import RunFolders
from lull.store.training.training import Training

SMALL_PARAMETERS = 10_000_000
"""Models with fewer parameters are toys and learn at `SMALL_RATE`."""
SMALL_RATE = 2e-3
"""Learning rate of toy models."""
RATE = 2e-5
"""Learning rate of all models except toys."""
MOST_REPLAYS = 512
"""Maximum number of replay examples in a training run."""
SETTLED_RATE_SHARE = 0.05
"""Share of the learning rate left at the end of training a skill in.

Many epochs at the full rate leave the weights wherever the last step put them (measured:
docs/adr/0032).
"""
GRADUATION_RATE = 2.0
"""Factor by which the learning rate is raised when a skill is trained into the weights.

Its targets are sure and the same in each pass; at the usual rate too little was learned in 80 steps
(measured: docs/adr/0053).
"""
LEAST_ROWS = 160
"""Minimum requests in a batch about the skill that is trained in.

If users asked fewer, curriculum requests fill up. A skill that served fewer requests is no quicker
to learn (measured: docs/adr/0032).
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRule:
    """Settings by which new training runs are made, such as learning rate, LoRA rank and share of
    replay examples (past good answers).
    """

    replay_share: float = 0.25
    groups_a_step: int = 8
    answers_a_step: int = 16
    learning_rate: float = 0.0
    """Learning rate of training runs; 0 chooses it by the model's size."""
    rank: int = 16
    kl_beta: float = 0.02
    memory_share: float = 0.6
    graduation_epochs: int = 6
    answer_tokens: int = 512

    def rate(self, parameters: int) -> float:
        """Return the learning rate for a model with this number of parameters: the one in the
        settings, or else one by the model's size.
        """
        if self.learning_rate:
            return self.learning_rate
        return SMALL_RATE if 0 < parameters < SMALL_PARAMETERS else RATE


@dataclass(frozen=True, slots=True, kw_only=True)
class RunMaterial:
    """The examples for a new training run, the stored requests and sampled answers that they came
    from, and a sentence that says why the run is made (`why`).
    """

    kind: RunKind
    examples: tuple[Example, ...]
    answers: int
    """Number of answers in the examples, which the number of replays depends on."""
    turns: tuple[Prompt, ...]
    why: str
    groups: tuple[RolloutGroup, ...] = ()
    reward_before: float | None = None
    """Mean reward of the policy's sampled answers before the run."""
    graduates: Skill | None = None
    course: GraduationCourse = field(default_factory=GraduationCourse)
    """How this try at training a skill in differs from the usual: factors of the passes over the
    examples and of the other requests.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStart:
    """The starting point of a new training run: a LoRA adapter that is trained further, or the base
    model.

    `parent` is the id of the run that it continues, None for the first one of a series; `round` is
    the run's number in the series.
    """

    root: str | None
    """Version of the adapter that was active when the first of these successive runs began.

    None is the base model.
    """
    folder: str | None
    """Folder of the adapter that the run starts with."""
    parent: str | None = None
    round: int = 1


class MakeRun:
    """Collects the examples and writes the files of training runs of three kinds: GRPO, KTO, and
    graduation (training a skill, which is a text for prompts, into the weights).
    """

    def __init__(
        self,
        *,
        training: Training,
        folders: RunFolders,
        replay_examples: ReplayExamples,
        clock: Clock,
        new_id: Callable[[], str],
        rule: Callable[[], RunRule],
    ) -> None:
        self._training = training
        self._folders = folders
        self._replay_examples = replay_examples
        self._clock = clock
        self._new_id = new_id
        self._rule = rule

    async def make(
        self,
        learner: Learner,
        material: RunMaterial,
        start: RunStart,
        recent: Sequence[ServedTurn],
        *,
        update_parent: Callable[[Run, str], Run] | None = None,
    ) -> Run:
        """Write a new training run's examples and settings to its folder, then its database row;
        return the run.

        A crash in between leaves a folder to clean up. `start` says which adapter the run starts
        from, and `recent` are turns from which replay examples are taken. If the run continues an
        earlier one, the function `update_parent` gets that run and the new run's id, and returns
        the earlier run with its new status.

        Raises StoreError, EngineError, and Conflict if a turn was forgotten in the meantime.
        """
        run_id = self._new_id()
        rated = material.kind is RunKind.KTO
        replays, replayed = await self._replay_examples.replays(
            learner,
            self._replays_wanted(material),
            recent,
            graduates=material.graduates,
            changes=[one.served.asked for one in material.turns] if rated else (),
            seed=run_id,
        )
        prompts = {prompt.turn: prompt for prompt in (*material.turns, *replayed)}
        spec = self._spec(run_id, learner, material, start)
        batch = (*material.examples, *replays)
        await asyncio.to_thread(self._folders.write, spec, batch)
        now = self._clock.now()
        run = Run(
            id=run_id,
            kind=material.kind,
            status=RunStatus.WAITING,
            why=material.why,
            made_at=now,
            changed_at=now,
            model=learner.name,
            base=learner.digest,
            root=start.root,
            parent=start.parent,
            round=start.round,
            graduates=material.graduates.sha256 if material.graduates else "",
            skills={turn: prompt.skill_hashes for turn, prompt in prompts.items()},
            progress=RunProgress(reward_before=material.reward_before),
            course=material.course,
        )
        sources = _sources(prompts.values(), material.graduates)
        try:
            await self._training.add_run(
                run,
                sources,
                groups=[group.id for group in material.groups],
                goes_on=None if update_parent is None else lambda last: update_parent(last, run_id),
            )
        except Conflict:
            await asyncio.to_thread(self._folders.remove, run_id)
            self._replay_examples.asked.clear()
            raise
        self._replay_examples.asked.clear()
        return run

    def _spec(self, run: str, learner: Learner, material: RunMaterial, start: RunStart) -> RunSpec:
        rule = self._rule()
        spec = RunSpec(
            id=run,
            kind=material.kind,
            model=learner.folder,
            model_digest=learner.digest,
            parent=start.folder,
            seed=int.from_bytes(hashlib.sha256(run.encode()).digest()[:6], "big"),
            lora=Lora(rank=rule.rank),
            learning_rate=rule.rate(learner.parameters),
            memory_share=rule.memory_share,
            replay_share=rule.replay_share,
            examples_a_step=rule.answers_a_step,
            terms=_TERMS[material.kind](),
        )
        match material.kind:
            case RunKind.GRPO:
                terms = GrpoTerms(kl_beta=rule.kl_beta)
                return replace(spec, examples_a_step=rule.groups_a_step, terms=terms)
            case RunKind.GRADUATION:
                terms_ = GraduationTerms(sample_tokens=min(256, rule.answer_tokens))
                return replace(
                    spec,
                    epochs=max(1, round(rule.graduation_epochs * material.course.passes)),
                    learning_rate=GRADUATION_RATE * spec.learning_rate,
                    last_rate_share=SETTLED_RATE_SHARE,
                    terms=terms_,
                )
            case RunKind.KTO:
                return replace(
                    spec,
                    epochs=passes_over_ratings(material.answers, rule.answers_a_step),
                    last_rate_share=SETTLED_RATE_SHARE,
                    replay_share=max(rule.replay_share, RATED_REPLAY_SHARE),
                )

    def _replays_wanted(self, material: RunMaterial) -> int:
        rule = self._rule()
        share, passes = rule.replay_share, 1
        # A batch that is used for several epochs gets different replays for each.
        match material.kind:
            case RunKind.GRADUATION:
                passes = rule.graduation_epochs
            case RunKind.KTO:
                passes = passes_over_ratings(material.answers, rule.answers_a_step)
                share = max(share, RATED_REPLAY_SHARE)
        return min(MOST_REPLAYS, math.ceil(material.answers * passes * share / (1.0 - share)))

    # Material

    def of_groups(
        self,
        groups: Sequence[RolloutGroup],
        prompts: Sequence[Prompt],
        *,
        reward_before: float | None,
    ) -> RunMaterial:
        """Collect the training examples of a GRPO run from groups of answers (several sampled for
        each request).

        `reward_before` is the mean reward of all answers sampled from the weights that the run
        starts with.
        """
        examples = tuple(
            Group(
                id=group.turn,
                prompt_ids=group.prompt_ids,
                samples=tuple(
                    SampledAnswer(ids=drawn.ids, logprobs=drawn.logprobs, reward=drawn.reward)
                    for drawn in group.samples
                    if drawn.reward is not None
                ),
            )
            for group in groups
        )
        used = {group.turn for group in groups}
        return RunMaterial(
            kind=RunKind.GRPO,
            examples=examples,
            answers=sum(len(one.samples) for one in examples),
            turns=tuple(prompt for prompt in prompts if prompt.turn in used),
            why=f"{len(groups)} groups of generated answers to {len(used)} requests.",
            groups=tuple(groups),
            reward_before=reward_before,
        )

    async def of_labels(self, learner: Learner, labelled: Sequence[Labelled]) -> RunMaterial:
        """Collect the training examples of a KTO run from recorded answers, each labelled good or
        bad.
        """
        examples: list[RecordedAnswer] = []
        used: list[Prompt] = []
        for prompt, good in labelled:
            messages = prompt_of(learner, prompt.served, prompt.skills)
            try:
                end = await self._replay_examples.end_token(learner, messages)
                said = prompt.served.turn.answer.text
                ids = (
                    await answer_ids(learner.engine, messages, said, end=end)
                    if end is not None
                    else ()
                )
                before = await prompt_ids(learner, messages)
            except RequestError:
                continue  # it does not fit the window
            if ids:
                examples.append(
                    RecordedAnswer(id=prompt.turn, prompt_ids=before, ids=ids, good=good)
                )
                used.append(prompt)
        good_ones = sum(one.good for one in examples)
        return RunMaterial(
            kind=RunKind.KTO,
            examples=tuple(examples),
            answers=len(examples),
            turns=tuple(used),
            why=f"{good_ones} good and {len(examples) - good_ones} bad answers.",
        )

    async def of_skill(
        self,
        learner: Learner,
        skill: Skill,
        prompts: Sequence[Prompt],
        course: GraduationCourse,
    ) -> RunMaterial:
        """Collect the examples for training a skill (an instruction text) into the weights, from
        requests that had it in the prompt.

        Raises EngineError.
        """
        by_turn: dict[str, Prompt] = {}
        asked: list[TaughtPrompt] = []
        for prompt in prompts:
            without = [one for one in prompt.skills if one.sha256 != skill.sha256]
            by_turn[prompt.turn] = prompt
            asked.append(
                TaughtPrompt(
                    id=prompt.turn,
                    student=prompt_of(learner, prompt.served, without),
                    teacher=prompt_of(learner, prompt.served, prompt.skills),
                )
            )
        own = await self._replay_examples.of_teacher(
            learner, skill, asked, count=len(asked), most_tokens=self._rule().answer_tokens
        )
        used = [by_turn[example.id] for example in own]
        own += await self._replay_examples.practice_examples(
            learner, skill, max(0, LEAST_ROWS - len(own))
        )
        # Without enough curriculum requests, the user's are repeated.
        own *= math.ceil(LEAST_ROWS / max(1, len(own)))
        anchors = round(len(own) * course.anchors)
        examples = [*own, *await self._replay_examples.contrast(learner, skill, anchors)]
        return RunMaterial(
            kind=RunKind.GRADUATION,
            examples=tuple(examples),
            answers=len(own),
            turns=tuple(used),
            why=f"The skill '{skill.name}' has been used for {len(used)} requests and is well "
            "proven.",
            graduates=skill,
            course=course,
        )


def _sources(prompts: Collection[Prompt], graduates: Skill | None) -> list[RunSource]:
    """Everything that a run was made of, so that forgetting can find it."""
    texts = {mark for prompt in prompts for mark in prompt.skill_hashes}
    if graduates is not None:
        texts.add(graduates.sha256)
    wishes = {one.wish.turn: one.wish for one in prompts if one.wish is not None}
    return [
        *(
            RunSource(kind="turn", id=one.turn, trajectory=one.served.turn.trajectory)
            for one in prompts
        ),
        *(RunSource(kind="skill", id=sha256) for sha256 in sorted(texts)),
        *(RunSource(kind=WISH, id=one.turn, trajectory=one.trajectory) for one in wishes.values()),
    ]


_TERMS = {
    RunKind.GRPO: GrpoTerms,
    RunKind.KTO: KtoTerms,
    RunKind.GRADUATION: GraduationTerms,
}
