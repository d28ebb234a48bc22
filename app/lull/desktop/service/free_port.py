"""Finds a free TCP port for the service when another program has taken the configured one."""

from __future__ import annotations

import errno
import os
import socket
from typing import Final

from lull.core.errors import LullError
from lull.desktop.service.place import Place

TRIED: Final = 50
"""How many ports after the taken one are tried before any free one is used."""


def address_of(place: Place) -> tuple[str, int] | None:
    """Read the service's host and port from the settings file; None if they cannot be read."""
    try:
        rows = place.service.settings(None)["settings"]
    except LullError:
        return None
    found = {row["key"]: row["value"] for row in rows}
    return str(found["service.bind"]), int(found["service.port"])


def is_free(host: str, port: int) -> bool:
    """Whether the service could listen at this host and port now."""
    try:
        _listen(host, port)
    except OSError:
        return False
    return True


def is_taken(host: str, port: int) -> bool:
    """Whether another program listens at this host and port.

    A port that only root may use is neither free nor taken.
    """
    try:
        _listen(host, port)
    except OSError as error:
        return error.errno == errno.EADDRINUSE
    return False


def _listen(host: str, port: int) -> None:
    """Listen for a moment, as the service would. Raises OSError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        if os.name == "posix":  # as the service does; elsewhere it would share a taken port
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind((host, port))
        probe.listen(1)


def next_free_port(host: str, port: int) -> int:
    """Return the next free port after a taken one, or 0 (which means any free port) if the `TRIED`
    ports after it are all taken.
    """
    after = range(port + 1, min(port + 1 + TRIED, 65_536))
    return next((one for one in after if is_free(host, one)), 0)
