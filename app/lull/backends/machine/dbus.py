"""Makes D-Bus calls with a timeout, one at a time; a failed call returns `Unknown` with the reason.

Connects when first needed and again after any error. Services are never auto-started: one that is
not running is unknown. Used by one thread at a time.
"""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lull.core.idle.signals import Known, Reading, Unknown

_SYSTEM = "unix:path=/var/run/dbus/system_bus_socket"
_PROPERTIES = "org.freedesktop.DBus.Properties"
_ERRORS = "org.freedesktop.DBus.Error."
_KEPT_SIGNALS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A D-Bus object and interface to call."""

    who: str
    """Readable name of the D-Bus service, such as "logind"."""
    bus_name: str
    path: str
    interface: str

    def at(self, path: str, interface: str) -> Target:
        """Return another object and interface of the same program."""
        return Target(who=self.who, bus_name=self.bus_name, path=path, interface=interface)


def session_bus(environ: Mapping[str, str]) -> DBus:
    """Return the D-Bus of the user's session, found by the environment."""
    address = environ.get("DBUS_SESSION_BUS_ADDRESS", "")
    if not address and environ.get("XDG_RUNTIME_DIR"):
        # systemd's default path; a service started early lacks the variable.
        address = f"unix:path={Path(environ['XDG_RUNTIME_DIR']) / 'bus'}"
    return DBus(address, "desktop session")


def system_bus(environ: Mapping[str, str]) -> DBus:
    """Return the D-Bus of the system, found by the environment."""
    return DBus(environ.get("DBUS_SYSTEM_BUS_ADDRESS", "") or _SYSTEM, "system service")


class DBus:
    """A connection to one D-Bus message bus."""

    def __init__(self, address: str, name: str, *, within_s: float = 2.0) -> None:
        """Prepare a connection; `within_s` is the timeout for connecting and for each answer."""
        self._address = address
        self._name = name
        self._within_s = within_s
        self._connection: Any = None
        self._listened: tuple[Target, str] | None = None
        self._signals: deque[Any] = deque(maxlen=_KEPT_SIGNALS)

    def call(
        self, target: Target, method: str, signature: str = "", *arguments: object
    ) -> Reading[tuple[Any, ...]]:
        """Call a D-Bus method and return its values."""
        from jeepney import MessageFlag  # type: ignore[import-untyped]

        message = _message(target, method, signature, arguments)
        message.header.flags |= MessageFlag.no_auto_start
        return self._replied(message, target.who)

    def get(self, target: Target, name: str) -> Reading[object]:
        """Read one property of a D-Bus object."""
        there = target.at(target.path, _PROPERTIES)
        answer = self.call(there, "Get", "ss", target.interface, name)
        return answer if isinstance(answer, Unknown) else Known(answer.value[0][1])

    def get_all(self, target: Target) -> Reading[dict[str, object]]:
        """Read every property of a D-Bus interface."""
        there = target.at(target.path, _PROPERTIES)
        answer = self.call(there, "GetAll", "s", target.interface)
        if isinstance(answer, Unknown):
            return answer
        return Known({name: value for name, (_, value) in answer.value[0].items()})

    def listen(self, target: Target, signal: str) -> None:
        """Subscribe to a D-Bus signal; the subscription survives reconnects.

        `received_signals` returns what was received.
        """
        self.close()
        self._listened = (target, signal)

    def received_signals(self) -> Reading[list[tuple[Any, ...]]]:
        """Return the arguments of the D-Bus signals received since the last call, oldest first."""
        answer = self._talk(_received)
        if isinstance(answer, Unknown):
            return answer
        bodies = [message.body for message in self._signals]
        self._signals.clear()
        return Known(bodies)

    def close(self) -> None:
        """Close the connection; the next call opens it again."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(OSError):
                connection.close()

    # Talking

    def _replied(self, message: Any, who: str) -> Reading[tuple[Any, ...]]:
        from jeepney.wrappers import DBusErrorResponse, unwrap_msg  # type: ignore[import-untyped]

        def ask(connection: Any) -> Any:
            return connection.send_and_get_reply(message, timeout=self._within_s)

        answer = self._talk(ask, who)
        if isinstance(answer, Unknown):
            return answer
        try:
            return Known(unwrap_msg(answer.value))
        except DBusErrorResponse as error:
            return Unknown(_refusal(str(error.name), who))

    def _talk(self, talk: Callable[[Any], Any], who: str = "") -> Reading[Any]:
        """Use the connection; after any error it is closed."""
        well = False
        try:
            if self._connection is None:
                if not self._address:
                    return Unknown(f"there is no {self._name}")
                self._connect()
            said = talk(self._connection)
            well = True
            return Known(said)
        except TimeoutError:
            return Unknown(f"{who or f'the {self._name}'} does not answer")
        # jeepney raises ValueError for refused authentication and RuntimeError for an unsupported
        # kind of address.
        except (OSError, EOFError, ValueError, RuntimeError) as error:
            return Unknown(f"the {self._name} cannot be reached: {_words(error)}")
        finally:
            if not well:
                self.close()

    def _connect(self) -> None:
        from jeepney import MatchRule
        from jeepney.bus_messages import message_bus  # type: ignore[import-untyped]
        from jeepney.io.blocking import open_dbus_connection  # type: ignore[import-untyped]

        self._connection = open_dbus_connection(self._address, auth_timeout=self._within_s)
        if self._listened is not None:
            target, signal = self._listened
            rule = MatchRule(
                type="signal", interface=target.interface, member=signal, path=target.path
            )
            self._connection.filter(rule, queue=self._signals)
            self._connection.send_and_get_reply(message_bus.AddMatch(rule), timeout=self._within_s)


def _message(target: Target, method: str, signature: str, arguments: tuple[object, ...]) -> Any:
    from jeepney import DBusAddress, new_method_call

    address = DBusAddress(target.path, target.bus_name, target.interface)
    return new_method_call(address, method, signature or None, arguments)


def _received(connection: Any) -> None:
    """Receive pending messages without waiting."""
    with contextlib.suppress(TimeoutError):
        while True:
            connection.recv_messages(timeout=0.0)


def _refusal(error: str, who: str) -> str:
    if error in (f"{_ERRORS}ServiceUnknown", f"{_ERRORS}NameHasNoOwner"):
        return f"{who} is not running here"
    if error == f"{_ERRORS}NoReply":
        return f"{who} does not answer"
    return f"{who} refuses to say ({error.rpartition('.')[2]})"


def _words(error: BaseException) -> str:
    text = getattr(error, "strerror", None) or str(error)
    return " ".join(text.split()).rstrip(".") or type(error).__name__
