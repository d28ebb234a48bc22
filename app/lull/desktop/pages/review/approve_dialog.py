"""Dialog that shows the full text of the skills about to be approved and asks for confirmation.

Neither the Enter key nor pressing the approval key again confirms: the button has to be chosen
deliberately.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QTextBrowser, QVBoxLayout, QWidget

from lull.contract.json_object import Json
from lull.desktop.language.words import counted, plain, skill_title, tr
from lull.desktop.pages.review.approval_words import (
    cautions,
    flag_lines,
    needs_confirmation,
    reason_words,
    status_chip,
)
from lull.desktop.pages.review.scope_and_check import check_words
from lull.desktop.pages.review.tested_words import confirmation_reason, why_not_better
from lull.desktop.shared.skill_words import conflict_words, rule_words, when_words
from lull.desktop.widgets.parts import button, label, row
from lull.desktop.widgets.text.diff import escaped
from lull.desktop.widgets.tokens import GAP


class ApproveDialog(QDialog):
    """Dialog to confirm the approval of one or several proposed skills, with their texts and what
    is known of their effect.
    """

    given = Signal()

    def __init__(self, proposals: Sequence[Json], parent: QWidget, *, left_out: int = 0) -> None:
        """Create the dialog that asks for confirmation of these proposed skills.

        `left_out` is the number of selected proposals that are not offered, because their text is
        suspicious.
        """
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Approve"))
        self.resize(620, 460)
        head = tr("Approve “%1”?", skill_title(proposals[0]["name"]))
        if len(proposals) > 1:
            head = tr("Approve these %1 suggestions?", len(proposals))
        unproved = [one for one in proposals if needs_confirmation(one)]
        words = counted(
            len(unproved),
            "%1 of them is not proved. Nobody knows whether it helps.",
            "%1 of them are not proved. Nobody knows whether they help.",
        )
        if len(proposals) == 1:
            words = confirmation_reason(proposals[0])
        self.words = label(words if unproved else "", "bad", wrap=True)
        self.words.setVisible(bool(unproved))
        without = counted(
            left_out,
            "%1 quarantined suggestion is left out. Read and approve it by itself.",
            "%1 quarantined suggestions are left out. Read and approve each by itself.",
        )
        self.left_out = label(without if left_out else "", "warn", wrap=True)
        self.left_out.setVisible(bool(left_out))
        self.text = QTextBrowser()
        self.text.setOpenLinks(False)
        self.text.setTabChangesFocus(True)
        self.text.setAccessibleName(tr("What will be approved"))
        self.text.setHtml("".join(_shown(one) for one in proposals))
        go_on = tr("Approve anyway") if unproved else tr("Approve all")
        self.approve = button(go_on, self._give, main=not unproved)
        self.cancel = button(tr("Cancel"), self.close)
        self.approve.setAutoDefault(False)
        self.cancel.setDefault(True)
        box = QVBoxLayout(self)
        box.setContentsMargins(GAP * 3, GAP * 2, GAP * 3, GAP * 2)
        box.setSpacing(GAP)
        box.addWidget(label(head, "head", wrap=True))
        box.addWidget(self.words)
        box.addWidget(self.left_out)
        box.addWidget(self.text, 1)
        box.addLayout(row(None, self.cancel, self.approve))
        self.cancel.setFocus()

    def _give(self) -> None:
        self.given.emit()
        self.close()


def _shown(proposal: Json) -> str:
    """Describe a proposed skill: its name, what is known of its effect, and everything that is
    approved with it.
    """
    chip, _ = status_chip(proposal)
    notes = [f"{chip}.", *cautions(proposal)]
    gone = proposal["kind"] == "retire"
    body = str(proposal.get("body", ""))
    rule = tr("This skill will be removed.") if gone else rule_words(body)
    beside = [] if gone else [when_words(proposal)]
    beside += [conflict_words(proposal), check_words(proposal), *flag_lines(proposal)]
    why = why_not_better(proposal) or reason_words(proposal)
    beside.append(why[:1].upper() + why[1:])
    if not gone and rule != plain(body):
        beside.append(f"{tr('The model reads:')} {body}")
    return (
        f"<h4>{escaped(skill_title(proposal['name']))}</h4><p>{escaped(rule)}</p>"
        f"<p><i>{escaped(' '.join(notes))}</i></p>"
        + "".join(f"<p>{escaped(line)}</p>" for line in beside if line)
    )
