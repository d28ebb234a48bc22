"""A card that lists this machine's chat apps, whether each is connected to Lull, and the possible
actions.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from lull.contract import routes
from lull.contract.json_object import Json
from lull.desktop.language.words import plain, tr, translated
from lull.desktop.service.client import Reply
from lull.desktop.service.state import OutcomeMessage, Subject
from lull.desktop.shared.connect.dialogs import ConnectDialog, UndoDialog
from lull.desktop.shared.connect.words import files_words, is_listed, state_chip, test_words
from lull.desktop.widgets.accessible import tab_after
from lull.desktop.widgets.page import Kit
from lull.desktop.widgets.parts import Card, FlowLabel, button, chip, clear_layout, label, row
from lull.desktop.widgets.tokens import GAP


class ConnectCard(Card):
    """Card that lists the installed chat apps, and connects each to Lull, tests the connection or
    undoes it.
    """

    def __init__(self, kit: Kit) -> None:
        super().__init__()
        self._kit = kit
        self._shown: Json | None = None
        self.rows: dict[str, QWidget] = {}
        """The shown clients by name."""
        self.again = button(
            tr("Look again"), self._look_again, flat=True, name=tr("Look for chat apps again")
        )
        self.box.addLayout(row(FlowLabel(tr("Chat apps"), "head"), None, self.again))
        words = tr(
            "Connect a chat app, and its requests go through Lull. You see every change to "
            "its settings before it is written, and can undo it exactly."
        )
        self.box.addWidget(label(words, "muted", wrap=True))
        self._list = QVBoxLayout()
        self._list.setSpacing(GAP * 2)
        self.box.addLayout(self._list)
        self.others = label("", "small", wrap=True)
        self.box.addWidget(self.others)
        kit.state.changed.connect(self._hear)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        # Another program changes a file without telling anybody.
        self._kit.state.subscribe(Subject.CLIENTS)
        self._look_again()
        self._show()

    def _look_again(self) -> None:
        self._kit.state.touch(Subject.CLIENTS)

    def _hear(self, subject: str) -> None:
        if subject == Subject.CLIENTS and self.isVisible():
            self._show()

    def _show(self) -> None:
        value = self._kit.state.value(Subject.CLIENTS)
        if value == self._shown:
            return
        self._shown = value
        clear_layout(self._list)
        self.rows = {}
        views = list(value.get("clients") or ())
        for view in (one for one in views if is_listed(one)):
            made = self.rows[view["name"]] = self._row(view)
            self._list.addWidget(made)
        for made in reversed(self.rows.values()):
            tab_after(self.again, made)
        absent = ", ".join(translated(one, "title") for one in views if not is_listed(one))
        self.others.setText(tr("Not found here: %1.", absent) if absent else "")
        self.others.setVisible(bool(absent))

    def _row(self, view: Json) -> QWidget:
        made = QWidget()
        box = QVBoxLayout(made)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(GAP // 2)
        title = translated(view, "title")
        version = plain(str(view["version"] or ""))
        box.addLayout(row(FlowLabel(f"{title} {version}".strip()), chip(*state_chip(view))))
        if view["files"] and view["writable"]:
            box.addWidget(label(files_words(view), "small", wrap=True))
        elif view["by_hand"]:
            box.addWidget(label(translated(view, "by_hand"), "small", wrap=True))
        actions = [
            button(words, do, name=tr("%1: %2", title, words)) for words, do in self._actions(view)
        ]
        if actions:
            box.addLayout(row(*actions, None))
        return made

    def _actions(self, view: Json) -> list[tuple[str, Callable[[], object]]]:
        offered: list[tuple[str, Callable[[], object]]] = []
        if view["writable"] and not view["connected"]:
            again = view["drifted"]
            words = tr("Connect again…") if again else tr("Connect…")
            offered.append((words, functools.partial(self._connect, view)))
        if view["connected"]:
            offered.append((tr("Test"), functools.partial(self._test, view)))
        if view["known"]:
            offered.append((tr("Undo…"), functools.partial(self._undo, view)))
        return offered

    # Actions

    def _connect(self, view: Json) -> None:
        ConnectDialog(self._kit, view, self).open()

    def _undo(self, view: Json) -> None:
        UndoDialog(self._kit, view, self).open()

    def _test(self, view: Json) -> None:
        def tell(answer: Reply) -> None:
            words, good = test_words(answer.value.get("test") or {})
            self._kit.state.told.emit(OutcomeMessage(text=words, good=good))

        title = translated(view, "title")
        self._kit.state.told.emit(
            OutcomeMessage(text=tr("Sending a test request the way %1 would…", title))
        )
        self._kit.state.act(
            routes.CLIENT_DO.format(name=view["name"], action="test"),
            {},
            words=tr("Testing %1", title),
            answered=tell,
        )
