"""Tells for each chat client whether it is installed and whether its configuration
points at Lull.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from lull.contract.json_object import Json
from lull.core.clients.client import ChatProgram, UserMachine
from lull.core.clients.connection import ConnectionState
from lull.core.clients.target import ConnectTarget
from lull.loops.clients.connect import ClientConnecting


@dataclass(frozen=True, slots=True, kw_only=True)
class InstalledPrograms:
    """Functions that look for installed programs on this machine."""

    executable: Callable[[Sequence[str]], Path | None]
    """Finds the first of the named programs that is installed on this machine."""
    version: Callable[[Path, Sequence[str]], str | None]


class ClientOverview:
    """Summarises each chat client of one user: whether it is installed, in which version, where its
    configuration file is, and whether that points at Lull.
    """

    def __init__(
        self, connecting: ClientConnecting, user: UserMachine, programs: InstalledPrograms
    ) -> None:
        self._connecting = connecting
        self._user = user
        self._programs = programs

    def view(self, client: ChatProgram, target: ConnectTarget, named: Path | None = None) -> Json:
        """Return as JSON whether a chat client is installed, where its configuration file is, and
        whether it points at Lull.
        """
        executable = self._programs.executable(client.programs)
        place = self._connecting.place(client, named)
        traces = [Path(one) for one in client.traces(self._user)]
        there = executable is not None or any(one.exists() for one in traces)
        if client.name != "environment" and place is not None:
            own_folder = place.parent not in (self._user.home, self._user.config)
            there = there or place.exists() or (own_folder and place.parent.exists())
        standing = self._connecting.connection_state(client, target, named)
        return {
            "name": client.name,
            "title": client.title,
            "found": there or client.name == "environment",
            "version": self._programs.version(executable, client.programs) if executable else None,
            "files": [] if place is None else [str(place)],
            "connected": standing is ConnectionState.CONNECTED,
            "drifted": standing is ConnectionState.DRIFTED,
            "unreadable": standing is ConnectionState.UNREADABLE,
            "writable": client.edit is not None and place is not None,
            "by_hand": client.by_hand.format(address=target.address),
            "tested_with": client.tested,
        }
