"""Opens the sockets on which the service listens: the proxy's, by whose address and token clients
reach it, and the control API's.
"""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass

from aiohttp import web

from lull.config.paths import Paths
from lull.core.errors import LullError


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


class ControlSocket:
    """Serves the control API on a Unix socket that only its owner can open."""

    def __init__(self, runner: web.AppRunner, paths: Paths) -> None:
        self._runner = runner
        self._paths = paths
        self._inode = 0

    async def open(self) -> None:
        """Serve, private from the socket's creation on. Raises LullError."""
        path = self._paths.control_socket
        before = os.umask(0o177)
        try:
            await self._bind()
        except OSError as error:
            raise LullError(
                f"The control socket {path} cannot be made: {error.strerror}.",
                hint="Move away what is there, or name another folder with LULL_HOME.",
            ) from error
        finally:
            os.umask(before)

    async def put_back(self) -> None:
        """Serve again if somebody removed the socket's file or put another in its place.

        Raises OSError and LullError.
        """
        path = self._paths.control_socket
        if path.is_socket() and path.stat().st_ino == self._inode:
            return
        # Other threads make files now, so no umask: the folder lets nobody else in.
        self._paths.prepare()
        for site in self._runner.sites:
            await site.stop()
        await self._bind()
        path.chmod(0o600)

    async def close(self) -> None:
        """End all requests, and listen no more."""
        await self._runner.cleanup()

    async def _bind(self) -> None:
        path = self._paths.control_socket
        path.unlink(missing_ok=True)
        await web.UnixSite(self._runner, str(path)).start()
        self._inode = path.stat().st_ino
