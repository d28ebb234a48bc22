"""Tests of the lock and the discovery file: only the lock decides whether a service runs."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lull.core.errors import AlreadyRunning, Busy
from lull.service.process.lock import (
    Discovery,
    ServiceLock,
    alive,
    is_locked,
    is_running,
    read_discovery,
    write_discovery,
)

HERE = Discovery(
    address="http://127.0.0.1:1", pid=os.getpid(), control="/x", version="1", started="now"
)


def test_a_second_one_learns_who_is_there(tmp_path: Path) -> None:
    lock, found = tmp_path / "service.lock", tmp_path / "service.json"
    first = ServiceLock(lock)
    first.take(discovery=found)
    write_discovery(found, HERE)
    with pytest.raises(AlreadyRunning, match=rf"Process {os.getpid()} .* http://127.0.0.1:1"):
        ServiceLock(lock).take(discovery=found)
    first.release()
    assert not is_running(lock)
    third = ServiceLock(lock)
    third.take(discovery=found)
    third.release()


def test_asking_makes_nothing_and_holds_nothing(tmp_path: Path) -> None:
    lock = tmp_path / "service.lock"
    assert not is_running(lock)
    assert not lock.exists()
    assert not is_running(tmp_path / "a-file-is-no-folder" / "service.lock")
    held = ServiceLock(lock)
    held.take(discovery=tmp_path / "none")
    assert is_running(lock)
    held.release()
    assert not is_running(lock)


def test_the_lock_falls_with_its_process(tmp_path: Path) -> None:
    lock = tmp_path / "service.lock"
    script = (
        "import sys, time; from pathlib import Path;"
        "from lull.service.process.lock import ServiceLock;"
        "l = ServiceLock(Path(sys.argv[1])); l.take(discovery=Path('/none'));"
        "print('held', flush=True); time.sleep(60)"
    )
    child = subprocess.Popen([sys.executable, "-c", script, str(lock)], stdout=subprocess.PIPE)
    assert child.stdout is not None
    child.stdout.readline()
    assert is_running(lock)
    child.kill()
    child.wait()
    child.stdout.close()
    assert not is_running(lock)
    assert not alive(child.pid)
    assert alive(os.getpid())


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "7", "{}", '{"pid": 1}', json.dumps({"address": 1, "pid": "x"})]
    + [
        json.dumps({"address": "a", "pid": pid, "control": "c", "version": "v", "started": "s"})
        for pid in (0, -5, True, 1.5, None)
    ],
)
def test_a_discovery_file_that_says_nothing_is_none(tmp_path: Path, text: str) -> None:
    file = tmp_path / "service.json"
    file.write_text(text)
    assert read_discovery(file) is None
    assert read_discovery(tmp_path / "none") is None
    assert read_discovery(tmp_path) is None


@pytest.mark.skipif(os.name != "posix", reason="no pipes in folders here")
@pytest.mark.timeout(60)
@pytest.mark.parametrize("make", [os.mkfifo, lambda file: file.symlink_to("/dev/zero")])
def test_a_pipe_or_a_device_in_its_place_says_nothing(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    file = tmp_path / "service.json"
    make(file)
    assert read_discovery(file) is None


def test_a_newer_version_may_say_more(tmp_path: Path) -> None:
    file = tmp_path / "service.json"
    write_discovery(file, HERE)
    file.write_text(json.dumps({**json.loads(file.read_text()), "more": 1}))
    assert read_discovery(file) == HERE


def test_a_file_that_is_removed_or_replaced_lets_nobody_in(tmp_path: Path) -> None:
    lock, found = tmp_path / "service.lock", tmp_path / "service.json"
    first, second = ServiceLock(lock), ServiceLock(lock)
    first.take(discovery=found)
    write_discovery(found, HERE)
    lock.unlink()
    assert is_running(lock)
    with pytest.raises(AlreadyRunning):
        second.take(discovery=found)  # which has made the file again
    assert is_running(lock) and not is_locked(lock)
    first.put_back()
    assert is_locked(lock)
    before = lock.stat().st_ino
    first.put_back()
    assert lock.stat().st_ino == before
    first.release()
    assert not is_running(lock)
    second.take(discovery=found)
    second.release()


def test_what_is_looked_at_meanwhile_is_put_back_the_next_time(tmp_path: Path) -> None:
    lock = tmp_path / "service.lock"
    first = ServiceLock(lock)
    first.take(discovery=tmp_path / "none")
    lock.unlink()
    with lock.open("a") as other:
        fcntl.flock(other, fcntl.LOCK_SH)
        first.put_back()
        assert is_running(lock)
    first.put_back()
    assert is_locked(lock)
    first.release()


def test_an_older_lull_that_locks_the_file_alone_is_noticed(tmp_path: Path) -> None:
    lock = tmp_path / "service.lock"
    with lock.open("a") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        assert is_running(lock)
        with pytest.raises(Busy):
            ServiceLock(lock).take(discovery=tmp_path / "none", patience_s=0.1)
    assert not is_running(lock)


WITHOUT_LOCKS = """
import errno, fcntl, os, stat, sys
from pathlib import Path

locks = fcntl.flock

def flock(file, how):
    number = file if isinstance(file, int) else file.fileno()
    if sys.argv[2] == "no file" or stat.S_ISDIR(os.fstat(number).st_mode):
        raise OSError(errno.ENOLCK, "No locks available")
    locks(file, how)

fcntl.flock = flock
from lull.core.errors import LullError
from lull.service.process.lock import ServiceLock, is_running

lock = Path(sys.argv[1])
for attempt in (lambda: ServiceLock(lock).take(discovery=lock, patience_s=0.1),
                lambda: is_running(lock)):
    try:
        print(attempt())
    except LullError as error:
        print(type(error).__name__, error.detail, error.hint)
"""
"""A process on a drive that cannot lock `sys.argv[2]`."""


@pytest.mark.parametrize("cannot_lock", ["no folder", "no file"])
def test_on_a_drive_without_locks_no_second_one_starts(tmp_path: Path, cannot_lock: str) -> None:
    lock = tmp_path / "service.lock"
    first = ServiceLock(lock)
    first.take(discovery=tmp_path / "none")
    words = [sys.executable, "-c", WITHOUT_LOCKS, str(lock), cannot_lock]
    said = subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()
    if cannot_lock == "no folder":  # the file's lock is left, and decides
        assert said[0].startswith("Busy") and said[1:] == ["True"]
    else:
        assert [line.split()[0] for line in said] == ["StoreError"] * 2
        assert "cannot lock files: No locks available. Set LULL_HOME" in said[0]
    first.release()
