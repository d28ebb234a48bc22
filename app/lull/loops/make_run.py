"""From what was recorded and sampled to a run folder: which examples, which replays, which spec.

Each kind of run has material of its own; what must not be unlearned is `keeping.py`'s.
"""

from __future__ import annotations

import asyncio
import hashlib
import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from lull.core.errors import Conflict, RequestError
from lull.core.ports import Clock
from lull.core.rollout import RolloutGroup
from lull.core.skill import Skill
from lull.core.training_examples import Answer, Example, Graduation, Group, Sample
from lull.core.training_record import WISH, Progress, Run, RunStatus, Source
from lull.core.training_run import (
    GraduationTerms,
    GrpoTerms,
    KtoTerms,
    Lora,
    RunKind,
    RunSpec,
)
from lull.loops.keeping import Keeping
from lull.loops.learner import (
    Learner,
    answer_ids,
    prompt_ids,
    prompt_of,
)
from lull.loops.rollout import Prompt
from lull.store.reward_rows import Served
from lull.store.run_folders import RunFolders
from lull.store.training import Training

SMALL_PARAMETERS = 10_000_000
"""Below, a model is a toy, and learns at a toy's rate."""
SMALL_RATE = 2e-3
RATE = 2e-5
MOST_REPLAYS = 512
SETTLED = 0.05
"""Of the learning rate, at the end of a graduation: many passes at full rate leave the weights
where the last step happened to throw them (measured: docs/adr/0032)."""
VARIETY = 3
"""So many times each request of a skill stands in a batch, each time beside other requests that
it is not about; the passes are as many fewer."""
LEAST_ROWS = 160
"""Of a skill's requests in a batch: where few are known, some of ours stand beside them. It is no
quicker to learn for having served less (measured: docs/adr/0032)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRule:
    replay_share: float = 0.25
    groups_a_step: int = 8
    answers_a_step: int = 16
    learning_rate: float = 0.0
    """0: by the model's size."""
    rank: int = 16
    kl_beta: float = 0.02
    memory_share: float = 0.6
    graduation_epochs: int = 12
    answer_tokens: int = 512

    def rate(self, parameters: int) -> float:
        if self.learning_rate:
            return self.learning_rate
        return SMALL_RATE if 0 < parameters < SMALL_PARAMETERS else RATE


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What a run is made of."""

    kind: RunKind
    examples: tuple[Example, ...]
    answers: int
    """How many answers that is: the replays are counted against them."""
    turns: tuple[Prompt, ...]
    why: str
    groups: tuple[RolloutGroup, ...] = ()
    before: float | None = None
    """Mean reward of what the policy sampled."""
    graduates: Skill | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Before:
    """What the run goes on from."""

    root: str | None
    folder: str | None
    """Of the adapter it starts with."""
    parent: str | None = None
    round: int = 1


class MakeRun:
    def __init__(
        self,
        *,
        training: Training,
        folders: RunFolders,
        keeping: Keeping,
        clock: Clock,
        new_id: Callable[[], str],
        rule: Callable[[], RunRule],
    ) -> None:
        self._training = training
        self._folders = folders
        self._keeping = keeping
        self._clock = clock
        self._new_id = new_id
        self._rule = rule

    async def make(
        self,
        learner: Learner,
        material: Material,
        before: Before,
        recent: Sequence[Served],
        *,
        goes_on: Callable[[Run, str], Run] | None = None,
    ) -> Run:
        """Write the folder, then the row: a crash in between leaves a folder that is swept.
        `goes_on` says what becomes of the run before, by the new one's id.

        Raises StoreError, EngineError, and Conflict where a turn was forgotten meanwhile.
        """
        run_id = self._new_id()
        replays, replayed = await self._keeping.replays(
            learner,
            self._replays_wanted(material),
            recent,
            graduates=material.graduates,
            seed=run_id,
        )
        prompts = {prompt.turn: prompt for prompt in (*material.turns, *replayed)}
        spec = self._spec(run_id, learner, material, before)
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
            root=before.root,
            parent=before.parent,
            round=before.round,
            graduates=material.graduates.sha256 if material.graduates else "",
            skills={turn: prompt.marks for turn, prompt in prompts.items()},
            progress=Progress(reward_before=material.before),
        )
        sources = _sources(prompts.values(), material.graduates)
        try:
            await self._training.add_run(
                run,
                sources,
                groups=[group.id for group in material.groups],
                goes_on=None if goes_on is None else lambda last: goes_on(last, run_id),
            )
        except Conflict:
            await asyncio.to_thread(self._folders.remove, run_id)
            raise
        return run

    def _spec(self, run: str, learner: Learner, material: Material, before: Before) -> RunSpec:
        rule = self._rule()
        spec = RunSpec(
            id=run,
            kind=material.kind,
            model=learner.folder,
            model_digest=learner.digest,
            parent=before.folder,
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
                    epochs=max(1, round(rule.graduation_epochs / VARIETY)),
                    last_rate_share=SETTLED,
                    terms=terms_,
                )
            case RunKind.KTO:
                return spec

    def _replays_wanted(self, material: Material) -> int:
        rule = self._rule()
        share = rule.replay_share
        # What is passed over several times is replayed with other successes each time.
        passes = rule.graduation_epochs if material.kind is RunKind.GRADUATION else 1
        return min(MOST_REPLAYS, math.ceil(material.answers * passes * share / (1.0 - share)))

    # Material

    def of_groups(
        self,
        groups: Sequence[RolloutGroup],
        prompts: Sequence[Prompt],
        *,
        before: float | None,
    ) -> Material:
        """`before`: the mean reward of all that the policy sampled, telling or not."""
        examples = tuple(
            Group(
                id=group.turn,
                prompt_ids=group.prompt_ids,
                samples=tuple(
                    Sample(ids=drawn.ids, logprobs=drawn.logprobs, reward=drawn.reward)
                    for drawn in group.samples
                    if drawn.reward is not None
                ),
            )
            for group in groups
        )
        used = {group.turn for group in groups}
        return Material(
            kind=RunKind.GRPO,
            examples=examples,
            answers=sum(len(one.samples) for one in examples),
            turns=tuple(prompt for prompt in prompts if prompt.turn in used),
            why=f"{len(groups)} groups of sampled answers to {len(used)} requests.",
            groups=tuple(groups),
            before=before,
        )

    async def of_labels(
        self, learner: Learner, labelled: Sequence[tuple[Prompt, bool]]
    ) -> Material:
        examples: list[Answer] = []
        used: list[Prompt] = []
        for prompt, good in labelled:
            messages = prompt_of(learner, prompt.served, prompt.skills)
            try:
                end = await self._keeping.end_token(learner, messages)
                said = prompt.served.turn.answer.text
                ids = await answer_ids(learner, messages, said, end=end) if end is not None else ()
                before = await prompt_ids(learner, messages)
            except RequestError:
                continue  # it does not fit the window
            if ids:
                examples.append(Answer(id=prompt.turn, prompt_ids=before, ids=ids, good=good))
                used.append(prompt)
        good_ones = sum(one.good for one in examples)
        return Material(
            kind=RunKind.KTO,
            examples=tuple(examples),
            answers=len(examples),
            turns=tuple(used),
            why=f"{good_ones} good and {len(examples) - good_ones} bad answers.",
        )

    async def of_skill(self, learner: Learner, skill: Skill, prompts: Sequence[Prompt]) -> Material:
        examples: list[Graduation] = []
        used: list[Prompt] = []
        for prompt in prompts:
            without = [one for one in prompt.skills if one.sha256 != skill.sha256]
            try:
                student = await prompt_ids(learner, prompt_of(learner, prompt.served, without))
                teacher = await prompt_ids(
                    learner, prompt_of(learner, prompt.served, prompt.skills)
                )
            except RequestError:
                continue
            examples.append(Graduation(id=prompt.turn, prompt_ids=student, teacher_ids=teacher))
            used.append(prompt)
        own = VARIETY * examples
        own += await self._keeping.alike(learner, skill, max(0, LEAST_ROWS - len(own)))
        # Where there are no requests of ours, the user's stand there more often.
        own *= math.ceil(LEAST_ROWS / max(1, len(own)))
        examples = [*own, *await self._keeping.contrast(learner, skill, len(own))]
        return Material(
            kind=RunKind.GRADUATION,
            examples=tuple(examples),
            answers=len(used),
            turns=tuple(used),
            why=f"The skill '{skill.name}' has served {len(used)} requests and is well proved.",
            graduates=skill,
        )


def _sources(prompts: Collection[Prompt], graduates: Skill | None) -> list[Source]:
    """All that a run was made of, so that it can be found when some of it is to be forgotten."""
    texts = {mark for prompt in prompts for mark in prompt.marks}
    if graduates is not None:
        texts.add(graduates.sha256)
    wishes = {one.wish.turn: one.wish for one in prompts if one.wish is not None}
    return [
        *(
            Source(kind="turn", id=one.turn, trajectory=one.served.turn.trajectory)
            for one in prompts
        ),
        *(Source(kind="skill", id=sha256) for sha256 in sorted(texts)),
        *(Source(kind=WISH, id=one.turn, trajectory=one.trajectory) for one in wishes.values()),
    ]


_TERMS = {
    RunKind.GRPO: GrpoTerms,
    RunKind.KTO: KtoTerms,
    RunKind.GRADUATION: GraduationTerms,
}
