"""`lull` alone and `lull open`: the tray and the dashboard, where there is a screen."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import ClassVar

from lull.cli.context import Context
from lull.cli.own_command import ask_line, own_command
from lull.core.errors import LullError


class NoDisplay(LullError):
    title: ClassVar[str] = "There is no display"


def open_dashboard(context: Context) -> int:
    """Until Quit; where a window is open already, it is shown. Raises NoDisplay."""
    if not has_display(os.environ, sys.platform):
        raise NoDisplay(
            "A window cannot be opened here.",
            hint="`lull serve` runs the service without one; `lull --help` lists what does the "
            "same as the window.",
        )
    from lull.desktop.main import run
    from lull.desktop.place import Place
    from lull.resources import starter_skills_dir
    from lull.service.lock import is_running

    paths = context.paths
    paths.prepare()
    place = Place(
        home=paths.home,
        control_socket=paths.control_socket,
        window_socket=paths.control_socket.with_name("window.sock"),
        logs=paths.logs,
        serve=serve_command(frozen=bool(getattr(sys, "frozen", False))),
        ask=ask_line(own_command(paths, os.environ)),
        running=lambda: is_running(paths.lock),
        fell=paths.discovery.exists,
        starter_skills=starter_skills_dir(),
    )
    # `lull` alone and `lull demo` open it, too, and have no such option.
    return run(place, hidden=bool(getattr(context.options, "hidden", False)))


def has_display(environ: Mapping[str, str], platform: str) -> bool:
    if platform in ("darwin", "win32"):
        return True
    if environ.get("QT_QPA_PLATFORM"):
        return True  # whoever names one knows why
    return bool(environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY"))


def serve_command(*, frozen: bool) -> tuple[str, ...]:
    """In a frozen app every process is this program."""
    if frozen:
        return (sys.executable, "serve")
    return (sys.executable, "-m", "lull.cli.main", "serve")
