"""Dialog for a blind comparison: it shows two answers, A and B, to one of the user's requests; one
of the two used a proposed skill.

Only the service knows which. The dialog polls the service while the model answers. If the user
closes it without a choice, the pair of answers is shown again later.
"""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Callable
from typing import Final

from PySide6.QtCore import Qt, QTimer, Signal
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
from lull.core.chat.picks import PAIRS_A_SITTING, Pick
from lull.desktop.language.words import count, counted, length, plain, skill_title, tr, translated
from lull.desktop.pages.review.tested_words import goal_words
from lull.desktop.service.client import Reply
from lull.desktop.service.state import failure_words
from lull.desktop.widgets.page import Kit
from lull.desktop.widgets.parts import add_shortcut, button, label, row
from lull.desktop.widgets.tokens import GAP

_POLL_MS: Final = 200
"""Polling interval while the model answers."""


class Waits:
    """Measures how long the user waits for pairs of answers, and says how long it still takes as
    soon as one wait was measured.
    """

    def __init__(self, seconds: Callable[[], float] = time.monotonic) -> None:
        self._now_s = seconds
        self._began_s = seconds()
        self._usual_s: float | None = None
        """Length of the longest wait so far; None before the first has ended."""

    def begin(self) -> None:
        """Count from now on: a pair was asked for."""
        self._began_s = self._now_s()

    def end(self) -> None:
        """Record how long this pair of answers took to prepare; the user is told the longest time
        so far.
        """
        waited_s = self._now_s() - self._began_s
        self._usual_s = max(waited_s, self._usual_s or 0.0)

    def words(self) -> str:
        """Say that the model writes, for how long, and how long it takes at most by experience."""
        waited = int(self._now_s() - self._began_s)
        said = tr("The model writes both answers; your chats go first.")
        if self._usual_s is not None and waited < self._usual_s:
            left = math.ceil(self._usual_s) - waited
            return f"{said} {tr('About %1 left.', length(left))}"
        if waited:
            return f"{said} {tr('%1 so far.', length(waited))}"
        return said


class CompareDialog(QDialog):
    """Dialog in which the user picks the better of two answers, with and without a proposed skill,
    pair after pair.

    It ends when the skill's benefit is decided or the user leaves. At its end it offers the next
    step, if there is one.
    """

    approve_wanted = Signal()
    """The user wants to approve the skill that these comparisons proved."""
    test_wanted = Signal()
    """The user wants the requests that went well before to be tested now."""

    def __init__(self, kit: Kit, proposal: Json, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._kit = kit
        self._id = str(proposal["id"])
        self._pair = ""
        self._picked = 0
        self._most = 0
        """Most pairs of this sitting; 0 before the first was asked for."""
        self._gone = False
        self._request = ""
        """The request of the pair shown last; a request is answered several times."""
        self._waits = Waits()
        self._seconds = QTimer(self)
        self._seconds.setInterval(1000)
        self._seconds.timeout.connect(self._show_waiting)
        self.setWindowTitle(tr("Compare answers: %1", skill_title(proposal["name"])))
        self.resize(860, 600)
        words = tr(
            "One answer was given with the skill, the other without; which is which is drawn anew "
            "each time. “The same” and “Neither” count for neither side."
        )
        self.goal = label("", "small", wrap=True)
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
        for one in (label(words, "small", wrap=True), self.goal, self.request, self.wish):
            box.addWidget(one)
        self._both = QWidget()
        self._both.setLayout(self._columns())
        box.addWidget(self._both, 1)
        box.addWidget(self.doing)
        box.addWidget(self.bar)
        box.addLayout(row(*self.buttons.values(), None, self.next, self.leave))
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
        self.next = button("", self._go_on, main=True)
        self.next.hide()
        self._next: Callable[[], None] = self._ask
        for one in (*self.buttons.values(), self.next, self.leave):
            one.setAutoDefault(False)

    def _browser(self, name: str) -> QTextBrowser:
        made = QTextBrowser()
        made.setOpenLinks(False)
        made.setTabChangesFocus(True)
        made.setAccessibleName(name)
        made.setPlaceholderText(tr("Being written…"))
        return made

    def _columns(self) -> QHBoxLayout:
        both = QHBoxLayout()
        both.setContentsMargins(0, 0, 0, 0)
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
        self._waits.begin()
        self._seconds.start()
        self._show_waiting()
        self._ask_on()

    def _show_waiting(self) -> None:
        self.doing.setText(self._waits.words())

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
        if not shown["working"]:
            self._seconds.stop()
            self._waits.end()
        self._begin(shown)
        if shown["working"]:
            QTimer.singleShot(_POLL_MS, self, self._ask_on)
        elif shown["pair"] is None:
            self._end(result_words(shown), shown)
        else:
            self._pair = str(shown["pair"])
            self._show_pair(shown)
            self.doing.setText(self._where(shown))
            self.answers[Pick.A].setFocus()

    def _begin(self, shown: Json) -> None:
        """Say once, at the beginning of a sitting, how many picks are enough and how many it can
        take, so that the goal does not move with each pick.
        """
        if not self._most:
            sitting = int(shown.get("sitting") or PAIRS_A_SITTING)
            self._most = max(1, min(sitting, int(shown.get("most") or sitting)))
            self.goal.setText(goal_words(shown))
            self._show_progress()

    def _where(self, shown: Json) -> str:
        here = tr("Pair %1 of at most %2 in this sitting.", self._picked + 1, self._most)
        again, self._request = str(shown["request"]) == self._request, str(shown["request"])
        if again:
            here += " " + tr(
                "It is the same request as before, answered anew: a model answers differently each "
                "time."
            )
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
        self._show_progress()
        if not done["open"] or self._picked >= done["sitting"]:
            self._end(result_words(done), done)
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

    def _show_progress(self) -> None:
        self.bar.setMaximum(self._most)
        self.bar.setValue(self._picked)

    def _end(self, words: str, done: Json | None = None) -> None:
        self._seconds.stop()
        self._pair = ""
        self._show_pair({})
        for one in (*self.buttons.values(), self.bar, self.goal, self._both):
            one.hide()
        self.doing.setText(words)
        self.leave.setText(tr("Close"))
        self.leave.setAccessibleName(tr("Close"))
        self.leave.setFocus()
        self._offer(done or {})

    def _offer(self, done: Json) -> None:
        """Offer the step that follows from the picks, in a button that the user has to press."""
        match done.get("status"):
            case "proved":
                words, self._next = tr("Approve"), self.approve_wanted.emit
            case "proving":
                words, self._next = tr("Test now"), self.test_wanted.emit
            case _ if done.get("open") and done["wanted"]:
                words, self._next = tr("Compare more"), self._begin_again
            case _:
                return
        self.next.setText(words)
        self.next.setAccessibleName(words)
        self.next.show()

    def _go_on(self) -> None:
        step, ends = self._next, self._next != self._begin_again
        step()
        if ends:
            self.close()

    def _begin_again(self) -> None:
        self._picked = self._most = 0
        self.next.hide()
        for one in (*self.buttons.values(), self.bar, self.goal, self._both):
            one.show()
        self.leave.setText(tr("Later"))
        self.leave.setAccessibleName(tr("Later"))
        self._ask()

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
                "You like it better. Requests that went well before are still to be tested: when "
                "you're away, or now."
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
    most = int(done.get("most") or 0)
    further = tr("There can be at most %1 more.", count(most)) if most else ""
    return f"{so_far} {more} {further}".strip()
