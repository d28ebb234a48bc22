"""Dialog that lists the old conversations in the trash, and restores them."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QGridLayout, QVBoxLayout, QWidget

from lull.contract import routes
from lull.contract.json_object import Json
from lull.desktop.language.words import ago, counted, now, plain, tr
from lull.desktop.service.client import Reply
from lull.desktop.service.state import AppState, OutcomeMessage, Subject, failure_words
from lull.desktop.widgets.flow import scrolled
from lull.desktop.widgets.parts import button, clear_layout, label, row
from lull.desktop.widgets.tokens import GAP

MOST_SHOWN: Final = 30
"""Most removals listed; older ones are counted."""


class TrashDialog(QDialog):
    """Dialog that lists, newest first, each time when old conversations were moved to Lull's trash,
    and has a button to restore those of that time.
    """

    def __init__(self, state: AppState, parent: QWidget) -> None:
        super().__init__(parent)
        self._state = state
        self._gone = False
        self.finished.connect(self._leave)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Trash"))
        self.resize(560, 380)
        self.words = label(tr("Loading…"), wrap=True)
        inner = QWidget()
        inner.setObjectName("pageBody")
        self._lines = QGridLayout(inner)
        self._lines.setContentsMargins(0, 0, 0, 0)
        self._lines.setColumnStretch(0, 1)
        self._lines.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.all = button(tr("Restore all"), lambda: self._restore(""))
        close = button(tr("Close"), self.close, main=True)
        close.setDefault(True)
        self.all.setAutoDefault(False)
        box = QVBoxLayout(self)
        box.setContentsMargins(GAP * 3, GAP * 2, GAP * 3, GAP * 2)
        box.setSpacing(GAP)
        box.addWidget(self.words)
        box.addWidget(scrolled(inner), 1)
        box.addLayout(row(self.all, None, close))
        self.all.setEnabled(False)
        close.setFocus()
        self._read()

    def _read(self) -> None:
        self._state.get(routes.TRASH, self._take)

    def _take(self, answer: Reply) -> None:
        if self._gone:
            return
        if not answer.ok:
            self.words.setText(plain(failure_words(answer)))
            return
        steps = sorted(answer.value["steps"], key=lambda step: str(step["at"]), reverse=True)
        self.all.setEnabled(bool(steps))
        self.words.setText(
            tr(
                "These conversations were too old or took up too much space. They stay here "
                "for a week and are then deleted for good. Conversations that you restore "
                "won't be moved here again because of their age."
            )
            if steps
            else tr("The trash is empty.")
        )
        clear_layout(self._lines)
        for line, step in enumerate(steps[:MOST_SHOWN]):
            self._show(line, step)
        if len(steps) > MOST_SHOWN:
            older = sum(int(step["conversations"]) for step in steps[MOST_SHOWN:])
            words = counted(older, "and %1 older conversation", "and %1 older conversations")
            self._lines.addWidget(label(words, "muted"), MOST_SHOWN, 0)

    def _show(self, line: int, step: Json) -> None:
        what = counted(int(step["conversations"]), "%1 conversation", "%1 conversations")
        why = {
            "age": tr("too old"),
            "size": tr("took up too much space"),
            "asked": tr("with your consent"),
        }.get(str(step["why"]), "")
        words = " · ".join(filter(None, (what, ago(step["at"], now()), why)))
        again = button(
            tr("Restore"), lambda: self._restore(step["id"]), name=tr("Restore %1", words)
        )
        again.setAutoDefault(False)
        self._lines.addWidget(label(words, wrap=True), line, 0)
        self._lines.addWidget(again, line, 1)

    def _restore(self, step: str) -> None:
        def then(_: bool) -> None:
            self._state.touch(Subject.STATUS, Subject.CONVERSATIONS)
            if not self._gone:
                self._read()

        self._state.act(
            routes.TRASH,
            {"do": "restore", "step": step},
            words=tr("Restoring"),
            answered=self._tell,
            then=then,
        )

    def _tell(self, answer: Reply) -> None:
        """Say how many conversations were restored, and whether others are in damaged files."""
        back, damaged = answer.value.get("restored", 0), len(answer.value.get("damaged", ()))
        if not damaged:
            self._state.told.emit(OutcomeMessage(text=tr("The conversations are back.")))
            return
        words = counted(back, "%1 conversation is back.", "%1 conversations are back.")
        rest = counted(
            damaged,
            "The others are in a damaged file, which stays in the trash.",
            "The others are in %1 damaged files, which stay in the trash.",
        )
        self._state.told.emit(OutcomeMessage(text=f"{words} {rest}", good=False))

    def _leave(self) -> None:
        self._gone = True
