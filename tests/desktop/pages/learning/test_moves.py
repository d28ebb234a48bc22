"""Tests of the learning page's moves on a real service: adopted, undone, taken back, set back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from lull.contract.json_object import Json
from lull.desktop.pages.learning.page import LearningPage
from lull.desktop.widgets.page import PageName
from tests.cli.adapters.test_with_service import bring, nudged
from tests.desktop.conftest import Shown, live
from tests.running import Lull, RunningLull

__all__ = ["nudged"]
pytestmark = [pytest.mark.full, pytest.mark.timeout(3600)]

ONE, TWO = "adapter_one", "adapter_two"


@pytest.fixture
def lull(home: Path, nudged: Path) -> Iterator[Lull]:
    """A real service whose test accepted the first of two adapters; neither answers."""
    with RunningLull.cleaned_up(home) as made:
        made.home.mkdir(mode=0o700)
        bring(made.home, {ONE: nudged / "nudged", TWO: nudged / "nudged2"})
        made.serve()
        yield made


@dataclass
class Moves:
    lull: Lull
    shown: Shown
    page: LearningPage

    def listed(self) -> Json:
        listed: Json = self.lull.ask("adapters", "list")
        return listed

    def choose(self, adapter: str, button: str) -> None:
        """Select an adapter's row, until a button says so: the table may be filled anew."""
        page = self.page

        def chosen() -> bool:
            names = [one["id"] for one in page._adapters()]
            if adapter in names:
                page.adapters.setCurrentCell(names.index(adapter), 0)
            buttons = (page.adopt, page.back, page.base)
            return any(one.text() == button and one.isEnabled() for one in buttons)

        self.shown.until(chosen)

    def answers(self, adapter: str | None) -> None:
        """Wait until the page shows that this adapter answers, and ask the service itself."""
        self.shown.until(lambda: self.shows() == adapter)
        assert self.listed()["active"] == adapter

    def shows(self) -> str | None:
        from lull.desktop.service.state import Subject

        active = self.shown.desktop.state.value(Subject.ADAPTERS).get("active")
        return str(active) if active else None

    def statuses(self) -> dict[str, str]:
        return {str(one["id"]): str(one["status"]) for one in self.listed()["adapters"]}


@pytest.fixture
def moves(lull: Lull, show: Callable[..., Shown]) -> Moves:
    shown = live(show(lull.home))
    page = shown.go(PageName.LEARNING)
    assert isinstance(page, LearningPage)
    shown.until(lambda: page.adapters.rowCount() == 2)
    return Moves(lull, shown, page)


def test_an_adopted_one_is_undone_and_the_original_answers_as_before(moves: Moves) -> None:
    page = moves.page
    assert not page.back.isEnabled() and not page.base.isEnabled()
    moves.choose(ONE, "Adopt")
    page.adopt.click()
    moves.answers(ONE)
    moves.shown.until(lambda: f"{ONE} is in use." in moves.shown.told)
    note = moves.shown.desktop.window.note
    note.undo.click()
    moves.answers(None)
    moves.shown.until(lambda: "Rolled back to the original model." in moves.shown.told)
    assert moves.statuses()[ONE] == "rolled back"


def test_back_to_the_one_before_to_a_chosen_one_and_to_none(moves: Moves) -> None:
    page = moves.page
    moves.choose(ONE, "Adopt")
    page.adopt.click()
    moves.answers(ONE)
    moves.choose(TWO, "Adopt anyway")  # its test never said that it may
    page.adopt.click()
    moves.answers(TWO)
    moves.choose(TWO, "Roll back")
    page.back.click()
    moves.answers(ONE)
    moves.choose(TWO, "Roll back to this")
    page.back.click()
    moves.answers(TWO)
    moves.choose(TWO, "Use no adapter")
    page.base.click()
    moves.answers(None)
    moves.shown.until(lambda: not page.base.isEnabled())
    assert moves.lull.ask("status")["policy"]["adapter"] is None
