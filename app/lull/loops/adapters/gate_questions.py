"""Defines the types of the requests that a new adapter and the active one both answer in the test
before promotion, with functions that score the answers.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Final, Protocol

from lull.core.adapters.adapter import AdapterVersion
from lull.core.adapters.canary import CanaryTask
from lull.core.adapters.measurement import SUCCESSES
from lull.core.chat.messages import Completion, Message, Sampling

ASKED: Final = Sampling()
"""Sampling parameters for a gate request whose client set none."""
Scores = Callable[[Completion], Awaitable[float | None]]
"""Scores an answer in [0, 1]; None if it cannot be scored.

The function is not told which adapter answered.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOutRequest:
    """A request that was never trained on, with the prompts that the active adapter (`old`) and the
    candidate adapter (`new`) would get for it, and the function that scores an answer.
    """

    id: str
    old: tuple[Message, ...]
    new: tuple[Message, ...]
    score: Scores
    taught: tuple[Message, ...] | None = None
    """The prompt with the skill that the candidate was trained to follow without a prompt.

    Answered only by the active adapter. None if no skill was trained in.
    """
    sampling: Sampling = ASKED
    """Sampling parameters that the request's client asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PastSuccess:
    """A stored request whose answer the user was content with, asked again to test whether a new
    adapter still answers it well.
    """

    id: str
    messages: tuple[Message, ...]
    score: Scores
    of_base: tuple[Message, ...] = ()
    """The prompt that the base model would get, from whose answer a new adapter may not be far: it
    also has the skills that the active adapter has learned, and that its prompts therefore lack.
    Empty where that is the same prompt.
    """
    changes: bool = False
    """Whether the adapter was trained on ratings of this kind of request. Its answers may then
    differ from the base model's in style, but must not be worse.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedAnswer:
    """A recorded answer that the user rated, with its prompt as it would be today."""

    messages: tuple[Message, ...]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedQuestion:
    """A good and a bad answer to requests of the same kind, on neither of which the new adapter was
    trained.
    """

    id: str
    good: RatedAnswer
    bad: RatedAnswer


@dataclass(frozen=True, slots=True, kw_only=True)
class GateMaterial:
    """Everything that one test of a new adapter asks: requests it was not trained on, requests
    answered well before, canary prompts (small tasks with known answers); and texts of the training
    data that no answer may leak.
    """

    probes: tuple[CanaryTask, ...]
    """Canary probes, which both adapters answer."""
    targets: tuple[HeldOutRequest, ...] = ()
    rated: tuple[RatedQuestion, ...] = ()
    """Pairs of rated answers, by which an adapter is tested that was trained on ratings."""
    successes: tuple[PastSuccess, ...] = ()
    planted: tuple[str, ...] = ()
    """Memorable texts from the training data; saying one unasked is a leak."""

    def family(self, name: str) -> list[tuple[tuple[Message, ...], Scores]]:
        """Return one group of the test's requests, each with the function that scores its answer:
        the canary prompts (small tasks with known answers) of one family (kind), or the requests
        that were answered well before.
        """
        if name == SUCCESSES:
            return [(one.messages, one.score) for one in self.successes]
        return [(p.messages, _passes(p)) for p in self.probes if p.family == name]

    def with_fewer_successes(self, most: int) -> GateMaterial:
        """Return the material with at most this many past successes; those of kinds that are to
        change leave half of the room to the others, which show what was forgotten.
        """
        changed = [one for one in self.successes if one.changes][: most // 2]
        others = [one for one in self.successes if not one.changes]
        return replace(self, successes=(*changed, *others)[:most])


class CollectsMaterial(Protocol):
    """Interface that collects what one test of a new adapter asks."""

    async def collect(self, version: AdapterVersion) -> GateMaterial:
        """Collect the requests on which an adapter version is tested before it may be used, with
        the functions that score their answers.

        Blocks for some milliseconds per hundred stored turns.
        """


def _passes(probe: CanaryTask) -> Scores:
    async def score(answer: Completion) -> float:
        return float(probe.passes(answer.message.text))

    return score
