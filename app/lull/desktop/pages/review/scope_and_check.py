"""Widget for a proposed skill's scope (which requests it applies to) and its check (an automatic
test of answers).
"""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from lull.contract.json_object import Json
from lull.core.feedback.feedback import Scope
from lull.desktop.language.words import tr, translated
from lull.desktop.widgets.choice import Choice
from lull.desktop.widgets.parts import button, label, row
from lull.desktop.widgets.tokens import GAP


class ScopeAndCheck(QWidget):
    """Widget that shows and changes a proposed skill's scope (which requests it applies to), and
    shows and removes its check (an automatic test of answers).
    """

    scope_chosen = Signal(str)
    """Emitted when the user chose a scope, `all` or `kind`."""
    check_removed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.scope = Choice()
        title = tr("Applies to")
        self.scope.setAccessibleName(title)
        self.scope.addItem(tr("similar requests"), Scope.KIND.value)
        self.scope.addItem(tr("every request"), Scope.ALL.value)
        self.scope.activated.connect(self._chosen)
        self.check = label("", wrap=True)
        self.no_check = label(
            tr("○ No automatic check of its own: its answers are judged by you or by a model."),
            "muted",
            wrap=True,
        )
        self.remove = button(tr("Remove the check"), self.check_removed.emit, flat=True)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(GAP // 2)
        box.addLayout(row(label(title), self.scope, None))
        box.addWidget(self.check)
        box.addLayout(row(self.remove, None))
        box.addWidget(self.no_check)
        self.shown: Json = {}
        """The proposed skill that is shown."""
        self._scope = Scope.KIND.value

    def show_again(self) -> None:
        """Show the scope and check that the proposed skill has, after the user chose others."""
        self.show_proposal(self.shown)

    def show_proposal(self, proposal: Json) -> None:
        """Show a proposed skill's scope and check; a proposal to retire a skill has neither."""
        self.shown = proposal
        self.setVisible(proposal["kind"] != "retire")
        self._scope = str(proposal.get("scope") or Scope.KIND.value)
        self.scope.setCurrentIndex(self.scope.findData(self._scope))
        check = check_words(proposal)
        self.check.setText(check)
        self.check.setVisible(bool(check))
        self.remove.setVisible(bool(check))
        self.no_check.setVisible(not check)

    def _chosen(self) -> None:
        scope = str(self.scope.currentData())
        if scope != self._scope:
            self._scope = scope
            self.scope_chosen.emit(scope)


def check_words(proposal: Json) -> str:
    """Describe the automatic check that belongs to a proposed skill and tests whether answers
    follow it; "" if it has none.
    """
    return tr("✓ Its own check: %1", translated(proposal, "check")) if proposal.get("check") else ""
