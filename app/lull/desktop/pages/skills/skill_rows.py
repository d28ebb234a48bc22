"""A Qt table model of skills and a filter for it; both stay fast with ten thousand rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QPersistentModelIndex,
    QSortFilterProxyModel,
    Qt,
)

from lull.contract.json_object import Json
from lull.desktop.language.client_names import client_title
from lull.desktop.language.words import count, counted, hover, skill_title, tr
from lull.desktop.shared.setting_names import title_of
from lull.desktop.shared.skill_words import rule_words, where_words

Index = QModelIndex | QPersistentModelIndex
_ROOT: Final = QModelIndex()
COLUMNS: Final = 4
USES: Final = 2
"""Number of the column with the number of uses."""
NUMBERS: Final = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class SkillRows(QAbstractTableModel):
    """Qt table model with one row per skill: name, status, number of uses and measured effect."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[Json] = []
        """The skills in the order in which the table shows them."""
        self._column, self._descending = 0, False

    def put(self, skills: Sequence[Json]) -> None:
        """Replace all rows by these skills."""
        self.beginResetModel()
        self.rows = self._sorted(skills)
        self.endResetModel()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort the rows by a column.

        Done here, because Qt's filter model asks for every value many times, which stops the window
        for a while with a thousand skills.
        """
        self._column, self._descending = column, order is Qt.SortOrder.DescendingOrder
        self.layoutAboutToBeChanged.emit()
        kept = self.persistentIndexList()
        chosen = [self.rows[index.row()] for index in kept]
        self.rows = self._sorted(self.rows)
        place = {id(row): number for number, row in enumerate(self.rows)}
        moved = [
            self.index(place[id(row)], index.column())
            for row, index in zip(chosen, kept, strict=True)
        ]
        self.changePersistentIndexList(kept, moved)
        self.layoutChanged.emit()

    def _sorted(self, skills: Sequence[Json]) -> list[Json]:
        return sorted(
            skills, key=lambda one: _sort_key(one, self._column), reverse=self._descending
        )

    def line_of(self, key: tuple[str, str]) -> int:
        """Return the row of the skill with this name and client; -1 if there is none."""
        return next((n for n, row in enumerate(self.rows) if key_of(row) == key), -1)

    def rowCount(self, parent: Index = _ROOT) -> int:  # noqa: N802
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = _ROOT) -> int:  # noqa: N802
        return 0 if parent.isValid() else COLUMNS

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return (tr("Skill"), tr("Status"), tr("Uses"), tr("Effect"))[section]
        if role == Qt.ItemDataRole.ToolTipRole:
            return _head_help(section)
        if role == Qt.ItemDataRole.TextAlignmentRole and section >= USES:
            return NUMBERS
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        skill = self.rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return _cell(skill, index.column())
        if role == Qt.ItemDataRole.ToolTipRole:
            if index.column() == COLUMNS - 1 and skill.get("effect"):
                return hover(effect_words(skill))
            whole = rule_words(str(skill.get("body") or ""))
            return hover(f"{whole}\n{where_words(str(skill['description']))}".strip())
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column() >= USES:
            return NUMBERS
        return None


class SkillFilter(QSortFilterProxyModel):
    """Filter of the table of skills: shows those whose name or text contains all words of the
    search.

    Archived skills are shown only on request.
    """

    def __init__(self) -> None:
        super().__init__()
        self._words: list[str] = []
        self._archived = False

    def look_for(self, text: str, *, archived: bool) -> None:
        """Show only skills that contain all words of a text; with `archived`, deleted ones too."""
        self.beginResetModel()
        self._words, self._archived = text.lower().split(), archived
        self.endResetModel()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self.sourceModel().sort(column, order)

    def filterAcceptsRow(self, source_row: int, source_parent: Index) -> bool:  # noqa: N802
        model = self.sourceModel()
        assert isinstance(model, SkillRows)
        skill = model.rows[source_row]
        if skill["status"] == "archived" and not self._archived:
            return False
        if not self._words:
            return True
        text = f"{skill['name']}\n{skill['description']}\n{skill.get('body', '')}".lower()
        return all(word in text for word in self._words)


def key_of(skill: Json) -> tuple[str, str]:
    """Return what identifies a skill: the client it belongs to ("" for all) and its name."""
    return str(skill.get("client") or ""), str(skill["name"])


def status_words(skill: Json) -> str:
    """Name a skill's status, and say whether it is pinned."""
    words = {
        "active": tr("active"),
        "disabled": tr("disabled"),
        "archived": tr("archived"),
        "graduated": tr("trained into the model"),
    }
    said = words.get(str(skill["status"]), str(skill["status"]))
    said = tr("%1, pinned", said) if skill.get("pinned") else said
    return tr("%1, edited", said) if skill.get("edited") else said


def _head_help(column: int) -> str:
    """Explain a column of the table of skills."""
    return (
        tr("What the skill asks for; point at a row to read the whole of it."),
        tr("Only active skills are used. Pinned ones are in every conversation."),
        tr("In how many conversations the skill was."),
        tr("How many more answers in 100 are good with the skill than without it."),
    )[column]


def effect_words(skill: Json) -> str:
    """Say how many more answers in a hundred are good with a skill, and how sure that is; "–" if
    unmeasured.
    """
    effect = skill.get("effect")
    if not effect:
        return "–"
    words = tr("%1 more good answers in 100", _in_hundred(effect["value"]))
    if effect["value"] < 0:
        words = tr("%1 fewer good answers in 100", _in_hundred(-effect["value"]))
    low, high = _signed_in_hundred(effect["low"]), _signed_in_hundred(effect["high"])
    sure = tr("with 95% certainty between %1 and %2", low, high)
    n = counted(int(effect["n"]), "measured in %1 conversation", "measured in %1 conversations")
    return f"{words} ({sure}; {n})"


def _in_hundred(share: float) -> str:
    return count(round(100 * share))


def _signed_in_hundred(share: float) -> str:
    return f"{'−' if share < 0 else '+'}{_in_hundred(abs(share))}"


def measured_words(skill: Json) -> str:
    """Describe how a skill's effect on answers is measured, the result so far, and which share of
    conversations is answered without the skill for comparison.
    """
    measured = skill.get("measured") or {}
    pairs, better, worse = (int(measured.get(name, 0)) for name in ("pairs", "better", "worse"))
    shown = tr("Comparisons so far: %1 (better with it: %2, worse: %3).", pairs, better, worse)
    match measured.get("by"):
        case "replay":
            how = tr(
                "Measured by answering past requests without it while you are away;"
                " no conversation goes without it."
            )
        case "coin":
            how = tr(
                "%1% of new conversations, chosen at random, go without it, because Lull can't go "
                "on measuring it by repeating past requests. After its approval, the first %2 "
                "conversations of each chat app always get it. Setting: “%3”.",
                f"{measured['share'] * 100:.2g}",
                measured["first_uses"],
                title_of("guard.leave_out_share"),
            )
        case _:
            return ""
    return f"{how} {shown}" if pairs else how


def _cell(skill: Json, column: int) -> str:
    match column:
        case 0:
            name = skill_title(skill["name"])
            return f"{name}  ({client_title(skill['client'])})" if skill.get("client") else name
        case 1:
            return status_words(skill)
        case 2:
            return count(int(skill.get("uses", 0)))
    effect = skill.get("effect")
    return _signed_in_hundred(effect["value"]) if effect else "–"  # the rest is told beside it


def _sort_key(skill: Json, column: int) -> Any:
    match column:
        case 0:
            return skill_title(skill["name"]).lower()
        case 1:
            return (0 if skill.get("pinned") else 1) + (skill["status"] != "active") * 2
        case 2:
            return int(skill.get("uses", 0))
    return float((skill.get("effect") or {}).get("value", -9.0))
