"""The Review page: a list of proposed skills, and the selected one with the changes it makes and
the reasons for them.

Keys act on all selected proposals. Each decision sends the hash of the text shown here. A single
key press approves only a skill whose benefit was shown by tests; any other, and several at once,
need a confirmation.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from itertools import pairwise
from typing import Final

from PySide6.QtCore import QItemSelection, QItemSelectionModel, QModelIndex, Qt, QTimer
from PySide6.QtWidgets import QAbstractItemView, QListView, QMenu, QPushButton, QWidget

from lull.contract import routes
from lull.contract.json_object import Json
from lull.core.proof.proposal import DECIDABLE
from lull.core.proof.review_state import ReviewState
from lull.desktop.language.words import counted, hover, now, skill_title, tr, without_args
from lull.desktop.pages.review.approval_words import (
    approvable_together,
    approve_words,
    is_quarantined,
    needs_confirmation,
    standing,
    waits_for_picks,
)
from lull.desktop.pages.review.approve_dialog import ApproveDialog
from lull.desktop.pages.review.compare_dialog import CompareDialog
from lull.desktop.pages.review.decisions import Decisions, snooze_times, undo_words
from lull.desktop.pages.review.proposal_rows import ProposalRows, ordered
from lull.desktop.pages.review.proposal_view import ProposalView
from lull.desktop.pages.review.reject_dialog import RejectDialog
from lull.desktop.pages.review.scope_change import ScopeChange
from lull.desktop.service.state import AppState, OutcomeMessage, Subject
from lull.desktop.shared.edit_dialog import EditDialog
from lull.desktop.shared.testing.running_tests import show_stop, start_test, stop_test
from lull.desktop.shared.try_dialog import TryDialog, proposal_to_try
from lull.desktop.widgets.columns import two_columns
from lull.desktop.widgets.page import Empty, Kit, Page, PageName
from lull.desktop.widgets.parts import add_shortcut, button, label, restyle, row

AGES_MS: Final = 30_000
"""How often the page says anew how long ago each proposal was made."""


class ReviewPage(Page):
    """The Review page: lists the proposed skills that wait for the user's decision and sends the
    decisions to Lull's service.
    """

    subjects = (Subject.PROPOSALS, Subject.STATUS)

    def __init__(self, kit: Kit) -> None:
        super().__init__(kit, tr("Review"))
        self.rows = ProposalRows()
        self._current = ""
        self.decisions = Decisions(kit.state)
        self.decisions.changed.connect(self._show_buttons)
        self._shows_snoozed = False
        self.count = label("", "muted")
        self.snoozed = button(tr("Snoozed"), self._show_snoozed, flat=True)
        self.snoozed.setCheckable(True)
        self.undo = button(tr("Undo"), self._undo, flat=True)
        self.list = self._list()
        self.view = ProposalView(kit)
        self.beside = ScopeChange(kit.state, self.view.beside, self)
        self.ages = QTimer(self, interval=AGES_MS)
        self.ages.timeout.connect(self._show_ages)
        self.ages.start()
        self._buttons()
        self._lay_out()
        self._letters()

    def _list(self) -> QListView:
        made = QListView()
        made.setModel(self.rows)
        made.setAccessibleName(tr("Suggestions"))
        made.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        made.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        made.setTabKeyNavigation(False)
        made.setWordWrap(True)
        made.setResizeMode(QListView.ResizeMode.Adjust)
        made.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # Letter keys are shortcuts here, so turn off Qt's search by typing.
        made.keyboardSearch = lambda _: None  # type: ignore[method-assign]
        made.selectionModel().selectionChanged.connect(self._selected)
        made.selectionModel().currentChanged.connect(self._moved)
        return made

    def _buttons(self) -> None:
        self.approve = button(tr("Approve  A"), self._approve_button, main=True, name=tr("Approve"))
        self.reject = button(tr("Reject…  R"), self._reject, name=tr("Reject with a reason"))
        self.edit = button(tr("Edit…  E"), self._edit, name=tr("Edit"))
        self.defer = button(tr("Snooze  D"), lambda: None, name=tr("Snooze"))
        self._times = QMenu(self.defer)
        self._times.aboutToShow.connect(self._fill_times)
        self.defer.setMenu(self._times)
        self.judge = button(tr("Choose a judge model…"), self._choose_judge, flat=True)
        self.judge.setToolTip(
            tr("A judge model is a model of yours that says which answers are good.")
        )
        self.compare = button(
            tr("Compare answers  C"), self._compare, main=True, name=tr("Compare answers")
        )
        self.prove = button(tr("Test now"), self._prove)
        self.stop = button(tr("Stop testing"), self._stop)
        self.try_it = button(tr("Try it…  T"), self._try, name=tr("Try it"))

    def _lay_out(self) -> None:
        two_columns(self.body, (self.list,), (self.view,), sizes=(280, 670))
        first = (self.approve, self.reject, self.edit, self.defer, self.try_it)
        # Not beside the details, which scroll: what one decides with is always seen.
        self.foot_box.addLayout(row(*first, None, self.compare, self.judge, self.prove, self.stop))
        # Far from the buttons with which one decides: none of them moves when Undo comes or goes.
        # Yet last in the order of Tab, so that no key meant for the list lands on it.
        for one in (self.count, self.snoozed, self.undo):
            self.head.addWidget(one)
        for before, after in pairwise((self.stop, self.snoozed, self.undo)):
            QWidget.setTabOrder(before, after)

    def _letters(self) -> None:
        for keys, do in (
            ("A", self._approve_letter),
            ("R", self._reject),
            ("E", self._edit),
            ("D", self._defer),
            ("C", self._compare),
            ("T", self._try),
            ("J", lambda: self._step(+1)),
            ("K", lambda: self._step(-1)),
        ):
            add_shortcut(self, keys, functools.partial(self._if_shown, do))
        add_shortcut(self, "Ctrl+Z", self._undo)

    def _if_shown(self, do: Callable[[], object]) -> None:
        """Do what a key stands for, unless the page shows that it has no proposals."""
        if self.showing_body:
            do()

    # Showing

    def empty(self) -> Empty | None:
        if self._listed():
            return None
        text = tr(
            "Lull suggests a skill as soon as you correct an answer in words (“no, use dashes”), "
            "and when a few answers of one kind were bad. Suggestions are tested first: while "
            "you're away, or when you press “Test now”."
        )
        last = (self.state.value(Subject.PROPOSALS).get("undo") or {}).get("what")
        again = tr("Ask again in Chat") if last == "approved" else tr("Chat here")
        chat = (again, lambda: self.kit.go(PageName.CHAT))
        skills = (tr("View active skills"), lambda: self.kit.go(PageName.SKILLS))
        used = (self.state.status.get("skills") or {}).get("active")
        ways = (chat, skills) if used else (chat,)  # else there is nothing to view
        return Empty(head=tr("Nothing to review"), text=text, offers=ways)

    def show_head(self) -> None:
        if self.rows.rows and not self._listed():
            self._replace(())
        value = self.state.value(Subject.PROPOSALS)
        waiting, asleep = self.state.proposals, value.get("snoozed") or ()
        self.count.setText(counted(len(waiting), "%1 suggestion", "%1 suggestions"))
        self._shows_snoozed = self._shows_snoozed and bool(asleep)
        self.snoozed.setChecked(self._shows_snoozed)
        self.snoozed.setVisible(bool(asleep))
        self.snoozed.setText(counted(len(asleep), "%1 snoozed", "%1 snoozed"))
        last = value.get("undo") or {}
        self.undo.setEnabled(bool(last))
        self.undo.setVisible(bool(last))
        self.undo.setText(undo_words(last, len(self.decisions.together_with(last))))
        self.undo.setAccessibleName(self.undo.text())
        self.undo.setToolTip(hover(skill_title(last.get("name") or "")))

    def show_content(self) -> None:
        listed = self._listed()
        if listed != self.rows.rows:
            self._replace(listed)
        self._show_current()

    def _listed(self) -> list[Json]:
        """Return the proposals for the list: the open ones, or else those that the user has
        postponed.
        """
        asleep = self.state.value(Subject.PROPOSALS).get("snoozed") or ()
        return ordered(asleep if self._shows_snoozed and asleep else self.state.proposals)

    def _show_snoozed(self) -> None:
        self._shows_snoozed = not self._shows_snoozed
        self.refresh()

    def _replace(self, proposals: Sequence[Json]) -> None:
        """Show these proposals in the list and keep the selection; if the selected one is gone,
        select the next.
        """
        chosen = {proposal["id"] for proposal in self.selected()}
        line = max(0, self.rows.line_of(self._current))
        self.rows.put(proposals)
        again = self.rows.line_of(self._current)
        self._go_to(again if again >= 0 else min(line, len(self.rows.rows) - 1))
        left = [at for name in chosen if (at := self.rows.line_of(name)) >= 0]
        if left:  # nothing joins a selection that the user made
            self.list.selectionModel().clearSelection()
        for at in left:
            flag = QItemSelectionModel.SelectionFlag.Select
            self.list.selectionModel().select(self.rows.index(at), flag)

    def _go_to(self, line: int) -> None:
        self.list.setCurrentIndex(self.rows.index(line))
        self._current = self.rows.rows[line]["id"] if 0 <= line < len(self.rows.rows) else ""

    def look_up(self, words: str) -> None:
        """Show the suggestion with this id."""
        self._shows_snoozed = False
        self._replace(self._listed())
        if (line := self.rows.line_of(words)) >= 0:
            self._go_to(line)
        self._show_current()

    def _step(self, by: int) -> None:
        if self.rows.rows:
            line = max(0, self.rows.line_of(self._current)) + by
            self._go_to(max(0, min(line, len(self.rows.rows) - 1)))
            self._show_current()

    def _moved(self, current: QModelIndex, _: QModelIndex) -> None:
        if current.isValid():
            self._current = self.rows.rows[current.row()]["id"]
            self._show_current()

    def _selected(self, _: QItemSelection, __: QItemSelection) -> None:
        self._show_buttons()

    def _show_current(self) -> None:
        proposal = self.current()
        if proposal is not None:
            self.view.show_proposal(proposal)
        self._show_buttons()

    def current(self) -> Json | None:
        """Return the selected proposed skill; None if none is selected."""
        line = self.rows.line_of(self._current)
        return self.rows.rows[line] if line >= 0 else None

    def selected(self) -> list[Json]:
        """Return the proposed skills that a decision of the user applies to, from the top of the
        list.

        If several are selected, these are the selected ones; otherwise it is the one whose details
        are shown.
        """
        found = self._highlighted()
        current = self.current()
        return found if len(found) > 1 else [current] if current else []

    def _highlighted(self) -> list[Json]:
        lines = sorted(index.row() for index in self.list.selectionModel().selectedIndexes())
        return [self.rows.rows[n] for n in lines if n < len(self.rows.rows)]

    def _show_buttons(self) -> None:
        chosen = [p for p in self.selected() if p["id"] not in self.decisions.under_way]
        together = approvable_together(chosen)
        one = len(chosen) == 1
        unproved = any(needs_confirmation(p) for p in chosen)
        picks = one and waits_for_picks(chosen[0])
        self.approve.setProperty("main", bool(chosen) and not unproved)
        self.compare.setProperty("main", picks)
        runs = show_stop(self.stop, chosen[0] if one else None)
        untested = one and chosen[0]["status"] in ("screened", "proving") and not runs
        self.prove.setProperty("main", untested and not picks)
        self.prove.setEnabled(untested)
        for made in (self.approve, self.compare, self.prove):
            restyle(made)
        self._keep_focus()
        words = approve_words(chosen[0]) if chosen else tr("Approve  A")
        if len(chosen) > 1:
            words = tr("Approve %1…  A", len(together))
        self.approve.setText(words)
        self.approve.setAccessibleName(words)
        self.approve.setEnabled(bool(together) and all(_decidable(p) for p in chosen))
        self.reject.setEnabled(bool(chosen))
        asleep = any(p.get("until") for p in chosen)
        self.defer.setEnabled(bool(chosen) and not asleep and all(_decidable(p) for p in chosen))
        self.edit.setEnabled(one and chosen[0]["kind"] != "retire")
        self.compare.setVisible(picks)
        self.try_it.setEnabled(one and _decidable(chosen[0]) and not is_quarantined(chosen[0]))
        untestable = one and standing(chosen[0]) is ReviewState.UNTESTABLE
        self.judge.setVisible(untestable and chosen[0].get("origin") != "file")
        self.prove.setVisible(untested)

    def _keep_focus(self) -> None:
        """Give the list the focus that a button has: once it is disabled or hidden, Qt would give
        it to some other control, on which the next key would act.
        """
        deciding = (self.approve, self.reject, self.edit, self.defer, self.compare)
        testing = (self.prove, self.stop)
        if any(one.hasFocus() for one in (*deciding, *testing)) and self.decisions.under_way:
            self.list.setFocus()

    # Decisions

    def _approve_letter(self) -> None:
        chosen = self.selected()
        if chosen and all(is_quarantined(p) for p in chosen):
            text = tr("It is quarantined: read its warnings, then use the button.")
            if len(chosen) > 1:
                text = tr("They are quarantined: read and approve each by itself.")
            self.state.told.emit(OutcomeMessage(text=text, good=False))
            return
        self._approve_button()

    def _approve_button(self) -> None:
        chosen = self.selected()
        self._approve(chosen, at_once=self._highlighted() == chosen)

    def _approve(self, chosen: Sequence[Json], *, at_once: bool = True) -> None:
        """Approve a single skill at once if tests showed its benefit; ask for confirmation in all
        other cases.
        """
        together = approvable_together(chosen)
        if not self.approve.isEnabled() or not together:
            return
        if at_once and len(chosen) == 1 and not needs_confirmation(chosen[0]):
            self.decisions.send("approve", chosen, {})
            return
        dialog = ApproveDialog(together, self, left_out=len(chosen) - len(together))
        dialog.given.connect(lambda: self.decisions.send("approve", together, {}))
        dialog.open()

    def _reject(self) -> None:
        chosen = self.selected()
        if chosen and self.reject.isEnabled():
            dialog = RejectDialog([p["name"] for p in chosen], self)
            dialog.given.connect(
                lambda reason: self.decisions.send("reject", chosen, {"reason": reason})
            )
            dialog.open()

    def _defer(self) -> None:
        """Postpone the selected proposals until tomorrow morning; the page's button offers other
        times too.
        """
        self._snooze(snooze_times(now())[1][1])

    def _fill_times(self) -> None:
        self._times.clear()
        for words, until in snooze_times(now()):
            do = functools.partial(self._snooze, until)
            self._times.addAction(words).triggered.connect(without_args(do))

    def _snooze(self, until: datetime) -> None:
        if self.defer.isEnabled():
            self.decisions.send("defer", self.selected(), {"until": until.isoformat()})

    def _choose_judge(self) -> None:
        self.kit.go(PageName.SETTINGS, "judge")

    def _edit(self) -> None:
        chosen = self.selected()
        if len(chosen) == 1 and self.edit.isEnabled():
            dialog = EditDialog(chosen[0], self)
            dialog.given.connect(lambda wanted: self._edited(chosen[0], wanted))
            dialog.open()

    def _edited(self, proposal: Json, wanted: Mapping[str, object]) -> None:
        self.state.act(
            routes.PROPOSAL_DO.format(id=proposal["id"], action="edit"),
            {"sha256": proposal["sha256"], **wanted},
            words=tr("Editing %1", skill_title(proposal["name"])),
            done=tr("Saved. It will be tested again before you approve."),
            then=lambda _: self.state.touch(Subject.PROPOSALS),
        )

    def _compare(self) -> None:
        current = self.current()
        if current is not None and self.compare.isVisible():
            dialog = CompareDialog(self.kit, current, self)
            dialog.finished.connect(lambda _: self.state.touch(Subject.PROPOSALS, Subject.STATUS))
            # Its text is the one above which the user compared, and proved by these comparisons.
            dialog.approve_wanted.connect(lambda: self.decisions.send("approve", [current], {}))
            dialog.test_wanted.connect(self._prove)
            dialog.open()

    def _try(self) -> None:
        chosen = self.selected()
        if len(chosen) == 1 and self.try_it.isEnabled():
            TryDialog(self.kit, proposal_to_try(chosen[0]), self).open()

    def _show_ages(self) -> None:
        self.view.show_age()
        self.list.viewport().update()

    def _undo(self) -> None:
        if self.undo.isEnabled():
            last = self.state.value(Subject.PROPOSALS).get("undo") or {}
            self.decisions.undo(self.decisions.together_with(last))

    def _prove(self) -> None:
        self._test(self.prove, start_test)

    def _stop(self) -> None:
        self._test(self.stop, stop_test)

    def _test(self, pressed: QPushButton, do: Callable[[AppState, Json], None]) -> None:
        current = self.current()
        if current is not None:
            if pressed.hasFocus():  # it goes, and the letters of this page work on from here
                self.list.setFocus()
            do(self.state, current)


def _decidable(proposal: Json) -> bool:
    return proposal["status"] in DECIDABLE
