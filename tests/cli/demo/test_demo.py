"""Tests of `lull demo`: a real service is played through a week in a folder that is removed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from lull.contract.json_object import Json
from lull.core.feedback.trend import Trend, halves, trend
from tests.eventually import PATIENCE_S, eventually
from tests.running import Lull, nobodys_port

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]

WEEK_S = 3000.0
"""Time limit of a played week: a loaded machine is slow, not broken."""


def demo(folder: Path, *words: str, screen: str = "") -> subprocess.Popen[str]:
    """Start `lull demo` so that its throw-away folders lie in `folder`."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("LULL_", "OLLAMA_"))}
    return subprocess.Popen(
        [sys.executable, "-m", "lull.cli.main", "demo", *words],
        env={
            **environment,
            "TMPDIR": str(folder),
            "LULL_HOME": str(folder / "my-own-lull"),
            "OLLAMA_HOST": f"127.0.0.1:{nobodys_port()}",
            **({"QT_QPA_PLATFORM": screen} if screen else {}),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def played(folder: Path, *words: str) -> Json:
    out, err = demo(folder, "--no-window", "--json", *words).communicate(timeout=WEEK_S)
    assert out, err
    document: Json = json.loads(out)
    return document


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    yield tmp_path_factory.mktemp("demo")


@pytest.mark.soak
def test_a_week_is_played_and_can_be_looked_at(folder: Path) -> None:
    home = folder / "week"
    came = played(folder, "--home", str(home))
    assert came["kept"] is True and came["home"] == str(home)
    assert came["conversations"] >= 24 and came["turns"] > came["conversations"]
    assert came["skills"] == 2 and came["generation"] == 2
    (left,) = came["proposals"]
    assert left["name"] == "begin-my-mails-with-an-emoji" and left["status"] in (
        "screened",
        "proving",
    )
    # The week ends better than it began, and all of that was learned.
    days = [day for day in came["days"] if day["reward"] is not None]
    assert min(day["reward"] for day in days[-2:]) > max(day["reward"] for day in days[:2])
    means = [(day["reward"], day["answers"]) for day in days]
    assert trend(*halves(means)) is Trend.BETTER, "the page must not say that it may be chance"

    lull = Lull(home, f"127.0.0.1:{nobodys_port()}")
    now = datetime.now(UTC)
    starts = [
        datetime.fromisoformat(one["started"])
        for one in lull.ask("conversations", "--limit", "500")["conversations"]
    ]
    assert max(starts) <= now
    assert now - min(starts) > timedelta(days=5)
    assert len({start.date() for start in starts}) >= 6
    # The skills in force can be verified: their proofs are real.
    for skill in lull.ask("skills", "list", "--all")["skills"]:
        words = ["--client", skill["client"]] if skill["client"] else []
        assert lull.ask("verify", skill["name"], *words)["holds"] is True
    assert not (folder / "my-own-lull").exists()
    # The window says on every page that it is a demo.
    assert (home / "played-week.txt").exists()
    assert "file:" not in (home / "settings.toml").read_text()
    assert not list(folder.glob("lull-stage-*"))


@pytest.mark.full
def test_ctrl_c_stops_the_service_and_takes_the_folder_away(folder: Path) -> None:
    process = demo(folder, "--no-window")
    try:
        home = eventually(lambda: next(folder.glob("lull-demo-*"), None))
        service = eventually(lambda: _pid(home))
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 130
        assert list(folder.glob("lull-*")) == []
        eventually(lambda: _ended(service))
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()


def _pid(home: Path) -> int:
    try:
        return int(json.loads((home / "service.json").read_text())["pid"])
    except (OSError, ValueError, KeyError):
        return 0


def _ended(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_a_folder_with_something_in_it_is_left_alone(folder: Path) -> None:
    mine = folder / "mine"
    mine.mkdir()
    (mine / "letter.txt").write_text("Dear Anna")
    process = demo(folder, "--no-window", "--home", str(mine))
    _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 2
    assert "is not empty" in err
    assert [one.name for one in mine.iterdir()] == ["letter.txt"]


def test_without_a_display_nothing_is_played(folder: Path) -> None:
    environment = {
        k: v
        for k, v in os.environ.items()
        if k not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    }
    done = subprocess.run(
        [sys.executable, "-m", "lull.cli.main", "demo", "--json"],
        env={**environment, "TMPDIR": str(folder)},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 1
    assert "--no-window" in json.loads(done.stdout)["error"]["hint"]
    assert list(folder.iterdir()) == []


@pytest.mark.soak
def test_the_dashboard_opens_on_the_week_and_quitting_takes_the_folder_away(folder: Path) -> None:
    process = demo(folder, "--json", screen="offscreen")
    try:
        assert process.stdout is not None
        came = json.loads(process.stdout.readline())
        assert came["kept"] is False
        home = Path(came["home"])
        eventually(lambda: (home / "run" / "window.sock").exists() and _pid(home))
        service = _pid(home)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0
        assert not home.exists()
        assert _ended(service)
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()
