"""What the desktop is told about the Lull that it shows: where things lie, how to start it.

The command line fills it in: the desktop itself knows neither the settings nor the lock.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    home: Path
    control_socket: Path
    """Where the service listens, or will."""
    window_socket: Path
    """Where the window listens for a second start."""
    logs: Path
    serve: tuple[str, ...]
    """The command that runs the service in the foreground."""
    running: Callable[[], bool]
    """Does a live service hold the lock?"""
    fell: Callable[[], bool]
    """Of a service that does not run: did it leave without cleaning up?"""
    ask: str = "lull ask --model pocket hello"
    """A line for a terminal that gets an answer."""
    starter_skills: Path | None = None
    """A folder with skills that come along."""
    show: Callable[[Path], object] | None = None
    """Opens a folder in the system's file manager; None: Qt does."""

    @property
    def preferences(self) -> Path:
        """The window's own: which notifications, autostart, size."""
        return self.home / "window.ini"

    @property
    def service_words(self) -> Path:
        """What the service that the window started said last on its stderr."""
        return self.logs / "service-start.txt"
