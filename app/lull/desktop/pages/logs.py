"""The Logs page of Lull's window: the lines of the service's log from a chosen level on, updated
live, and the results of Lull's self-check (`lull doctor`).

The log is read from its file, so it can be read when the service is down. It never contains what
the user or the model said. Its ids are shown as what they stand for; a copy has them whole.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Mapping
from typing import Final

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QHideEvent, QShowEvent, QTextOption
from PySide6.QtWidgets import QCheckBox, QGridLayout, QLineEdit, QPlainTextEdit, QVBoxLayout

from lull.contract import routes
from lull.desktop.language.words import plain, problem_text, skill_title, tr
from lull.desktop.service.client import Reply
from lull.desktop.shared.diagnostics_dialog import DiagnosticsDialog
from lull.desktop.shared.log_tail import LOG_FILE, LogTail
from lull.desktop.widgets.choice import Choice
from lull.desktop.widgets.page import Kit, Page
from lull.desktop.widgets.parts import Card, button, clear_layout, label, row
from lull.desktop.widgets.style import mono

MOST_LINES: Final = 2_000


LOOK_MS: Final = 700


LEVELS: Final = ("debug", "info", "warning", "error")


ID: Final = re.compile(r"\b([a-z]+)_[0-9a-z]{20}\b")
"""An id as Lull makes them, such as that of a suggestion or of a turn."""


class LogsPage(Page):
    """The Logs page of Lull's window: log lines, filtered by level and text, and the results of
    Lull's self-check (`lull doctor`).
    """

    def __init__(self, kit: Kit) -> None:
        super().__init__(kit, tr("Logs"))
        self._tail = LogTail(kit.place.logs / LOG_FILE)
        self._lines: deque[tuple[str, str]] = deque(maxlen=MOST_LINES)
        self._names: dict[str, str] = {}
        """Titles of suggestions by id; "" for those that the service was asked about."""
        self.level = Choice()
        self.level.setAccessibleName(tr("Lowest level"))
        titles = (tr("Everything"), tr("Info"), tr("Warnings"), tr("Errors"))
        for words, level in zip(titles, LEVELS, strict=True):
            self.level.addItem(words, level)
        self.level.setCurrentIndex(1)
        self.level.activated.connect(self._redraw)
        self.search = QLineEdit()
        self.search.setPlaceholderText(tr("Filter"))
        self.search.setAccessibleName(tr("Filter log lines"))
        self.search.textChanged.connect(self._redraw)
        self.follow = QCheckBox(tr("Follow"))
        self.follow.setAccessibleName(tr("Follow the log"))
        self.follow.setChecked(True)
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self._size_text()
        kit.look.changed.connect(self._size_text)
        self.text.setMaximumBlockCount(MOST_LINES)
        self.text.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.text.setAccessibleName(tr("Log lines"))
        self.text.setTabChangesFocus(True)
        self.health = Card(tr("Health"))
        self._checks = QGridLayout()
        self._checks.setVerticalSpacing(2)
        self._checks.setColumnStretch(1, 1)
        self.health.box.addLayout(self._checks)
        self.health.hide()
        self.look = button(tr("Run checks"), self._ask)
        self.copy = button(tr("Copy lines"), self._copy)
        self.head.addWidget(self.look)
        # Also here, because it is needed most when the service is down.
        self.diagnose = button(tr("Diagnostics…"), self._diagnose)
        self.head.addWidget(self.diagnose)
        box = QVBoxLayout(self.body)
        box.setContentsMargins(0, 0, 0, 0)
        box.addWidget(self.health)
        box.addLayout(row(self.level, self.search, self.follow, self.copy))
        box.addWidget(self.text, 1)
        self._timer = QTimer(self, interval=LOOK_MS)
        self._timer.timeout.connect(self._read)

    def _size_text(self) -> None:
        self.text.setFont(mono())

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        self._read()
        self._timer.start()

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802
        super().hideEvent(event)
        self._timer.stop()

    def _diagnose(self) -> None:
        DiagnosticsDialog(self.kit, self).open()

    def focus_search(self) -> None:
        self.search.setFocus()
        self.search.selectAll()

    def _read(self) -> None:
        new = [_read_line(line) for line in self._tail.new_lines() if line.strip()]
        self._lines.extend(new)
        self._ask_names([text for _, text in new])
        shown = [self._readable(text) for level, text in new if self._wanted(level, text)]
        if shown:
            self.text.appendPlainText("\n".join(shown))
            self._to_end()

    def _redraw(self) -> None:
        self.text.setPlainText("\n".join(map(self._readable, self._wanted_lines())))
        self._to_end()

    def _wanted_lines(self) -> list[str]:
        return [text for level, text in self._lines if self._wanted(level, text)]

    def _readable(self, text: str) -> str:
        return readable_ids(text, self._names)

    def _ask_names(self, texts: list[str]) -> None:
        """Ask the service for the titles of the suggestions that these log lines name by id."""
        ids = {one[0] for text in texts for one in ID.finditer(text) if one[1] == "prop"}
        if ids - self._names.keys():
            self._names = dict.fromkeys(ids, "") | self._names
            self.state.get(routes.PROPOSALS, self._take_names, all="1")

    def _take_names(self, answer: Reply) -> None:
        found = {
            str(one["id"]): tr("“%1”", skill_title(one["name"]))
            for one in answer.value.get("proposals", ())
        }
        known = {name: found[name] for name in self._names if found.get(name)}
        if known.items() - self._names.items():
            self._names |= known
            self._redraw()

    def _to_end(self) -> None:
        if self.follow.isChecked():
            bar = self.text.verticalScrollBar()
            bar.setValue(bar.maximum())

    def _wanted(self, level: str, text: str) -> bool:
        least = LEVELS.index(self.level.currentData())
        high = LEVELS.index(level) if level in LEVELS else len(LEVELS)
        wanted = self.search.text().lower()
        return high >= least and (wanted in text.lower() or wanted in self._readable(text).lower())

    def _copy(self) -> None:
        self.kit.actions.copy("\n".join(self._wanted_lines()), tr("The lines were copied."))

    # The doctor

    def _ask(self) -> None:
        self.look.setEnabled(False)
        self.look.setText(tr("Checking…"))
        self.state.get(routes.DOCTOR, self._take)

    def _take(self, answer: Reply) -> None:
        self.look.setEnabled(True)
        self.look.setText(tr("Run checks"))
        clear_layout(self._checks)
        if not answer.ok:
            detail = str(answer.error.get("detail", ""))
            self._checks.addWidget(label(detail, "bad", wrap=True), 0, 0, 1, 2)
        for line, check in enumerate(answer.value.get("checks", ())):
            mark, kind = ("✓", "good") if check["ok"] else ("!", "warn")
            if not check["ok"] and check.get("serious"):
                mark, kind = "✗", "bad"
            name = str(check["name"])
            words = f"{check_names().get(name, name)}: {problem_text(check, 'text')}"
            self._checks.addWidget(label(mark, kind), line, 0, Qt.AlignmentFlag.AlignTop)
            self._checks.addWidget(label(plain(words), wrap=True), line, 1)
        self.health.show()


def check_names() -> dict[str, str]:
    """Return the names of the self-check's single checks (`lull doctor`) in the user's language, by
    their keys.
    """
    return {
        "service": tr("Service"),
        "settings": tr("Settings"),
        "address": tr("Address"),
        "ollama": tr("Ollama"),
        "engine": tr("Engine"),
        "store": tr("Database"),
        "skills": tr("Skills"),
        "reader": tr("Reading your feedback"),
        "memory": tr("Remembered past requests"),
        "exams": tr("Tests of chat models"),
        "placing": tr("Position of skills in prompts"),
        "idle source": tr("Detecting when you're away"),
        "lulls": tr("Idle times"),
        "calendars": tr("Calendars"),
        "clients": tr("Chat apps"),
        "keychain": tr("Keychain"),
        "disk": tr("Disk"),
        "speed": tr("Speed"),
        "backups": tr("Backups"),
        "trash": tr("Trash"),
        "problem": tr("Problem"),
    }


def readable_ids(text: str, names: Mapping[str, str]) -> str:
    """Return a log line with each id as its name, or, where it has none in `names`, shortened to
    the digits that tell it from others.
    """
    return ID.sub(lambda one: names.get(one[0]) or f"…{one[0][-4:]}", text)


def _read_line(line: str) -> tuple[str, str]:
    """The level of a log line and its readable text."""
    try:
        said = json.loads(line)
        level = str(said["level"])
        at = str(said["at"]).replace("T", " ")[:19]
        return level, f"{at}  {level:7}  {said['part']}: {plain(str(said['text']))}"
    except (ValueError, KeyError, TypeError):
        return "info", plain(line)
