"""Refuses requests on the control socket from other users of the machine, whatever the modes of the
socket and of the folders above it say.
"""

from __future__ import annotations

import os
import socket
import struct
import sys
from typing import Final

from aiohttp import web
from aiohttp.typedefs import Handler

from lull.core.errors import AnotherUser

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


@web.middleware
async def own_user(request: web.Request, handler: Handler) -> web.StreamResponse:
    """aiohttp middleware that answers only the user who runs the service, and root.

    Raises AnotherUser for a request of anybody else.
    """
    connection = request.get_extra_info("socket")
    uid = None if connection is None else peer_uid(connection)
    if uid not in (None, _ROOT, os.getuid()):
        raise AnotherUser(
            f"This Lull is another user's, not that of user {uid}.",
            hint="Start a Lull of your own: its files lie in your home.",
        )
    return await handler(request)
