"""Starts the service or the tray icon at login; both are off by default.

Linux uses a systemd user unit for the service and an XDG autostart file for the icon; macOS a
launchd agent for each. The files are only written here and take effect at the next login.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from xml.sax.saxutils import escape

from lull.desktop.service.place import Place


class AutostartPart(StrEnum):
    """A part of Lull (service or tray icon) that can be started at login."""

    SERVICE = "service"
    ICON = "icon"


@dataclass(frozen=True, slots=True, kw_only=True)
class Autostart:
    """Writes and removes the files that make the operating system start Lull at login."""

    platform: str
    user: Path
    """The user's home folder."""
    config: Path
    """Path of the XDG configuration folder; not used on macOS."""
    home: Path
    serve: tuple[str, ...]
    icon: tuple[str, ...]

    @classmethod
    def for_platform(
        cls,
        place: Place,
        *,
        platform: str = sys.platform,
        environ: Mapping[str, str] = os.environ,
    ) -> Autostart | None:
        """Return the object that turns start at login on and off on this operating system; None if
        the system is not supported.
        """
        if platform not in ("linux", "darwin"):
            return None
        user = Path(environ.get("HOME") or Path.home())
        named = Path(environ.get("XDG_CONFIG_HOME") or "")
        return cls(
            platform=platform,
            user=user,
            config=named if named.is_absolute() else user / ".config",
            home=place.home,
            serve=place.service.serve,
            icon=(*place.service.serve[:-1], "open", "--hidden"),
        )

    def path(self, part: AutostartPart) -> Path:
        """Return the file that makes the system start this part of Lull at login."""
        if self.platform == "darwin":
            return self.user / "Library" / "LaunchAgents" / f"org.lull.{part}.plist"
        if part is AutostartPart.SERVICE:
            return self.config / "systemd" / "user" / "lull.service"
        return self.config / "autostart" / "lull.desktop"

    def is_on(self, part: AutostartPart) -> bool:
        """Whether this part of Lull is started at login."""
        return self.path(part).exists()

    def set_enabled(self, part: AutostartPart, *, on: bool) -> None:
        """Make a part of Lull (service or tray icon) start at login, or stop it from doing so.
        Raises OSError.
        """
        path, link = self.path(part), self._link(part)
        if not on:
            for one in (link, path):
                if one is not None:
                    one.unlink(missing_ok=True)
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.text(part), "utf-8")
        if link is not None:
            link.parent.mkdir(parents=True, exist_ok=True)
            link.unlink(missing_ok=True)
            link.symlink_to(path)

    def _link(self, part: AutostartPart) -> Path | None:
        """The symlink that `systemctl --user enable` would create, which enables the unit."""
        if self.platform == "darwin" or part is not AutostartPart.SERVICE:
            return None
        return self.config / "systemd" / "user" / "default.target.wants" / "lull.service"

    def text(self, part: AutostartPart) -> str:
        """Return the contents of the file that starts this part of Lull at login."""
        command = self.serve if part is AutostartPart.SERVICE else self.icon
        if self.platform == "darwin":
            return _plist(f"org.lull.{part}", command, self.home)
        if part is AutostartPart.SERVICE:
            return _unit(command, self.home)
        return _desktop_entry(command, self.home)


def _unit(command: tuple[str, ...], home: Path) -> str:
    """The systemd unit, with special characters escaped as in systemd.service(5)."""
    words = " ".join(_systemd_quoted(word) for word in command)
    return (
        "[Unit]\nDescription=Lull: your local language model learns in the lulls of your day\n"
        # Limit restarts: it cannot start while the window already runs a service.
        "StartLimitIntervalSec=600\nStartLimitBurst=5\n\n"
        f"[Service]\nExecStart={words}\nEnvironment={_systemd_quoted(f'LULL_HOME={home}')}\n"
        "Restart=on-failure\nRestartSec=2\n"
        # By default the kernel's killing of one child for memory, such as the trainer, would
        # make systemd stop the whole service, in the midst of chats.
        "OOMPolicy=continue\n\n[Install]\nWantedBy=default.target\n"
    )


def _systemd_quoted(word: str) -> str:
    text = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{text}"'


def _desktop_entry(command: tuple[str, ...], home: Path) -> str:
    """The desktop entry, with words quoted and escaped twice as the specification demands."""
    words = " ".join(_entry_quoted(word) for word in ("env", f"LULL_HOME={home}", *command))
    return (
        "[Desktop Entry]\nType=Application\nName=Lull\n"
        "Comment=Your local language model learns in the lulls of your day\n"
        f"Exec={words}\nTerminal=false\nX-GNOME-Autostart-enabled=true\n"
    )


def _entry_quoted(word: str) -> str:
    text = word
    for character in ("\\", '"', "`", "$"):
        text = text.replace(character, f"\\{character}")
    return '"' + text.replace("\\", "\\\\").replace("%", "%%") + '"'


def _plist(name: str, command: tuple[str, ...], home: Path) -> str:
    words = "".join(f"    <string>{escape(word)}</string>\n" for word in command)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" '
        '"http://www.apple.com/DTDs/PropertyList-1.0.dtd">\n'
        '<plist version="1.0">\n<dict>\n'
        f"  <key>Label</key>\n  <string>{name}</string>\n"
        f"  <key>ProgramArguments</key>\n  <array>\n{words}  </array>\n"
        "  <key>EnvironmentVariables</key>\n  <dict>\n    <key>LULL_HOME</key>\n"
        f"    <string>{escape(str(home))}</string>\n  </dict>\n"
        "  <key>RunAtLoad</key>\n  <true/>\n</dict>\n</plist>\n"
    )
