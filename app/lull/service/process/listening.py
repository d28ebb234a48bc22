"""Opens the socket on which the proxy listens."""

from __future__ import annotations

import os
import socket


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
