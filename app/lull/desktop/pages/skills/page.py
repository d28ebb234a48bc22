"""The Skills page: lists all skills (instruction texts) with their measured effect and history, and
actions to change them, each of which can be undone.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QFileDialog,
    QHeaderView,
    QMenu,
    QPushButton,
)

from lull.contract import routes
from lull.contract.json_object import Json
from lull.desktop.language.words import count, counted, skill_title, tr, without_args
from lull.desktop.pages.skills.generations_dialog import GenerationsDialog
from lull.desktop.pages.skills.skill_rows import USES, SkillFilter, SkillRows, key_of
from lull.desktop.pages.skills.skill_view import SkillView
from lull.desktop.service.client import Reply
from lull.desktop.service.state import OutcomeMessage, Subject
from lull.desktop.shared.edit_dialog import EditDialog
from lull.desktop.shared.teaching import show_flags
from lull.desktop.shared.try_dialog import TryDialog, skill_to_try
from lull.desktop.widgets.columns import search_field, two_columns
from lull.desktop.widgets.page import Empty, Kit, Page
from lull.desktop.widgets.parts import button, label, row
from lull.desktop.widgets.tables import RowTable

_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class SkillsPage(Page):
    """The Skills page: a table of all skills (instruction texts), and beside it the details of the
    selected one.
    """

    subjects = (Subject.SKILLS, Subject.GENERATIONS)

    def __init__(self, kit: Kit) -> None:
        super().__init__(kit, tr("Skills"))
        self.rows, self.filter = SkillRows(), SkillFilter()
        self.filter.setSourceModel(self.rows)
        self._shown_value: Json = {}
        self._current: tuple[str, str] | None = None
        self._clients: tuple[str, ...] = ()
        """The chat apps to one of which the user may limit a new skill."""
        self.count = label("", "muted")
        self.head.addWidget(self.count)
        self.head.addWidget(button(tr("New…"), self._new))
        self.head.addWidget(self._import_button())
        self.head.addWidget(button(tr("Export…"), self._export))
        self.history = button(tr("History…"), self._history)
        self.history.setToolTip(tr("Every change to your skills. You can go back to any of them."))
        self.head.addWidget(self.history)
        self.search = search_field(
            tr("Search skills"), self._look_for, hint=tr("Search names and texts")
        )
        self.archived = QCheckBox(tr("Show archived"))
        self.archived.setAccessibleName(tr("Show archived skills too"))
        self.archived.toggled.connect(self._look_for)
        self.table = self._table()
        self.view = SkillView(kit)
        self._buttons()
        self._lay_out()

    def _import_button(self) -> QPushButton:
        made = button(tr("Import"), lambda: None)
        menu = QMenu(made)
        menu.addAction(tr("From a folder…")).triggered.connect(without_args(self._import))
        self.starter = menu.addAction(tr("Starter skills"))
        self.starter.triggered.connect(without_args(self._starter))
        self.starter.setVisible(self.kit.place.starter_skills is not None)
        made.setMenu(menu)
        return made

    def _table(self) -> RowTable:
        made = RowTable()
        made.setModel(self.filter)
        made.spare = USES
        made.setAccessibleName(tr("Skills"))
        made.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        made.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        made.setSortingEnabled(True)
        made.sortByColumn(0, Qt.SortOrder.AscendingOrder)
        made.setShowGrid(False)
        made.setTabKeyNavigation(False)
        made.setWordWrap(False)
        made.verticalHeader().hide()
        made.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        for column in (1, 2, 3):  # measured by the rows that are seen
            mode = QHeaderView.ResizeMode.ResizeToContents
            made.horizontalHeader().setSectionResizeMode(column, mode)
        made.horizontalHeader().setHighlightSections(False)
        made.horizontalHeader().setDefaultAlignment(_LEFT)
        made.selectionModel().currentRowChanged.connect(self._moved)
        return made

    def _buttons(self) -> None:
        self.pin = button(tr("Pin"), lambda: self._switch("pin", "unpin", "pinned"))
        self.pin.setToolTip(tr("A pinned skill is in every conversation, whatever it is about."))
        self.disable = button(tr("Disable"), self._disable)
        self.edit = button(tr("Edit…"), self._edit)
        self.try_it = button(tr("Try it…"), self._try, name=tr("Try it"))
        self.delete = button(tr("Archive"), self._delete)
        self.delete.setToolTip(tr("Takes it out of use and of this list; its history is kept."))

    def _lay_out(self) -> None:
        two_columns(
            self.body,
            (row(self.search, self.archived), self.table),
            (self.view, row(self.pin, self.disable, self.edit, self.try_it, None, self.delete)),
            sizes=(600, 340),
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
            "Skills are short rules that are put into the prompt where they fit. Lull "
            "suggests them based on your corrections; you can also write one or take a "
            "starter set."
        )
        return Empty(
            head=tr("No skills yet"), text=text, offers=(*offers, (tr("Write one…"), self._new))
        )

    def show_head(self) -> None:
        value = self.state.value(Subject.SKILLS)
        active = sum(skill["status"] == "active" for skill in value.get("skills", ()))
        version = tr("version %1 of your library", value.get("generation", 0))
        self.count.setText(tr("%1 active", count(active)))
        self.count.setToolTip(version)

    def show_content(self) -> None:
        value = self.state.value(Subject.SKILLS)
        if value is not self._shown_value:
            self._shown_value = value
            current = self._current
            self.rows.put(value.get("skills", ()))
            self._select(current)
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
        """Return the selected skill; None if none is selected."""
        index = self.table.currentIndex()
        if not index.isValid():
            return None
        return self.rows.rows[self.filter.mapToSource(index).row()]

    def _show_current(self) -> None:
        skill = self.current()
        self.view.setVisible(skill is not None)
        for one in (self.pin, self.disable, self.edit, self.try_it, self.delete):
            one.setEnabled(skill is not None)
        if skill is None:
            return
        self.view.show_skill(skill)
        self.pin.setText(tr("Unpin") if skill["pinned"] else tr("Pin"))
        off = skill["status"] != "active"
        self.disable.setText(tr("Enable") if off else tr("Disable"))
        self.disable.setEnabled(skill["status"] in ("active", "disabled"))
        self.delete.setEnabled(skill["status"] != "archived")
        self.try_it.setEnabled(not off)

    # Changes

    def _change(self, wanted: Json, words: str, *, undo: bool = True) -> None:
        made: list[int] = []
        """The generation that the change has made, once it is known."""

        def answered(answer: Reply) -> None:
            made.append(int(answer.value["generation"]))
            show_flags(self.state, answer)

        self.state.act(
            routes.SKILLS_CHANGE,
            wanted,
            words=words,
            done=words,
            undo=(lambda: self._undo_change(words, made)) if undo else None,
            then=self._changed,
            answered=answered,
        )

    def _undo_change(self, words: str, made: Sequence[int]) -> None:
        """Undo a change of skills, unless something else has been changed since."""
        newest = int(self.state.value(Subject.SKILLS).get("generation") or 0)
        if made and newest > made[0]:
            text = tr(
                "Something else has changed since. Under “History” you can go back to any version."
            )
            self.state.told.emit(OutcomeMessage(text=text, good=False))
            return
        self._change({"do": "rollback"}, tr("Undone: %1.", words), undo=False)

    def _changed(self, _: bool) -> None:
        self.view.drop_history()
        self.state.touch(Subject.SKILLS, Subject.GENERATIONS, Subject.PROPOSALS, Subject.STATUS)

    def _of_current(self, action: str, words: str, **more: object) -> None:
        skill = self.current()
        if skill is not None:
            client, name = key_of(skill)
            wanted = {"do": action, "name": name, "client": client, **more}
            self._change(wanted, f"{words}: {skill_title(name)}")

    def _switch(self, on: str, off: str, key: str) -> None:
        skill = self.current()
        if skill is not None:
            words = {"pin": tr("Pinned"), "unpin": tr("Unpinned")}
            action = off if skill[key] else on
            self._of_current(action, words[action])

    def _disable(self) -> None:
        skill = self.current()
        if skill is not None and skill["status"] == "active":
            self._of_current("disable", tr("Disabled"))
        else:
            self._of_current("enable", tr("Enabled"))

    def _try(self) -> None:
        skill = self.current()
        if skill is not None:
            TryDialog(self.kit, skill_to_try(skill), self).open()

    def _delete(self) -> None:
        self._of_current("delete", tr("Archived"))

    def _history(self) -> None:
        history = self.state.value(Subject.GENERATIONS).get("history", ())
        dialog = GenerationsDialog(history, self)
        dialog.wanted.connect(self._roll_back_to)
        dialog.open()

    def _roll_back_to(self, generation: int) -> None:
        words = tr("All skills are as in version %1 of your library", generation)
        self._change({"do": "rollback", "generation": generation}, words)

    def _edit(self) -> None:
        skill = self.current()
        if skill is not None:
            note = tr("A new version, used from your next message on. Undo reverts it.")
            dialog = EditDialog(skill, self, note=note)
            dialog.given.connect(lambda wanted: self._of_current("edit", tr("Changed"), **wanted))
            dialog.open()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        self.state.get(routes.CONVERSATION_KINDS, self._take_kinds)

    def _take_kinds(self, answer: Reply) -> None:
        if answer.ok:
            self._clients = tuple(answer.value.get("clients") or ())

    def _new(self) -> None:
        from lull.desktop.shared.new_skill import NewSkillDialog

        dialog = NewSkillDialog(self)
        dialog.given.connect(
            lambda wanted: self._change(
                {"do": "add", **wanted}, tr("Added: %1.", skill_title(wanted["name"]))
            )
        )
        dialog.offer_clients(self._clients)
        dialog.open()

    # Folders

    def _starter(self) -> None:
        if self.kit.place.starter_skills is not None:
            self.import_folder(self.kit.place.starter_skills)

    def _import(self) -> None:
        self._folder(tr("Import skills from a folder"), self.import_folder)

    def _export(self) -> None:
        self._folder(tr("Export skills to a folder"), self.take_out)

    def _folder(self, title: str, do: Any) -> None:
        dialog = QFileDialog(self, title)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.fileSelected.connect(lambda chosen: do(Path(chosen)))
        dialog.open()

    def import_folder(self, folder: Path) -> None:
        """Import the skills in a folder.

        Lull's own starter skills are active at once; other skills wait on the Review page for the
        user's approval.
        """

        def tell(answer: Reply) -> None:
            waiting, done = answer.value.get("proposals", ()), answer.value.get("skills", ())
            text = tr("Imported from %1", folder.name) if done else tr("Nothing new there.")
            if waiting:
                text = counted(
                    len(waiting), "%1 suggestion is in Review.", "%1 suggestions are in Review."
                )
            made = [int(answer.value["generation"])]
            undo = functools.partial(self._undo_change, text, made) if done else None
            self.state.told.emit(OutcomeMessage(text=text, undo=undo))

        self.state.act(
            routes.SKILLS_CHANGE,
            {"do": "import", "folder": str(folder)},
            words=tr("Importing"),
            then=self._changed,
            answered=tell,
        )

    def take_out(self, folder: Path) -> None:
        """Export all skills to a folder."""

        def tell(answer: Reply) -> None:
            count = len(answer.value.get("folders", ()))
            text = counted(count, "%1 skill exported.", "%1 skills exported.")
            self.state.told.emit(OutcomeMessage(text=text))

        self.state.act(
            routes.SKILLS_CHANGE,
            {"do": "export", "folder": str(folder)},
            words=tr("Exporting"),
            answered=tell,
        )
