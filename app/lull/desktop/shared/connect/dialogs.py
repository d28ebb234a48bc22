"""Dialogs that ask before Lull changes a chat app's settings file, or undoes such a change; they
show every changed line.
"""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QVBoxLayout, QWidget

from lull.contract import routes
from lull.contract.json_object import Json
from lull.desktop.language.words import plain, tr, translated
from lull.desktop.service.client import Reply
from lull.desktop.service.state import Subject, failure_words
from lull.desktop.shared.connect.words import file_words, test_words
from lull.desktop.widgets.page import Kit
from lull.desktop.widgets.parts import button, label, row, set_kind
from lull.desktop.widgets.style import mono
from lull.desktop.widgets.text.diff import unified_html
from lull.desktop.widgets.text.long_text import ScrollingText
from lull.desktop.widgets.tokens import GAP


class _ClientDialog(QDialog):
    """Base of the dialogs about one chat app: an explanation, the lines of its settings file, the
    outcome, and buttons.
    """

    def __init__(self, kit: Kit, view: Json, parent: QWidget, *, title: str, does: str) -> None:
        super().__init__(parent)
        self._kit = kit
        self._view = view
        self._client = translated(view, "title")
        self._gone = False
        self.finished.connect(self._leave)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        self.resize(700, 480)
        self.words = label(tr("Loading…"), wrap=True)
        self.change = ScrollingText()
        self.change.setFont(mono())
        self.change.setAccessibleName(tr("The lines that change"))
        self.note = label("", "muted", wrap=True)
        self.note.hide()
        self.outcome = label("", wrap=True)
        self.outcome.hide()
        self.close_it = button(tr("Cancel"), self.close)
        self.do = button(does, self._do, main=True)
        self.do.setEnabled(False)
        box = QVBoxLayout(self)
        box.setContentsMargins(GAP * 3, GAP * 2, GAP * 3, GAP * 2)
        box.setSpacing(GAP)
        box.addWidget(self.words)
        box.addWidget(self.change, 1)
        box.addWidget(self.note)
        box.addWidget(self.outcome)
        box.addLayout(row(None, self.close_it, self.do))
        self.do.setDefault(True)

    def _leave(self, _: int) -> None:
        self._gone = True

    def _do(self) -> None:
        raise NotImplementedError

    def _route(self, action: str) -> str:
        return routes.CLIENT_DO.format(name=self._view["name"], action=action)

    def _show_lines(self, diff: str) -> None:
        self.change.setHtml(unified_html(diff, self._kit.look.theme))

    def _tell(self, words: str, kind: str = "") -> None:
        self.outcome.setText(words)
        set_kind(self.outcome, kind)
        self.outcome.show()

    def _failed(self, answer: Reply) -> None:
        if not self.change.toPlainText():  # an empty box would say nothing
            self.change.hide()
        self._tell(plain(failure_words(answer)), "bad")

    def _over(self) -> None:
        """Leave only the button that closes the dialog, since nothing more is to be decided."""
        self.do.hide()
        self.close_it.setDefault(True)
        self.close_it.setText(tr("Close"))
        self.close_it.setAccessibleName(tr("Close"))
        self._kit.state.touch(Subject.CLIENTS)


class ConnectDialog(_ClientDialog):
    """Dialog that shows which settings connect a chat app to Lull, writes them, and tests them with
    a real request.
    """

    def __init__(self, kit: Kit, view: Json, parent: QWidget) -> None:
        title = tr("Connect %1", translated(view, "title"))
        super().__init__(kit, view, parent, title=title, does=tr("Connect"))
        self._sha256 = ""
        kit.state.ask(self._route("plan"), {}, self._take_plan)

    def _take_plan(self, answer: Reply) -> None:
        if self._gone:
            return
        if not answer.ok:
            self.words.setText(tr("%1 can't be connected from here.", self._client))
            self._failed(answer)
            return
        plan = answer.value
        self._sha256 = str(plan["sha256"])
        file = file_words(self._view, str(plan["file"]))
        words = tr("This changes %1. What is in it now is kept, and Undo brings it back.", file)
        if not plan["existed"]:
            words = tr("This creates %1. Undo deletes it again.", file)
        self.words.setText(words if plan["changes"] else tr("In %1, Lull is already set up.", file))
        self._show_lines(str(plan["diff"]))
        self.note.setText(translated(plan, "note"))
        self.note.setVisible(bool(self.note.text()))
        self.do.setEnabled(bool(plan["changes"]))

    def _do(self) -> None:
        self.do.setEnabled(False)
        title = self._client
        self._kit.state.act(
            self._route("connect"),
            {"sha256": self._sha256},
            words=tr("Connecting %1", title),
            done=tr("%1 is connected.", title),
            then=self._written,
        )

    def _written(self, done: bool) -> None:
        self._kit.state.touch(Subject.CLIENTS)
        if self._gone:
            return
        if not done:
            self._kit.state.ask(self._route("plan"), {}, self._take_plan)
            return
        self._over()
        self._tell(tr("Connected. Sending a test request the way %1 would…", self._client))
        self._kit.state.act(
            self._route("test"),
            {},
            words=tr("Testing %1", self._client),
            answered=self._tested,
        )

    def _tested(self, answer: Reply) -> None:
        if not self._gone:
            words, good = test_words(answer.value.get("test") or {}, self._client)
            self._tell(words, "good" if good else "bad")


class UndoDialog(_ClientDialog):
    """Dialog that disconnects a chat app from Lull: it shows what was changed in the app's settings
    file since Lull wrote it, and restores the file.
    """

    def __init__(self, kit: Kit, view: Json, parent: QWidget) -> None:
        title = tr("Disconnect %1", translated(view, "title"))
        super().__init__(kit, view, parent, title=title, does=tr("Undo"))
        self._changed = False
        kit.state.ask(self._route("undo"), {"look": True}, self._take_changes)

    def _take_changes(self, answer: Reply) -> None:
        if self._gone:
            return
        if not answer.ok:
            self._failed(answer)
            return
        changes = list(answer.value.get("changes") or ())
        files = ", ".join(file_words(self._view, str(one["file"])) for one in changes)
        self._changed = any(one["changed_since"] for one in changes)
        clash = any(one["clash"] for one in changes)
        words = tr("This makes %1 exactly what it was before Lull.", files)
        if clash:
            words = tr(
                "The lines that Lull wrote in %1 have been changed since. Change the "
                "file back by hand.",
                files,
            )
        elif self._changed:
            words = tr(
                "%1 was changed since Lull wrote it. Undo takes out Lull's lines and keeps these:",
                files,
            )
        self.words.setText(words)
        self._show_lines("\n".join(str(one["diff"]) for one in changes))
        self.change.setVisible(self._changed)
        self.do.setEnabled(not clash)

    def _do(self) -> None:
        self.do.setEnabled(False)
        title = self._client
        self._kit.state.act(
            self._route("undo"),
            {"force": self._changed},
            words=tr("Disconnecting %1", title),
            done=tr("%1 is as it was before Lull.", title),
            then=self._undone,
        )

    def _undone(self, done: bool) -> None:
        self._kit.state.touch(Subject.CLIENTS)
        if self._gone:
            return
        if done:
            self.close()
        else:
            self._kit.state.ask(self._route("undo"), {"look": True}, self._take_changes)
