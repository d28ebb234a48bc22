"""Review: what Lull proposes, one text after the other, decided by the user by its exact hash.

The list at the left, what it would change and why at the right. A letter acts on what is selected;
where several are selected, on all of them, each with the hash of the text that was loaded here.
What is quarantined is not approved by the letter: it has a button of its own words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QItemSelection, QItemSelectionModel, QModelIndex, Qt
from PySide6.QtWidgets import QAbstractItemView, QListView

from lull.contract import routes
from lull.core.proposal import DECIDABLE, ProposalStatus
from lull.desktop.client import Answer
from lull.desktop.page import Empty, Kit, Page, PageName
from lull.desktop.pages.columns import two_columns
from lull.desktop.pages.compare_dialog import CompareDialog
from lull.desktop.pages.proposal_rows import ProposalRows
from lull.desktop.pages.proposal_view import ProposalView
from lull.desktop.pages.review_dialogs import EditDialog, RejectDialog
from lull.desktop.parts import button, key, label, restyle, row
from lull.desktop.state import Settling, Subject
from lull.desktop.words import counted, plain, tr

Json = dict[str, Any]
_CLOSED = {"approve": "approved", "reject": "rejected", "defer": "deferred"}


def decision_words(action: str, name: str) -> tuple[str, str]:
    """While it is not certain, and when it is done."""
    words = {
        "approve": (tr("Approving %1", name), tr("Approved: %1", name)),
        "reject": (tr("Rejecting %1", name), tr("Rejected: %1", name)),
        "defer": (tr("Putting off %1", name), tr("Put off: %1", name)),
    }
    return words[action]


class Review(Page):
    subjects = (Subject.PROPOSALS, Subject.STATUS)

    def __init__(self, kit: Kit) -> None:
        super().__init__(kit, tr("Review"))
        self.rows = ProposalRows()
        self._current = ""
        self._under_way: set[str] = set()
        """Proposals with a decision that was sent and not answered."""
        self.count = label("", "muted")
        self.undo = button(tr("Undo the last decision"), self._undo, flat=True)
        self.head.addWidget(self.count)
        self.head.addWidget(self.undo)
        self.list = self._list()
        self.view = ProposalView(kit)
        self.view.beside.scope_chosen.connect(lambda scope: self._beside({"scope": scope}))
        self.view.beside.check_removed.connect(lambda: self._beside({"check": ""}))
        self._buttons()
        self._lay_out()
        self._letters()

    def _list(self) -> QListView:
        made = QListView()
        made.setModel(self.rows)
        made.setAccessibleName(tr("Proposals"))
        made.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        made.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        made.setTabKeyNavigation(False)
        made.setMinimumWidth(236)
        made.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # The letters are for deciding, not for jumping to a name.
        made.keyboardSearch = lambda _: None  # type: ignore[method-assign]
        made.selectionModel().selectionChanged.connect(self._selected)
        made.selectionModel().currentChanged.connect(self._moved)
        return made

    def _buttons(self) -> None:
        self.approve = button(tr("Approve  A"), self._approve_button, main=True, name=tr("Approve"))
        self.reject = button(tr("Reject…  R"), self._reject, name=tr("Reject with a reason"))
        self.edit = button(tr("Edit…  E"), self._edit, name=tr("Edit"))
        self.defer = button(tr("Defer  D"), self._defer, name=tr("Defer"))
        self.compare = button(
            tr("Compare answers  C"), self._compare, main=True, name=tr("Compare answers")
        )
        self.prove = button(tr("Prove now"), self._prove, flat=True)

    def _lay_out(self) -> None:
        buttons = (self.approve, self.reject, self.edit, self.defer)
        two_columns(
            self.body,
            (self.list,),
            (self.view, row(*buttons, None, self.compare, self.prove)),
            sizes=(280, 670),
        )

    def _letters(self) -> None:
        for keys, do in (
            ("A", self._approve_letter),
            ("R", self._reject),
            ("E", self._edit),
            ("D", self._defer),
            ("C", self._compare),
            ("J", lambda: self._step(+1)),
            ("K", lambda: self._step(-1)),
            ("Ctrl+Z", self._undo),
        ):
            key(self, keys, do)

    # Showing

    def empty(self) -> Empty | None:
        if self.state.proposals:
            return None
        text = tr(
            "Nothing to review. Proposals come when you correct an answer in so many words "
            "(“no, use dashes”), or when a few answers of one kind were bad; usually after about "
            "20 conversations. They are proved in the next lull first."
        )
        skills = (tr("Look at the skills in force"), lambda: self.kit.go(PageName.SKILLS))
        return Empty(head=tr("All decided"), text=text, offers=(skills,))

    def show_content(self) -> None:
        proposals = self.state.proposals
        self.count.setText(counted(len(proposals), "%1 proposal", "%1 proposals"))
        if proposals != self.rows.rows:
            self._replace(proposals)
        self._show_current()

    def _replace(self, proposals: Sequence[Json]) -> None:
        """The same ones stay selected; where the current one is gone, the next takes its place."""
        chosen = {proposal["id"] for proposal in self.selected()}
        line = max(0, self.rows.line_of(self._current))
        self.rows.put(proposals)
        again = self.rows.line_of(self._current)
        self._go_to(again if again >= 0 else min(line, len(self.rows.rows) - 1))
        flag = QItemSelectionModel.SelectionFlag.Select
        for name in chosen:
            if (at := self.rows.line_of(name)) >= 0:
                self.list.selectionModel().select(self.rows.index(at), flag)

    def _go_to(self, line: int) -> None:
        self.list.setCurrentIndex(self.rows.index(line))
        self._current = self.rows.rows[line]["id"] if 0 <= line < len(self.rows.rows) else ""

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
        line = self.rows.line_of(self._current)
        return self.rows.rows[line] if line >= 0 else None

    def selected(self) -> list[Json]:
        """From top to bottom; the current one where nothing is selected."""
        lines = sorted(index.row() for index in self.list.selectionModel().selectedIndexes())
        found = [self.rows.rows[n] for n in lines if n < len(self.rows.rows)]
        current = self.current()
        return found or ([current] if current else [])

    def _show_buttons(self) -> None:
        chosen = [p for p in self.selected() if p["id"] not in self._under_way]
        one = len(chosen) == 1
        quarantined = any(p["status"] == ProposalStatus.QUARANTINED for p in chosen)
        words = tr("Approve all the same") if quarantined else tr("Approve  A")
        if len(chosen) > 1 and not quarantined:
            words = tr("Approve %1  A", len(chosen))
        picks = one and chosen[0].get("needs") == "picks"
        self.approve.setProperty("main", not quarantined and not picks)
        restyle(self.approve)
        self.approve.setText(words)
        self.approve.setAccessibleName(words)
        self.approve.setEnabled(bool(chosen) and all(_decidable(p) for p in chosen))
        self.reject.setEnabled(bool(chosen))
        self.defer.setEnabled(bool(chosen) and all(_decidable(p) for p in chosen))
        self.edit.setEnabled(one and chosen[0]["kind"] != "retire")
        self.compare.setVisible(picks)
        self.prove.setVisible(one and chosen[0]["status"] in ("screened", "proving", "deferred"))

    # Deciding

    def _approve_letter(self) -> None:
        chosen = self.selected()
        if any(p["status"] == ProposalStatus.QUARANTINED for p in chosen):
            from lull.desktop.state import Told

            text = tr("It is quarantined: read its flags, then use the button.")
            self.state.told.emit(Told(text=text, good=False))
            return
        self._approve(chosen)

    def _approve_button(self) -> None:
        self._approve(self.selected())

    def _approve(self, chosen: Sequence[Json]) -> None:
        if self.approve.isEnabled():
            for one in chosen:
                # The hash is of the text that stands on this page, not of what came meanwhile.
                self._decide("approve", one, {"sha256": one["sha256"]})

    def _reject(self) -> None:
        chosen = self.selected()
        if chosen and self.reject.isEnabled():
            dialog = RejectDialog([p["name"] for p in chosen], self)
            dialog.given.connect(lambda reason: self._reject_all(chosen, reason))
            dialog.open()

    def _reject_all(self, chosen: Sequence[Json], reason: str) -> None:
        for one in chosen:
            wanted = {"sha256": one["sha256"], "reason": reason}
            self._decide("reject", one, wanted)

    def _defer(self) -> None:
        if self.defer.isEnabled():
            for one in self.selected():
                self._decide("defer", one, {"sha256": one["sha256"]})

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
            words=tr("Editing %1", plain(proposal["name"])),
            done=tr("Edited. It is yours now, and is proved anew."),
            then=lambda _: self.state.touch(Subject.PROPOSALS),
        )

    def _beside(self, wanted: Mapping[str, object]) -> None:
        """Another scope or check, which stand beside the text."""
        current = self.current()
        if current is not None:
            self.state.act(
                routes.PROPOSAL_DO.format(id=current["id"], action="edit"),
                {"sha256": current["sha256"], **wanted},
                words=tr("Editing %1", plain(current["name"])),
                done=tr("Changed."),
                then=lambda _: self.state.touch(Subject.PROPOSALS),
            )

    def _compare(self) -> None:
        current = self.current()
        if current is not None and self.compare.isVisible():
            dialog = CompareDialog(self.kit, current, self)
            dialog.finished.connect(lambda _: self.state.touch(Subject.PROPOSALS, Subject.STATUS))
            dialog.open()

    def _decide(self, action: str, proposal: Json, wanted: Mapping[str, object]) -> None:
        name = plain(proposal["name"])
        closed = _CLOSED[action]
        doing, done = decision_words(action, name)

        def was_done(answer: Answer) -> bool:
            found = answer.value.get("proposal") or {}
            return found.get("status") == closed and found.get("sha256") == proposal["sha256"]

        def then(_: bool) -> None:
            self._under_way.discard(proposal["id"])
            self.state.touch(Subject.PROPOSALS, Subject.STATUS, Subject.SKILLS)
            self._show_buttons()

        self._under_way.add(proposal["id"])
        self._show_buttons()
        self.state.act(
            routes.PROPOSAL_DO.format(id=proposal["id"], action=action),
            wanted,
            words=doing,
            done=done,
            settling=Settling(route=routes.PROPOSAL.format(id=proposal["id"]), done=was_done),
            undo=self._undo,
            then=then,
        )

    def _undo(self) -> None:
        self.state.act(
            routes.PROPOSALS_UNDO,
            {},
            words=tr("Undoing"),
            done=tr("Taken back."),
            then=lambda _: self.state.touch(Subject.PROPOSALS, Subject.STATUS, Subject.SKILLS),
        )

    def _prove(self) -> None:
        current = self.current()
        if current is not None:
            self.state.act(
                routes.PROPOSALS_PROVE,
                {"id": current["id"]},
                words=tr("Proving"),
                done=tr("It is being proved; you can go on."),
                then=lambda _: self.state.touch(Subject.PROPOSALS),
            )


def _decidable(proposal: Json) -> bool:
    return proposal["status"] in DECIDABLE
