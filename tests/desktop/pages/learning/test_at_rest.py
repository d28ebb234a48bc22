"""Tests that what the Learning page shows stays in its place once it is seen."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QEvent, QObject, QPoint
from PySide6.QtWidgets import QApplication, QWidget

from lull.contract import routes
from lull.desktop.pages.learning.page import LearningPage
from lull.desktop.widgets.page import Page, PageName
from tests.desktop.conftest import Shown
from tests.desktop.pages.test_learning_page import LEARNED
from tests.desktop.pages.test_other_pages import adapter, run
from tests.desktop.scripted import Scripted


class Sampler(QObject):
    """Notes where a page's widgets are each time that one of them is drawn."""

    def __init__(self, page: Page) -> None:
        super().__init__()
        self._page = page
        self.seen: dict[QWidget, list[tuple[int, int]]] = {}

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        ours = isinstance(watched, QWidget) and self._page.isAncestorOf(watched)
        if event.type() == QEvent.Type.Paint and ours and self._page.showing_body:
            for one in self._page.body.findChildren(QWidget):
                if one.isVisible():
                    at = (one.mapTo(self._page, QPoint()).y(), one.height())
                    places = self.seen.setdefault(one, [])
                    if at not in places:
                        places.append(at)
        return False

    @property
    def moved(self) -> list[str]:
        """What was drawn at more than one place."""
        return [
            f"{type(one).__name__} {one.accessibleName()!r} {places}"
            for one, places in self.seen.items()
            if len(places) > 1
        ]


@contextmanager
def sampling(page: Page) -> Iterator[Sampler]:
    app = QApplication.instance()
    assert app is not None
    made = Sampler(page)
    app.installEventFilter(made)
    yield made
    app.removeEventFilter(made)


def at_rest(shown: Shown, page: Page) -> None:
    shown.until(lambda: page.showing_body and not shown.desktop.client.busy)
    shown.draw(page)


def test_what_the_page_shows_stays_where_it_was_drawn_first(
    on_script: Shown, scripted: Scripted
) -> None:
    scripted.answers[routes.LEARNING] = LEARNED
    scripted.answers[routes.TRAIN] = {"runs": [run(2, reward_after=0.6), run(1)]}
    scripted.answers[routes.ADAPTERS] = {"active": None, "adapters": [adapter(1, "candidate")]}
    answers = scripted.held[routes.LEARNING] = threading.Event()
    page = on_script.desktop.window.page(PageName.LEARNING)
    assert isinstance(page, LearningPage)
    with sampling(page) as sampler:
        on_script.go(PageName.LEARNING)
        on_script.until(lambda: any(path == routes.LEARNING for _, path, _ in scripted.asked))
        on_script.draw(page)
        answers.set()
        at_rest(on_script, page)
    assert page.curves.legend.isVisible() and page.means.isVisible()
    assert len(sampler.seen) > 20
    assert sampler.moved == []
