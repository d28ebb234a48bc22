"""Tells for each chat client whether it is installed and whether its configuration
points at Lull.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from lull.contract.json_object import Json
from lull.core.clients.client import ChatProgram, UserMachine
from lull.core.clients.connection import ConnectionState
from lull.core.clients.target import ConnectTarget
from lull.loops.clients.connect import ClientConnecting
from lull.store.disk.on_disk import is_there


class InstalledPrograms(Protocol):
    """Interface that looks for installed programs on this machine."""

    def executable(self, names: Sequence[str]) -> Path | None:
        """Return the path of the first of these programs that is installed; None if none is."""

    def version(self, executable: Path, names: Sequence[str]) -> str | None:
        """Return the version of an installed program; None if unknown. It is not run."""


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
        there = executable is not None or any(map(is_there, traces))
        if client.name != "environment" and place is not None:
            own_folder = place.parent not in (self._user.home, self._user.config)
            there = there or is_there(place) or (own_folder and is_there(place.parent))
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
