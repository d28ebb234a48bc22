"""Dialog for a blind comparison: it shows two answers, A and B, to one of the user's requests; one
of the two used a proposed skill.

Only the service knows which. The dialog polls the service while the model answers. If the user
closes it without a choice, the pair of answers is shown again later.
"""

from __future__ import annotations

import functools
from typing import Final

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QProgressBar,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from lull.contract import routes
from lull.contract.json_object import Json
from lull.core.chat.picks import Pick
from lull.desktop.client import Reply
from lull.desktop.state import failure_words
from lull.desktop.widgets.page import Kit
from lull.desktop.widgets.parts import add_shortcut, button, label, row
from lull.desktop.widgets.tokens import GAP
from lull.desktop.words import counted, plain, tr, translated

_POLL_MS: Final = 200
"""Polling interval while the model answers."""


class CompareDialog(QDialog):
    """Dialog in which the user picks the better of two answers, with and without a proposed skill,
    pair after pair.

    It ends when the skill's benefit is decided or the user leaves.
    """

    def __init__(self, kit: Kit, proposal: Json, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._kit = kit
        self._id = str(proposal["id"])
        self._pair = ""
        self._picked = 0
        self._gone = False
        self.setWindowTitle(tr("Compare answers: %1", plain(str(proposal["name"]))))
        self.resize(860, 600)
        words = tr(
            "One of the answers was given with the skill, the other without. Which is which is "
            "chosen at random each time. Pick the one you like better."
        )
        self.request = label("", "head", wrap=True)
        self.wish = label("", "muted", wrap=True)
        self.doing = label("", "muted", wrap=True)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setMaximumHeight(6)
        self.bar.setAccessibleName(tr("Progress"))
        self.answers = {
            Pick.A: self._browser(tr("Answer A")),
            Pick.B: self._browser(tr("Answer B")),
        }
        self._make_buttons()
        box = QVBoxLayout(self)
        box.setContentsMargins(GAP * 3, GAP * 2, GAP * 3, GAP * 2)
        box.setSpacing(GAP)
        for one in (label(words, "small", wrap=True), self.request, self.wish):
            box.addWidget(one)
        box.addLayout(self._columns(), 1)
        box.addWidget(self.doing)
        box.addWidget(self.bar)
        box.addLayout(row(*self.buttons.values(), None, self.leave))
        self.finished.connect(self._leave)
        for letter, pick in (("A", Pick.A), ("B", Pick.B), ("S", Pick.SAME), ("N", Pick.NEITHER)):
            add_shortcut(self, letter, functools.partial(self._pick, pick))
        self._ask()

    def _make_buttons(self) -> None:
        titles = {
            Pick.A: (tr("A is better  A"), tr("A is better")),
            Pick.B: (tr("B is better  B"), tr("B is better")),
            Pick.SAME: (tr("The same  S"), tr("Both are the same")),
            Pick.NEITHER: (tr("Neither  N"), tr("Neither is good")),
        }
        self.buttons = {
            pick: button(text, functools.partial(self._pick, pick), name=name)
            for pick, (text, name) in titles.items()
        }
        self.leave = button(tr("Later"), self.close, flat=True)
        for one in (*self.buttons.values(), self.leave):
            one.setAutoDefault(False)

    def _browser(self, name: str) -> QTextBrowser:
        made = QTextBrowser()
        made.setOpenLinks(False)
        made.setTabChangesFocus(True)
        made.setAccessibleName(name)
        return made

    def _columns(self) -> QHBoxLayout:
        both = QHBoxLayout()
        both.setSpacing(GAP * 2)
        for pick, shown in self.answers.items():
            column = QVBoxLayout()
            column.addWidget(label(pick.value.upper(), "head"))
            column.addWidget(shown, 1)
            both.addLayout(column, 1)
        return both

    # Asking

    def _ask(self) -> None:
        self._pair = ""
        self._show_pair({})
        self.doing.setText(tr("The model answers twice; your chats go first…"))
        self._ask_on()

    def _ask_on(self) -> None:
        if not self._gone:
            self._kit.state.ask(routes.PROPOSAL_COMPARE.format(id=self._id), {}, self._take)

    def _take(self, answer: Reply) -> None:
        if self._gone:
            return
        if not answer.ok:
            self._end(failure_words(answer))
            return
        shown = answer.value
        if shown["working"]:
            self._show_progress(shown)
            QTimer.singleShot(_POLL_MS, self, self._ask_on)
        elif shown["pair"] is None:
            self._end(result_words(shown))
        else:
            self._pair = str(shown["pair"])
            self._show_pair(shown)
            self._show_progress(shown)
            self.doing.setText(self._where(shown))
            self.answers[Pick.A].setFocus()

    def _where(self, shown: Json) -> str:
        here = tr("Pair %1 of about %2.", self._picked + 1, self._picked + max(1, shown["wanted"]))
        if not shown["alike"]:
            return here
        alike = counted(
            shown["alike"],
            "%1 pair of answers was the same, word for word.",
            "%1 pairs of answers were the same, word for word.",
        )
        return f"{here} {alike}"

    # Picking

    def _pick(self, pick: Pick) -> None:
        if not self._pair:
            return
        wanted = {"pair": self._pair, "pick": pick.value}
        self._pair = ""
        self._show_buttons()
        self._kit.state.act(
            routes.PROPOSAL_PICK.format(id=self._id),
            wanted,
            words=tr("Your pick"),
            answered=self._counted,
            then=self._then,
        )

    def _counted(self, answer: Reply) -> None:
        if self._gone:
            return
        done = answer.value
        self._picked += 1
        self._show_progress(done)
        if not done["open"] or self._picked >= done["sitting"]:
            self._end(result_words(done))
        else:
            self._ask()

    def _then(self, done: bool) -> None:
        """Ask the service for another pair of answers if the user's pick was refused."""
        if not done and not self._gone:
            self._ask()

    # Showing

    def _show_pair(self, shown: Json) -> None:
        self.request.setText(plain(str(shown.get("request") or "")))
        wish = " ".join(str(shown.get("wish") or "").split())
        self.wish.setText(tr("You had said: %1", plain(wish)) if wish else "")
        for pick, text in self.answers.items():
            text.setPlainText(plain(str(shown.get(pick.value) or "")))
        self._show_buttons()

    def _show_buttons(self) -> None:
        for one in self.buttons.values():
            one.setEnabled(bool(self._pair))

    def _show_progress(self, shown: Json) -> None:
        self.bar.setMaximum(max(1, self._picked + shown["wanted"]))
        self.bar.setValue(self._picked)

    def _end(self, words: str) -> None:
        self._pair = ""
        self._show_pair({})
        for one in (*self.buttons.values(), self.bar):
            one.hide()
        self.doing.setText(words)
        self.leave.setText(tr("Close"))
        self.leave.setAccessibleName(tr("Close"))
        self.leave.setFocus()

    def _leave(self) -> None:
        self._gone = True


def result_words(done: Json) -> str:
    """Describe the result so far of the user's blind picks between answers with and without a
    proposed skill.
    """
    match done["status"]:
        case "proved":
            return tr(
                "Proved: in your comparisons, the answer with the skill was better in %1 and worse "
                "in %2. You can approve it now.",
                done["wins"],
                done["losses"],
            )
        case "proving":
            return tr(
                "You like it better. Requests that went well before are tested next time "
                "you're away."
            )
        case "unproved" if not done["open"]:
            return tr("The skill is not proved: %1", translated(done, "reason"))
    so_far = tr(
        "Not decided yet: in your comparisons, the answer with the skill was better in %1 and "
        "worse in %2.",
        done["wins"],
        done["losses"],
    )
    more = counted(
        done["wanted"],
        "%1 more pick for the skill would prove it; you can go on any time.",
        "%1 more picks for the skill would prove it; you can go on any time.",
    )
    return f"{so_far} {more}"
