"""Tests of the pages while Lull is off or its service gone: none looks as if it still learned."""

from __future__ import annotations

from datetime import timedelta

import pytest

from lull.contract import routes
from lull.desktop.language.words import now
from lull.desktop.pages.schedule.page import SchedulePage
from lull.desktop.pages.schedule.week_bars import BarKind, kind_words
from lull.desktop.service.state import Phase
from tests.desktop.conftest import Shown
from tests.desktop.pages.test_other_pages import learned, scheduled
from tests.desktop.scripted import Scripted, learning, status


def leave(shown: Shown, scripted: Scripted, how: str) -> None:
    """Switch Lull off, or take the service away."""
    if how == "off":
        scripted.answers[routes.STATUS] = {**shown.desktop.state.status, "enabled": False}
        scripted.tell("settings")
    else:
        scripted.down()
        shown.until(lambda: shown.desktop.state.phase is Phase.DOWN)


@pytest.mark.parametrize("how", ["off", "gone"])
def test_nothing_is_trained_now_where_nothing_learns(
    on_script: Shown, scripted: Scripted, how: str
) -> None:
    page = learned(on_script, scripted)
    assert page.train.isEnabled()
    leave(on_script, scripted, how)
    on_script.until(lambda: not page.train.isEnabled())


def planned(page: SchedulePage) -> bool:
    """Return whether the shown week tells of planned work."""
    cells = (page.list.item(line, 2) for line in range(page.list.rowCount()))
    return kind_words()[BarKind.PLANNED] in [cell.text() for cell in cells if cell is not None]


@pytest.mark.parametrize(
    ("how", "words"),
    [("off", "Lull is off: requests go straight to Ollama"), ("gone", "Connecting…")],
)
def test_the_schedule_shows_no_old_reasons_and_no_plans(
    on_script: Shown, scripted: Scripted, how: str, words: str
) -> None:
    soon = (now() + timedelta(hours=2)).isoformat()
    work = [{"kind": "proof", "text": "Proving lists", "left_s": 1800.0}]
    scripted.answers[routes.STATUS] = status(learning=learning(next=soon, work=work))
    scripted.tell("lull")
    page = scheduled(on_script, scripted)
    on_script.until(lambda: page.reasons.isVisible() and planned(page))
    leave(on_script, scripted, how)
    on_script.until(lambda: page.why.text() == words)
    assert not page.reasons.isVisible()
    assert not planned(page)
