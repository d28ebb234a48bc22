"""Tests that the services of a benchmark end with it, on real processes."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading

import pytest

from bench.services import tied

LEFT_ALONE = "import time; print('up', flush=True); time.sleep(120); print('left', flush=True)"
"""A service, for two minutes at most: then it says that it was left behind."""
STARTS_ONE = f"""
import subprocess
from bench.services import tied
subprocess.Popen(tied(["-c", {LEFT_ALONE!r}])).wait()
"""
STOPS_ITS_OWN = """
import time
from bench.services import exit_on_sigterm
exit_on_sigterm()
try:
    print("up", flush=True)
    time.sleep(120)
finally:
    print("stopped", flush=True)
"""


def said_after(script: str, end: signal.Signals) -> tuple[str, int]:
    """Return what a process and its own ones still say once it gets a signal, and its exit code."""
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
        process.send_signal(end)
        # The pipe ends only when nobody holds its other end any more.
        return process.stdout.read(), process.wait()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends it")
@pytest.mark.parametrize("name", ["SIGKILL", "SIGTERM"])
def test_a_service_ends_with_a_bench_that_is_killed(name: str) -> None:
    end = signal.Signals[name]
    assert said_after(STARTS_ONE, end) == ("", -end)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGTERM")
def test_a_bench_that_is_told_to_stop_stops_what_it_started() -> None:
    assert said_after(STOPS_ITS_OWN, signal.SIGTERM) == ("stopped\n", 128 + signal.SIGTERM)


def test_what_a_passing_thread_starts_is_not_tied_to_it() -> None:
    made: list[list[str]] = []
    aside = threading.Thread(target=lambda: made.append(tied(["-V"])))
    aside.start()
    aside.join()
    assert made == [[sys.executable, "-V"]]
