"""Closes the pipe to the standard input of a child process that has ended."""

from __future__ import annotations

import asyncio
import contextlib


async def end_input(process: asyncio.subprocess.Process) -> None:
    """Close the pipe to an ended process's standard input, ignoring the error if it broke.

    Until Python 3.11.4 an error that is not awaited is logged when the process object is deleted.
    """
    assert process.stdin is not None
    if process.stdin.transport.get_write_buffer_size():
        process.stdin.transport.abort()  # nobody will read it
    process.stdin.close()
    with contextlib.suppress(ConnectionError):
        await process.stdin.wait_closed()
