"""Actions of the user that the tray icon and the window's pages share, such as pause, train, start,
stop and rate.

No action blocks; each reports its outcome to the user.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from PySide6.QtGui import QGuiApplication

from lull.contract import routes
from lull.core.idle.pausing import PauseLength
from lull.desktop.language.words import tr, translated
from lull.desktop.service.client import Reply
from lull.desktop.service.down_words import ServiceState
from lull.desktop.service.service_process import ServiceProcess
from lull.desktop.service.state import AppState, OutcomeCheck, OutcomeMessage, Phase, Subject

STANDARD_ADDRESS: Final = "http://127.0.0.1:11435"


def pause_lengths() -> tuple[tuple[PauseLength, str], ...]:
    """Return the lengths of a pause that the user can choose, each with its name in the menu."""
    return (
        (PauseLength.HALF_HOUR, tr("30 minutes")),
        (PauseLength.HOUR, tr("1 hour")),
        (PauseLength.EIGHT_HOURS, tr("8 hours")),
        (PauseLength.TOMORROW, tr("Until tomorrow")),
        (PauseLength.FOR_GOOD, tr("Until I resume")),
    )


class Actions:
    """User actions, such as pause or train, that tray and pages share; each is sent to Lull's
    service.
    """

    def __init__(self, state: AppState, process: ServiceProcess) -> None:
        self._state = state
        self._process = process

    def pause(self, length: PauseLength) -> None:
        """Pause Lull's background work for this length of time."""
        self._state.act(
            routes.PAUSE,
            {"for": length.value},
            words=tr("Pausing"),
            done=tr("Learning is paused."),
            outcome_check=OutcomeCheck(
                route=routes.WHY, done=lambda a: a.value.get("state") == "paused"
            ),
            undo=self.resume,
            then=self._look,
        )

    def resume(self) -> None:
        """Let Lull work in the background again."""
        self._state.act(
            routes.RESUME,
            {},
            words=tr("Resuming"),
            done=tr("Learning has resumed."),
            outcome_check=OutcomeCheck(
                route=routes.WHY, done=lambda a: a.value.get("state") != "paused"
            ),
            then=self._look,
        )

    def train_now(self) -> None:
        """Start training without waiting until the computer is idle."""

        def tell(answer: Reply) -> None:
            text = translated(answer.value) or tr("Training starts now.")
            self._state.told.emit(OutcomeMessage(text=text))

        self._state.act(
            routes.TRAIN_NOW, {}, words=tr("Training now"), answered=tell, then=self._look
        )

    def set_enabled(self, on: bool) -> None:
        """Turn Lull on or off. While it is off, chat requests are passed to Ollama unchanged."""
        if on and self._process.state in (ServiceState.STOPPED, ServiceState.GIVEN_UP):
            self._process.start()
        off = tr("Lull is off. Your chat apps still reach Ollama; nothing is recorded or learned.")
        self._state.act(
            routes.SETTINGS,
            {"key": "service.enabled", "value": "true" if on else "false"},
            words=tr("Turning Lull on") if on else tr("Turning Lull off"),
            done=tr("Lull is on.") if on else off,
            undo=lambda: self.set_enabled(not on),
            then=lambda _: self._state.touch(Subject.STATUS, Subject.SETTINGS),
        )

    def use_port(self, host: str, port: int) -> None:
        """Set the TCP port at which Lull's service listens for chat requests, and start the service
        there.
        """

        def then(changed: bool) -> None:
            if changed:
                self._process.start()

        address = f"http://{f'[{host}]' if ':' in host else host}:{port}"
        words = tr("Lull now listens at %1. Put this address into your chat apps.", address)
        free = tr("Lull now takes any free port. Put its new address into your chat apps.")
        self._state.act(
            routes.SETTINGS,
            {"key": "service.port", "value": str(port)},
            words=tr("Changing the port"),
            answered=lambda _: self._state.told.emit(
                OutcomeMessage(
                    text=words if port else free,
                    undo=(lambda: self.copy(address, tr("Copied %1", address))) if port else None,
                    button=tr("Copy address"),
                )
            ),
            then=then,
        )

    def restart(self) -> None:
        """Restart Lull's service: ask it to stop, whereupon it is started again, or just start it
        if it does not run.
        """
        if self._state.phase is not Phase.LIVE:
            self._process.start()
            return
        if self._process.is_restarting:
            return  # it is stopping already
        before = self._state.status.get("pid")
        self._process.expect_restart()
        self._state.act(
            routes.STOP,
            {},
            words=tr("Restarting Lull"),
            done=tr("Restarting Lull…"),
            outcome_check=OutcomeCheck(
                route=routes.STATUS, done=lambda a: a.value.get("pid") != before
            ),
            then=lambda done: None if done else self._process.restart_failed(),
        )

    @property
    def address(self) -> str:
        """The address that the user enters in a chat app instead of Ollama's."""
        return str(self._state.status.get("address") or STANDARD_ADDRESS)

    def copy_address(self) -> None:
        """Copy the address for chat apps to the clipboard."""
        self.copy(self.address, tr("Copied %1", self.address))

    def copy(self, text: str, words: str) -> None:
        """Copy a text to the clipboard and tell the user so in these words."""
        QGuiApplication.clipboard().setText(text)
        self._state.told.emit(OutcomeMessage(text=words))

    def rate(self, turn: str, value: str, then: Callable[[bool], None] | None = None) -> None:
        """Rate an answer "good" or "bad"; "clear" removes the rating. `then` gets the success."""
        words = {
            "good": tr("Rated good."),
            "bad": tr("Rated bad."),
            "clear": tr("Rating removed."),
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

    def correct(self, turn: str, words: str, then: Callable[[bool], None]) -> None:
        """Tell Lull what an answer (by its turn's id) should have said; it learns from the words as
        from a next message. `then` gets the success.
        """
        self._state.act(
            routes.TURN_CORRECT.format(id=turn),
            {"words": words},
            words=tr("Telling Lull"),
            done=tr("Lull has your correction."),
            then=then,
        )

    def deny(self, turn: str, denied: bool, then: Callable[[bool], None]) -> None:
        """Say that the user's message after an answer (by its turn's id) was no correction of it,
        or take that back. `then` gets the success.
        """
        done = tr("Not read as a correction any more.")
        self._state.act(
            routes.TURN_DENY.format(id=turn),
            {"denied": denied},
            words=tr("Telling Lull"),
            done=done if denied else tr("Read as a correction again."),
            undo=(lambda: self.deny(turn, False, then)) if denied else None,
            then=then,
        )

    def _look(self, _: bool) -> None:
        self._state.touch(Subject.STATUS, Subject.RUNS)
