"""Keeps records of what Lull wrote into the configuration files of chat clients, with the files'
bytes before and after.

Each file has a folder below `clients/` in Lull's home, readable by the user alone: a client's
configuration may hold keys. The bytes are named by their SHA-256 and the record is written last, so
that every record that exists has its bytes.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from lull.config.private_file import write_private
from lull.core.clients.connection import Connection, sha256_of
from lull.core.errors import ClientFileError
from lull.store.disk.on_disk import read_regular

_RECORD: Final = "connection.json"
MOST_BYTES: Final = 64_000_000
"""Most bytes that are read of a record or a saved copy."""


class Connections:
    """Reads and writes the records of Lull's edits to chat clients' configuration files."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def all(self) -> Sequence[Connection]:
        """List the readable records of Lull's edits to chat clients' configuration files, by client
        and path.
        """
        found = []
        for record in sorted(self._folder.glob(f"*/{_RECORD}")):
            with contextlib.suppress(OSError, ValueError):  # a damaged one undoes nothing
                found.append(Connection.from_json(_record_in(record).decode()))
        return found

    def of(self, client: str, path: Path | None = None) -> Connection | None:
        """Return the record of Lull's edit to a chat client's configuration file, or to the
        client's first one if no path is given; None if there is no record.
        """
        fitting = (one for one in self.all() if one.client == client)
        return next((one for one in fitting if path is None or one.path == str(path)), None)

    @contextmanager
    def storing(self, connection: Connection, before: bytes, after: bytes) -> Iterator[None]:
        """Context manager that stores the record of Lull's edit to a client's file, with the file's
        bytes before and after it; the caller replaces the file inside the `with`.

        If replacing fails, the earlier record is restored; otherwise the bytes that belong to the
        earlier record are deleted. Raises ClientFileError when the record cannot be stored. The
        caller holds the lock.
        """
        folder = self.folder_of(connection)
        there = {one.name for one in folder.glob("*")}
        record = folder / _RECORD
        earlier: bytes | None = None
        try:
            try:
                earlier = _record_in(record) if _RECORD in there else None
                write_private(folder / connection.before_sha256, before)
                write_private(folder / connection.after_sha256, after)
                write_private(record, connection.as_json().encode())
            except OSError as error:
                raise ClientFileError(
                    f"The backup cannot be written to {folder}: {error.strerror}.",
                    hint="The client's file was left as it is.",
                ) from error
            yield
        except BaseException:
            with contextlib.suppress(OSError):  # the first error is the one to tell
                if earlier is not None and _record_in(record) != earlier:
                    write_private(record, earlier)
                _remove_but(folder, there)
                if not there:
                    folder.rmdir()
            raise
        _remove_but(folder, {_RECORD, connection.before_sha256, connection.after_sha256})

    def before(self, connection: Connection) -> bytes:
        """Return the bytes of a chat client's configuration file before Lull's edit. Raises
        ClientFileError when the backup is damaged.
        """
        return self._bytes(connection, "before", connection.before_sha256)

    def after(self, connection: Connection) -> bytes:
        """Return the bytes that Lull wrote into a chat client's configuration file. Raises
        ClientFileError when they are damaged.
        """
        return self._bytes(connection, "after", connection.after_sha256)

    def drop(self, connection: Connection) -> None:
        """Delete what is kept of a client's connection. Blocking."""
        shutil.rmtree(self.folder_of(connection), ignore_errors=True)

    def backup_path(self, connection: Connection) -> Path:
        """Return the path at which a client's file is kept as it was before Lull changed it."""
        return self._place(connection, "before", connection.before_sha256)

    def folder_of(self, connection: Connection) -> Path:
        """Return the folder in which a client's connection is kept."""
        key = sha256_of(connection.path.encode("utf-8", "surrogateescape"))[:12]
        return self._folder / f"{connection.client}-{key}"

    def _place(self, connection: Connection, name: str, sha256: str) -> Path:
        """Return the path of a saved copy of a client's file. Earlier versions of Lull named it by
        its role instead of its hash.
        """
        folder = self.folder_of(connection)
        named_by_role = not (folder / sha256).exists() and (folder / name).exists()
        return folder / (name if named_by_role else sha256)

    def _bytes(self, connection: Connection, name: str, sha256: str) -> bytes:
        path = self._place(connection, name, sha256)
        try:
            data = read_regular(path, MOST_BYTES)
        except OSError as error:
            raise ClientFileError(
                f"The backup {path} cannot be read: {error.strerror}.",
                hint=f"Change {connection.path} back by hand.",
            ) from error
        if sha256_of(data) != sha256:
            raise ClientFileError(
                f"The backup {path} is not what Lull wrote there.",
                hint=f"Look at it, and change {connection.path} back by hand.",
            )
        return data


def _remove_but(folder: Path, names: set[str]) -> None:
    for one in folder.glob("*"):
        if one.name not in names:
            with contextlib.suppress(OSError):
                one.unlink()


def _record_in(file: Path) -> bytes:
    return read_regular(file, MOST_BYTES)
