"""Tests of closing the input pipe of a child process that ended without reading its input."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import signal
import sys
from typing import Any

from lull.backends.system.child_input import end_input

MORE_THAN_A_PIPE_HOLDS = bytes(1 << 21)


async def test_a_child_that_did_not_read_leaves_no_error_behind() -> None:
    told: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(context))
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", "", stdin=asyncio.subprocess.PIPE
    )
    assert process.stdin is not None
    process.stdin.write(MORE_THAN_A_PIPE_HOLDS)
    with contextlib.suppress(ConnectionError):
        await process.stdin.drain()
    await process.wait()
    await end_input(process)
    del process
    gc.collect()
    await asyncio.sleep(0)
    assert told == []


async def test_what_is_unwritten_holds_nobody_up() -> None:
    process = await asyncio.create_subprocess_exec(
        # the pipe's other end stays open in a grandchild
        sys.executable,
        "-c",
        "import subprocess, sys; print(subprocess.Popen(['sleep', '600'], stdout=-3).pid)",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(MORE_THAN_A_PIPE_HOLDS)
    grandchild = int(await process.stdout.readline())
    try:
        await end_input(process)
    finally:
        os.kill(grandchild, signal.SIGKILL)
        await process.wait()
