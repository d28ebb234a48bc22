"""Finds the chat clients that Lull connected and that no longer point at it, for the status and for
`lull doctor`.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path

from lull.contract.json_object import Json
from lull.core.clients.client import ChatProgram, clients_of
from lull.core.clients.connection import ConnectionState
from lull.core.clients.target import ConnectTarget
from lull.core.text.coded_text import Value, coded_text, sentence
from lull.service.answers.checks import check
from lull.service.clients.connecting import ConnectParts


def drifted_clients(parts: ConnectParts, address: str) -> Sequence[ChatProgram]:
    """Return the chat clients that Lull connected earlier but whose settings files no longer point
    at `address`, where Lull is reached. Only files that Lull wrote are read.
    """
    written = parts.connections.all()
    target = ConnectTarget(address=address.rstrip("/"), model="")
    return [
        client
        for client in clients_of(parts.user)
        if any(
            one.client == client.name
            and parts.connecting.connection_state(client, target, Path(one.path))
            is ConnectionState.DRIFTED
            for one in written
        )
    ]


def check_clients(parts: ConnectParts, address: str) -> Json:
    """Check for `lull doctor` whether every chat client that Lull connected still points at
    `address`, where Lull is reached. A client that does not is no serious failure, because Lull
    itself works.
    """
    names = {one.client for one in parts.connections.all()}
    connected = [client for client in clients_of(parts.user) if client.name in names]
    if not connected:
        return check("clients", ok=True, text="No chat app was connected by Lull.")
    drifted = drifted_clients(parts, address)
    if not drifted:
        return check(
            "clients",
            ok=True,
            text=coded_text("clients-connected", "Connected to Lull: %1.", _titles(connected)),
        )
    words = "Connected before, and no longer pointing at Lull: %1."
    return check(
        "clients",
        ok=False,
        text=coded_text("clients-drifted", words, _titles(drifted)),
        hint="Something changed the settings there, or Lull has another address now."
        f" `lull connect {drifted[0].name}` connects it again.",
        serious=False,
    )


def _titles(clients: Sequence[ChatProgram]) -> Value:
    titles: list[Value] = [sentence(client.title) for client in clients]
    return functools.reduce(
        lambda one, other: coded_text("titles-and", "%1, %2", one, other), titles
    )
