"""Defines a class for each kind of step in training (such as sampling answers or testing an
adapter), whose fields hold what the step needs.

`NextStep` is any one of these classes. Each has a `task` (the step's name for the user) and a
`text` (its description for the user).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar, TypeAlias

from lull.core.adapters.gate import GateRule
from lull.core.skills.skill import Skill
from lull.core.training.lesson import GraduationCourse
from lull.core.training.record import Run
from lull.core.training.rollout import SampledPolicy
from lull.loops.training.learner import Learner
from lull.loops.training.ratings import Labelled
from lull.loops.training.rollout import RequestPool
from lull.store.feedback.reward_rows import ServedTurn


class Task(StrEnum):
    """The kinds of steps in training: sample answers, write the folder of a training run (examples
    and settings), train it, or test the resulting LoRA adapter.
    """

    NOTHING = "nothing"
    SAMPLE = "sample"
    MAKE = "make"
    TRAIN = "train"
    JUDGE = "judge"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainRule:
    """Settings that decide what training does next: which kinds of training are on, and how many
    requests or answers each kind needs.
    """

    enabled: bool = True
    groups: bool = True
    single_answers: bool = True
    graduation: bool = True
    groups_a_run: int = 32
    """Groups of sampled answers wanted for a GRPO run."""
    groups_at_least: int = 8
    """Fewest groups of sampled answers for a GRPO run."""
    rounds: int = 24
    """Most GRPO runs in a row, each continuing the last one's adapter."""
    labels_a_run: int = 64
    """Fewest recorded answers for a KTO run."""
    labels_of_the_rarer: int = 20
    """Fewest answers of the rarer label for a KTO run."""
    pairs_to_test: int = GateRule().least_target_pairs
    """Fewest pairs of rated answers that are kept out of a KTO run, to test its result on: with
    fewer no improvement can be shown.
    """
    graduation_prompts: int = 30
    """Fewest distinct requests that a skill must have served before it is trained in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupCount:
    """How many groups of sampled answers the next GRPO run can learn from so far (`with_signal`),
    and how many it needs (`wanted`).

    Both are 0 where groups were not counted. A run can learn from a group whose answers differ in
    reward.
    """

    with_signal: int = 0
    """Number of sampled groups whose rewards differ, so that a run can learn from them."""
    wanted: int = 0
    """Number of groups with different rewards needed before a run is made."""

    @property
    def progress(self) -> float:
        """Progress of sampling answers for a training run, 0 to 1."""
        return min(1.0, self.with_signal / self.wanted) if self.wanted else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupSource:
    """Where the groups of answers for a GRPO run come from: the stored requests, the model weights
    that answer them, and the run to continue.
    """

    pool: RequestPool
    policy: SampledPolicy
    """The weights (base and adapter) to sample answers from."""
    continues: Run | None
    """The GRPO run that the next one continues, starting from its adapter; None for the first run
    of a series.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledAnswers:
    """The training data of a KTO run that is to be made: recorded answers labelled good or bad."""

    answers: tuple[Labelled, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillToTrainIn:
    """The skill (an instruction text) that a training run is to train into the weights, with the
    number of passes over the examples, and of added examples whose answers should stay as they are.
    """

    skill: Skill
    course: GraduationCourse
    """How this try at training `skill` in differs from the usual: factors of the passes over the
    examples and of the other requests.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class NothingToDo:
    """No step of training can be done now; `text` says why."""

    task: ClassVar[Task] = Task.NOTHING
    text: str
    stuck: bool = False
    """Whether training waits for the user, because nothing more is tried automatically; `text` says
    why, and how to try again.
    """
    groups: GroupCount = field(default_factory=GroupCount)


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplingStep:
    """The stage of training that samples groups of answers to stored requests, from which a GRPO
    run is to learn.
    """

    task: ClassVar[Task] = Task.SAMPLE
    text: str
    learner: Learner
    source: GroupSource
    groups: GroupCount


@dataclass(frozen=True, slots=True, kw_only=True)
class MakingStep:
    """The stage of training that writes the settings and examples of a new training run to a
    folder.
    """

    task: ClassVar[Task] = Task.MAKE
    text: str
    learner: Learner
    recent: tuple[ServedTurn, ...]
    """The model's latest turns, newest first, from which replay examples are taken too."""
    source: GroupSource | LabelledAnswers | SkillToTrainIn
    """The material of the run; its class says which kind of run is made."""
    groups: GroupCount = field(default_factory=GroupCount)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingStep:
    """The stage of training in which a LoRA adapter is trained, on examples that an earlier stage
    has written to the run's folder.
    """

    task: ClassVar[Task] = Task.TRAIN
    text: str
    run: Run


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgingStep:
    """The stage of training that tests the LoRA adapter of a finished run before it may answer
    users.
    """

    task: ClassVar[Task] = Task.JUDGE
    text: str
    run: Run


NextStep: TypeAlias = NothingToDo | SamplingStep | MakingStep | TrainingStep | JudgingStep


def run_of(next_step: NextStep) -> Run | None:
    """Return the training run that a step trains, tests or continues; None for steps without such a
    run.
    """
    match next_step:
        case TrainingStep() | JudgingStep():
            return next_step.run
        case SamplingStep(source=source) | MakingStep(source=GroupSource() as source):
            return source.continues
        case MakingStep() | NothingToDo():
            return None


def groups_of(next_step: NextStep) -> GroupCount:
    """Return how many groups of sampled answers there are for the GRPO run that a step of training
    prepares, and how many the run needs; both 0 for other steps.
    """
    match next_step:
        case NothingToDo() | SamplingStep() | MakingStep():
            return next_step.groups
        case TrainingStep() | JudgingStep():
            return GroupCount()
