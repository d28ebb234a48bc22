"""Base class of the dialogs that show the details of one or two adapters or training runs, with the
results of the gate (the checks an adapter must pass before it answers users).
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QDialog, QTableWidget, QTableWidgetItem, QVBoxLayout, QWidget

from lull.contract import routes
from lull.contract.json_object import Json
from lull.desktop.language.words import hover, named, plain, tr, translated
from lull.desktop.service.client import Reply
from lull.desktop.widgets.page import Kit
from lull.desktop.widgets.parts import button, label, row
from lull.desktop.widgets.small_table import small_table
from lull.desktop.widgets.tokens import GAP

Facts = list[tuple[str, str]]


@dataclass(slots=True)
class Column:
    """One column of a dialog that compares adapters or training runs: the details of one of them,
    as (title, value) pairs.
    """

    name: str
    facts: Facts
    """Facts to show as (title, value) pairs, with the same titles in every column."""
    adapter: str | None
    """Id of the adapter whose gate verdict the column shows."""
    checks: dict[str, str] = field(default_factory=dict)


class SideBySide(QDialog):
    """Base class of the dialogs that compare adapters or training runs in a table with a column for
    each.

    The results of the gate (the checks an adapter must pass before it answers users) come from the
    service.
    """

    def __init__(self, kit: Kit, title: str, columns: Sequence[Column], parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._gone = False
        self._columns = list(columns)
        self.setWindowTitle(title)
        self.resize(420 + 240 * len(columns), 640)
        self.table = small_table(["", *(plain(one.name) for one in columns)], title)
        self.table.setWordWrap(True)
        # How high a row is follows from how wide the columns are, which the dialog decides later.
        self._fit = QTimer(self, singleShot=True, interval=0)
        self._fit.timeout.connect(self.table.resizeRowsToContents)
        self.table.horizontalHeader().sectionResized.connect(lambda *_: self._fit.start())
        box = QVBoxLayout(self)
        box.setContentsMargins(GAP * 3, GAP * 2, GAP * 3, GAP * 2)
        box.setSpacing(GAP)
        box.addWidget(label(title, "head"))
        box.addWidget(self.table, 1)
        box.addLayout(row(None, button(tr("Close"), self.close, main=True)))
        self.finished.connect(self._leave)
        self._fill()
        for column in self._columns:
            if column.adapter:
                path = routes.ADAPTER.format(id=column.adapter)
                kit.state.get(path, functools.partial(self._take, column))

    def _leave(self) -> None:
        self._gone = True

    def _take(self, column: Column, answer: Reply) -> None:
        if self._gone or not answer.ok:
            return
        self.take_details(column, answer.value)
        checks = (answer.value.get("verdict") or {}).get("checks") or ()
        for check in checks:
            mark = "✓" if check["holds"] else "✗"
            column.checks[str(check["name"])] = f"{mark} {translated(check)}"
        self._fill()

    def take_details(self, column: Column, adapter: Json) -> None:
        """Called with the details of a column's adapter when Lull's service has sent them; does
        nothing by default.

        Subclasses override it to update the column's facts.
        """

    def _fill(self) -> None:
        facts = [column.facts for column in self._columns]
        lines = [(what, [one[n][1] for one in facts]) for n, (what, _) in enumerate(facts[0])]
        names = list(dict.fromkeys(name for column in self._columns for name in column.checks))
        lines += [
            (tr("Test: %1", check_words(name)), [c.checks.get(name, "–") for c in self._columns])
            for name in names
        ]
        self.table.setRowCount(len(lines))
        for line, (what, values) in enumerate(lines):
            _put(self.table, line, 0, what)
            for column, value in enumerate(values, 1):
                _put(self.table, line, column, value)
        self.table.resizeRowsToContents()


def check_words(name: str) -> str:
    """Return the name, in words, of one of the checks that an adapter must pass before it answers
    users.
    """
    words = {
        "target": tr("better where it should be"),
        "kept": tr("keeps the effect of the skill"),
        "kl:replay": tr("near the original model where it was good"),
        "kl:canaries": tr("near the original model elsewhere"),
        "length": tr("answers are as long as before"),
        "repetition": tr("doesn't repeat itself more often"),
        "refusals": tr("doesn't refuse more often"),
        "manner": tr("tone"),
        "secrets": tr("tells no secrets"),
    }
    if name.startswith("canaries:"):
        family = name.partition(":")[2]
        return tr("forgets nothing: %1", named(f"family {family}", plain(family)))
    return words.get(name, plain(name))


def _put(table: QTableWidget, line: int, column: int, text: str) -> None:
    item = QTableWidgetItem(text)
    item.setToolTip(hover(text))
    table.setItem(line, column, item)
