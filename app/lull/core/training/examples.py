"""Training examples, one per line of `batch.jsonl`, and the advantage of a sampled answer (how much
better it is than the other samples).

All texts are token ids exactly as the inference engine received and produced them, so nothing is
tokenised twice. An example's `id` names the turn it was made from, so that `lull forget` can find
it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

TokenIds = tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledAnswer:
    """One answer sampled from the model at temperature 1, with its reward."""

    ids: TokenIds
    """Token ids of the answer, with the end token if there was one."""
    logprobs: tuple[float, ...]
    """Natural log-probabilities of `ids` under the policy that sampled them, one each."""
    reward: float
    foreign: TokenIds = ()
    """Positions in `ids` of tokens that the model did not write, such as a tool's result; never
    trained on.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """A training example for GRPO: several answers that the model sampled to one prompt, which are
    compared with one another.
    """

    id: str
    prompt_ids: TokenIds
    samples: tuple[SampledAnswer, ...]

    @property
    def advantages(self) -> tuple[float, ...]:
        """How much better each sampled answer was than the others of its group (GRPO)."""
        return advantages([sample.reward for sample in self.samples])

    @property
    def teaches(self) -> bool:
        """Whether training on this group can change the model: the rewards of its answers differ,
        so some were better than others.
        """
        return any(advantage != 0.0 for advantage in self.advantages)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedAnswer:
    """A recorded answer, labelled good or bad, as a training example for KTO."""

    id: str
    prompt_ids: TokenIds
    ids: TokenIds
    good: bool
    foreign: TokenIds = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GraduationExample:
    """A training example for distilling a skill into the weights: one prompt twice, without the
    skill for the student and with the skill for the teacher.
    """

    id: str
    prompt_ids: TokenIds
    teacher_ids: TokenIds
    sample_ids: TokenIds = ()
    """The teacher's answer with the skill in its prompt, to learn from by forward KL; where there
    is none, the trainer samples answers of the student's and takes the reverse KL."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayExample:
    """A training example for rehearsal: a good past answer, on which the model is trained again so
    that it does not forget how to answer so.
    """

    id: str
    prompt_ids: TokenIds
    ids: TokenIds
    foreign: TokenIds = ()


Example = Group | RecordedAnswer | GraduationExample | ReplayExample


def advantages(rewards: Sequence[float]) -> tuple[float, ...]:
    """Return the advantage of each sampled answer: its reward minus the mean of the others, shape
    (G,); zeros for fewer than two.

    Leave-one-out as in RLOO (arXiv 2402.14740), and as in Dr. GRPO (2503.20783) not divided by the
    standard deviation, which would weigh the easiest and the hardest prompts most.
    """
    count = len(rewards)
    if count < 2 or min(rewards) == max(rewards):
        return (0.0,) * count
    total = sum(rewards)
    return tuple(reward - (total - reward) / (count - 1) for reward in rewards)
