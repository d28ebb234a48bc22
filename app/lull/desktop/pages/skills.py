"""Skills: what is in force, what it does, how it came to be; and every change of it, undoable."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QFileDialog,
    QHeaderView,
    QTableView,
)

from lull.contract import routes
from lull.desktop.client import Answer
from lull.desktop.page import Empty, Kit, Page
from lull.desktop.pages.columns import search_field, two_columns
from lull.desktop.pages.generations_dialog import GenerationsDialog
from lull.desktop.pages.review_dialogs import EditDialog
from lull.desktop.pages.skill_rows import SkillFilter, SkillRows, key_of
from lull.desktop.pages.skill_view import SkillView
from lull.desktop.parts import button, label, row
from lull.desktop.state import Subject
from lull.desktop.words import counted, plain, tr

Json = dict[str, Any]

_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class Skills(Page):
    subjects = (Subject.SKILLS, Subject.GENERATIONS)

    def __init__(self, kit: Kit) -> None:
        super().__init__(kit, tr("Skills"))
        self.rows, self.filter = SkillRows(), SkillFilter()
        self.filter.setSourceModel(self.rows)
        self._shown_value: Json = {}
        self._current: tuple[str, str] | None = None
        self.count = label("", "muted")
        self.head.addWidget(self.count)
        self.head.addWidget(button(tr("New…"), self._new))
        self.head.addWidget(button(tr("Import…"), self._import))
        self.head.addWidget(button(tr("Export…"), self._export))
        self.history = button(tr("History…"), self._history)
        self.history.setToolTip(tr("Every change of the skills, and the way back to each."))
        self.back = button(tr("Roll back"), self._roll_back)
        self.back.setToolTip(tr("To the generation before: the last change is taken back."))
        self.head.addWidget(self.history)
        self.head.addWidget(self.back)
        self.search = search_field(
            tr("Search skills"), self._look_for, hint=tr("Search names and texts")
        )
        self.archived = QCheckBox(tr("Archived too"))
        self.archived.setAccessibleName(tr("Show archived skills too"))
        self.archived.toggled.connect(self._look_for)
        self.table = self._table()
        self.view = SkillView(kit)
        self._buttons()
        self._lay_out()

    def _table(self) -> QTableView:
        made = QTableView()
        made.setModel(self.filter)
        made.setAccessibleName(tr("Skills"))
        made.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        made.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        made.setSortingEnabled(True)
        made.sortByColumn(0, Qt.SortOrder.AscendingOrder)
        made.setShowGrid(False)
        made.setTabKeyNavigation(False)
        made.setWordWrap(False)
        made.verticalHeader().hide()
        # One height for all: ten thousand rows are not measured one by one.
        made.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        made.verticalHeader().setDefaultSectionSize(30)
        made.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        for column, width in ((1, 130), (2, 58), (3, 128)):
            made.setColumnWidth(column, width)
        made.horizontalHeader().setHighlightSections(False)
        made.horizontalHeader().setDefaultAlignment(_LEFT)
        made.selectionModel().currentRowChanged.connect(self._moved)
        return made

    def _buttons(self) -> None:
        self.pin = button(tr("Pin"), lambda: self._switch("pin", "unpin", "pinned"))
        self.disable = button(tr("Disable"), self._disable)
        self.edit = button(tr("Edit…"), self._edit)
        self.delete = button(tr("Archive"), self._delete)

    def _lay_out(self) -> None:
        two_columns(
            self.body,
            (row(self.search, self.archived), self.table),
            (self.view, row(self.pin, self.disable, self.edit, None, self.delete)),
            sizes=(560, 360),
        )

    def focus_search(self) -> None:
        self.search.setFocus()
        self.search.selectAll()

    # Showing

    def empty(self) -> Empty | None:
        if self.state.value(Subject.SKILLS).get("skills"):
            return None
        offers = [(tr("Import the starter set"), self._starter)]
        if self.kit.place.starter_skills is None:
            offers = []
        text = tr(
            "Skills are short rules that are put into the prompt where they fit. Lull proposes "
            "them from what you correct; you can also write one or take a starter set."
        )
        return Empty(
            head=tr("No skills yet"), text=text, offers=(*offers, (tr("Write one…"), self._new))
        )

    def show_content(self) -> None:
        value = self.state.value(Subject.SKILLS)
        if value is not self._shown_value:
            self._shown_value = value
            current = self._current
            self.rows.put(value.get("skills", ()))
            self._select(current)
        active = sum(skill["status"] == "active" for skill in self.rows.rows)
        generation = tr("generation %1", value.get("generation", 0))
        self.count.setText(f"{counted(active, '%1 active', '%1 active')}, {generation}")
        self.back.setEnabled(bool(value.get("generation")))
        self._show_current()

    def _select(self, current: tuple[str, str] | None) -> None:
        line = self.rows.line_of(current) if current else -1
        index = self.filter.mapFromSource(self.rows.index(line, 0)) if line >= 0 else QModelIndex()
        if not index.isValid() and self.filter.rowCount():
            index = self.filter.index(0, 0)
        self.table.setCurrentIndex(index)

    def _look_for(self) -> None:
        current = self._current
        self.filter.look_for(self.search.text(), archived=self.archived.isChecked())
        self._select(current)
        self._show_current()

    def _moved(self, current: QModelIndex, _: QModelIndex) -> None:
        if current.isValid():
            self._current = key_of(self.rows.rows[self.filter.mapToSource(current).row()])
            self._show_current()

    def current(self) -> Json | None:
        index = self.table.currentIndex()
        if not index.isValid():
            return None
        return self.rows.rows[self.filter.mapToSource(index).row()]

    def _show_current(self) -> None:
        skill = self.current()
        self.view.setVisible(skill is not None)
        for one in (self.pin, self.disable, self.edit, self.delete):
            one.setEnabled(skill is not None)
        if skill is None:
            return
        self.view.show_skill(skill)
        self.pin.setText(tr("Unpin") if skill["pinned"] else tr("Pin"))
        off = skill["status"] != "active"
        self.disable.setText(tr("Enable") if off else tr("Disable"))
        self.disable.setEnabled(skill["status"] in ("active", "disabled"))
        self.delete.setEnabled(skill["status"] != "archived")

    # Changing

    def _change(self, wanted: Json, words: str, *, undo: bool = True) -> None:
        self.state.act(
            routes.SKILLS_CHANGE,
            wanted,
            words=words,
            done=words,
            undo=self._roll_back if undo else None,
            then=self._changed,
        )

    def _changed(self, _: bool) -> None:
        self.view.forget()
        self.state.touch(Subject.SKILLS, Subject.GENERATIONS, Subject.STATUS)

    def _of_current(self, action: str, words: str, **more: object) -> None:
        skill = self.current()
        if skill is not None:
            client, name = key_of(skill)
            wanted = {"do": action, "name": name, "client": client, **more}
            self._change(wanted, f"{words}: {plain(name)}")

    def _switch(self, on: str, off: str, key: str) -> None:
        skill = self.current()
        if skill is not None:
            words = {"pin": tr("Pinned"), "unpin": tr("Not pinned any more")}
            action = off if skill[key] else on
            self._of_current(action, words[action])

    def _disable(self) -> None:
        skill = self.current()
        if skill is not None and skill["status"] == "active":
            self._of_current("disable", tr("Disabled"))
        else:
            self._of_current("enable", tr("Enabled"))

    def _delete(self) -> None:
        self._of_current("delete", tr("Archived"))

    def _roll_back(self) -> None:
        self._change({"do": "rollback"}, tr("Rolled back"), undo=False)

    def _history(self) -> None:
        history = self.state.value(Subject.GENERATIONS).get("history", ())
        dialog = GenerationsDialog(history, self)
        dialog.wanted.connect(self._roll_back_to)
        dialog.open()

    def _roll_back_to(self, generation: int) -> None:
        words = tr("Rolled back to generation %1", generation)
        self._change({"do": "rollback", "generation": generation}, words)

    def _edit(self) -> None:
        skill = self.current()
        if skill is not None:
            note = tr("A new version, in force from the next conversation. Undo takes it back.")
            dialog = EditDialog(skill, self, note=note)
            dialog.given.connect(lambda wanted: self._of_current("edit", tr("Changed"), **wanted))
            dialog.open()

    def _new(self) -> None:
        from lull.desktop.pages.new_skill import NewSkillDialog

        dialog = NewSkillDialog(self)
        dialog.given.connect(
            lambda wanted: self._change(
                {"do": "add", **wanted}, tr("Added: %1", plain(wanted["name"]))
            )
        )
        dialog.open()

    # Folders

    def _starter(self) -> None:
        if self.kit.place.starter_skills is not None:
            self.bring_in(self.kit.place.starter_skills)

    def _import(self) -> None:
        self._folder(tr("Import skills from a folder"), self.bring_in)

    def _export(self) -> None:
        self._folder(tr("Export skills to a folder"), self.take_out)

    def _folder(self, title: str, do: Any) -> None:
        dialog = QFileDialog(self, title)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.fileSelected.connect(lambda chosen: do(Path(chosen)))
        dialog.open()

    def bring_in(self, folder: Path) -> None:
        self._change({"do": "import", "folder": str(folder)}, tr("Imported from %1", folder.name))

    def take_out(self, folder: Path) -> None:
        def tell(answer: Answer) -> None:
            from lull.desktop.state import Told

            count = len(answer.value.get("folders", ()))
            text = counted(count, "%1 skill exported.", "%1 skills exported.")
            self.state.told.emit(Told(text=text))

        self.state.act(
            routes.SKILLS_CHANGE,
            {"do": "export", "folder": str(folder)},
            words=tr("Exporting"),
            answered=tell,
        )
