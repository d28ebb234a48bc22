"""What the slow loop has to do next, as one value: the task, why, and what it is done with."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from lull.core.rollout import Policy
from lull.core.skill import Skill
from lull.core.training_record import Run
from lull.core.training_run import RunKind
from lull.loops.learner import Learner
from lull.loops.rollout import Book
from lull.store.reward_rows import Served


class Task(StrEnum):
    NOTHING = "nothing"
    SAMPLE = "sample"
    MAKE = "make"
    TRAIN = "train"
    JUDGE = "judge"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainRule:
    enabled: bool = True
    groups: bool = True
    single_answers: bool = True
    graduation: bool = True
    groups_a_run: int = 32
    groups_at_least: int = 8
    rounds: int = 24
    labels_a_run: int = 64
    labels_of_the_rarer: int = 20
    graduation_prompts: int = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """What there is to do, and why."""

    task: Task
    text: str
    """For a person."""
    learner: Learner | None = None
    book: Book = field(default_factory=lambda: Book(prompts=(), wishes=(), unscored=0))
    recent: tuple[Served, ...] = ()
    policy: Policy | None = None
    """To be sampled."""
    sampled: int = 0
    telling: int = 0
    wanted: int = 0
    run: Run | None = None
    """That is trained or judged, or that the next round goes on from."""
    kind: RunKind | None = None
    """Of the run to be made."""
    skill: Skill | None = None

    @property
    def progress(self) -> float:
        return min(1.0, self.telling / self.wanted) if self.wanted else 0.0
