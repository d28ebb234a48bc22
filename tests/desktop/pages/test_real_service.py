"""Tests of the window with a real service that is started, killed and back: nothing is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from lull.config.paths import Paths
from lull.contract import routes
from lull.core.proof.proposal import ProposalStatus
from lull.desktop.pages.review.page import ReviewPage
from lull.desktop.pages.schedule.page import SchedulePage
from lull.desktop.pages.settings.wipe_dialog import WipeDialog
from lull.desktop.service.state import Phase, Subject
from lull.desktop.widgets.page import PageName
from lull.service.process.lock import is_running, read_discovery
from tests.desk import Desk, proved
from tests.desktop.conftest import WAIT_MS, Shown
from tests.desktop.real_service import desktop_with_service
from tests.eventually import PATIENCE_S
from tests.running import nobodys_port

pytestmark = pytest.mark.full


@pytest.fixture
def paths(home: Path, monkeypatch: pytest.MonkeyPatch) -> Paths:
    monkeypatch.setenv("OLLAMA_HOST", f"127.0.0.1:{nobodys_port()}")
    paths = Paths.from_environment({}, "linux", home=str(home))
    paths.prepare()
    paths.settings.write_text("[service]\nport = 0\n")
    return paths


@pytest.fixture
def proposed(paths: Paths) -> None:
    """Leave one proved proposal for the user in the home."""
    with Desk(paths.home).open() as desk:
        desk.propose(status=ProposalStatus.PROVED, replays=proved())


@pytest.fixture
def real(qapp: QApplication, qtbot: QtBot, paths: Paths) -> Iterator[Shown]:
    """A desktop that starts the service itself."""
    with desktop_with_service(qapp, qtbot, paths) as shown:
        yield shown


def pid_of(paths: Paths) -> int:
    found = read_discovery(paths.discovery)
    assert found is not None
    return found.pid


def test_it_starts_a_service_sees_it_killed_and_has_it_back(real: Shown, paths: Paths) -> None:
    state = real.desktop.state
    real.until(lambda: state.phase is Phase.LIVE)
    first = pid_of(paths)
    os.kill(first, signal.SIGKILL)
    real.until(lambda: state.phase is Phase.DOWN)
    real.until(lambda: state.phase is Phase.LIVE)
    assert pid_of(paths) != first
    real.until(lambda: state.status.get("pid") == pid_of(paths))


def test_quit_stops_the_service_that_it_started(real: Shown, paths: Paths) -> None:
    real.until(lambda: real.desktop.state.phase is Phase.LIVE)
    real.desktop.end()
    real.until(lambda: not is_running(paths.lock))


def test_an_action_in_the_gap_is_done_or_plainly_not_done(real: Shown, paths: Paths) -> None:
    from lull.core.idle.pausing import PauseLength

    state = real.desktop.state
    real.until(lambda: state.phase is Phase.LIVE)
    os.kill(pid_of(paths), signal.SIGKILL)
    real.desktop.actions.pause(PauseLength.HOUR)
    real.until(lambda: real.told and not real.told[-1].endswith("checks whether this was done."))
    said = real.told[-1]
    real.until(lambda: state.phase is Phase.LIVE and state.learning)
    paused = state.learning["state"] == "paused"
    assert ("not done" in said) is not paused, said


def test_lull_alone_opens_once_and_a_second_start_leaves(paths: Paths, qtbot: QtBot) -> None:
    environment = {**os.environ, "LULL_HOME": str(paths.home), "QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, "-m", "lull.cli.main"]
    first = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE)
    try:
        qtbot.waitUntil(lambda: is_running(paths.lock), timeout=WAIT_MS)
        done = subprocess.run(
            [*command, "open"], env=environment, capture_output=True, timeout=PATIENCE_S
        )
        assert done.returncode == 0, done.stderr
        assert first.poll() is None
    finally:
        first.send_signal(signal.SIGTERM)
        first.communicate(timeout=PATIENCE_S)
    assert first.returncode == 0
    qtbot.waitUntil(lambda: not is_running(paths.lock), timeout=WAIT_MS)


def test_everything_is_wiped_and_a_new_service_begins_with_nothing(
    real: Shown, paths: Paths
) -> None:
    state = real.desktop.state
    real.until(lambda: state.phase is Phase.LIVE)
    first = pid_of(paths)
    skill = {"do": "add", "name": "menu-style", "description": "Menus.", "body": "Bars."}
    state.act(routes.SKILLS_CHANGE, skill, words="Adding", done="added")
    real.until(lambda: "added" in real.told)
    page = real.go(PageName.SETTINGS)
    dialog = WipeDialog(real.desktop.kit, page)
    dialog.open()
    dialog.everything.setChecked(True)
    dialog.sure.setChecked(True)
    dialog.wipe.click()
    real.until(lambda: "Deleted." in real.told)
    real.until(lambda: state.phase is Phase.LIVE and state.status.get("pid") not in (None, first))
    real.until(lambda: state.value(Subject.SKILLS).get("skills") == [])
    assert list(paths.skills_root.rglob("SKILL.md")) == []


@pytest.mark.parametrize("moment", ["dead", "dying"])
def test_an_approval_in_the_gap_is_in_force_or_plainly_not_done(
    proposed: None, real: Shown, paths: Paths, moment: str
) -> None:
    state = real.desktop.state
    real.until(lambda: state.phase is Phase.LIVE)
    page = real.go(PageName.REVIEW)
    assert isinstance(page, ReviewPage)
    real.until(page.approve.isEnabled)
    real.told.clear()
    if moment == "dead":
        os.kill(pid_of(paths), signal.SIGKILL)
        page.approve.click()  # before the window knows
    else:
        page.approve.click()  # the service may have heard it
        os.kill(pid_of(paths), signal.SIGKILL)
    real.until(lambda: real.told and not real.told[-1].endswith("checks whether this was done."))
    said = real.told[-1]
    real.until(lambda: state.phase is Phase.LIVE and "pid" in state.status)
    real.until(lambda: state.status["pid"] == pid_of(paths))
    in_force = state.status["policy"]["generation"] == 1
    assert ("not done" in said) is not in_force, said


def test_events_of_a_calendar_that_lie_ahead_are_on_the_schedule(
    real: Shown, paths: Paths, tmp_path: Path
) -> None:
    lines = ["BEGIN:VCALENDAR"]
    for day in range(1, 4):
        at = datetime.now(UTC) + timedelta(days=day)
        lines += ["BEGIN:VEVENT", f"UID:{day}", f"DTSTART:{at:%Y%m%dT%H%M00Z}", "DURATION:PT1M"]
        lines += ["END:VEVENT"]
    file = tmp_path / "ahead.ics"
    file.write_text("\r\n".join([*lines, "END:VCALENDAR", ""]))
    state = real.desktop.state
    real.until(lambda: state.phase is Phase.LIVE)
    feed = {"location": str(file), "means": "busy"}
    state.act(routes.CALENDARS, feed, words="Adding", done="added")
    real.until(lambda: real.told)
    assert real.told == ["added"]
    page = real.go(PageName.SCHEDULE)
    assert isinstance(page, SchedulePage)
    real.until(lambda: page.list.rowCount() >= 3)
