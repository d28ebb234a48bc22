"""Tests of noticing a hung child process: one that is stopped, or sleeps instead of working."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from lull.backends.system import hung
from lull.backends.system.hung import wait_until_hung

pytestmark = pytest.mark.skipif(os.name != "posix", reason="only on macOS and Linux")
OFTEN_S = 0.05
SLEEPS = "import time; print(flush=True); time.sleep(600)"
WORKS = "print(flush=True)\nwhile True: pass"
HAS_WORK_DONE = (
    "import subprocess, sys; print(flush=True)\n"
    "subprocess.run([sys.executable, '-c', 'while True: pass'])"
)


@contextmanager
def running(code: str) -> Iterator[int]:
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, start_new_session=True
    )
    assert process.stdout is not None
    process.stdout.readline()
    try:
        yield process.pid
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()


def test_a_stopped_process_is_noticed_within_ten_seconds() -> None:
    assert hung.CHECK_EVERY_S * (hung.STOPPED_CHECKS + 1) < 10


async def test_a_stopped_process_hangs_whether_it_was_asked_or_not() -> None:
    with running(SLEEPS) as pid:
        os.kill(pid, signal.SIGSTOP)
        how = await wait_until_hung(pid, asked=lambda: False, every_s=OFTEN_S)
    assert how == "somebody had stopped it"


async def test_a_process_that_sleeps_over_its_work_hangs() -> None:
    with running(SLEEPS) as pid:
        assert await wait_until_hung(pid, asleep_s=4 * OFTEN_S, every_s=OFTEN_S) == "it hung"


@pytest.mark.full
@pytest.mark.parametrize(
    ("code", "asked", "asleep_s"),
    [
        (WORKS, True, 0.2),
        # It starts another process first; from then on it sleeps while the other works.
        (HAS_WORK_DONE, True, 0.4),
        (SLEEPS, False, 0.2),
    ],
)
async def test_who_works_or_was_asked_for_nothing_does_not_hang(
    code: str, asked: bool, asleep_s: float
) -> None:
    checks, enough = 0, asyncio.Event()

    def counted() -> bool:
        """Be asked at each check; enough are three times as many as would find that it hangs."""
        nonlocal checks
        checks += 1
        if checks * OFTEN_S >= 3 * asleep_s:
            enough.set()
        return asked

    with running(code) as pid:
        waiting = asyncio.create_task(
            wait_until_hung(pid, asked=counted, asleep_s=asleep_s, every_s=OFTEN_S)
        )
        seen = asyncio.create_task(enough.wait())
        await asyncio.wait({waiting, seen}, return_when=asyncio.FIRST_COMPLETED)
        assert not waiting.done()
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
