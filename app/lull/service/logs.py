"""Structured logs: one JSON document a line, never the content of a message.

A traceback keeps its places and the names of the errors but not their words, because the words of
a library's error may quote what a user wrote; only errors whose words are ours or the system's
keep them. Files turn over at 5 MB, three old ones are kept. On a terminal warnings also go to
stderr.
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

FILE = "service.log"
KEPT = 3

_log = logging.getLogger(__name__)
_SPEAKING = (LullError, OSError, sqlite3.Error)


class JsonLines(logging.Formatter):
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
    """What led to what, the first cause first; no source lines, no values."""
    earlier = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if earlier is not None:
        yield from _trace(earlier)
    for frame in traceback.extract_tb(error.__traceback__):
        yield f"{frame.filename}:{frame.lineno} in {frame.name}"
    yield (
        f"{type(error).__name__}: {error}" if isinstance(error, _SPEAKING) else type(error).__name__
    )


def start_logging(folder: Path, level: str) -> None:
    """Send everything of ours to the file, and warnings of others."""
    folder.mkdir(parents=True, exist_ok=True)
    file = logging.handlers.RotatingFileHandler(
        folder / FILE, maxBytes=5_000_000, backupCount=KEPT, encoding="utf-8"
    )
    (folder / FILE).chmod(0o600)
    file.setFormatter(JsonLines())
    root = logging.getLogger()
    root.setLevel(logging.WARNING)
    root.addHandler(file)
    logging.getLogger("lull").setLevel(level.upper())
    logging.raiseExceptions = False  # a full disk must not fill the terminal, too
    if sys.stderr is not None and sys.stderr.isatty():
        words = logging.StreamHandler(sys.stderr)
        words.setLevel(logging.WARNING)
        words.setFormatter(Plain())
        root.addHandler(words)


def no_words_of_others(loop: AbstractEventLoop) -> None:
    """asyncio would put an error's own words into the log when nobody waits for its task."""

    def tell(_: AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        _log.error("asyncio: %s", context.get("message", "a fault"), exc_info=error)

    loop.set_exception_handler(tell)


def newest_first(folder: Path) -> list[Path]:
    """The log files that are there."""
    names = [FILE, *(f"{FILE}.{number}" for number in range(1, KEPT + 1))]
    return [folder / name for name in names if os.path.lexists(folder / name)]


class Plain(logging.Formatter):
    """For people: the sentence, never a traceback."""

    def format(self, record: logging.LogRecord) -> str:
        return f"lull: {record.getMessage()}"
