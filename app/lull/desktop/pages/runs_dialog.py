"""One run whole, or two side by side: what it was made of, what it cost, and what the gate said of
its adapter, check by check."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QTableWidget, QTableWidgetItem, QVBoxLayout, QWidget

from lull.contract import routes
from lull.desktop.client import Answer
from lull.desktop.page import Kit
from lull.desktop.pages.learning_words import facts_of
from lull.desktop.pages.tables import small_table
from lull.desktop.parts import button, label, row
from lull.desktop.tokens import GAP
from lull.desktop.words import plain, tr

Json = dict[str, Any]


class RunsDialog(QDialog):
    def __init__(self, kit: Kit, runs: Sequence[Json], parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._gone = False
        self._runs = list(runs)
        title = tr("A training run") if len(runs) == 1 else tr("Training runs compared")
        self.setWindowTitle(title)
        self.resize(420 + 240 * len(runs), 640)
        self._checks: list[dict[str, str]] = [{} for _ in runs]
        self.table = small_table(["", *(plain(str(run["id"])) for run in runs)], title)
        self.table.setWordWrap(True)
        box = QVBoxLayout(self)
        box.setContentsMargins(GAP * 3, GAP * 2, GAP * 3, GAP * 2)
        box.setSpacing(GAP)
        box.addWidget(label(title, "head"))
        box.addWidget(self.table, 1)
        box.addLayout(row(None, button(tr("Close"), self.close, main=True)))
        self.finished.connect(self._leave)
        self._fill()
        for number, run in enumerate(runs):
            if run.get("adapter"):
                path = routes.ADAPTER.format(id=run["adapter"])
                kit.state.get(path, functools.partial(self._take, number))

    def _leave(self) -> None:
        self._gone = True

    def _take(self, number: int, answer: Answer) -> None:
        """The gate's checks of one run's adapter."""
        if self._gone or not answer.ok:
            return
        checks = (answer.value.get("verdict") or {}).get("checks") or ()
        for check in checks:
            mark = "✓" if check["holds"] else "✗"
            self._checks[number][str(check["name"])] = plain(f"{mark} {check['text']}")
        self._fill()

    def _fill(self) -> None:
        facts = [facts_of(run) for run in self._runs]
        lines = [(what, [one[n][1] for one in facts]) for n, (what, _) in enumerate(facts[0])]
        names = list(dict.fromkeys(name for checks in self._checks for name in checks))
        lines += [
            (tr("Gate: %1", check_words(name)), [c.get(name, "–") for c in self._checks])
            for name in names
        ]
        self.table.setRowCount(len(lines))
        for line, (what, values) in enumerate(lines):
            _put(self.table, line, 0, what)
            for column, value in enumerate(values, 1):
                _put(self.table, line, column, value)
        self.table.resizeRowsToContents()


def check_words(name: str) -> str:
    """What a check of the gate looked at."""
    words = {
        "target": tr("better where it should be"),
        "kept": tr("keeps what the skill gave"),
        "kl:replay": tr("near the base on your successes"),
        "kl:canaries": tr("near the base elsewhere"),
        "length": tr("as long as before"),
        "repetition": tr("repeats itself no more"),
        "refusals": tr("refuses no more"),
        "manner": tr("manner"),
        "secrets": tr("tells no secrets"),
    }
    if name.startswith("canaries:"):
        return tr("forgets nothing: %1", plain(name.partition(":")[2]))
    return words.get(name, plain(name))


def _put(table: QTableWidget, line: int, column: int, text: str) -> None:
    item = QTableWidgetItem(text)
    item.setToolTip(text)
    table.setItem(line, column, item)
