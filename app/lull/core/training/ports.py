"""Interfaces of the trainer of LoRA adapters, and of a source of additional requests for training
and testing them.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING, Protocol

from lull.core.chat.messages import Message
from lull.core.training.events import RunEvent

if TYPE_CHECKING:
    from lull.core.adapters.adapter import AdapterVersion
    from lull.core.adapters.canary import CanaryTask


class Curriculum(Protocol):
    """Interface of a source of requests for training an adapter and for testing it before use, in
    addition to those that were recorded.
    """

    def canaries(self, version: AdapterVersion) -> Sequence[CanaryTask]:
        """Return canary probes for testing this adapter: requests that it must still answer
        rightly, each with a check of the answer.
        """

    def subject(self, model: str, asked: str) -> str:
        """Return what the request `asked` is about, as one word; the subjects of test prompts
        (`CanaryTask.about`) can be compared with it. "" if unknown.
        """

    def fresh_requests(self, model: str, words: str, count: int) -> Sequence[str]:
        """Return up to `count` requests that were never trained on, about the same subject as the
        user's words; empty if there are none.
        """

    def anchors(
        self, model: str, count: int, with_skills: bool, about: str
    ) -> Sequence[tuple[Message, ...]]:
        """Return requests whose answers should stay as they are while an adapter is trained; equal
        arguments give equal requests.

        With `with_skills` their prompts contain skills, and most of them are of the kind that the
        words `about` describe, which may be a request of that kind; "" means any kind.
        """


class Trainer(Protocol):
    """Interface of the trainer, which trains each LoRA adapter in a process of its own, from a
    folder with the training run's specification and examples.
    """

    async def start(self, folder: str) -> TrainingProcess:
        """Start a training run in a new process, or continue it from its last checkpoint. `folder`
        holds the run's specification and examples.

        Raises TrainingError if no process can be started; faults of the folder itself come as an
        event.
        """


class TrainingProcess(Protocol):
    """Interface of a running trainer process. Its methods may be called in any order without losing
    a finished training step.
    """

    def events(self) -> AsyncIterator[RunEvent]:
        """Yield the training run's events from now on; only one reader is allowed.

        Ends with the process; the last event is Finished, RunRefused or Failed, or none of these
        after `kill`. Raises TrainingError if the process crashed without an event.
        """

    @property
    def suspended(self) -> bool:
        """Whether the process is stopped by `suspend` and has not been resumed since."""

    async def suspend(self) -> None:
        """Stops the trainer process from using the processor at once; its memory is kept."""

    async def resume(self) -> None:
        """Let a suspended process run on; without effect if it is not suspended."""

    async def kill(self) -> None:
        """Ends the trainer process at once and frees its memory. `Trainer.start` later continues
        from the last checkpoint.
        """
