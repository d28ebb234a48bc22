"""Reads a calendar feed: fetches the bytes and has a child process parse them.

It splits the time limit between fetching and parsing, validates calendar files, and words the
errors. The child has parsed untrusted text, so its answer is checked: only numbers and known
reasons are accepted.
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
from lull.backends.calendars.address import host_of, is_address
from lull.backends.calendars.answer import MOST_CALENDAR_BYTES, too_big
from lull.backends.calendars.child import MOST_FAULTS
from lull.backends.calendars.fetch import DownloadedFeed, FeedFetch
from lull.backends.system.child_input import end_input
from lull.core.calendars.event import CalendarEvent, Meaning
from lull.core.calendars.feeds import (
    BusySpan,
    EntryKind,
    FeedError,
    FeedReading,
    FeedSource,
    FeedUnreachable,
    OmissionReason,
    OmittedEntries,
    Validators,
)
from lull.core.errors import LullError

log = logging.getLogger(__name__)

TIMEOUT_S = 9.5
"""Timeout in seconds for reading one feed, from the request to its events; callers wait ten."""
FETCH_SHARE = 6.0 / TIMEOUT_S
"""Share of a feed's time limit that downloading may use."""
_GRACE_S = 1.5
"""Seconds between the deadline given to the child and its kill."""
_MOST_ANSWER_BYTES = 4 * 1024 * 1024
"""Most bytes of the child's answer."""

_FAULT: Final = re.compile(r"[A-Za-z]{1,50} at [\w.<>-]{1,50}(:\d{1,6})?", re.ASCII)
"""Form of the library errors the child may report: an exception type and a place in code."""

_KEPT_VARIABLES = (
    *("PATH", "TZ", "TZDIR", "LANG", "LC_ALL", "SYSTEMROOT", "TMPDIR", "TEMP"),
    *("PYTHONPATH", "PYTHONTZPATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "PYTHONHOME"),
)
"""Environment variables passed to the child: enough to start Python and know the time zone, without
secrets or session variables."""


def child_command() -> tuple[str, ...]:
    """Return the command line of the child process that parses calendars.

    In a frozen (packaged) app the app itself takes the place of Python.
    """
    if getattr(sys, "frozen", False):
        return (sys.executable, "read-calendar")
    return (sys.executable, "-m", "lull.backends.calendars.child")


class IcsCalendar:
    """Reads busy times from .ics calendar feeds; implements the `FeedReader` port."""

    def __init__(
        self,
        fetch: FeedFetch | None = None,
        *,
        environ: Mapping[str, str] | None = None,
        command: Sequence[str] | None = None,
        within_s: float = TIMEOUT_S,
    ) -> None:
        self._fetch = fetch or FeedFetch()
        self._environ = os.environ if environ is None else environ
        self._command = tuple(command or child_command())
        self._within_s = within_s

    def is_address(self, location: str) -> bool:
        return is_address(location)

    def host_of(self, address: str) -> str:
        return host_of(address)

    async def read(
        self, source: FeedSource, span: BusySpan, *, means: Meaning, marks: Validators
    ) -> FeedReading | None:
        until_s = time.monotonic() + self._within_s
        try:
            fetched = await self._bytes(source, marks)
            if fetched is None:
                return None
            answer = await self._parsed(fetched.body, span, until_s - time.monotonic())
        except LullError as error:
            # `from None`: a library's error may quote the address.
            raise error from None
        _tell_faults(answer)
        return _as_read(answer, means=means, marks=fetched.marks)

    async def _bytes(self, source: FeedSource, marks: Validators) -> DownloadedFeed | None:
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

    async def _parsed(self, body: bytes, span: BusySpan, left_s: float) -> dict[str, Any]:
        head = {
            "from_s": span.start.timestamp(),
            "to_s": span.end.timestamp(),
            "until_s": time.monotonic() + max(0.5, left_s - _GRACE_S),
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
                "Reading it took too long and was stopped.",
                hint="It has too much in it, or was built to overload Lull.",
            ) from None
        finally:
            await _ended(process)
        return _checked(answer)


async def _talk(process: asyncio.subprocess.Process, head: bytes, body: bytes) -> bytes:
    assert process.stdin is not None and process.stdout is not None
    # A child that ends early breaks the pipe; its answer is more informative.
    with contextlib.suppress(ConnectionError):
        process.stdin.write(head)
        process.stdin.write(body)
        await process.stdin.drain()
    process.stdin.close()
    answer = bytearray()
    while piece := await process.stdout.read(65536):
        answer += piece
        if len(answer) > _MOST_ANSWER_BYTES:
            return b""
    await process.wait()
    return bytes(answer)


async def _ended(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            if os.name == "posix":
                # asyncio's `kill` polls the process first, which would reap it before the thread
                # that waits for it.
                os.kill(process.pid, signal.SIGKILL)
            else:
                process.kill()
    assert process.stdin is not None and process.stdout is not None
    process.stdin.close()
    # asyncio's `wait` also waits for the pipes, so they must be drained.
    while await process.stdout.read(65536):
        pass
    await process.wait()
    await end_input(process)


_REFUSED = {
    "empty": FeedError("There is nothing in it.", hint="Check the address or the file."),
    "page": FeedError(
        "The address leads to a web page, not a calendar.",
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
            hint="It has too much in it, or was built to overload Lull.",
        )
    refused = _REFUSED.get(str(value.get("refused", "")))
    if refused is not None:
        raise FeedError(refused.detail, hint=refused.hint)
    return value


def _tell_faults(answer: dict[str, Any]) -> None:
    """Log the library errors; users see these parts counted as left out."""
    faults = answer.get("faults")
    for one in faults[:MOST_FAULTS] if isinstance(faults, list) else ():
        match one:
            case [str(fault), int(n)] if _FAULT.fullmatch(fault):
                log.info("a library failed at %d parts of a calendar: %s", n, fault)


def _as_read(answer: dict[str, Any], *, means: Meaning, marks: Validators) -> FeedReading:
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
            OmittedEntries(what=EntryKind(what), why=OmissionReason(why), n=int(n))
            for what, why, n in answer["dropped"]
        )
        return FeedReading(
            events=events, dropped=dropped, marks=marks, peak_mb=float(answer.get("peak_mb", 0))
        )
    except (KeyError, TypeError, ValueError, OverflowError, OSError):
        raise FeedError(
            "The program that reads it gave an unusable answer.", hint="See `lull logs`."
        ) from None


def _file(path: Path, marks: Validators) -> DownloadedFeed | None:
    """Read a file; None if its size and modification time are unchanged."""
    try:
        # Non-blocking, so that a pipe in the file's place cannot block us.
        number = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        try:
            found = os.fstat(number)
            if not stat.S_ISREG(found.st_mode):
                raise FeedError("It is not a regular file.", hint="Give the path of an .ics file.")
            mark = f"{found.st_mtime_ns}-{found.st_size}"
            if marks.etag == mark:
                return None
            with open(number, "rb", closefd=False) as file:
                body = file.read(MOST_CALENDAR_BYTES + 1)
        finally:
            os.close(number)
    except OSError as error:
        kind = FeedError if isinstance(error, FileNotFoundError) else FeedUnreachable
        raise kind(
            f"The file cannot be read: {error.strerror}.", hint="Check where it lies."
        ) from None
    if len(body) > MOST_CALENDAR_BYTES:
        raise too_big()
    return DownloadedFeed(body=body, marks=Validators(etag=mark))
