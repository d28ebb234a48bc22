"""What the command line passes to the desktop process: paths of the data folder, and how to start
and reach the service.

The desktop process itself reads neither the settings nor the service's lock file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from lull.contract.json_object import Json


class ServiceAccess(Protocol):
    """Interface by which the desktop process (window and tray icon) starts, reaches and watches the
    service that uses its data folder.
    """

    @property
    def control_socket(self) -> Path:
        """Path of the Unix socket on which the service answers the window and the command line."""

    @property
    def serve(self) -> tuple[str, ...]:
        """Command line that runs the service in the foreground."""

    def is_running(self) -> bool:
        """Whether a service is running, which is so if a live process holds its lock file."""

    def has_fallen(self) -> bool:
        """Whether the service crashed: it no longer runs, but did not clean up."""

    def settings(self, wanted: Mapping[str, object] | None) -> Json:
        """Read all settings from the settings file (`wanted` is None), or write the change `wanted`
        to it and return the result, which works only while no service runs. Raises LullError.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The data folder that the desktop process (window and tray icon) works on: its paths, and how
    to reach the service that uses it.
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
