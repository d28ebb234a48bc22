"""A Qt list model of conversations that loads them in pages as the user scrolls.

It therefore stays fast with a hundred thousand conversations.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, Final

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt, Signal

from lull.contract import routes
from lull.contract.json_object import Json
from lull.desktop.language.client_names import client_title
from lull.desktop.language.words import ago, counted, hover, now, percent, plain, skill_title, tr
from lull.desktop.service.client import Reply
from lull.desktop.service.state import AppState

Index = QModelIndex | QPersistentModelIndex
_ROOT: Final = QModelIndex()
PAGE: Final = 100


class ConversationRows(QAbstractListModel):
    """Qt list model of the conversations that match the current filters."""

    answered = Signal()
    """Emitted when a page of conversations was received or could not be read."""

    def __init__(self, state: AppState) -> None:
        super().__init__()
        self._state = state
        self._question: dict[str, str] = {}
        self._number = 0
        """Number of the latest request; replies to earlier ones are dropped."""
        self._next: str | None = None
        self.reading = False
        self._again = False
        """Whether something was recorded while a page was being read."""
        self.rows: list[Json] = []
        self.read_once = False
        self.error = ""

    def load_matching(self, question: Mapping[str, str]) -> None:
        """Load the conversations that match these filters (as query parameters), newest first."""
        self._question = {name: value for name, value in question.items() if value}
        self._ask(after="")

    def reload(self) -> None:
        """Load the newest conversations again, because something was recorded; keep the other rows
        that were loaded.
        """
        if self.reading:
            self._again = True
        else:
            self._ask(after="", keep=True)

    def rowCount(self, parent: Index = _ROOT) -> int:  # noqa: N802
        return 0 if parent.isValid() else len(self.rows)

    def canFetchMore(self, parent: Index) -> bool:  # noqa: N802
        return not parent.isValid() and self._next is not None and not self.reading

    def fetchMore(self, parent: Index) -> None:  # noqa: N802
        if self.canFetchMore(parent):
            self._ask(after=self._next or "")

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row = self.rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            title = plain(str(row.get("title") or "")) or tr("(no text)")
            return f"{title}\n{' · '.join(_facts(row))}"
        if role == Qt.ItemDataRole.ToolTipRole:
            return hover(_hint(row))
        return None

    def line_of(self, conversation: str) -> int:
        """Return the row in which a conversation stands; -1 if it is not listed."""
        return next((n for n, row in enumerate(self.rows) if row["id"] == conversation), -1)

    def _ask(self, *, after: str, keep: bool = False) -> None:
        self._number += 1
        self.reading = True
        then = functools.partial(self._take, self._number, after, keep)
        query = {**self._question, "after": after, "limit": PAGE}
        self._state.get(routes.CONVERSATIONS, then, **query)

    def _take(self, number: int, after: str, keep: bool, answer: Reply) -> None:
        if number != self._number:
            return
        self.reading = False
        self.error = "" if answer.ok else str(answer.error.get("detail", ""))
        if answer.ok:
            self.read_once = True
            page = list(answer.value.get("conversations", ()))
            if after:
                self._append(page, answer.value.get("next"))
            elif keep:
                self._put_in_front(page, answer.value.get("next"))
            else:
                self._replace(page, answer.value.get("next"))
        self.answered.emit()
        if self._again and not self.reading:
            self._again = False
            self.reload()

    def _append(self, page: list[Json], following: str | None) -> None:
        self._next = following
        if page:
            first = len(self.rows)
            self.beginInsertRows(_ROOT, first, first + len(page) - 1)
            self.rows += page
            self.endInsertRows()

    def _put_in_front(self, page: list[Json], following: str | None) -> None:
        """Show the newest conversations anew, with those below them that were read before. The list
        keeps its current row and its place: what the reader looks at stays.
        """
        rows = page
        if len(self.rows) > PAGE:
            fresh = {row["id"] for row in page}
            rows = page + [row for row in self.rows if row["id"] not in fresh]
        else:
            self._next = following
        if rows == self.rows:
            return
        self.layoutAboutToBeChanged.emit()
        held = self.persistentIndexList()
        names = [self.rows[one.row()]["id"] for one in held]
        self.rows = rows
        # `index` gives an invalid one for a row that is gone.
        self.changePersistentIndexList(held, [self.index(self.line_of(one)) for one in names])
        self.layoutChanged.emit()

    def _replace(self, page: list[Json], following: str | None) -> None:
        self._next = following
        if page != self.rows:
            self.beginResetModel()
            self.rows = page
            self.endResetModel()


def _facts(row: Json) -> list[str]:
    """Say what is known of a conversation; what one looks for stands first, as a narrow list cuts
    off the end.
    """
    facts = []
    if row.get("label"):
        facts.append(tr("rated good") if row["label"] == "good" else tr("rated bad"))
    if row.get("excluded"):
        facts.append(tr("excluded"))
    facts += [client_title(row["client"]), ago(row["last"], now())]
    return [*facts, counted(row["turns"], "%1 answer", "%1 answers")]


def _hint(row: Json) -> str:
    names = ", ".join(skill_title(skill["name"]) for skill in row.get("skills", ()))
    lines = [
        plain(str(row.get("title") or "")),
        tr("Model: %1", plain(row["model"])),
        tr("Skills: %1", names) if names else tr("Without skills"),
    ]
    if row.get("p_good") is not None:
        score = percent(row["p_good"])
        lines.append(tr("Score: %1, by ratings, checks and what you did next", score))
    return "\n".join(line for line in lines if line)
