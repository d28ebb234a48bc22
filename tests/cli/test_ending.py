"""Tests of how a `lull` process ends: by its exit code, whatever its libraries' threads do."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

ENDS = """\
import atexit, sys, threading
from lull.cli import main
atexit.register(print, "taken down", flush=True)
main.main = lambda: print("said before") or 3
if sys.argv[1] == "working":
    threading.Thread(target=threading.Event().wait, daemon=True).start()
main.entry()
"""


@pytest.mark.parametrize(("thread", "said"), [("working", ""), ("none", "taken down\n")])
def test_the_interpreter_is_not_taken_down_under_a_thread_that_works(
    thread: str, said: str
) -> None:
    # One that comes back from a library's own code by then crashes the process.
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    done = subprocess.run(
        [sys.executable, "-c", ENDS, thread],
        capture_output=True,
        text=True,
        check=False,
        env=buffered,
    )
    assert (done.returncode, done.stdout, done.stderr) == (3, f"said before\n{said}", "")
