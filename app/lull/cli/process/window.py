"""`lull` and `lull open`: show the tray icon and the dashboard window."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from lull.cli.shared.context import Context
from lull.cli.shared.own_command import ask_line, own_command
from lull.config.paths import Paths
from lull.contract.json_object import Json
from lull.core.errors import Busy, LullError

WITHOUT_A_WINDOW = (
    "`lull serve` runs the service without one; `lull --help` lists what does the same as the "
    "window."
)
X11_SOCKETS = "/tmp/.X11-unix/X"  # where an X server listens, also as an abstract name


class NoDisplay(LullError):
    title: ClassVar[str] = "There is no display"


def open_dashboard(context: Context) -> int:
    """Run the desktop app (tray icon and window) until the user quits it; if it already runs, only
    show its window. Raises NoDisplay.
    """
    check_display(os.environ, sys.platform, hint=WITHOUT_A_WINDOW)
    from lull.desktop.main import run
    from lull.desktop.service.place import Place
    from lull.resources import starter_skills_dir

    paths = context.paths
    paths.prepare()
    place = Place(
        home=paths.home,
        window_socket=paths.control_socket.with_name("window.sock"),
        logs=paths.logs,
        ask=ask_line(own_command(paths, os.environ)),
        keychain_service=paths.keychain_service,
        starter_skills=starter_skills_dir(),
        played=paths.demo_marker.exists(),
        service=ServiceOfHome(paths, serve_command(frozen=bool(getattr(sys, "frozen", False)))),
    )
    # `lull` and `lull demo` also open the window and have no such option.
    return run(place, hidden=bool(getattr(context.options, "hidden", False)))


@dataclass(frozen=True, slots=True)
class ServiceOfHome:
    """Gives the desktop window access to the service of one data folder: the command that starts
    it, its socket, and whether it runs. Implements ServiceAccess.
    """

    paths: Paths
    serve: tuple[str, ...]

    @property
    def control_socket(self) -> Path:
        """Path of the Unix socket on which the service answers the window."""
        return self.paths.control_socket

    def is_running(self) -> bool:
        """Whether a service is running with this data folder."""
        from lull.service.process.lock import is_running

        return is_running(self.paths.lock)

    def has_fallen(self) -> bool:
        """Whether the file by which the service is found is still there; a service that ended in
        order removes it.
        """
        return self.paths.discovery.exists()

    def settings(self, wanted: Mapping[str, object] | None) -> Json:
        """Read or change the settings file for the window without the service; return the settings
        in the form of the service's control API.

        `wanted` is a change; None reads. Raises Busy for a change while a service runs, because the
        service would not notice it.
        """
        from lull.service.control.settings_view import SettingsRequests

        if wanted is not None and self.is_running():
            raise Busy("Lull is just starting or stopping.", hint="Try again in a moment.")
        view = SettingsRequests(self.paths.settings)
        return asyncio.run(view.handle(None if wanted is None else dict(wanted)))


def check_display(environ: Mapping[str, str], platform: str, *, hint: str) -> None:
    """Raise NoDisplay where no window can be opened, because Qt would abort the process.

    Whether a display on another machine answers is not checked.
    """
    if platform in ("darwin", "win32") or environ.get("QT_QPA_PLATFORM"):
        return  # always a display, or the user's own choice of a Qt platform
    named = [environ[name] for name in ("WAYLAND_DISPLAY", "DISPLAY") if environ.get(name)]
    if not named:
        raise NoDisplay("A window cannot be opened here.", hint=hint)
    addresses = [_sockets(display, environ) for display in named]
    if None in addresses or any(_listens(path) for paths in addresses for path in paths or ()):
        return
    raise NoDisplay(f"The display {' or '.join(named)} does not answer.", hint=hint)


def _sockets(display: str, environ: Mapping[str, str]) -> tuple[str, ...] | None:
    """Return where a display would listen: a Wayland name or an X11 one; None if elsewhere."""
    if ":" not in display:
        return (str(Path(environ.get("XDG_RUNTIME_DIR", "/"), display)),)
    host, _, number = display.rpartition(":")
    if host not in ("", "unix"):
        return None
    path = X11_SOCKETS + number.partition(".")[0]
    return (path, "\0" + path)


def _listens(path: str) -> bool:
    with socket.socket(socket.AF_UNIX) as tried:
        try:
            tried.connect(path)
        except OSError:
            return False
    return True


def serve_command(*, frozen: bool) -> tuple[str, ...]:
    """Return the command line of `lull serve`, which runs the service.

    If Lull is a packaged app (`frozen`), the app itself is called; else Python with Lull's module.
    """
    if frozen:
        return (sys.executable, "serve")
    return (sys.executable, "-m", "lull.cli.main", "serve")
