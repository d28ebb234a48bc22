"""A private D-Bus for tests, and small services on it with scripted answers.

The bus is a real dbus-daemon that starts no services by itself; the fake services are real clients
of it, each in a thread.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from jeepney import (  # type: ignore[import-untyped]
    DBusAddress,
    HeaderFields,
    MessageType,
    new_error,
    new_method_return,
    new_signal,
)
from jeepney.bus_messages import message_bus  # type: ignore[import-untyped]
from jeepney.io.blocking import open_dbus_connection  # type: ignore[import-untyped]

from tests.eventually import PATIENCE_S

_PROPERTIES = "org.freedesktop.DBus.Properties"
_OPEN = """<busconfig><type>session</type><listen>unix:dir={folder}</listen>
<policy context="default"><allow send_destination="*" eavesdrop="true"/>
<allow eavesdrop="true"/><allow own="*"/></policy></busconfig>"""

Properties = dict[str, tuple[str, object]]
"""D-Bus properties: name → (D-Bus type, value)."""
Method = Callable[..., tuple[str, tuple[object, ...]]]
"""A fake D-Bus method: takes the call's arguments and returns (D-Bus type, values)."""


class PrivateBus:
    """A dbus-daemon of the test's own; can be stopped and started again at the same address."""

    def __init__(self, folder: Path) -> None:
        self._configuration = folder / "bus.conf"
        self._configuration.write_text(_OPEN.format(folder=folder))
        self._daemon: subprocess.Popen[str] | None = None
        self.address = ""

    def start(self) -> None:
        listen = [f"--address={self.address}"] if self.address else []
        command = ["dbus-daemon", f"--config-file={self._configuration}", "--nofork", *listen]
        self._daemon = subprocess.Popen(
            [*command, "--print-address"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self._daemon.stdout is not None
        # Without the guid at the end, which is another after a restart.
        self.address = self._daemon.stdout.readline().strip().partition(",guid=")[0]
        assert self.address, "dbus-daemon did not start"

    def end(self) -> None:
        daemon, self._daemon = self._daemon, None
        if daemon is not None:
            daemon.kill()
            daemon.communicate()


@contextmanager
def private_bus() -> Iterator[PrivateBus]:
    if shutil.which("dbus-daemon") is None:
        pytest.skip("no dbus-daemon on this machine")
    with tempfile.TemporaryDirectory(prefix="lull") as folder:
        bus = PrivateBus(Path(folder))
        bus.start()
        try:
            yield bus
        finally:
            bus.end()


@dataclass
class Service:
    """A fake service under one name on the bus. A test may change its answers at any time."""

    address: str
    name: str
    properties: dict[tuple[str, str], Properties] = field(default_factory=dict)
    """The service's properties: (object path, interface) → properties."""
    methods: dict[tuple[str, str], Method] = field(default_factory=dict)
    """The service's methods: (object path, method name) → function that returns the reply."""
    asked: list[str] = field(default_factory=list)
    silent: bool = False
    """Whether the service receives calls without ever replying."""

    def __enter__(self) -> Service:
        self._connection = open_dbus_connection(self.address)
        self._call(message_bus.RequestName(self.name))
        self._leaving = threading.Event()
        self._thread = threading.Thread(target=self._serve, name=self.name)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._leaving.set()
        self._thread.join()
        self._connection.close()

    def signal(self, path: str, interface: str, name: str, signature: str, *values: Any) -> None:
        """Emit a D-Bus signal to all clients of the bus."""
        emitter = DBusAddress(path, interface=interface)
        with open_dbus_connection(self.address) as connection:
            connection.send(new_signal(emitter, name, signature, values))
            connection.send_and_get_reply(message_bus.GetId(), timeout=PATIENCE_S)

    def _call(self, message: Any) -> None:
        self._connection.send_and_get_reply(message, timeout=PATIENCE_S)

    def _serve(self) -> None:
        while not self._leaving.is_set():
            try:
                message = self._connection.receive(timeout=0.02)
            except TimeoutError:
                continue
            except OSError:
                return  # the bus has gone
            if message.header.message_type is MessageType.method_call:
                self._answer(message)

    def _answer(self, message: Any) -> None:
        fields = message.header.fields
        member = str(fields[HeaderFields.member])
        self.asked.append(member)
        if self.silent:
            return
        try:
            signature, values = self._found(fields, member, message.body)
            reply = new_method_return(message, signature, values)
        except KeyError:
            reply = new_error(message, "org.freedesktop.DBus.Error.UnknownObject")
        self._connection.send(reply)

    def _found(
        self, fields: Any, member: str, body: tuple[Any, ...]
    ) -> tuple[str, tuple[object, ...]]:
        path = str(fields[HeaderFields.path])
        if fields.get(HeaderFields.interface) == _PROPERTIES:
            known = self.properties[path, body[0]]
            return ("a{sv}", (known,)) if member == "GetAll" else ("v", (known[body[1]],))
        return self.methods[path, member](*body)
