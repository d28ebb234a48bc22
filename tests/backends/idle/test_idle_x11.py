"""Tests of idle time on a real X11 display: what counts as input, and displays that fail.

A display may hang, go away, or be missing from the start.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from bench.screen import Screen, missing
from lull.backends.idle.polled import PolledSignal, PollPace
from lull.backends.idle.x11 import X11Idle, Xlib
from lull.core.idle.signals import Known, Reading, Unknown
from tests.eventually import PATIENCE_S, eventually

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="X11 is tried on Linux")


@pytest.fixture
def screen() -> Iterator[Screen]:
    if absent := missing():
        pytest.skip(f"no {' and no '.join(absent)} on this machine")
    # A number that no server gets by itself, so that none takes it while this one restarts.
    with Screen(f":{20_000 + os.getpid() % 20_000}") as screen:
        yield screen


@pytest.fixture
def idle(screen: Screen) -> Iterator[X11Idle]:
    source = X11Idle(screen.display)
    yield source
    source.close()


def seconds(answer: Reading[float]) -> float:
    assert isinstance(answer, Known), answer
    return answer.value


@pytest.mark.parametrize("touch", ["mouse", "key"])
def test_input_begins_the_count_anew(screen: Screen, idle: X11Idle, touch: str) -> None:
    before_s = eventually(lambda: seconds(idle.read()), lambda s: s > 0.3)
    since_s = time.monotonic()
    if touch == "mouse":
        screen.move_mouse(120, 80)
    else:
        screen.press("a")
    # A loaded machine may read late, but nothing of the old count may be left.
    assert seconds(idle.read()) < time.monotonic() - since_s + before_s / 2


def test_it_counts_on_while_nobody_touches_anything(idle: X11Idle) -> None:
    first_s = seconds(idle.read())
    eventually(lambda: seconds(idle.read()), lambda s: s > first_s + 0.2)


def test_two_connections_are_two(screen: Screen, idle: X11Idle) -> None:
    other = X11Idle(screen.display)
    assert seconds(other.read()) >= 0.0
    other.close()
    assert seconds(idle.read()) >= 0.0


@pytest.mark.logs("unknown from now on: the X11 display :.* does not answer")
def test_a_display_that_hangs_is_unknown_until_it_goes_on(screen: Screen, idle: X11Idle) -> None:
    polled = PolledSignal(idle, pace=PollPace(every_s=0.01, within_s=0.2))
    polled.start()
    eventually(polled.latest, lambda answer: isinstance(answer, Known))
    screen.freeze()
    silent = eventually(polled.latest, lambda answer: isinstance(answer, Unknown))
    assert silent == Unknown(f"the X11 display {screen.display} does not answer")
    screen.thaw()
    eventually(polled.latest, lambda answer: isinstance(answer, Known))
    polled.stop()


def test_a_display_that_goes_away_takes_nobody_with_it(screen: Screen) -> None:
    # In a process of its own, because Xlib would by itself end the process.
    script = (
        "import sys\n"
        "from lull.backends.idle.x11 import X11Idle\n"
        "idle = X11Idle(sys.argv[1])\n"
        "print(idle.read(), flush=True)\n"
        "sys.stdin.readline()\n"
        "print(idle.read(), flush=True)\n"
        "print(idle.read(), flush=True)\n"
        "sys.stdin.readline()\n"
        "print(idle.read(), flush=True)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, screen.display],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith("Known(")
        screen.end()
        process.stdin.write("\n")
        process.stdin.flush()
        gone = [process.stdout.readline().strip() for _ in range(2)]
        assert gone == [
            f"Unknown(why='the X11 display {screen.display} {what}')"
            for what in ("has gone away", "cannot be opened")
        ]
        screen.start()
        process.stdin.write("\n")
        process.stdin.flush()
        assert process.stdout.readline().startswith("Known(")
        assert process.wait(PATIENCE_S) == 0
        assert process.stderr.read() == "", "and Xlib says nothing of it"


def test_without_a_display_it_is_unknown() -> None:
    assert X11Idle(":47111").read() == Unknown("the X11 display :47111 cannot be opened")


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (OSError("no such file"), "libX11 and libXss are not installed here"),
        (
            AttributeError("undefined symbol: XSetIOErrorExitHandler"),
            "libX11 here is older than 1.7 and could crash Lull when the display closes",
        ),
    ],
)
def test_without_the_libraries_it_is_unknown(error: Exception, why: str) -> None:
    def libraries() -> Xlib:
        raise error

    assert X11Idle(":0", libraries=libraries).read() == Unknown(why)
