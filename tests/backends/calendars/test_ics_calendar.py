"""Tests of reading a calendar file, and of the child process that parses it.

The child has limits, learns neither secrets nor the calendar's address, and whatever it answers
becomes a result or one clear line.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import lull
from lull.backends.calendars.calendar import IcsCalendar, child_command
from lull.core.calendars.event import Meaning
from lull.core.calendars.feeds import (
    FeedError,
    FeedReading,
    FeedSource,
    FeedUnreachable,
    Validators,
)
from tests.backends.calendars.texts import MEETING, MEETING_AT, SPAN, calendar, daily
from tests.eventually import PATIENCE_S, until

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="only on macOS it is watched instead")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "work.ics"
    path.write_bytes(calendar(MEETING))
    return path


async def read(
    path: Path | str, *, marks: Validators | None = None, reader: IcsCalendar | None = None
) -> FeedReading | None:
    return await (reader or IcsCalendar()).read(
        FeedSource(location=str(path), is_file=True),
        SPAN,
        means=Meaning.BUSY,
        marks=marks or Validators(),
    )


def child(script: str) -> tuple[str, ...]:
    """Return a command that runs this script in place of the calendar reader's child."""
    return (sys.executable, "-c", textwrap.dedent(script))


# Files


async def test_a_file_is_read_and_known_again(file: Path) -> None:
    found = await read(file)
    assert found is not None
    assert [(e.start.isoformat(), e.end.isoformat()) for e in found.events] == [MEETING_AT]
    assert found.events[0].kind is Meaning.BUSY
    assert await read(file, marks=found.marks) is None
    file.write_bytes(calendar(MEETING, daily()))
    changed = await read(file, marks=found.marks)
    assert changed is not None and len(changed.events) > 1


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("missing", "cannot be read"),
        ("folder", "regular file"),
        ("pipe", "regular file"),
        ("device", "regular file"),
        ("unreadable", "cannot be read"),
        ("too large", "larger than 10 MB"),
        ("endless", "regular file"),
    ],
)
async def test_what_is_no_readable_file_is_said_at_once(
    kind: str, says: str, tmp_path: Path
) -> None:
    path = tmp_path / "x.ics"
    match kind:
        case "folder":
            path.mkdir()
        case "pipe":
            os.mkfifo(path)
        case "device":
            path.symlink_to("/dev/null")
        case "endless":
            path.symlink_to("/dev/zero")
        case "unreadable":
            path.symlink_to(path)  # a loop, which root cannot read either
        case "too large":
            path.write_bytes(b"x" * 10_000_001)
    with pytest.raises(FeedError, match=says):
        await read(path)


# The child


async def test_the_child_knows_no_secrets_and_no_address(file: Path, tmp_path: Path) -> None:
    told = tmp_path / "told.json"
    spy = child(
        f"""
        import json, os, sys
        seen = dict(arguments=sys.argv, environment=dict(os.environ))
        open({str(told)!r}, "w").write(json.dumps(seen))
        sys.stdin.buffer.read()
        print(json.dumps(dict(busy=[], dropped=[], peak_mb=1)))
        """
    )
    environ = {
        **os.environ,
        "LULL_SECRET_CALENDAR": "https://key-4711",
        "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere",
    }
    await read(file, reader=IcsCalendar(environ=environ, command=spy))
    seen = json.loads(told.read_text())
    assert "key-4711" not in told.read_text() and str(file) not in told.read_text()
    assert "DBUS_SESSION_BUS_ADDRESS" not in seen["environment"]
    assert set(seen["environment"]) <= set(environ) | {"LC_CTYPE"}


async def test_what_a_library_failed_at_is_in_the_log_and_only_that(
    file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    faults = [["TypeError at parser.py:12", 3], ["Talk with the bank at 9", 1], ["x" * 999, 1], 7]
    told = {"busy": [], "dropped": [], "faults": faults}
    caplog.set_level(logging.INFO)
    found = await read(file, reader=IcsCalendar(command=child(f"print({json.dumps(told)!r})")))
    assert found is not None
    assert [record.getMessage() for record in caplog.records if "calendar" in record.name] == [
        "a library failed at 3 parts of a calendar: TypeError at parser.py:12"
    ]


@pytest.mark.full
@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("pass", "ran out of memory or time"),
        ("import os; os.abort()", "ran out of memory or time"),
        ("print('no JSON')", "ran out of memory or time"),
        ("print('[]')", "ran out of memory or time"),
        ("print('[' * 100000)", "ran out of memory or time"),
        ("print('{}')", "gave an unusable answer"),
        ('print(\'{"busy": [[1]], "dropped": []}\')', "gave an unusable answer"),
        ('print(\'{"busy": [[2, 1]], "dropped": []}\')', "gave an unusable answer"),
        ('print(\'{"busy": [[1, 1e300]], "dropped": []}\')', "gave an unusable answer"),
        (
            'print(\'{"busy": [], "dropped": [["event", "<b>my own words</b>", 1]]}\')',
            "gave an unusable answer",
        ),
        ('print(\'{"refused": "page"}\')', "web page"),
        ("while True: print('x' * 1000)", "ran out of memory or time"),
        ("import time; time.sleep(600)", "took too long"),
        ("import time, os; os.close(1); time.sleep(600)", "took too long"),
        ("raise RuntimeError('Talk with the bank')", "ran out of memory or time"),
    ],
)
async def test_whatever_the_child_does_becomes_one_line(
    script: str, says: str, file: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    within_s = 4.0 if "sleep" in script else PATIENCE_S
    reader = IcsCalendar(command=child(script), within_s=within_s)
    with pytest.raises(FeedError, match=says) as caught:
        await read(file, reader=reader)
    assert not isinstance(caught.value, FeedUnreachable)
    assert "my own words" not in str(caught.value)
    assert capfd.readouterr() == ("", "")


async def test_a_reading_that_is_given_up_leaves_no_child_behind(
    file: Path, tmp_path: Path
) -> None:
    number = tmp_path / "pid"
    sleeper = child(
        f"""
        import os, pathlib, time
        pathlib.Path({str(number)!r}).write_text(str(os.getpid()))
        time.sleep(600)
        """
    )
    reader = IcsCalendar(command=sleeper, within_s=PATIENCE_S)
    work = asyncio.create_task(read(file, reader=reader))
    await until(lambda: number.exists() and number.read_text())
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    with pytest.raises(ProcessLookupError):
        os.kill(int(number.read_text()), 0)


LIMITED = "from lull.backends.calendars.child import limit_myself; limit_myself()\n"


def limited(script: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", LIMITED + script],
        capture_output=True,
        text=True,
        cwd=Path(lull.__file__).parent.parent,
        timeout=PATIENCE_S,
    )


@on_linux
def test_the_child_has_half_a_gigabyte_and_no_more() -> None:
    assert limited("x = bytearray(300_000_000)").returncode == 0
    assert "MemoryError" in limited("x = bytearray(600_000_000)").stderr


def test_the_child_writes_no_files(tmp_path: Path) -> None:
    ran = limited(f"import pathlib; pathlib.Path({str(tmp_path / 'x')!r}).write_text('a loan')")
    assert ran.returncode != 0
    assert (tmp_path / "x").read_text() == ""


def test_a_frozen_app_is_its_own_child(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert child_command() == (sys.executable, "read-calendar")


async def test_the_child_is_a_role_of_the_one_program(file: Path) -> None:
    command = (sys.executable, "-m", "lull.cli.main", "read-calendar")
    found = await read(file, reader=IcsCalendar(command=command))
    assert found is not None and len(found.events) == 1
