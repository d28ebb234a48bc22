"""A card that lists this machine's chat apps, whether each is connected to Lull, and the possible
actions.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Final

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from lull.contract import routes
from lull.contract.json_object import Json
from lull.desktop.language.words import plain, tr, translated
from lull.desktop.service.client import Reply
from lull.desktop.service.state import OutcomeMessage, Subject
from lull.desktop.shared.connect.dialogs import ConnectDialog, UndoDialog
from lull.desktop.shared.connect.words import (
    SHELL,
    files_words,
    is_listed,
    state_chip,
    test_words,
)
from lull.desktop.widgets.accessible import tab_after
from lull.desktop.widgets.page import Kit
from lull.desktop.widgets.parts import (
    Card,
    FlowLabel,
    button,
    chip,
    clear_layout,
    label,
    row,
    set_kind,
)
from lull.desktop.widgets.tokens import GAP

_OUTCOME: Final = "outcome"
"""Name of the label below a client's buttons."""


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
        self._outcomes: dict[str, tuple[str, str]] = {}
        """What the last test of a client's connection told, and the style of that text, by the
        client's name.
        """
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
        text = tr(
            "No chat app was found on this computer. Once you have installed one, choose “Look "
            "again”."
        )
        self.none = label(text, wrap=True)
        self.none.hide()
        self.box.addWidget(self.none)
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
        # The shell is on every machine, and no chat app.
        apps = [one for one in views if is_listed(one) and one["name"] != SHELL]
        self.none.setVisible(bool(views) and not apps)
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
        outcome = label("", wrap=True)
        outcome.setObjectName(_OUTCOME)
        box.addWidget(outcome)
        _tell(outcome, *self._outcomes.get(view["name"], ("", "")))
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
            words, good = test_words(answer.value.get("test") or {}, title)
            self._say(view["name"], words, "good" if good else "bad")
            if not self.isVisible():  # the user has gone on to another page
                self._kit.state.told.emit(OutcomeMessage(text=words, good=good))

        def then(done: bool) -> None:
            if not done:  # what was wrong is told like that of any action
                self._say(view["name"], "")

        title = translated(view, "title")
        self._say(view["name"], tr("Sending a test request the way %1 would…", title), "muted")
        self._kit.state.act(
            routes.CLIENT_DO.format(name=view["name"], action="test"),
            {},
            words=tr("Testing %1", title),
            answered=tell,
            then=then,
        )

    def _say(self, client: str, words: str, kind: str = "") -> None:
        """Show below a client's buttons what its test tells; it stays until the next test."""
        self._outcomes[client] = words, kind
        if client in self.rows:
            _tell(self.rows[client].findChild(QLabel, _OUTCOME), words, kind)


def _tell(outcome: QLabel | None, words: str, kind: str) -> None:
    if outcome is not None:
        outcome.setText(words)
        set_kind(outcome, kind)
        outcome.setVisible(bool(words))
