"""Describes the next step of training as a value: the task, its description and its material."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from lull.core.skills.skill import Skill
from lull.core.training.lesson import GraduationCourse
from lull.core.training.record import Run
from lull.core.training.rollout import SampledPolicy
from lull.core.training.spec import RunKind
from lull.loops.training.learner import Learner
from lull.loops.training.rollout import Book
from lull.store.feedback.reward_rows import ServedTurn


class Task(StrEnum):
    """The kinds of steps in training: sample answers, make a run, train it, or test the adapter."""

    NOTHING = "nothing"
    SAMPLE = "sample"
    MAKE = "make"
    TRAIN = "train"
    JUDGE = "judge"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainRule:
    """Settings that decide the next step of training."""

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
    graduation_prompts: int = 30
    """Fewest distinct requests that a skill must have served before it is trained in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NextStep:
    """A step of training to do now: what, why, and with which material."""

    task: Task
    text: str
    """Description of the step for the user."""
    learner: Learner | None = None
    book: Book = field(default_factory=lambda: Book(prompts=(), wishes=(), unscored=0))
    recent: tuple[ServedTurn, ...] = ()
    policy: SampledPolicy | None = None
    """The weights (base and adapter) to sample answers from."""
    sampled: int = 0
    """Number of groups of answers sampled so far."""
    telling: int = 0
    """Number of sampled groups whose rewards differ, so that a run can learn from them."""
    wanted: int = 0
    """Number of groups with different rewards needed before a run is made."""
    run: Run | None = None
    """The run to train or judge, or the one that the next round continues."""
    kind: RunKind | None = None
    """Which kind of training run to make: GRPO, KTO or training a skill in."""
    skill: Skill | None = None
    course: GraduationCourse = field(default_factory=GraduationCourse)
    """Factors of the passes and of the other requests with which `skill` is trained in."""
    stuck: bool = False
    """Whether nothing more is tried automatically. `text` says why, and how to try again."""

    @property
    def progress(self) -> float:
        """Progress of sampling answers for a training run, 0 to 1."""
        return min(1.0, self.telling / self.wanted) if self.wanted else 0.0
