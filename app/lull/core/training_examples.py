"""What a run learns from: the lines of `batch.jsonl` as nouns, and the advantage of a sample.

All are token ids, exactly as the engine took and gave them: nothing is tokenised twice. An
example's `id` names the turn it was made of, so that `lull forget` finds its way back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

Ids = tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One answer that was drawn at temperature 1, and its reward."""

    ids: Ids
    """With the end token, if it came."""
    logprobs: tuple[float, ...]
    """Of `ids` under the policy that drew them; natural, one each."""
    reward: float
    foreign: Ids = ()
    """Places in `ids` that the model did not write, such as a tool's result: never trained on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Several answers to one prompt."""

    id: str
    prompt_ids: Ids
    samples: tuple[Sample, ...]

    @property
    def advantages(self) -> tuple[float, ...]:
        return advantages([sample.reward for sample in self.samples])

    @property
    def teaches(self) -> bool:
        """Where all rewards are alike nothing is better than anything else."""
        return any(advantage != 0.0 for advantage in self.advantages)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A recorded answer and whether it was good."""

    id: str
    prompt_ids: Ids
    ids: Ids
    good: bool
    foreign: Ids = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Graduation:
    """A prompt twice: as it will be, and with the skill that is to leave it."""

    id: str
    prompt_ids: Ids
    teacher_ids: Ids
    sample_ids: Ids = ()
    """An answer to learn on instead of one drawn by the trainer; given, it is off-policy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """A past success, learned as it stands, so that it is not unlearned."""

    id: str
    prompt_ids: Ids
    ids: Ids
    foreign: Ids = ()


Example = Group | Answer | Graduation | Replay


def advantages(rewards: Sequence[float]) -> tuple[float, ...]:
    """Each reward less the mean of the others, shape (G,); zeros for fewer than two.

    Leave-one-out as in RLOO (arXiv 2402.14740), and as Dr. GRPO (2503.20783) asks not divided by
    the standard deviation, which would weigh the easiest and the hardest prompts most.
    """
    count = len(rewards)
    if count < 2 or min(rewards) == max(rewards):
        return (0.0,) * count
    total = sum(rewards)
    return tuple(reward - (total - reward) / (count - 1) for reward in rewards)
