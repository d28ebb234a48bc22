"""Opens the socket on which the proxy listens, and defines the address and token by which clients
reach it.
"""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ListeningAt:
    """How clients reach the proxy: its address, and the token that requests from other machines
    must carry.
    """

    address: str
    """Address of the proxy for programs on this machine."""
    token: str
    """Network token; empty when only this machine can connect."""


def listening_socket(bind: str, port: int) -> socket.socket:
    """Return a socket that listens on an address and port (0: any free one). Raises OSError."""
    family = socket.AF_INET6 if ":" in bind else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    if os.name == "posix":
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((bind, port))
        made.listen(128)
    except OSError:
        made.close()
        raise
    return made
