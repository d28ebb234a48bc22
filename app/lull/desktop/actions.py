"""What tray and pages both do: pause, resume, train now, the service on and off, the address.

Each says plainly what came of it; nothing here waits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from PySide6.QtGui import QGuiApplication

from lull.contract import routes
from lull.core.pausing import PauseLength
from lull.desktop.client import Answer
from lull.desktop.service_process import ServiceProcess
from lull.desktop.state import AppState, Settling, Subject, Told
from lull.desktop.words import tr

Json = dict[str, Any]
STANDARD_ADDRESS: Final = "http://127.0.0.1:11435"


def pause_lengths() -> tuple[tuple[PauseLength, str], ...]:
    return (
        (PauseLength.HALF_HOUR, tr("30 minutes")),
        (PauseLength.HOUR, tr("1 hour")),
        (PauseLength.EIGHT_HOURS, tr("8 hours")),
        (PauseLength.TOMORROW, tr("Until tomorrow")),
        (PauseLength.FOR_GOOD, tr("Until I resume")),
    )


class Actions:
    def __init__(self, state: AppState, process: ServiceProcess) -> None:
        self._state = state
        self._process = process

    def pause(self, length: PauseLength) -> None:
        self._state.act(
            routes.PAUSE,
            {"for": length.value},
            words=tr("Pausing"),
            done=tr("Learning is paused."),
            settling=Settling(route=routes.WHY, done=lambda a: a.value.get("state") == "paused"),
            undo=self.resume,
            then=self._look,
        )

    def resume(self) -> None:
        self._state.act(
            routes.RESUME,
            {},
            words=tr("Resuming"),
            done=tr("Learning goes on."),
            settling=Settling(route=routes.WHY, done=lambda a: a.value.get("state") != "paused"),
            then=self._look,
        )

    def train_now(self) -> None:
        def tell(answer: Answer) -> None:
            text = str(answer.value.get("text") or tr("It begins now."))
            self._state.told.emit(Told(text=text))

        self._state.act(
            routes.TRAIN_NOW, {}, words=tr("Training now"), answered=tell, then=self._look
        )

    def proxy(self, on: bool) -> None:
        """The proxy is the service: on starts it, off stops it."""
        if on:
            self._process.start()
            return
        self._process.stopping()
        self._state.act(
            routes.STOP,
            {},
            words=tr("Stopping the service"),
            done=tr("The service is stopping. Chat clients get no answer at this address."),
            undo=self._process.start,
        )

    @property
    def address(self) -> str:
        return str(self._state.status.get("address") or STANDARD_ADDRESS)

    def copy_address(self) -> None:
        self.copy(self.address, tr("Copied %1", self.address))

    def copy(self, text: str, words: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self._state.told.emit(Told(text=words))

    def rate(self, turn: str, value: str, then: Callable[[bool], None] | None = None) -> None:
        words = {
            "good": tr("Rated good."),
            "bad": tr("Rated bad."),
            "clear": tr("The rating was taken back."),
        }
        self._state.act(
            routes.RATE.format(id=turn),
            {"label": value},
            words=tr("Rating"),
            done=words[value],
            undo=None if value == "clear" else lambda: self.rate(turn, "clear", then),
            then=then,
        )
        self._state.touch(Subject.STATUS)

    def _look(self, _: bool) -> None:
        self._state.touch(Subject.STATUS, Subject.RUNS)
