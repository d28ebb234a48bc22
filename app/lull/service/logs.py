"""Structured logs: one JSON document a line, never the content of a message.

They turn over at 5 MB, three old ones are kept. On a terminal warnings also go to stderr.
"""

from __future__ import annotations

import json
import logging
import logging.handlers
import sys
from datetime import UTC, datetime
from pathlib import Path

FILE = "service.log"


class JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        fields: dict[str, object] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "part": record.name.removeprefix("lull."),
            "text": record.getMessage(),
        }
        if record.exc_info:
            fields["trace"] = self.formatException(record.exc_info)
        return json.dumps(fields, ensure_ascii=False)


def start_logging(folder: Path, level: str) -> None:
    """Send everything of ours to the file, and warnings of others."""
    folder.mkdir(parents=True, exist_ok=True)
    file = logging.handlers.RotatingFileHandler(
        folder / FILE, maxBytes=5_000_000, backupCount=3, encoding="utf-8"
    )
    file.setFormatter(JsonLines())
    root = logging.getLogger()
    root.setLevel(logging.WARNING)
    root.addHandler(file)
    logging.getLogger("lull").setLevel(level.upper())
    if sys.stderr.isatty():
        words = logging.StreamHandler(sys.stderr)
        words.setLevel(logging.WARNING)
        words.setFormatter(Plain())
        root.addHandler(words)


class Plain(logging.Formatter):
    """For people: the sentence, never a traceback."""

    def format(self, record: logging.LogRecord) -> str:
        return f"lull: {record.getMessage()}"
