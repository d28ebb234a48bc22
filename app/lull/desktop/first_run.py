"""The first run: five steps, each of which can be skipped, shown once to who has nothing yet.

It does nothing that the pages cannot do; "Finish later" leaves Today's list of steps.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QStackedWidget, QVBoxLayout, QWidget

from lull.desktop.first_run_steps import Addressed, Answers, Away, Begin, Stays, Step
from lull.desktop.page import Kit
from lull.desktop.parts import button, label, row
from lull.desktop.state import AppState, Phase, Subject
from lull.desktop.tokens import GAP
from lull.desktop.words import tr

DONE: Final = "first-run/done"
"""In the window's preferences."""
STEPS: Final[tuple[Callable[[Kit], Step], ...]] = (Stays, Answers, Addressed, Away, Begin)


class FirstRun(QDialog):
    left = Signal()

    def __init__(self, kit: Kit, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._kit = kit
        self.setWindowTitle(tr("Welcome to Lull"))
        self.setModal(False)
        self.resize(620, 420)
        self.pages = QStackedWidget()
        self.steps = [make(kit) for make in STEPS]
        for step in self.steps:
            self.pages.addWidget(step)
        self.at = label("", "muted")
        self.title = label("", "title")
        self.later = button(tr("Finish later"), self.close, flat=True)
        self.back = button(tr("Back"), lambda: self.go(self.pages.currentIndex() - 1))
        self.next = button(tr("Next"), self._go_on, main=True)
        self.next.setDefault(True)
        box = QVBoxLayout(self)
        box.setContentsMargins(GAP * 4, GAP * 3, GAP * 4, GAP * 2)
        box.setSpacing(GAP)
        box.addWidget(self.at)
        box.addWidget(self.title)
        box.addSpacing(GAP)
        box.addWidget(self.pages, 1)
        box.addLayout(row(self.later, None, self.back, self.next))
        for subject in (Subject.STATUS, Subject.MODELS, Subject.CALENDARS, Subject.SETTINGS):
            kit.state.want(subject)
        kit.state.changed.connect(self._look)
        kit.state.phase_changed.connect(self._look)
        self.finished.connect(self._leave)
        self.go(0)

    def go(self, number: int) -> None:
        number = max(0, min(number, len(self.steps) - 1))
        self.pages.setCurrentIndex(number)
        last = number == len(self.steps) - 1
        self.at.setText(tr("Step %1 of %2", number + 1, len(self.steps)))
        self.title.setText(self.steps[number].title)
        self.back.setEnabled(number > 0)
        self.next.setText(tr("Done") if last else tr("Next"))
        self.next.setAccessibleName(self.next.text())
        self.later.setVisible(not last)
        self.next.setFocus()
        self._look()

    def _go_on(self) -> None:
        if self.pages.currentIndex() == len(self.steps) - 1:
            self.close()
        else:
            self.go(self.pages.currentIndex() + 1)

    def _look(self, *_: object) -> None:
        self.steps[self.pages.currentIndex()].look()

    def _leave(self) -> None:
        """However it was left, it does not come back by itself."""
        self._kit.preferences.setValue(DONE, True)
        self._kit.state.changed.disconnect(self._look)
        self._kit.state.phase_changed.disconnect(self._look)
        self.left.emit()
        self.deleteLater()

    def closeEvent(self, event: object) -> None:  # noqa: N802
        self.done(0)
        super().closeEvent(event)  # type: ignore[arg-type]


def is_new(state: AppState) -> bool:
    """Nobody has asked anything here, and nothing was taught."""
    skills = state.status.get("skills", {})
    nothing = not state.status.get("turns") and not any(
        skills.get(what) for what in ("active", "proposals")
    )
    return state.phase is Phase.LIVE and bool(state.status) and nothing


class Offer:
    """Shows it once, when it is known that there is nothing yet."""

    def __init__(self, kit: Kit, show: Callable[[], object]) -> None:
        self._kit = kit
        self._show = show
        self._over = bool(kit.preferences.value(DONE, False, type=bool))
        kit.state.changed.connect(self._look)

    def _look(self, subject: str) -> None:
        if self._over or subject != Subject.STATUS or self._kit.state.phase is not Phase.LIVE:
            return
        self._over = True
        if is_new(self._kit.state):
            self._show()
