"""Structured logs: one JSON document per line, never the content of a message.

A traceback keeps locations and exception types but drops exception messages, which may quote what a
user wrote. Only Lull's own, operating system and SQLite errors keep their message. Log files rotate
at 5 MB and three old ones are kept. On a terminal, warnings also go to stderr.
"""

from __future__ import annotations

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

from lull.core.errors import LullError

LOG_FILE = "service.log"
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


def start_logging(folder: Path, level: str) -> None:
    """Log Lull's own records at `level` and other libraries' warnings to a file in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    file = logging.handlers.RotatingFileHandler(
        folder / LOG_FILE, maxBytes=5_000_000, backupCount=KEPT_FILES, encoding="utf-8"
    )
    (folder / LOG_FILE).chmod(0o600)
    file.setFormatter(JsonLines())
    root = logging.getLogger()
    root.setLevel(logging.WARNING)
    root.addHandler(file)
    logging.getLogger("lull").setLevel(level.upper())
    logging.raiseExceptions = False  # a full disk must not flood the terminal with logging errors
    if sys.stderr is not None and sys.stderr.isatty():
        words = logging.StreamHandler(sys.stderr)
        words.setLevel(logging.WARNING)
        words.setFormatter(PlainFormatter())
        root.addHandler(words)


def log_loop_errors_safely(loop: AbstractEventLoop) -> None:
    """Have the event loop log unhandled exceptions through Lull's log, which drops the messages of
    other libraries' exceptions, because they may quote what users wrote.
    """

    def tell(_: AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        _log.error("asyncio: %s", context.get("message", "a fault"), exc_info=error)

    loop.set_exception_handler(tell)


def newest_first(folder: Path) -> list[Path]:
    """Return the existing log files, newest first."""
    names = [LOG_FILE, *(f"{LOG_FILE}.{number}" for number in range(1, KEPT_FILES + 1))]
    return [folder / name for name in names if os.path.lexists(folder / name)]


class PlainFormatter(logging.Formatter):
    """Formats a log record for a terminal: the message without a traceback."""

    def format(self, record: logging.LogRecord) -> str:
        return f"lull: {record.getMessage()}"
