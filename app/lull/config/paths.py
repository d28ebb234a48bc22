"""Where every file of one Lull lies: below one folder, the home, and nowhere else.

`LULL_HOME` or `--home` moves all of it, so two homes are two Lulls that never meet. Decided here:
which folder is the home, the names in it, and who may look inside (its owner alone).
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
"""A Unix socket's path: macOS allows 104 bytes with the closing zero, Linux 108."""

_PRIVATE = 0o700


@dataclass(frozen=True, slots=True, kw_only=True)
class Paths:
    """The names below one home. Nothing is made before `prepare`."""

    home: Path
    """Absolute, links resolved: one folder has one name here, and so one socket and one keychain
    entry."""
    temporary: Path
    """Holds the control socket where the home's own path is too long for one."""

    @classmethod
    def from_environment(
        cls, environ: Mapping[str, str], platform: str, *, home: str | None = None
    ) -> Paths:
        """`home` (from `--home`), else LULL_HOME, else the platform's place for application data.

        `platform` is `sys.platform`'s word. Raises SettingsError when a named home is no folder.
        """
        named = home or environ.get("LULL_HOME") or ""
        chosen = _expanded(named, environ) if named else _usual_home(environ, platform)
        if chosen.exists() and not chosen.is_dir():
            raise SettingsError(
                f"{chosen} is to hold Lull's files and is not a folder.",
                hint="Name a folder with --home or LULL_HOME.",
            )
        return cls(home=chosen.resolve(), temporary=Path(tempfile.gettempdir()))

    @property
    def settings(self) -> Path:
        return self.home / "settings.toml"

    @property
    def database(self) -> Path:
        return self.home / "lull.db"

    @property
    def skills_root(self) -> Path:
        return self.home / "library"

    @property
    def chroma(self) -> Path:
        return self.home / "vectors"

    @property
    def models(self) -> Path:
        return self.home / "models"

    @property
    def logs(self) -> Path:
        return self.home / "logs"

    @property
    def lock(self) -> Path:
        return self.home / "service.lock"

    @property
    def discovery(self) -> Path:
        """Address and process id of the running service, for whoever wants to reach it."""
        return self.home / "service.json"

    @property
    def secrets(self) -> Path:
        """Used only where the settings ask for a file."""
        return self.home / "secrets.json"

    @property
    def keychain_service(self) -> str:
        """The name that keychain entries stand under; two homes share none."""
        return f"Lull ({self.home})"

    @property
    def control_socket(self) -> Path:
        usual = self.home / "run" / "control.sock"
        if _fits(usual):
            return usual
        name = "lull-" + hashlib.sha256(os.fsencode(self.home)).hexdigest()[:16]
        short = self.temporary / name / "control.sock"
        return short if _fits(short) else Path("/tmp") / name / "control.sock"

    def prepare(self) -> None:
        """Make the home and the socket's folder, for the owner alone.

        Raises SettingsError when they cannot be made or belong to somebody else.
        """
        _refuse_shared_folder(self.home)
        for folder in (self.home, self.control_socket.parent, self.logs):
            _make_private(folder)


def _expanded(named: str, environ: Mapping[str, str]) -> Path:
    """`~` is the user's folder; what is relative counts from the working directory."""
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
    """Closing the home to others must not close a folder that others live in."""
    shared = home in (Path(home.anchor), Path.home().resolve())
    if shared or (home.is_dir() and home.stat().st_mode & stat.S_ISVTX):
        raise SettingsError(
            f"{home} holds more than Lull's files.",
            hint=f"Give Lull a folder of its own, such as {home / 'lull'}.",
        )


def _make_private(folder: Path) -> None:
    try:
        folder.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
        found = folder.lstat()
        if os.name == "posix" and (not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid()):
            # In a shared temporary folder somebody may have been here first.
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
