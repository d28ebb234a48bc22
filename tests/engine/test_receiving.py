"""Tests of the engine's thread that reads the socket: when it ends, it tells the working thread."""

from __future__ import annotations

import socket
from queue import SimpleQueue

import pytest

from lull.contract.engine_frames import Frame, encode
from lull.core.errors import EngineError
from lull.engine.main import _receive


def test_whatever_ends_the_receiving_ends_the_work() -> None:
    for broken in (b"", bytes(64)):
        ours, theirs = socket.socketpair()
        inbox = SimpleQueue[Frame | None]()
        with ours, theirs:
            ours.sendall(encode({"op": "status"}) + broken)
            ours.shutdown(socket.SHUT_WR)
            if broken:
                with pytest.raises(EngineError, match="a frame of 0 bytes"):
                    _receive(theirs, inbox)
            else:
                _receive(theirs, inbox)
        assert [inbox.get_nowait(), inbox.get_nowait()] == [{"op": "status"}, None]
