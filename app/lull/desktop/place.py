"""What the command line passes to the desktop process: paths of the data folder, and functions to
start and reach the service.

The desktop process itself reads neither the settings nor the service's lock file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceAccess:
    """How the desktop process starts, reaches and watches the service of its data folder."""

    control_socket: Path
    """Path of the service's control socket."""
    serve: tuple[str, ...]
    """Command line that runs the service in the foreground."""
    running: Callable[[], bool]
    """Function that tells whether a live service holds the lock."""
    fell: Callable[[], bool]
    """Function that tells whether the service crashed: it no longer runs, but did not clean up."""
    settings: Callable[[Mapping[str, object] | None], dict[str, Any]] | None = None
    """Answers the control API's requests for settings from the settings file, where no service
    runs; raises LullError."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The data folder of the desktop process: its paths, and how to reach the service that uses
    it.
    """

    home: Path
    logs: Path
    window_socket: Path
    """Path of the socket on which a second start tells the open window to show itself."""
    service: ServiceAccess
    ask: str = "lull ask --model lull-mini hello"
    """Example of a command that asks a model, for users to paste into a terminal."""
    keychain_service: str = ""
    """Service name of this data folder's entries in the keychain."""
    starter_skills: Path | None = None
    """Folder of the starter skills that ship with Lull."""
    played: bool = False
    """Whether the data folder is a demo's, so that the window must say so."""

    @property
    def preferences_file(self) -> Path:
        """Return the path of the file with the window's own preferences, such as which
        notifications are shown and the window's size.
        """
        return self.home / "window.ini"

    @property
    def service_error_file(self) -> Path:
        """Return the path of the file to which a service that the window started writes its output
        and its errors.
        """
        return self.logs / "service-start.txt"
