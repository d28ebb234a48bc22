"""Tells the event stream what training does next."""

from __future__ import annotations

from lull.core.events import EventKind
from lull.core.training.record import Run
from lull.loops.training.next_step import NextStep
from lull.service.process.bus import EventBus


class ToldTraining:
    """Tells the event stream of every search for the next step of training; implements
    TrainingEvents.
    """

    def __init__(self, bus: EventBus) -> None:
        self._bus = bus

    def tell_step(self, run: Run | None, next_step: NextStep) -> None:
        self._bus.tell(
            EventKind.TRAINING,
            task=next_step.task.value,
            run=run.id if run is not None else None,
            status=run.status.value if run is not None else None,
        )
