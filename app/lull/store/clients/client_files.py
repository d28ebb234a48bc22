"""Reads and replaces the configuration files of chat clients.

They belong to other programs: a symlink stays a symlink, permissions stay, a file that changed
after it was read is not overwritten, and no program ever reads a half-written file.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Final

from lull.core.errors import ClientFileError, Conflict

SIZE_LIMIT: Final = 256 * 1024
"""Most bytes of a configuration file. Real ones have some thousand."""
_HINT: Final = "It was left as it is."


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientFile:
    """A chat client's configuration file with the bytes that were read from it."""

    path: Path
    data: bytes | None
    """The file's content when it was read; None if there was no file."""

    @property
    def text(self) -> str:
        """The configuration file's text, "" where there is none. Raises ClientFileError if it is
        not text.
        """
        data = self.data or b""
        if b"\0" in data:
            raise ClientFileError(f"{self.path} is not a text file.", hint=_HINT)
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = data[: error.start].count(b"\n") + 1
            raise ClientFileError(
                f"{self.path}, line {line}: not UTF-8.", hint="Save it as UTF-8, then try again."
            ) from error


def read_client_file(path: Path) -> ClientFile:
    """Read a chat client's configuration file, which need not exist. Raises ClientFileError."""
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise ClientFileError(f"{path} is not a plain file.", hint=_HINT)
        if found.st_size > SIZE_LIMIT:
            raise ClientFileError(
                f"{path} has {found.st_size:,} bytes; at most {SIZE_LIMIT:,} are read.", hint=_HINT
            )
        return ClientFile(path=path, data=path.read_bytes())
    except FileNotFoundError:
        if path.is_symlink():
            raise ClientFileError(
                f"{path} is a link to {path.readlink()}, which does not exist.",
                hint="Fix the link or remove it.",
            ) from None
        return ClientFile(path=path, data=None)
    except OSError as error:
        raise ClientFileError(
            f"{path} cannot be read: {error.strerror}.", hint="Check whose file it is."
        ) from error


def missing_folders(path: Path) -> tuple[str, ...]:
    """Return the folders above a file that do not exist yet and must be created for it, the
    innermost first.
    """
    folders = (path.parent, *path.parent.parents)
    return tuple(str(one) for one in takewhile(lambda one: not one.exists(), folders))


def replace_client_file(was: ClientFile, data: bytes) -> None:
    """Replace a chat client's configuration file by these bytes, if it still is as it was read.

    Raises Conflict when the file changed meanwhile, and ClientFileError when it cannot be written.
    """
    try:
        was.path.parent.mkdir(parents=True, exist_ok=True)
        target = was.path.resolve()
        if was.data is not None:
            _check_writable(was.path, target)
        _write(was, target, data)
    except OSError as error:
        raise ClientFileError(
            f"{was.path} cannot be written: {error.strerror}.", hint=_HINT
        ) from error


def remove_client_file(was: ClientFile, made_folders: tuple[str, ...]) -> None:
    """Delete a chat client's configuration file that Lull had created, and the folders that Lull
    created for it if they are empty.

    Raises Conflict when the file changed meanwhile, and ClientFileError.
    """
    check_same(was)
    try:
        was.path.unlink(missing_ok=True)
        for folder in made_folders:
            with contextlib.suppress(OSError):  # something else lies in it, or it has gone
                Path(folder).rmdir()
    except OSError as error:
        raise ClientFileError(
            f"{was.path} cannot be deleted: {error.strerror}.", hint=_HINT
        ) from error


def _check_writable(path: Path, target: Path) -> None:
    found = target.stat()
    if not found.st_mode & stat.S_IWUSR:
        raise ClientFileError(f"{path} is read-only.", hint="Allow writing, if you want that.")
    if found.st_nlink > 1:
        raise ClientFileError(
            f"{path} has a second name (a hard link), which a change would cut off.",
            hint="Make it a symlink or a file of its own.",
        )


def check_same(was: ClientFile) -> None:
    """Raise Conflict if a client's configuration file is not as it was when it was read."""
    if read_client_file(was.path).data != was.data:
        raise Conflict(f"{was.path} was changed just now.", hint="Nothing was done; try again.")


def _write(was: ClientFile, target: Path, data: bytes) -> None:
    descriptor, name = tempfile.mkstemp(
        prefix=f".{target.name[:40]}.{os.getpid()}.", suffix=".tmp", dir=target.parent
    )
    beside = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if was.data is not None:
            shutil.copystat(target, beside)  # permissions and extended attributes
            os.utime(beside)
            _keep_owner(target, beside)
        check_same(was)
        beside.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise


def _keep_owner(target: Path, beside: Path) -> None:
    """Give a new file its predecessor's owner and group, which only root may change."""
    old, new = target.stat(), beside.stat()
    if os.name == "posix" and (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
        os.chown(beside, old.st_uid, old.st_gid)
        beside.chmod(stat.S_IMODE(old.st_mode))
