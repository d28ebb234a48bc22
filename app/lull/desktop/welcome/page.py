"""The first-run dialog, shown once to a user who has no data yet.

Its first step says all that must be known, and leads to the Chat page or on to two optional steps.
Everything in it can also be done on the pages.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractSlider, QDialog, QStackedWidget, QVBoxLayout, QWidget

from lull.desktop.language.words import tr
from lull.desktop.service.state import AppState, Phase, Subject
from lull.desktop.welcome.steps import AwayStep, ConnectStep, StartStep, WelcomeStep
from lull.desktop.widgets.flow import scrolled
from lull.desktop.widgets.page import Kit, PageName
from lull.desktop.widgets.parts import button, label, restyle, row
from lull.desktop.widgets.tokens import GAP

DONE: Final = "first-run/done"
"""Key in the window's preferences: whether the first-run dialog was shown."""
STEPS: Final[tuple[Callable[[Kit], WelcomeStep], ...]] = (StartStep, ConnectStep, AwayStep)
READ: Final = (
    Subject.STATUS,
    Subject.MODELS,
    Subject.CLIENTS,
    Subject.CALENDARS,
    Subject.SETTINGS,
)
"""Kinds of the service's data that the steps of the first-run dialog show."""
USUAL: Final = QSize(680, 540)
"""Size of the first-run dialog when texts have their usual size."""
LARGEST: Final = QSize(880, 580)
"""Largest size with which the first-run dialog opens, so that it fits a small screen."""
_PAGE_KEYS: Final = {
    Qt.Key.Key_PageUp: QAbstractSlider.SliderAction.SliderPageStepSub,
    Qt.Key.Key_PageDown: QAbstractSlider.SliderAction.SliderPageStepAdd,
}


class FirstRun(QDialog):
    """The first-run dialog, which leads a new user through three steps.

    However the user closes it, it is not shown again.
    """

    left = Signal()

    def __init__(self, kit: Kit, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._kit = kit
        self.setWindowTitle(tr("Welcome to Lull"))
        self.setModal(False)
        self.resize(_size(kit.look.text_percent))
        self.pages = QStackedWidget()
        self.steps = [make(kit) for make in STEPS]
        self._areas = [scrolled(step) for step in self.steps]
        for area in self._areas:
            self.pages.addWidget(area)
        self.at = label("", "muted")
        self.title = label("", "title", wrap=True)
        self.later = button(tr("Finish later"), self.close, flat=True)
        self.chat = button(tr("Start chatting here"), self._chat, main=True)
        self.back = button(tr("Back"), lambda: self.go(self.pages.currentIndex() - 1))
        self.next = button(tr("Next"), self._go_on, main=True)
        box = QVBoxLayout(self)
        box.setContentsMargins(GAP * 4, GAP * 3, GAP * 4, GAP * 2)
        box.setSpacing(GAP)
        box.addWidget(self.at)
        box.addWidget(self.title)
        box.addSpacing(GAP)
        box.addWidget(self.pages, 1)
        box.addLayout(row(self.later, None, self.back, self.next, self.chat))
        kit.state.subscribe(*READ)
        kit.state.changed.connect(self._look)
        kit.state.phase_changed.connect(self._look)
        self.finished.connect(self._leave)
        self.go(0)

    def go(self, number: int) -> None:
        """Show the step with this number, counted from 0."""
        number = max(0, min(number, len(self.steps) - 1))
        self.pages.setCurrentIndex(number)
        first, last = number == 0, number == len(self.steps) - 1
        self.at.setText(tr("Step %1 of %2", number + 1, len(self.steps)))
        self.title.setText(self.steps[number].title)
        self.next.setText(tr("Connect a chat app") if first else tr("Done") if last else tr("Next"))
        self.next.setAccessibleName(self.next.text())
        self.next.setProperty("main", not first)
        restyle(self.next)
        self.chat.setVisible(first)
        self.back.setHidden(first)
        self.later.setHidden(first or last)
        default = self.chat if first else self.next
        default.setDefault(True)
        default.setFocus()
        self._look()

    def _chat(self) -> None:
        self.close()
        self._kit.go(PageName.CHAT)

    def _go_on(self) -> None:
        if not self.steps[self.pages.currentIndex()].may_leave():
            return
        if self.pages.currentIndex() == len(self.steps) - 1:
            self.close()
        else:
            self.go(self.pages.currentIndex() + 1)

    def _look(self, *_: object) -> None:
        self.steps[self.pages.currentIndex()].refresh()

    def _leave(self) -> None:
        """Record that the first-run dialog was shown, however the user closed it."""
        self._kit.preferences.setValue(DONE, True)
        self._kit.state.changed.disconnect(self._look)
        self._kit.state.phase_changed.disconnect(self._look)
        self.left.emit()
        self.deleteLater()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Let the keyboard scroll a step that is too long for the dialog, since a step without
        controls never gets the focus.
        """
        action = _PAGE_KEYS.get(Qt.Key(event.key()))
        if action is None:
            super().keyPressEvent(event)
        else:
            self._areas[self.pages.currentIndex()].verticalScrollBar().triggerAction(action)

    def closeEvent(self, event: object) -> None:  # noqa: N802
        self.done(0)
        super().closeEvent(event)  # type: ignore[arg-type]


def _size(text_percent: int) -> QSize:
    """The size that the dialog opens with, by the size of its text."""
    return (USUAL * (text_percent / 100)).boundedTo(LARGEST)


def is_new(state: AppState) -> bool:
    """Whether this installation of Lull is new: it has no conversations and no skills, active or
    proposed.
    """
    skills = state.status.get("skills", {})
    nothing = not state.status.get("turns") and not any(
        skills.get(what) for what in ("active", "proposals")
    )
    return state.phase is Phase.LIVE and bool(state.status) and nothing


class FirstRunOffer:
    """Shows the first-run dialog once, as soon as the service has reported that Lull has no data
    yet.
    """

    def __init__(self, kit: Kit, show: Callable[[], object]) -> None:
        self._kit = kit
        self._show = show
        self._over = bool(kit.preferences.value(DONE, False, type=bool))
        kit.state.changed.connect(self._look)
        if kit.state.status:  # what is known already does not change
            self._look(Subject.STATUS)

    def _look(self, subject: str) -> None:
        if self._over or subject != Subject.STATUS or self._kit.state.phase is not Phase.LIVE:
            return
        self._over = True
        if is_new(self._kit.state):
            self._show()
