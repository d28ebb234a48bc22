"""Reads the end of the service's log file and the lines that are added to it later."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from lull.desktop.service.plain_files import open_plain

LOG_FILE: Final = "service.log"


TAIL_BYTES: Final = 400_000


class LogTail:
    """Reads a growing, rotating log file from near its end, at most TAIL_BYTES at a time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._at = -1
        self._inode = 0
        self._rest = b""

    def new_lines(self) -> list[str]:
        """Return the lines added to the log since the last call; the first call returns the log's
        end.
        """
        try:
            with os.fdopen(open_plain(self._path), "rb") as file:
                found = os.fstat(file.fileno())
                if self._at < 0 or found.st_ino != self._inode or found.st_size < self._at:
                    self._at = max(0, found.st_size - TAIL_BYTES)
                    self._inode, self._rest = found.st_ino, b""
                file.seek(self._at)
                data = file.read(TAIL_BYTES)
        except OSError:
            return []
        self._at += len(data)
        *lines, self._rest = (self._rest + data).split(b"\n")
        return [line.decode("utf-8", "replace") for line in lines]
