"""Tells whose process is at the other end of a Unix socket, so that neither end of the control
socket trusts another user of the machine.
"""

from __future__ import annotations

import os
import socket
import struct
import sys
from typing import Final

_ROOT: Final = 0
_LOCAL_PEERCRED: Final = 1
"""The option of a Unix socket under macOS (sys/un.h, level 0) that gives a `struct xucred`."""
_XUCRED_BYTES: Final = 76


def peer_uid(connection: socket.socket) -> int | None:
    """Return the user id of the process at the other end of a Unix socket; None if the system does
    not tell it.
    """
    try:
        if sys.platform == "darwin":
            said = connection.getsockopt(0, _LOCAL_PEERCRED, _XUCRED_BYTES)
            return int(struct.unpack_from("II", said)[1])
        if sys.platform == "linux":
            said = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
            return int(struct.unpack("iII", said)[1])
    except (OSError, struct.error):
        pass
    return None


def is_foreign(uid: int | None) -> bool:
    """Whether a user id, where it is known, is neither this process's own nor root's."""
    return uid not in (None, _ROOT, os.getuid())


def connect_to_own(connection: socket.socket, path: str) -> None:
    """Connect a Unix socket to the one at `path`, unless another user of the machine listens there,
    who would get what is sent. Raises OSError.
    """
    connection.connect(path)
    if os.name == "posix" and is_foreign(peer_uid(connection)):
        raise ConnectionRefusedError(f"another user listens at {path}")
