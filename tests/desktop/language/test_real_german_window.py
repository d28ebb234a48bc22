"""Tests that every page of the German window is German with a real service behind it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from lull.config.paths import Paths
from lull.core.proof.proposal import ProposalStatus
from lull.desktop.pages.logs import LogsPage
from lull.desktop.pages.settings.page import SettingsPage
from lull.desktop.widgets.page import PageName
from tests.desk import Desk, pairs, proved
from tests.desktop.conftest import Shown, live
from tests.desktop.language.test_german_window import ENGLISH_WORDS, said
from tests.desktop.real_service import desktop_with_service
from tests.desktop.widgets.test_accessible import unfold
from tests.running import nobodys_port

pytestmark = pytest.mark.full
DESCRIPTION, BODY = "Wenn nach Menüs gefragt wird.", "Trenne die Wörter durch Striche."
REASON = "not better: both answers were the same, word for word, 12 times"
THEIRS = re.compile(r"„[^“]*“|`[^`]*`|\S*/\S*|menu-\w+|[a-z]+\.[a-z_]+")
"""What stands in quotation marks, paths, and the names of the fixture's skills and settings."""


@pytest.fixture
def service(
    qapp: QApplication,
    qtbot: QtBot,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    german: None,
) -> Iterator[Shown]:
    """A German desktop that started a real service, with a suggestion of each status."""
    monkeypatch.setenv("OLLAMA_HOST", f"127.0.0.1:{nobodys_port()}")
    paths = Paths.from_environment({}, "linux", home=str(home))
    paths.prepare()
    paths.settings.write_text("[service]\nport = 0\n")
    with Desk(paths.home).open() as desk:
        for status in ProposalStatus:
            replays = pairs(3, 3, 3) if status is ProposalStatus.UNPROVED else proved()
            desk.propose(
                name=f"menu-{status}",
                description=DESCRIPTION,
                body=BODY,
                status=status,
                replays=replays,
                reason=REASON,
            )
    with desktop_with_service(qapp, qtbot, paths) as shown:
        yield live(shown)


def test_every_page_is_german(service: Shown, home: Path) -> None:
    found = {}
    for name in PageName:
        page = service.go(name)
        if isinstance(page, LogsPage):
            page.look.click()
        if isinstance(page, SettingsPage):
            service.until(lambda shown=page: bool(shown.lines))
        service.until(lambda: not service.desktop.client.busy)
        unfold(page)
        shown = said(page)
        if name is PageName.LOGS:
            shown = {text for text in shown if not text.startswith("20")}  # lines of the log
        texts = {THEIRS.sub("…", text.replace(str(home), "…")) for text in shown}
        left = sorted(text for text in texts if ENGLISH_WORDS.search(text))
        if out := os.environ.get("WALK"):
            Path(out).joinpath(f"{name}.txt").write_text("\n".join(sorted(shown)), "utf-8")
            service.desktop.window.grab().save(f"{out}/{name}.png")
        found |= {name: left} if left else {}
    assert found == {}
