"""Opens connections to the database file.

Only the one that opens the database creates the file: another that finds none would leave an empty
file where the user's data was. SQLite's temporary files, into which large sorts and a rewrite of
the file put whole conversations, lie beside it and not in the system's folder for such files.
"""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from pathlib import Path
from typing import Any

_KEPT_WAL_BYTES = 8 * 1024 * 1024
"""Bytes of the WAL file kept after a checkpoint."""
_READERS_CACHE_KB = 512
_READERS_STATEMENTS, _WRITERS_STATEMENTS = 64, 256
"""Prepared statements that a connection keeps: each takes some ten kilobytes, and every thread has
a connection for reading."""
_temporary_files: list[Path] = []
"""Folder of SQLite's temporary files in this process; empty until the first connection."""
_temporary_files_lock = threading.Lock()


class EndableConnection(sqlite3.Connection):
    """A connection to the database file that can be ended while another thread reads with it."""

    def __init__(self, *words: Any, **more: Any) -> None:
        super().__init__(*words, **more)
        self.in_use = threading.RLock()
        """Held by the thread that uses it; closing it during a statement crashes the process."""
        self._ended = False

    def end(self) -> None:
        """Make the SQL statement that now runs on this connection, and every later one, fail."""
        self._ended = True
        self.interrupt()

    def end_and_close(self) -> None:
        """Make the running SQL statement fail, wait until no thread uses the connection, and close
        it.
        """
        while not self.in_use.acquire(timeout=0.05):
            self.end()  # a statement may have begun just when it was ended before
        self.close()
        self.in_use.release()

    def execute(self, *words: Any) -> sqlite3.Cursor:
        """Execute a statement, unless the connection was ended from another thread."""
        if self._ended:
            raise sqlite3.OperationalError("interrupted")
        return super().execute(*words)


def connect(path: Path, *, readonly: bool = False, creates: bool = False) -> EndableConnection:
    """Open a connection to the database file; unless it `creates`, no empty file is made where
    there is none. Raises sqlite3.Error.
    """
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={'rwc' if creates else 'rw'}",
        uri=True,
        isolation_level=None,
        check_same_thread=False,
        timeout=30,
        cached_statements=_READERS_STATEMENTS if readonly else _WRITERS_STATEMENTS,
        factory=EndableConnection,
    )
    connection.row_factory = sqlite3.Row
    try:
        _keep_temporary_files_in(path.absolute().parent, connection)
        if readonly:
            connection.execute("PRAGMA query_only = 1")
            # Every thread has its own connection, and the OS caches the pages anyway.
            connection.execute(f"PRAGMA cache_size = -{_READERS_CACHE_KB}")
        else:
            if connection.execute("PRAGMA page_count").fetchone()[0] == 0:
                # Lets deleted rows' space be returned to the disk later.
                connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA foreign_keys = 1")
            connection.execute(f"PRAGMA journal_size_limit = {_KEPT_WAL_BYTES}")
    except BaseException:
        connection.close()
        raise
    return connection


def _keep_temporary_files_in(folder: Path, connection: sqlite3.Connection) -> None:
    """Have SQLite put this process's temporary files into this folder; only the first call counts.

    The environment cannot say it: SQLite reads that when Python imports it. Once the folder is
    gone, SQLite takes the system's again.
    """
    with _temporary_files_lock:
        if _temporary_files:
            return  # another thread may be using SQLite, and must not see it change
        _temporary_files.append(folder)
        quoted = str(folder).replace("'", "''")
        with contextlib.suppress(sqlite3.OperationalError):  # not writable, as the file will not be
            connection.execute(f"PRAGMA temp_store_directory = '{quoted}'")
