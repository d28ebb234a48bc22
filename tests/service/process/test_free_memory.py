"""Tests that many threads share few heaps, and that freed memory goes back to the system."""

from __future__ import annotations

import asyncio
import contextlib
import platform
import subprocess
import sys

import pytest

from lull.service.process.free_memory import give_back_when_quiet

of_glibc = pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc", reason="only the GNU C library has it"
)

WORK = """
import ctypes, re, sys, tempfile, threading
from pathlib import Path
from lull.service.process import free_memory

if sys.argv[1] == "few":
    free_memory.share_few_heaps()
begin, held = threading.Barrier(12), []

def work():
    begin.wait()
    mine = [bytearray(20_000) for _ in range(400)]
    held.append(mine[::40])  # what is kept holds the rest of a heap in its place

threads = [threading.Thread(target=work) for _ in range(12)]
[one.start() for one in threads]
[one.join() for one in threads]

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

before = resident()
free_memory.give_back_freed_memory()
c = ctypes.CDLL(None)
c.fopen.restype = ctypes.c_void_p
with tempfile.NamedTemporaryFile() as file:
    out = ctypes.c_void_p(c.fopen(file.name.encode(), b"w"))
    c.malloc_info(0, out)
    c.fclose(out)
    heaps = len(re.findall("<heap nr=", Path(file.name).read_text()))
print(heaps, before - resident())
"""


def run(how: str) -> tuple[int, int]:
    ran = subprocess.run([sys.executable, "-c", WORK, how], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    heaps, given_back = ran.stdout.split()
    return int(heaps), int(given_back)


@pytest.mark.slow
@of_glibc
def test_many_threads_share_few_heaps_and_give_back_what_they_freed() -> None:
    many, _ = run("many")
    few, given_back = run("few")
    assert few <= 2 < many
    assert given_back > 4_000_000


async def test_memory_is_given_back_in_quiet_times_again_and_again() -> None:
    quiet_s, given, asked = [0.0], asyncio.Semaphore(0), asyncio.Semaphore(0)
    loop = asyncio.get_running_loop()

    def how_quiet_s() -> float:
        asked.release()
        return quiet_s[0]

    def give_back() -> None:
        loop.call_soon_threadsafe(given.release)

    working = asyncio.create_task(
        give_back_when_quiet(
            how_quiet_s,
            give_back,
            every_s=0.001,
            after_s=0.01,
        )
    )
    for _ in range(3):
        await asked.acquire()
    assert given.locked()  # a chat runs
    try:
        quiet_s[0] = 5.0
        for _ in range(3):
            await given.acquire()
    finally:
        working.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await working
