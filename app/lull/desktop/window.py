"""The main window of Lull: a list of pages on the left, the chosen page beside it, a status line
below.

Closing it only hides it. A banner above the page shows problems of the service; a note that
disappears shows the outcome of the user's actions.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Final

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QCloseEvent, QFont, QFontMetrics, QKeySequence, QResizeEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QDialog,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QMainWindow,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from lull.desktop.language.words import now, tr, without_args
from lull.desktop.service.down_words import ServiceState
from lull.desktop.service.free_port import address_of, next_free_port
from lull.desktop.service.state import OutcomeMessage, Phase
from lull.desktop.shared.tray_status import tray_status
from lull.desktop.widgets.flow import scrolled
from lull.desktop.widgets.icons import icon
from lull.desktop.widgets.page import Kit, MakesPage, Page, PageName
from lull.desktop.widgets.parts import Banner, Tab, Toast, button, label
from lull.desktop.widgets.text.elided_label import ElidedLabel
from lull.desktop.widgets.tokens import GAP

SIDE_WIDTH: Final = 196
SIDE_ROOM: Final = 66
"""Width in pixels of an entry in the list of pages, without its icon and its title."""
SIDE_SHARE: Final = 0.3
"""Largest share of the window's width for the list of pages; a wider one is folded to its icons."""
ICON_PX: Final = 18
"""Width in pixels of a page's icon, at the usual size of texts."""
FIRST_SIZE: Final = QSize(1120, 740)
LEAST_SIZE: Final = QSize(820, 540)
TICK_MS: Final = 1_000


def page_titles() -> dict[PageName, str]:
    """Return the titles of the pages in the user's language."""
    return {
        PageName.TODAY: tr("Today"),
        PageName.REVIEW: tr("Review"),
        PageName.SKILLS: tr("Skills"),
        PageName.LEARNING: tr("Learning"),
        PageName.SCHEDULE: tr("Schedule"),
        PageName.CONVERSATIONS: tr("Conversations"),
        PageName.CHAT: tr("Chat"),
        PageName.CONNECT: tr("Connect"),
        PageName.SETTINGS: tr("Settings"),
        PageName.LOGS: tr("Logs"),
    }


def shortcuts() -> tuple[tuple[str, str], ...]:
    """Return the keyboard shortcuts as (keys, what they do)."""
    return (
        ("Ctrl+1 … Ctrl+9, Ctrl+0", tr("the pages")),
        ("Ctrl+F", tr("search on this page")),
        ("Ctrl+,", tr("settings")),
        ("Ctrl+W", tr("close the window; Lull keeps running")),
        ("Ctrl+Q", tr("quit")),
        ("?", tr("this list")),
        ("J, K", tr("Review: next, previous")),
        ("A", tr("Review: approve")),
        ("C", tr("Review: compare answers")),
        ("R", tr("Review: reject, with a reason")),
        ("E", tr("Review: edit")),
        ("D", tr("Review: snooze until tomorrow")),
        ("T", tr("Review: try it on a request")),
        ("Ctrl+Z", tr("Review: undo")),
        ("A, B", tr("Comparing answers: A or B is better")),
        ("S, N", tr("Comparing answers: both the same, neither good")),
    )


class MainWindow(QMainWindow):
    """Lull's main window (the dashboard). Pages are created when they are first opened."""

    quit_asked = Signal()
    close_asked = Signal()
    """Emitted when the user closes the window and must first be asked what closing should do."""

    def __init__(self, kit: Kit, making: dict[PageName, MakesPage]) -> None:
        super().__init__()
        self._kit = kit
        self.may_hide: Callable[[], bool] = lambda: True
        self._making = making
        self._pages: dict[PageName, Page] = {}
        self._titles = page_titles()
        self._name = tr("Lull (demo)") if kit.place.played else "Lull"
        self.setWindowTitle(self._name)
        self.setMinimumSize(LEAST_SIZE)
        size = kit.preferences.value("window/size", FIRST_SIZE)
        self.resize(size if isinstance(size, QSize) else FIRST_SIZE)
        self.banner = Banner()
        self._stack = QStackedWidget()
        self._stack.setObjectName("stack")
        self._line = ElidedLabel()
        self._version = label("")
        self._buttons: dict[PageName, Tab] = {}
        self._folded = False
        """Whether the list of pages shows only their icons: large text would leave no room beside
        it.
        """
        self._lay_out()
        self._shortcuts()
        self._tick = QTimer(self, interval=TICK_MS)
        self._tick.timeout.connect(self._show_line)
        self._tick.start()
        kit.state.changed.connect(self._show_line)
        kit.state.phase_changed.connect(self._stand)
        kit.process.changed.connect(self._stand)
        kit.state.told.connect(self._tell)
        kit.look.changed.connect(self._dress)
        self._dress()
        self._stand()
        self.go(PageName.TODAY)

    # Layout

    def _lay_out(self) -> None:
        middle = QVBoxLayout()
        middle.setSpacing(0)
        if self._kit.place.played:
            demo = Banner()
            demo.say(
                tr(
                    "This is a demo in a separate folder: a script played the user of this week, "
                    "and the model's answers and the tests of skills are real. Nothing that you "
                    "do here touches your own skills and conversations."
                )
            )
            middle.addWidget(demo)
        middle.addWidget(self.banner)
        middle.addWidget(self._stack, 1)
        foot = self._status_line()
        middle.addWidget(foot)
        box = QHBoxLayout()
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(0)
        self._side = self._make_side()
        box.addWidget(self._side)
        box.addLayout(middle, 1)
        root = QWidget()
        root.setLayout(box)
        self.setCentralWidget(root)
        self.note = Toast(foot)

    def _make_side(self) -> QFrame:
        side = QFrame()
        side.setObjectName("side")
        entries = self._entries = QWidget()
        outer = QVBoxLayout(side)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(scrolled(entries))
        box = QVBoxLayout(entries)
        box.setContentsMargins(GAP + 4, GAP * 2, GAP + 4, GAP * 2)
        box.setSpacing(2)
        self._brand = label(self._name)
        self._brand.setObjectName("brand")
        self._brand.setContentsMargins(10, 0, 0, 10)
        box.addWidget(self._brand)
        group = QButtonGroup(self)
        group.setExclusive(True)
        for name in PageName:
            made = self._side_button(name)
            group.addButton(made)
            box.addWidget(made)
        box.addStretch(1)
        self._keys = button("", self.show_keys, flat=True, name=tr("Keyboard"))
        box.addWidget(self._keys)
        return side

    def _side_button(self, name: PageName) -> Tab:
        made = Tab(self._titles[name], functools.partial(self.go, name))
        made.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        made.taken_by_mouse.connect(functools.partial(self._begin_in_text, name))
        self._buttons[name] = made
        return made

    def _begin_in_text(self, name: PageName) -> None:
        if self.page(name).begins_in_text:
            self.page(name).take_focus()

    def _open(self, name: PageName) -> None:
        self.go(name)
        self._begin_in_text(name)

    def _status_line(self) -> QFrame:
        frame = QFrame()
        frame.setObjectName("statusLine")
        box = QHBoxLayout(frame)
        box.setContentsMargins(GAP * 2, 5, GAP * 2, 5)
        box.addWidget(self._line, 1)
        box.addWidget(self._version)
        return frame

    def _shortcuts(self) -> None:
        for number, name in enumerate(PageName, start=1):
            # The tenth page has the key right of the nine others.
            self._bind(f"Ctrl+{number % 10}", functools.partial(self._open, name))
        self._bind("Ctrl+F", lambda: self.page().focus_search())
        self._bind("Ctrl+,", lambda: self.go(PageName.SETTINGS))
        self._bind("Ctrl+W", self.close)
        self._bind("Ctrl+Q", self.quit_asked.emit)
        # Where ? needs Shift, some keyboards report Shift+? and some only ?.
        self._bind("?", self.show_keys, "Shift+?")

    def _bind(self, keys: str, do: Callable[[], object], *more: str) -> None:
        action = QAction(self)
        action.setShortcuts([QKeySequence(one) for one in (keys, *more)])
        action.setAutoRepeat(False)
        action.triggered.connect(without_args(do))
        self.addAction(action)

    # Pages

    def go(self, name: PageName) -> None:
        """Open a page and select its button."""
        page = self.page(name)
        self._stack.setCurrentWidget(page)
        self._buttons[name].setChecked(True)
        if self.focusWidget() in self._buttons.values():  # else two pages would look selected
            self._buttons[name].setFocus()
        else:
            # Qt gives Tab to the button that last had the focus, not to the one that is chosen.
            strong, click = Qt.FocusPolicy.StrongFocus, Qt.FocusPolicy.ClickFocus
            for one, made in self._buttons.items():
                made.setFocusPolicy(strong if one is name else click)
            self.page(name).take_focus()
        self.setWindowTitle(f"{self._name}: {self._titles[name]}")
        self._show_line()

    def page(self, name: PageName | None = None) -> Page:
        """Return the page of this name, which is created at the first call; without a name return
        the current page.
        """
        if name is None:
            shown = self._stack.currentWidget()
            return next(page for page in self._pages.values() if page is shown)
        if name not in self._pages:
            self._pages[name] = self._making[name](self._kit)
            self._stack.addWidget(self._pages[name])
        return self._pages[name]

    def drafts(self) -> dict[PageName, str]:
        """Return what the user has begun to write, by page."""
        found = {name: page.draft() for name, page in self._pages.items()}
        return {name: written for name, written in found.items() if written}

    @property
    def page_name(self) -> PageName:
        """The name of the current page."""
        return next(name for name in self._pages if self.shows(name))

    def shows(self, name: PageName) -> bool:
        """Whether this page is the current one."""
        return self._stack.currentWidget() is self._pages.get(name)

    def raise_up(self) -> None:
        """Show the window and bring it to the front."""
        self.show()
        if self.isMinimized():
            self.showNormal()
        self.raise_()
        self.activateWindow()

    def put_away(self) -> None:
        """Hide the window and remember its size; the program keeps running."""
        self._kit.preferences.setValue("window/size", self.size())
        self.hide()

    # What it says

    def _show_line(self, *_: object) -> None:
        stands = tray_status(self._kit.state, now())
        # Today begins with the same words.
        today = self._pages.get(PageName.TODAY)
        is_said = today is not None and today.showing_body and self._stack.currentWidget() is today
        line = "" if is_said else stands.line
        if self._line.text() != line:
            self._line.setText(line)
        version = str(self._kit.state.status.get("version") or "")
        if stands.address and self._kit.state.phase is Phase.LIVE:
            version = f"{stands.address}   {version}"
        self._version.setText(version)
        self._name_entry(PageName.REVIEW, stands.proposals)

    def _name_entry(self, name: PageName, count: int = 0) -> None:
        """Write a page's title into its entry, with how many things wait on it; a folded entry has
        the number alone, and its title as a tooltip.
        """
        title, made = self._titles[name], self._buttons[name]
        shown = f"{title}  ({count})" if count else title
        if self._folded:
            shown = str(count) if count else ""
        if made.text() != shown:
            made.setText(shown)
        made.setToolTip(title if self._folded else "")

    def _stand(self) -> None:
        self._show_line()
        process, state = self._kit.process, self._kit.state
        if state.phase is not Phase.DOWN:
            self.banner.say("")
            return
        down = process.down_words
        offers: Sequence[tuple[str, Callable[[], object]]] = ()
        if process.state is ServiceState.PORT_TAKEN:
            offers = self._other_ports()
        elif down.startable:
            offers = ((tr("Start it again") if down.bad else tr("Start"), process.start),)
        self.banner.say(down.banner, kind="bad" if down.bad else "warn", offers=offers)

    def _other_ports(self) -> Sequence[tuple[str, Callable[[], object]]]:
        again = (tr("Try again"), self._kit.process.start)
        at = address_of(self._kit.place)
        if at is None:
            return (again,)
        port = next_free_port(*at)
        words = tr("Use port %1", port) if port else tr("Use any free port")
        return ((words, functools.partial(self._kit.actions.use_port, *at[:1], port)), again)

    def _tell(self, told: OutcomeMessage) -> None:
        self.note.say(told.text, good=told.good, undo=told.undo, button=told.button)

    def _dress(self) -> None:
        theme = self._kit.look.theme
        for name, made in self._buttons.items():
            made.setIcon(icon(f"page-{name}", theme.text))
            made.setIconSize(QSize(1, 1) * self._icon_px)
        self.setWindowIcon(icon("lull", theme.accent))
        self._widen_side()

    def _widen_side(self) -> None:
        """Make the list of pages as wide as its widest entry is when selected, or fold it to its
        icons if that is too much of the window.
        """
        bold = QFont(self.font())
        bold.setBold(True)
        letters = QFontMetrics(bold)
        widest = max(letters.horizontalAdvance(title) for title in self._titles.values())
        room = self._icon_px + SIDE_ROOM
        full = max(SIDE_WIDTH, widest + room)
        self._folded = full > SIDE_SHARE * self.width()
        self._side.setFixedWidth(room + letters.horizontalAdvance("00") if self._folded else full)
        self._brand.setHidden(self._folded)
        self._keys.setText("?" if self._folded else tr("Keyboard: ?"))
        for name in PageName:
            if name is not PageName.REVIEW:
                self._name_entry(name)
        self._show_line()

    @property
    def _icon_px(self) -> int:
        return round(ICON_PX * self._kit.look.text_percent / 100)

    def show_keys(self) -> QDialog:
        """Show the list of keyboard shortcuts."""
        overlay = QDialog(self)
        overlay.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        overlay.setWindowTitle(tr("Keyboard"))
        grid = QGridLayout()
        grid.setHorizontalSpacing(GAP * 3)
        for line, (keys, words) in enumerate(shortcuts()):
            grid.addWidget(label(keys.replace("Ctrl", _ctrl()), "head"), line, 0)
            grid.addWidget(label(words, "muted"), line, 1)
        box = QVBoxLayout(overlay)
        box.setContentsMargins(GAP * 3, GAP * 3, GAP * 3, GAP * 2)
        box.addLayout(grid)
        box.addSpacing(GAP)
        box.addWidget(button(tr("Close"), overlay.close, main=True))
        overlay.open()
        return overlay

    # Qt's own

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._widen_side()

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802
        """Hide the window and save its size when the user closes it; only Quit ends the program."""
        self._kit.preferences.setValue("window/size", self.size())
        event.setAccepted(self.may_hide())
        if not event.isAccepted():
            self.close_asked.emit()


def _ctrl() -> str:
    import sys

    return "⌘" if sys.platform == "darwin" else "Ctrl"
