"""Tests of a child process that can be suspended, resumed and killed, and ends with its parent."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from lull.backends.mlx.paused_child import PausedChild
from tests.eventually import PATIENCE_S, eventually

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="only on POSIX are there signals")

COUNTS = """
import os, sys, time
n = 0
while True:
    n += 1
    with open(sys.argv[1] + ".new", "w") as file:
        file.write(str(n))
    os.replace(sys.argv[1] + ".new", sys.argv[1])
"""
WITH_A_CHILD = (
    "import subprocess, sys\nsubprocess.run([sys.executable, '-c', sys.argv[2], sys.argv[1]])"
)


@pytest.fixture
def number(tmp_path: Path) -> Path:
    return tmp_path / "number"


def count(number: Path) -> int:
    return int(number.read_text()) if number.exists() else 0


@pytest.fixture
def child(number: Path) -> Iterator[PausedChild]:
    child = PausedChild.start([sys.executable, "-c", COUNTS, str(number)])
    eventually(lambda: count(number), lambda n: n > 0)
    yield child
    child.kill()


def gone(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def test_suspended_it_does_nothing_and_resumed_it_goes_on(child: PausedChild, number: Path) -> None:
    child.suspend()
    eventually(lambda: child.suspended, bool)
    stood = count(number)
    used_s = psutil.Process(child.pid).cpu_times().user
    # If it were running, it would write thousands of times a second.
    subprocess.run([sys.executable, "-c", "pass"], check=True)
    assert count(number) == stood
    assert psutil.Process(child.pid).cpu_times().user == used_s
    assert child.alive
    child.resume()
    eventually(lambda: count(number), lambda n: n > stood)
    assert not child.suspended


def test_it_keeps_its_memory_until_it_is_killed(child: PausedChild) -> None:
    child.suspend()
    eventually(lambda: child.suspended, bool)
    assert psutil.Process(child.pid).memory_info().rss > 1_000_000
    child.kill()
    assert not child.alive
    assert not child.suspended
    assert gone(child.pid)


def test_what_it_started_is_stopped_and_killed_with_it(number: Path) -> None:
    child = PausedChild.start([sys.executable, "-c", WITH_A_CHILD, str(number), COUNTS])
    eventually(lambda: count(number), lambda n: n > 0)
    [below] = psutil.Process(child.pid).children()
    child.suspend()
    eventually(below.status, lambda status: status == psutil.STATUS_STOPPED)
    child.resume()
    eventually(below.status, lambda status: status != psutil.STATUS_STOPPED)
    child.kill()
    eventually(lambda: gone(below.pid), bool)


def test_everything_may_be_called_at_any_time(child: PausedChild) -> None:
    child.resume()
    child.suspend()
    child.suspend()
    child.kill()
    child.kill()
    child.suspend()
    child.resume()
    assert child.wait() == -signal.SIGKILL


def test_it_hears_the_end_of_its_own_input_and_may_end_by_itself() -> None:
    child = PausedChild.start([sys.executable, "-c", "import sys; sys.exit(7)"])
    assert child.wait(PATIENCE_S) == 7
    child.suspend()
    child.kill()
    assert not child.alive


def test_waiting_has_an_end(child: PausedChild) -> None:
    with pytest.raises(TimeoutError, match="still runs after"):
        child.wait(0.01)


def test_its_words_go_where_they_are_sent(tmp_path: Path) -> None:
    with (tmp_path / "said").open("w+b") as said:
        script = "import os; print(os.environ['WORD'], os.getcwd())"
        child = PausedChild.start(
            [sys.executable, "-c", script],
            cwd=tmp_path,
            environ={**os.environ, "WORD": "hello"},
            output=said,
        )
        assert child.wait(PATIENCE_S) == 0
    assert (tmp_path / "said").read_text() == f"hello {tmp_path.resolve()}\n"


def test_a_command_that_is_not_there_raises() -> None:
    with pytest.raises(FileNotFoundError):
        PausedChild.start(["/no/such/command"])


PARENT = """
import sys
from lull.backends.mlx.paused_child import PausedChild
child = PausedChild.start([sys.executable, "-c", sys.argv[2], sys.argv[1]])
sys.stdin.readline()
if sys.argv[3] == "stopped":
    child.suspend()
print(child.pid, flush=True)
sys.stdin.readline()
"""


@pytest.mark.slow
@pytest.mark.parametrize("state", ["stopped", "running"])
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
def test_it_does_not_outlive_its_parent(number: Path, state: str, end: signal.Signals) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, str(number), COUNTS, state],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as parent:
        assert parent.stdin is not None
        assert parent.stdout is not None
        eventually(lambda: count(number), lambda n: n > 0)
        parent.stdin.write("\n")
        parent.stdin.flush()
        pid = int(parent.stdout.readline())
        if state == "stopped":
            eventually(psutil.Process(pid).status, lambda s: s == psutil.STATUS_STOPPED)
        assert not gone(pid)
        parent.send_signal(end)
        parent.wait()
    eventually(lambda: gone(pid), bool)


def test_no_guard_is_left_behind(number: Path) -> None:
    before = {process.pid for process in psutil.Process().children()}
    child = PausedChild.start([sys.executable, "-c", COUNTS, str(number)])
    started = {process.pid for process in psutil.Process().children()} - before
    assert len(started) == 2
    child.kill()
    assert not started & {process.pid for process in psutil.Process().children()}
