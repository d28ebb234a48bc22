"""Tests of where a run of the first tier puts its folders, with real runs of pytest."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.eventually import PATIENCE_S
from tests.paths import ROOT
from tests.plugins import in_memory

WRITES = """
from pathlib import Path

def test_it(tmp_path):
    (tmp_path / "made").write_text("here")
    print("folder", tmp_path)
    assert {passes}
"""


def ran(tmp_path: Path, *, passes: bool, **environ: str) -> Path:
    """Run one test that writes a file, and return the folder that it had."""
    (tmp_path / "test_it.py").write_text(WRITES.format(passes=passes))
    plain = {k: v for k, v in os.environ.items() if k != "TMPDIR" and not k.startswith("PYTEST")}
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider"),
            *("-p", "tests.plugins.in_memory", "-c", os.devnull, f"--rootdir={tmp_path}"),
            str(tmp_path),
        ],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=PATIENCE_S,
        env=plain | environ,
        check=False,
    )
    assert done.returncode == (0 if passes else 1), done.stdout + done.stderr
    (line,) = [one for one in done.stdout.splitlines() if "folder " in one]
    return Path(line.split("folder ")[1])


@pytest.mark.full
@pytest.mark.skipif(not in_memory.wanted({}, in_memory.MEMORY), reason="no room in memory")
def test_a_run_that_passes_leaves_nothing_in_memory(tmp_path: Path) -> None:
    folder = ran(tmp_path, passes=True)
    assert folder.is_relative_to(in_memory.MEMORY)
    assert not Path(*folder.parts[:4]).exists()


@pytest.mark.full
@pytest.mark.skipif(not in_memory.wanted({}, in_memory.MEMORY), reason="no room in memory")
def test_what_a_failed_test_left_is_moved_to_the_disk(tmp_path: Path) -> None:
    folder = ran(tmp_path, passes=False, TEMP=str(tmp_path))
    assert not Path(*folder.parts[:4]).exists()
    (made,) = tmp_path.rglob("made")
    assert made.read_text() == "here"


def test_a_place_that_somebody_chose_is_kept() -> None:
    assert not in_memory.wanted({"TMPDIR": "/elsewhere"}, in_memory.MEMORY)
    assert not in_memory.wanted({"PYTEST_DEBUG_TEMPROOT": "/elsewhere"}, in_memory.MEMORY)


def test_without_such_a_place_the_disk_is_used(tmp_path: Path) -> None:
    assert not in_memory.wanted({}, tmp_path / "missing")


def test_what_a_killed_run_left_is_removed_and_a_running_one_keeps_its_folder(
    tmp_path: Path,
) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    left = [tmp_path / f"lull-{ended.pid}{of_a_test}" for of_a_test in ("", "-a1")]
    used = [tmp_path / f"lull-{os.getpid()}{of_a_test}" for of_a_test in ("", "-a1")]
    for folder in (*left, *used):
        folder.mkdir()
    in_memory.free_orphans(tmp_path)
    assert sorted(tmp_path.iterdir()) == used


def test_what_a_failing_run_left_is_kept_without_its_sockets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, place = tmp_path / "root", tmp_path / "place"
    (root / "home").mkdir(parents=True)
    place.mkdir()
    (root / "home" / "lull.db").write_text("kept", "utf-8")
    os.mkfifo(root / "home" / "pipe")
    monkeypatch.chdir(root / "home")  # a socket's whole path may be too long
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("control.sock")
    monkeypatch.chdir(tmp_path)
    in_memory.keep(root, place)
    assert [one.name for one in (place / "root" / "home").iterdir()] == ["lull.db"]
    assert not root.exists()
