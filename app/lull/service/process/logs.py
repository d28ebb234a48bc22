"""Structured logs: one JSON document per line, never the content of a message.

A traceback keeps locations and exception types but drops exception messages, which may quote what a
user wrote. Only Lull's own, operating system and SQLite errors keep their message. Log files rotate
at 5 MB and three old ones are kept. On a terminal, warnings also go to stderr.

A pipe, a device or a folder in the place of a log file never holds up the service: the log is then
written nowhere, which is reported, and warnings go to stderr.
"""

from __future__ import annotations

import io
import json
import logging
import logging.handlers
import os
import sqlite3
import sys
import traceback
from asyncio import AbstractEventLoop
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lull.core.errors import LullError, SystemRefused
from lull.store.disk.on_disk import NOT_REGULAR, open_regular

LOG_FILE = "service.log"
MOST_BYTES = 5_000_000
"""Size in bytes at which the log file is rotated."""
KEPT_FILES = 3
"""Number of old log files kept by rotation."""

_log = logging.getLogger(__name__)
_SAFE_TO_QUOTE = (LullError, OSError, sqlite3.Error)
"""Exception types whose messages are safe to log."""


class JsonLines(logging.Formatter):
    """Formats a log record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        fields: dict[str, object] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "part": record.name.removeprefix("lull."),
            "text": record.getMessage(),
        }
        if record.exc_info and record.exc_info[1] is not None:
            fields["trace"] = "\n".join(_trace(record.exc_info[1]))
        return json.dumps(fields, ensure_ascii=True)


def _trace(error: BaseException) -> Iterator[str]:
    """The chain of exceptions, first cause first, without source lines or values."""
    earlier = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if earlier is not None:
        yield from _trace(earlier)
    for frame in traceback.extract_tb(error.__traceback__):
        yield f"{frame.filename}:{frame.lineno} in {frame.name}"
    yield (
        f"{type(error).__name__}: {error}"
        if isinstance(error, _SAFE_TO_QUOTE)
        else type(error).__name__
    )


class LogFile(logging.handlers.RotatingFileHandler):
    """Log handler that writes and rotates the log file, and never blocks if a pipe or a device has
    that file's name.

    Raises OSError where the file is a pipe, a device, a folder or a link to one.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path, maxBytes=MOST_BYTES, backupCount=KEPT_FILES, encoding="utf-8")
        self.setFormatter(JsonLines())

    def _open(self) -> io.TextIOWrapper:
        descriptor = open_regular(Path(self.baseFilename), os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        if hasattr(os, "fchmod"):
            os.fchmod(descriptor, 0o600)
        return os.fdopen(descriptor, "a", encoding=self.encoding)

    def doRollover(self) -> None:  # noqa: N802  the name is logging's
        """Rotate the log file. If an old log file cannot be replaced because a folder has its name,
        empty the current file instead, so that the log neither stops nor grows without limit.
        """
        try:
            super().doRollover()
        except OSError as error:
            self.stream = self._open()
            self.stream.truncate(0)
            words = f"an old log file cannot be replaced, so the log begins again: {error}"
            place = (__name__, logging.WARNING, __file__, 0)
            self.stream.write(self.format(logging.LogRecord(*place, words, None, None)) + "\n")


def start_logging(folder: Path, level: str) -> SystemRefused | None:
    """Log Lull's own records at `level` and other libraries' warnings to a file in `folder`.

    If that file cannot be written, warnings go to stderr, and the error is returned.
    """
    root = logging.getLogger()
    root.setLevel(logging.WARNING)
    logging.getLogger("lull").setLevel(level.upper())
    logging.raiseExceptions = False  # a full disk must not flood the terminal with logging errors
    refused = None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        root.addHandler(LogFile(folder / LOG_FILE))
    except OSError as error:
        refused = no_log(folder / LOG_FILE, error)
    if sys.stderr is not None and (refused or sys.stderr.isatty()):
        words = logging.StreamHandler(sys.stderr)
        words.setLevel(logging.WARNING)
        words.setFormatter(PlainFormatter())
        root.addHandler(words)
    return refused


def no_log(file: Path, error: OSError) -> SystemRefused:
    """Build the error that tells the user that this log file cannot be written, and what to do."""
    hint = "Move away what is there, or let it be written; then restart Lull."
    if error.strerror == NOT_REGULAR:
        return SystemRefused(f"There is no log: {file} is not a regular file.", hint=hint)
    return SystemRefused(f"There is no log: {file}: {error.strerror}.", hint=hint)


def log_loop_errors_safely(loop: AbstractEventLoop) -> None:
    """Have the event loop log unhandled exceptions through Lull's log, which drops the messages of
    other libraries' exceptions, because they may quote what users wrote.
    """

    def tell(_: AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        _log.error("asyncio: %s", context.get("message", "a fault"), exc_info=error)

    loop.set_exception_handler(tell)


def newest_first(folder: Path) -> list[Path]:
    """Return the existing log files, newest first; none of them is a pipe, device or folder."""
    names = [LOG_FILE, *(f"{LOG_FILE}.{number}" for number in range(1, KEPT_FILES + 1))]
    return [folder / name for name in names if (folder / name).is_file()]


class PlainFormatter(logging.Formatter):
    """Formats a log record for a terminal: the message without a traceback."""

    def format(self, record: logging.LogRecord) -> str:
        return f"lull: {record.getMessage()}"
