"""Defines the paths of all of Lull's files, which lie in one folder, called the home.

`LULL_HOME` or `--home` moves all of them, so two homes are two separate Lulls. This module picks
the home, names the files in it and makes its folders readable by their owner only.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from lull.core.errors import SettingsError

SOCKET_PATH_BYTES = 100
"""Longest path of a Unix socket in bytes. macOS allows 104 bytes with the final zero, Linux 108."""

_PRIVATE = 0o700


@dataclass(frozen=True, slots=True, kw_only=True)
class Paths:
    """The paths of all of Lull's files in one folder, called the home. No file or folder is created
    until `prepare` is called.
    """

    home: Path
    """Path of the home folder, absolute and with symlinks resolved, so that a folder reached by two
    paths still has one socket and one keychain entry.
    """
    temporary: Path
    """Folder for the control socket, used when the home's path is too long for a socket."""

    @classmethod
    def from_environment(
        cls, environ: Mapping[str, str], platform: str, *, home: str | None = None
    ) -> Paths:
        """Return the paths of the home (the folder with all of Lull's files) that the user chose,
        or of the default one.

        The choice is `home` (from `--home`), else LULL_HOME; the default is the platform's
        application data folder.

        `platform` is a value of `sys.platform`. Raises SettingsError when the home is not a folder.
        """
        named = home or environ.get("LULL_HOME") or ""
        chosen = _expanded(named, environ) if named else _usual_home(environ, platform)
        if chosen.exists() and not chosen.is_dir():
            raise SettingsError(
                f"{chosen} should hold Lull's files but is not a folder.",
                hint="Name a folder with --home or LULL_HOME.",
            )
        return cls(home=chosen.resolve(), temporary=Path(tempfile.gettempdir()))

    @property
    def settings(self) -> Path:
        """The settings file."""
        return self.home / "settings.toml"

    @property
    def database(self) -> Path:
        """The file of the SQLite database."""
        return self.home / "lull.db"

    @property
    def skills_root(self) -> Path:
        """The folder of the skills (instruction texts), with all their versions."""
        return self.home / "library"

    @property
    def trash(self) -> Path:
        """Path of the trash: old conversations that can still be restored."""
        return self.home / "trash"

    @property
    def backups(self) -> Path:
        """Path of the default backup folder; the settings may name another."""
        return self.home / "backups"

    @property
    def clients(self) -> Path:
        """Path of the folder in which `lull connect` records and backs up the files of other
        programs that it changes.
        """
        return self.home / "clients"

    @property
    def chroma(self) -> Path:
        """The folder of the vectors by which similar past requests are found."""
        return self.home / "vectors"

    @property
    def models(self) -> Path:
        """The folder of models that Lull runs itself, and of weights prepared for training."""
        return self.home / "models"

    @property
    def logs(self) -> Path:
        """The folder of the service's log files."""
        return self.home / "logs"

    @property
    def lock(self) -> Path:
        """The file that the running service holds locked."""
        return self.home / "service.lock"

    @property
    def stand_in_lock(self) -> Path:
        """Path of the lock file of the stand-in, a process that forwards chats to Ollama while
        Lull's service is dead.
        """
        return self.home / "stand-in.lock"

    @property
    def demo_marker(self) -> Path:
        """Path of the file that marks a data folder as made by `lull demo`, which simulates a week
        of use.
        """
        return self.home / "played-week.txt"

    @property
    def discovery(self) -> Path:
        """Path of the file with the running service's address and process id, by which other
        programs find the service.
        """
        return self.home / "service.json"

    @property
    def secrets(self) -> Path:
        """File in which secrets are stored; used only with `secrets.file_fallback`."""
        return self.home / "secrets.json"

    @property
    def keychain_service(self) -> str:
        """Service name under which keychain entries are stored; different for each of Lull's home
        folders.
        """
        return f"Lull ({self.home})"

    @property
    def control_socket(self) -> Path:
        """The socket on which the service answers the command line and the window; elsewhere if the
        usual path is too long.
        """
        usual = self.home / "run" / "control.sock"
        if _fits(usual):
            return usual
        name = "lull-" + hashlib.sha256(os.fsencode(self.home)).hexdigest()[:16]
        short = self.temporary / name / "control.sock"
        return short if _fits(short) else Path("/tmp") / name / "control.sock"

    def prepare(self) -> None:
        """Create the home (the folder with all of Lull's files), the socket's folder and the log
        folder, accessible to the owner only.

        Raises SettingsError when they cannot be created or belong to somebody else.
        """
        _refuse_shared_folder(self.home)
        for folder in (self.home, self.control_socket.parent, self.logs):
            _make_private(folder)


def _expanded(named: str, environ: Mapping[str, str]) -> Path:
    """The absolute path; `~` is the user's home, relative paths start at the working directory."""
    if named == "~" or named.startswith(("~/", "~\\")):
        return _user_folder(environ) / named[2:]
    return Path(named).absolute()


def _usual_home(environ: Mapping[str, str], platform: str) -> Path:
    user = _user_folder(environ)
    if platform == "darwin":
        return user / "Library" / "Application Support" / "Lull"
    if platform == "win32":
        return Path(environ.get("LOCALAPPDATA") or user / "AppData" / "Local") / "Lull"
    data = Path(environ.get("XDG_DATA_HOME") or "")
    # The XDG specification: a relative path in its variables is to be ignored.
    return (data if data.is_absolute() else user / ".local" / "share") / "lull"


def _user_folder(environ: Mapping[str, str]) -> Path:
    named = environ.get("HOME") or environ.get("USERPROFILE")
    try:
        return Path(named) if named else Path.home()
    except RuntimeError as error:
        raise SettingsError(
            "This user has no home folder.", hint="Name a folder with --home or LULL_HOME."
        ) from error


def _fits(socket: Path) -> bool:
    return len(os.fsencode(socket)) <= SOCKET_PATH_BYTES


def _refuse_shared_folder(home: Path) -> None:
    """Raise SettingsError for a folder whose access must stay open to others, such as /tmp."""
    shared = home in (Path(home.anchor), Path.home().resolve())
    if shared or (home.is_dir() and home.stat().st_mode & stat.S_ISVTX):
        raise SettingsError(
            f"{home} contains files that aren't Lull's.",
            hint=f"Give Lull a folder of its own, such as {home / 'lull'}.",
        )


def _make_private(folder: Path) -> None:
    try:
        folder.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
        found = folder.lstat()
        if os.name == "posix" and (not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid()):
            # In a shared temporary folder somebody else may have created it first.
            raise SettingsError(
                f"{folder} belongs to somebody else or is a link.",
                hint="Remove it, or name another folder with --home or LULL_HOME.",
            )
        if found.st_mode & 0o077:
            folder.chmod(_PRIVATE)
    except OSError as error:
        raise SettingsError(
            f"The folder {folder} cannot be made: {error.strerror}.",
            hint="Name a folder of your own with --home or LULL_HOME.",
        ) from error
