"""A calendar behind `service.calendars.FeedReader`: bytes from file or network, times from a child.

Decides how the ten seconds that a feed may take are shared, what a file must be, and which words
say what a feed was. What crosses a process border is checked: the child has read a stranger's text
and is believed nothing but numbers and reasons from our own list.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import re
import signal
import stat
import sys
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import lull
from lull.backends.ics_answer import MOST_BYTES, too_big
from lull.backends.ics_child import MOST_FAULTS
from lull.backends.ics_fetch import FeedFetch, Fetched
from lull.core.calendar_event import CalendarEvent, Meaning
from lull.core.errors import LullError
from lull.core.feeds import (
    Dropped,
    FeedError,
    FeedUnreachable,
    Marks,
    Read,
    Source,
    Span,
    What,
    Why,
)

log = logging.getLogger(__name__)

WITHIN_S = 9.5
"""For one feed, from the first byte asked for to its events: less than the ten it may take."""
FETCH_SHARE = 6.0 / WITHIN_S
"""Of that, for what its server sends."""
_SPARE_S = 1.5
"""Between what the child is told and when it is ended."""
_MOST_ANSWER = 4 * 1024 * 1024

_FAULT: Final = re.compile(r"[A-Za-z]{1,50} at [\w.<>-]{1,50}(:\d{1,6})?", re.ASCII)
"""What the child may say of a library that failed: a type, and a place in code."""

_KEPT_VARIABLES = (
    *("PATH", "TZ", "TZDIR", "LANG", "LC_ALL", "SYSTEMROOT", "TMPDIR", "TEMP"),
    *("PYTHONPATH", "PYTHONTZPATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "PYTHONHOME"),
)
"""What a Python needs to start and to know the time of day here; no secrets, no sessions."""


def child_command() -> tuple[str, ...]:
    """The child's command line; a frozen app is its own interpreter."""
    if getattr(sys, "frozen", False):
        return (sys.executable, "read-calendar")
    return (sys.executable, "-m", "lull.backends.ics_child")


class IcsCalendar:
    """Implements `service.calendars.FeedReader`."""

    def __init__(
        self,
        fetch: FeedFetch | None = None,
        *,
        environ: Mapping[str, str] | None = None,
        command: Sequence[str] | None = None,
        within_s: float = WITHIN_S,
    ) -> None:
        self._fetch = fetch or FeedFetch()
        self._environ = os.environ if environ is None else environ
        self._command = tuple(command or child_command())
        self._within_s = within_s

    async def read(
        self, source: Source, span: Span, *, means: Meaning, marks: Marks
    ) -> Read | None:
        until_s = time.monotonic() + self._within_s
        try:
            fetched = await self._bytes(source, marks)
            if fetched is None:
                return None
            answer = await self._parsed(fetched.body, span, until_s - time.monotonic())
        except LullError as error:
            # Not from what it came from: a library's error may quote the address.
            raise error from None
        _tell_faults(answer)
        return _as_read(answer, means=means, marks=fetched.marks)

    async def _bytes(self, source: Source, marks: Marks) -> Fetched | None:
        if not source.is_file:
            within_s = self._within_s * FETCH_SHARE
            return await self._fetch.get(
                source.location, private=source.private, marks=marks, within_s=within_s
            )
        try:
            async with asyncio.timeout(self._within_s / 2):
                return await asyncio.to_thread(_file, Path(source.location), marks)
        except TimeoutError:
            raise FeedUnreachable("The file's disk does not answer.") from None

    async def _parsed(self, body: bytes, span: Span, left_s: float) -> dict[str, Any]:
        head = {
            "from_s": span.start.timestamp(),
            "to_s": span.end.timestamp(),
            "until_s": time.monotonic() + max(0.5, left_s - _SPARE_S),
        }
        process = await asyncio.create_subprocess_exec(
            *self._command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env={name: self._environ[name] for name in _KEPT_VARIABLES if name in self._environ},
            start_new_session=True,
            cwd=Path(lull.__file__).parent.parent,
        )
        try:
            async with asyncio.timeout(max(left_s, 1.0)):
                answer = await _talk(process, json.dumps(head).encode() + b"\n", body)
        except TimeoutError:
            raise FeedError(
                "Reading it took too long and was stopped.", hint="It holds too much, or a trap."
            ) from None
        finally:
            await _ended(process)
        return _checked(answer)


async def _talk(process: asyncio.subprocess.Process, head: bytes, body: bytes) -> bytes:
    assert process.stdin is not None and process.stdout is not None
    # A child that ends early breaks the pipe; what it answered, or not, says more.
    with contextlib.suppress(ConnectionError):
        process.stdin.write(head)
        process.stdin.write(body)
        await process.stdin.drain()
    process.stdin.close()
    answer = bytearray()
    while piece := await process.stdout.read(65536):
        answer += piece
        if len(answer) > _MOST_ANSWER:
            return b""
    await process.wait()
    return bytes(answer)


async def _ended(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            if os.name == "posix":
                # `kill` of asyncio's process would ask for its end first, and so take it away from
                # the thread that waits for it.
                os.kill(process.pid, signal.SIGKILL)
            else:
                process.kill()
    assert process.stdin is not None and process.stdout is not None
    process.stdin.close()
    # asyncio's `wait` waits for the pipes, too, so what is left in them must be read.
    while await process.stdout.read(65536):
        pass
    await process.wait()


_REFUSED = {
    "empty": FeedError("There is nothing in it.", hint="Check the address or the file."),
    "page": FeedError(
        "What came is a web page, not a calendar.",
        hint="Look for the address that ends in .ics, or for a secret address; a page that asks"
        " for a password cannot be read.",
    ),
    "no-calendar": FeedError(
        "It is not a calendar: BEGIN:VCALENDAR is nowhere in it.",
        hint="Lull reads iCalendar, the format of .ics files.",
    ),
}


def _checked(answer: bytes) -> dict[str, Any]:
    try:
        value = json.loads(answer)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise FeedError(
            "It could not be read: its reader ran out of memory or time.",
            hint="It holds too much, or a trap.",
        )
    refused = _REFUSED.get(str(value.get("refused", "")))
    if refused is not None:
        raise FeedError(refused.detail, hint=refused.hint)
    return value


def _tell_faults(answer: dict[str, Any]) -> None:
    """To the log alone: for the user, these parts are counted as left out."""
    faults = answer.get("faults")
    for one in faults[:MOST_FAULTS] if isinstance(faults, list) else ():
        match one:
            case [str(fault), int(n)] if _FAULT.fullmatch(fault):
                log.info("a library failed at %d parts of a calendar: %s", n, fault)


def _as_read(answer: dict[str, Any], *, means: Meaning, marks: Marks) -> Read:
    try:
        events = tuple(
            CalendarEvent(
                start=datetime.fromtimestamp(int(start_s), UTC),
                end=datetime.fromtimestamp(int(end_s), UTC),
                kind=means,
            )
            for start_s, end_s in answer["busy"]
        )
        dropped = tuple(
            Dropped(what=What(what), why=Why(why), n=int(n)) for what, why, n in answer["dropped"]
        )
        return Read(
            events=events, dropped=dropped, marks=marks, peak_mb=float(answer.get("peak_mb", 0))
        )
    except (KeyError, TypeError, ValueError, OverflowError, OSError):
        raise FeedError("Its reader answered nonsense.", hint="See `lull logs`.") from None


def _file(path: Path, marks: Marks) -> Fetched | None:
    """The bytes of a file, or None when it is as it was. Its size and time stand for a mark."""
    try:
        # Not waiting for a writer: a pipe in the file's place must not hold us up.
        number = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        try:
            found = os.fstat(number)
            if not stat.S_ISREG(found.st_mode):
                raise FeedError("That is no plain file.", hint="Give the path of an .ics file.")
            mark = f"{found.st_mtime_ns}-{found.st_size}"
            if marks.etag == mark:
                return None
            with open(number, "rb", closefd=False) as file:
                body = file.read(MOST_BYTES + 1)
        finally:
            os.close(number)
    except OSError as error:
        kind = FeedError if isinstance(error, FileNotFoundError) else FeedUnreachable
        raise kind(
            f"The file cannot be read: {error.strerror}.", hint="Check where it lies."
        ) from None
    if len(body) > MOST_BYTES:
        raise too_big()
    return Fetched(body=body, marks=Marks(etag=mark))
