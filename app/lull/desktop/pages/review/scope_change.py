"""Sends the user's change of a proposed skill's scope or check to the service.

It asks first if the user has compared answers for the proposal, or if it has been tested: a pick is
the user's own work, a test takes minutes, and neither can be brought back. A check that was removed
can.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from lull.contract import routes
from lull.contract.json_object import Json
from lull.core.skills.stated_skill import words_of
from lull.desktop.language.words import counted, skill_title, tr
from lull.desktop.pages.review.scope_and_check import ScopeAndCheck
from lull.desktop.service.state import AppState, OutcomeMessage, Subject
from lull.desktop.widgets.fitted_dialog import FittedDialog
from lull.desktop.widgets.parts import button, label, row
from lull.desktop.widgets.tokens import GAP


class LoseTestsDialog(FittedDialog):
    """Dialog that says what a change of a suggestion would make void: its tests, or the user's
    picks between answers.

    The Enter key keeps them.
    """

    given = Signal()
    """Emitted when the user wants the change all the same."""

    def __init__(self, words: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Test it again?"))
        self.words = label(words, wrap=True)
        self.words.setMinimumWidth(420)
        self.change = button(tr("Change it"), self._give)
        self.change.setAutoDefault(False)
        self.keep = button(tr("Keep it"), self.reject, main=True)
        self.keep.setDefault(True)
        box = QVBoxLayout(self)
        box.setContentsMargins(GAP * 3, GAP * 2, GAP * 3, GAP * 2)
        box.setSpacing(GAP * 2)
        box.addWidget(self.words)
        box.addLayout(row(None, self.change, self.keep))
        self.keep.setFocus()

    def _give(self) -> None:
        self.accept()
        self.given.emit()


def lost_words(proposal: Json, *, scope: bool) -> str:
    """Say which work on a suggestion its change would make void: the user's own picks, or with
    another scope (`scope`) a test; "" if there is none.

    The text of a skill that Lull did not build of the user's words stays with another scope, and
    so do its tests.
    """
    evidence = proposal["evidence"]
    if picks := int((evidence.get("picks") or {}).get("done") or 0):
        words = counted(
            picks,
            "You have compared %1 pair of answers for this suggestion.",
            "You have compared %1 pairs of answers for this suggestion.",
        )
        more = tr("If you change it now, it is tested again, and what you picked no longer counts.")
        return f"{words} {more}"
    body = str(proposal.get("body") or "")
    if scope and evidence.get("pairs") and words_of(body) != body:
        return tr(
            "This suggestion has been tested. With another scope it is another skill, and is "
            "tested again."
        )
    if evidence.get("pairs") and not scope:
        return tr(
            "This suggestion has been tested with its check. Without it, it is tested again, and "
            "you or a model judge the answers."
        )
    return ""


class ScopeChange(QObject):
    """Sends a new scope or check of the proposed skill that the widget `beside` shows."""

    def __init__(self, state: AppState, beside: ScopeAndCheck, page: QWidget) -> None:
        super().__init__(page)
        self._state, self._beside, self._page = state, beside, page
        beside.scope_chosen.connect(lambda scope: self._ask({"scope": scope}))
        beside.check_removed.connect(lambda: self._ask({"check": ""}))

    def _ask(self, wanted: Mapping[str, object]) -> None:
        shown = self._beside.shown
        lost = lost_words(shown, scope="scope" in wanted)
        if not lost:
            self._send(shown, wanted)
            return
        dialog = LoseTestsDialog(lost, self._page)
        dialog.given.connect(lambda: self._send(shown, wanted))
        dialog.rejected.connect(self._beside.show_again)
        dialog.open()

    def _send(self, proposal: Json, wanted: Mapping[str, object]) -> None:
        self._state.act(
            routes.PROPOSAL_DO.format(id=proposal["id"], action="edit"),
            {"sha256": proposal["sha256"], **wanted},
            words=tr("Editing %1", skill_title(proposal["name"])),
            then=self._settled,
            answered=lambda answer: self._changed(proposal, answer.value["proposal"]),
        )

    def _settled(self, done: bool) -> None:
        """Show what the proposal is for again, which the box no longer does after a refusal."""
        if not done:
            self._beside.show_again()
        self._state.touch(Subject.PROPOSALS)

    def _changed(self, before: Json, after: Json) -> None:
        anew = before["evidence"]["pairs"] and not after["evidence"]["pairs"]
        check = before.get("check_json")
        if check and not after.get("check_json"):
            text = tr("The check is gone: its answers are judged by you or by a model.")
            undo = functools.partial(self._send, after, {"check": check})
            self._state.told.emit(OutcomeMessage(text=text, undo=undo))
            return
        text = tr("Changed. It will be tested again.") if anew else tr("Changed.")
        self._state.told.emit(OutcomeMessage(text=text))
