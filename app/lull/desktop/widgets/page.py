"""Base class of the window's pages; a page has a title and a body, which shows data of Lull's
service.

Without data the body is replaced by the reason (loading, service down, error, nothing yet). A
hidden page draws nothing and is updated when it is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar

from PySide6.QtCore import QSettings, QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QStackedLayout, QVBoxLayout, QWidget

from lull.desktop.language.words import tr, translated
from lull.desktop.service.actions import Actions
from lull.desktop.service.place import Place
from lull.desktop.service.service_process import ServiceProcess
from lull.desktop.service.state import AppState, Phase, Subject
from lull.desktop.widgets.flow import lay_out_now, scrolled
from lull.desktop.widgets.parts import PagePlaceholder, label, row
from lull.desktop.widgets.style import ThemeInForce
from lull.desktop.widgets.tokens import GAP, PAGE_MARGIN

Offers = Sequence[tuple[str, Callable[[], object]]]


class PageName(StrEnum):
    """Names of the window's pages, in the order of the sidebar."""

    TODAY = "today"
    REVIEW = "review"
    SKILLS = "skills"
    LEARNING = "learning"
    SCHEDULE = "schedule"
    CONVERSATIONS = "conversations"
    CHAT = "chat"
    CONNECT = "connect"
    SETTINGS = "settings"
    LOGS = "logs"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kit:
    """The objects that all pages of the window share, such as the data read from the service and
    the user's actions.
    """

    state: AppState
    actions: Actions
    process: ServiceProcess
    look: ThemeInForce
    place: Place
    preferences: QSettings
    go: Callable[..., None]
    """Function that opens a page by its name; a second argument is searched for on that page."""
    show_first_run: Callable[[], object]
    restart_window: Callable[[], None]
    """Function that closes the window and opens it anew, on the same page; the service goes on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Empty:
    """What a page shows when it has no data: a text that says why, and buttons for what the user
    can do about it.
    """

    head: str
    text: str
    offers: Offers = ()


class Page(QWidget):
    """Base class of the window's pages; a page redraws when one of the kinds of service data that
    it shows changes.
    """

    subjects: ClassVar[tuple[Subject, ...]] = ()
    """Kinds of data that the page shows. Until the first was read, the page is empty."""
    begins_in_text: ClassVar[bool] = False
    """Whether one opens the page to write, so that the text box gets the focus at once."""

    def __init__(self, kit: Kit, title: str) -> None:
        super().__init__()
        self.kit = kit
        self.setObjectName("page")
        self.setAccessibleName(title)
        self._due = True
        self._waited = False
        """Whether the page shows that its data are still being read."""
        self.head = row(label(title, "title"), None)
        self.nothing = PagePlaceholder()
        self.body = QWidget()
        self.body.setObjectName("pageBody")
        self.foot = QWidget()
        """Below the body, and always in view: what the page is for, where its contents scroll."""
        self.foot_box = QVBoxLayout(self.foot)
        self.foot_box.setContentsMargins(0, 0, 0, 0)
        self.foot_box.setSpacing(GAP)
        self.foot.hide()
        self._stack = QStackedLayout()
        box = QVBoxLayout(self)
        box.setContentsMargins(PAGE_MARGIN, PAGE_MARGIN - 6, PAGE_MARGIN, GAP * 2)
        box.setSpacing(GAP * 2)
        box.addLayout(self.head)
        box.addLayout(self._stack, 1)
        box.addWidget(self.foot)
        self._areas = {part: scrolled(part) for part in (self.nothing, self.body)}
        # Only now: a stack shows its first widget at once, without a page as a window of its own.
        for area in self._areas.values():
            self._stack.addWidget(area)
        kit.state.changed.connect(self._hear)
        kit.state.phase_changed.connect(self._look)
        kit.process.changed.connect(self._look_if_nothing)
        kit.look.changed.connect(self._look)

    # For the pages

    def show_content(self) -> None:
        """Draw the page's content; called only while the page is visible and has data. At the first
        time its contents are not seen yet.
        """

    def empty(self) -> Empty | None:
        """Return why the page has nothing to show and what the user can do, or None if it has
        something.
        """
        return None

    def show_head(self) -> None:
        """Draw the widgets beside the page's title; called at every update, even while the page has
        no data.
        """

    def look_up(self, words: str) -> None:
        """Search this page for these words and show the matches; does nothing on a page without a
        search field.
        """

    def focus_search(self) -> None:
        """Move the focus to the page's search field; called on Ctrl+F."""

    def draft(self) -> str:
        """Return what the user has begun to write on this page and not sent yet; "" for nothing."""
        return ""

    def take_draft(self, written: str) -> None:
        """Let the user go on with what was begun on this page before the window was replaced."""

    def take_focus(self) -> None:
        """Move the keyboard focus to the page's first list or table, or else to the page itself.

        It never goes to a button or a field, where a letter or Space would act at once.
        """
        lists = self.body.findChildren(QAbstractItemView)
        first = next((one for one in lists if one.isVisibleTo(self) and one.isEnabled()), None)
        # Not a list further down: the page would open there, and not at its beginning.
        seen = first is not None and self.showing_body and not first.visibleRegion().isEmpty()
        (first if first is not None and seen else self).setFocus()

    # Updating

    @property
    def state(self) -> AppState:
        """The service's data."""
        return self.kit.state

    @property
    def showing_body(self) -> bool:
        """Whether the page shows its contents, not the placeholder."""
        return self._stack.currentWidget() is self._areas[self.body]

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        self.state.subscribe(*self.subjects)
        if self._due:
            self.refresh()

    def _hear(self, subject: str) -> None:
        if subject in self.subjects:
            self._look()

    def _look_if_nothing(self) -> None:
        if not self.showing_body:
            self._look()

    def _look(self) -> None:
        self._due = True
        if self.isVisible():
            self.refresh()

    def refresh(self) -> None:
        """Redraw the page: its head, and its contents or the placeholder."""
        self._due = False
        self.show_head()
        why = self._why_nothing()
        if why is not None:
            self._waited = why == loading()
            self.nothing.say(why.head, why.text, why.offers)
            self._stack.setCurrentWidget(self._areas[self.nothing])
            self.foot.hide()
            return
        begins = not self.showing_body
        if begins and self._waited:
            # Drawing all of a page and laying it out in one go would hold up the window.
            self._waited = False
            self.show_content()
            QTimer.singleShot(0, self, self._look)
            return
        self._stack.setCurrentWidget(self._areas[self.body])
        self.foot.setVisible(self.foot_box.count() > 0)
        self.show_content()
        if begins:
            lay_out_now()

    def _why_nothing(self) -> Empty | None:
        if self.subjects:
            held = self.state.held(self.subjects[0])
            if held.value is None:
                return self._not_read(held.error)
        return self.empty()

    def _not_read(self, error: Any) -> Empty:
        if error:
            text = f"{error.get('detail', '')} {error.get('hint', '')}".strip()
            again = (tr("Try again"), lambda: self.state.touch(*self.subjects))
            return Empty(head=translated(error, "title"), text=text, offers=(again,))
        if self.state.phase is Phase.DOWN:
            down = self.kit.process.down_words
            start = (tr("Start the service"), self.kit.process.start)
            offers = (start,) if down.startable else ()
            return Empty(head=down.head, text=down.text, offers=offers)
        return loading()


def loading() -> Empty:
    """Return what a page shows until its data have been read."""
    return Empty(head=tr("Loading…"), text="")


MakesPage = Callable[[Kit], Page]
"""Makes a page when the user first opens it."""
