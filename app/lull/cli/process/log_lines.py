"""Reads the service's log: its last lines, and new lines across log rotation."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from lull.service.process.logs import LOG_FILE, newest_first, no_log
from lull.store.disk.on_disk import open_regular

LOOK_FOR_LINES_EVERY_S = 0.2


def has_logs(folder: Path) -> bool:
    """Whether this folder contains any log file of the service."""
    return bool(newest_first(folder))


def check_log(folder: Path) -> None:
    """Raise LullError if a pipe, a device or a folder stands in the log file's place."""
    try:
        os.close(open_regular(folder / LOG_FILE))
    except FileNotFoundError:
        return
    except OSError as error:
        raise no_log(folder / LOG_FILE, error) from error


def last_lines(folder: Path, count: int) -> list[str]:
    """Return the last `count` lines of the service's log, oldest first.

    Older, rotated files are read only if the current file has too few lines.
    """
    found: list[str] = []
    for file in newest_first(folder):
        with os.fdopen(open_regular(file), encoding="utf-8", errors="replace") as lines:
            found = [*deque((line.rstrip("\n") for line in lines), count - len(found)), *found]
        if len(found) >= count:
            break
    return found


class LogFollower:
    """Follows the service's log: yields the lines written after the object was made."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / LOG_FILE
        self._file = _opened(self._path)
        if self._file is not None:
            self._file.seek(0, os.SEEK_END)

    def lines(self) -> Iterator[str]:
        """Yield the log's complete lines as they are written; never ends."""
        begun = b""
        while True:
            turned = self._turned_over()  # first, so that the old file is read to its end
            for piece in self._file or ():
                begun += piece
                if begun.endswith(b"\n"):
                    yield begun[:-1].decode("utf-8", "replace")
                    begun = b""
            if turned:
                self.close()
                self._file, begun = _opened(self._path), b""
            else:
                time.sleep(LOOK_FOR_LINES_EVERY_S)

    def close(self) -> None:
        """Close the log file, if it is open."""
        if self._file is not None:
            self._file.close()

    def _turned_over(self) -> bool:
        """Whether the log was rotated or emptied, or has appeared for the first time."""
        try:
            now = self._path.stat()
        except FileNotFoundError:
            return False
        if self._file is None:
            return True
        ours = os.fstat(self._file.fileno())
        # The service empties the log that it cannot rotate.
        emptied = now.st_size < self._file.tell()
        return emptied or (now.st_ino, now.st_dev) != (ours.st_ino, ours.st_dev)


def _opened(path: Path) -> BinaryIO | None:
    try:
        return os.fdopen(open_regular(path), "rb")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise no_log(path, error) from error
