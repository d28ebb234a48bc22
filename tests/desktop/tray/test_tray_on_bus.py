"""Tests of the tray as a desktop sees it, on a private D-Bus.

A fake watcher reads the menu of the real `lull` and clicks in it.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from jeepney import DBusAddress, new_method_call  # type: ignore[import-untyped]
from jeepney.io.blocking import open_dbus_connection  # type: ignore[import-untyped]

from bench.screen import Screen, missing
from lull.config.paths import Paths
from lull.core.proof.proposal import ProposalStatus
from lull.service.process.lock import is_running
from tests.desk import Desk, proved
from tests.desktop.keys import xdotool
from tests.doubles.private_bus import Service, private_bus
from tests.eventually import PATIENCE_S, eventually
from tests.running import nobodys_port

pytestmark = pytest.mark.full

WATCHER = "org.kde.StatusNotifierWatcher"
ITEM = "org.kde.StatusNotifierItem"
MENU = "com.canonical.dbusmenu"


@dataclass
class Host:
    """A fake panel: it reads an icon's menu and clicks in it."""

    address: str
    item: str
    environment: dict[str, str]

    def press(self, key: str, *, in_: str) -> None:
        """Press a real key in the window of that title; no window manager gives it the focus."""
        window = eventually(
            lambda: self._xdotool("search", "--onlyvisible", "--name", in_)
        ).split()[-1]
        self._xdotool("windowfocus", "--sync", window)
        self._xdotool("key", key)

    def _xdotool(self, *words: str) -> str:
        return xdotool(self.environment, *words)

    def generation(self) -> int:
        done = subprocess.run(
            [sys.executable, "-m", "lull.cli.main", "status", "--json"],
            env=self.environment,
            capture_output=True,
            timeout=PATIENCE_S,
            check=True,
        )
        return int(json.loads(done.stdout)["policy"]["generation"])

    def call(self, path: str, interface: str, method: str, signature: str, *values: Any) -> Any:
        where = DBusAddress(path, bus_name=self.item, interface=interface)
        with open_dbus_connection(self.address) as connection:
            message = new_method_call(where, method, signature, values)
            return connection.send_and_get_reply(message, timeout=PATIENCE_S).body

    def entries(self) -> dict[str, tuple[int, dict[str, Any]]]:
        """Return the top of the menu by its words, separators left out."""
        _, (_, _, children) = self.call("/MenuBar", MENU, "GetLayout", "iias", 0, 1, [])
        found = {}
        for _, (number, properties, _) in children:
            plain = {name: value for name, (_, value) in properties.items()}
            if plain.get("type") != "separator":
                found[str(plain.get("label", "")).replace("_", "")] = (number, plain)
        return found

    def click(self, words: str) -> None:
        number, _ = self.entries()[words]
        self.call("/MenuBar", MENU, "Event", "isvu", number, "clicked", ("i", 0), 0)

    def tooltip(self) -> str:
        (_, body), *_ = self.call(
            "/StatusNotifierItem", "org.freedesktop.DBus.Properties", "Get", "ss", ITEM, "ToolTip"
        )
        return str(body[2])


@pytest.fixture
def lull_on_bus(home: Path) -> Iterator[tuple[Host, subprocess.Popen[bytes], Paths]]:
    if absent := missing():
        pytest.skip(f"no {' and no '.join(absent)} on this machine")
    paths = Paths.from_environment({}, "linux", home=str(home))
    paths.prepare()
    with Desk(home).open() as desk:  # a home in which one proposal waits
        desk.propose(replays=proved(), status=ProposalStatus.PROVED)
    paths.settings.write_text("[service]\nport = 0\n")
    items: list[str] = []
    heard = threading.Event()

    def register(name: str) -> tuple[str, tuple[object, ...]]:
        items.append(name)
        heard.set()
        return "", ()

    with private_bus() as bus, Screen() as screen:
        watcher = Service(
            bus.address,
            WATCHER,
            properties={
                ("/StatusNotifierWatcher", WATCHER): {
                    "IsStatusNotifierHostRegistered": ("b", True),
                    "ProtocolVersion": ("i", 0),
                    "RegisteredStatusNotifierItems": ("as", []),
                }
            },
            methods={("/StatusNotifierWatcher", "RegisterStatusNotifierItem"): register},
        )
        environment = {
            **{k: v for k, v in screen.environ.items() if k != "QT_QPA_PLATFORM"},
            "LULL_HOME": str(home),
            "DBUS_SESSION_BUS_ADDRESS": bus.address,
            "OLLAMA_HOST": f"127.0.0.1:{nobodys_port()}",
            "LC_ALL": "C.UTF-8",
        }
        with watcher:
            process = subprocess.Popen(
                [sys.executable, "-m", "lull.cli.main"], env=environment, stderr=subprocess.PIPE
            )
            try:
                assert heard.wait(PATIENCE_S), "no icon was registered"
                yield Host(bus.address, items[0], environment), process, paths
            finally:
                process.terminate()
                process.communicate(timeout=PATIENCE_S)
    eventually(lambda: not is_running(paths.lock))


def test_the_panel_reads_nine_entries_and_quit_asks_and_quits(
    lull_on_bus: tuple[Host, subprocess.Popen[bytes], Paths],
) -> None:
    host, process, paths = lull_on_bus
    eventually(lambda: is_running(paths.lock))
    eventually(lambda: host.entries().get("Train now", (0, {}))[1].get("enabled", True))
    entries = host.entries()
    assert len(entries) == 9
    assert list(entries)[1:] == [
        "Open window",
        "Review 1 suggestion…",
        "Pause learning",
        "Train now",
        "Lull on",
        "Copy address",
        "Settings…",
        "Quit",
    ]
    line = next(iter(entries))
    assert entries[line][1]["enabled"] is False
    eventually(lambda: host.tooltip() == f"Lull: {next(iter(host.entries()))}")
    host.click("Quit")
    # It asks first, since the chat apps' answers would stop, and "Quit Lull" is the button before
    # the one that has the focus.
    host.press("shift+Tab", in_="Keep Lull running")
    assert process.poll() is None
    host.press("space", in_="Keep Lull running")
    assert process.wait(PATIENCE_S) == 0
    eventually(lambda: not is_running(paths.lock))  # it had started the service itself


def test_a_pause_clicked_in_the_panel_is_a_pause(
    lull_on_bus: tuple[Host, subprocess.Popen[bytes], Paths],
) -> None:
    host, _, paths = lull_on_bus
    eventually(lambda: is_running(paths.lock))
    eventually(lambda: host.entries().get("Pause learning", (0, {}))[1].get("enabled", True))
    number, _ = host.entries()["Pause learning"]
    _, (_, _, children) = host.call("/MenuBar", MENU, "GetLayout", "iias", number, 1, [])
    first = children[4][1][0]
    host.call("/MenuBar", MENU, "Event", "isvu", first, "clicked", ("i", 0), 0)
    eventually(lambda: "Paused until you resume" in host.entries())


def test_a_skill_is_approved_with_a_key_and_is_in_force(
    lull_on_bus: tuple[Host, subprocess.Popen[bytes], Paths],
) -> None:
    host, _, _ = lull_on_bus
    eventually(lambda: "Review 1 suggestion…" in host.entries())
    assert host.generation() == 0
    host.click("Review 1 suggestion…")

    def approved() -> bool:
        host.press("a", in_="Lull: Review")  # again, where the page was not there yet
        return host.generation() == 1

    eventually(approved)
    eventually(lambda: "Nothing to review" in host.entries())
