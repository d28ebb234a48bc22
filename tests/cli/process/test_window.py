"""Tests that a window is opened only where a display answers: elsewhere Qt aborts the process."""

from __future__ import annotations

import socket
import tempfile
from collections.abc import Iterator

import pytest

from lull.cli.process.window import NoDisplay, check_display

HINT = "Do it without a window."
NOBODY = ":63999"  # no X server has so high a number


@pytest.fixture
def wayland() -> Iterator[dict[str, str]]:
    """The environment of a Wayland display at which somebody listens."""
    with (
        tempfile.TemporaryDirectory(prefix="lull-") as folder,
        socket.socket(socket.AF_UNIX) as server,
    ):
        server.bind(f"{folder}/wayland-1")
        server.listen()
        yield {"WAYLAND_DISPLAY": "wayland-1", "XDG_RUNTIME_DIR": folder}


@pytest.mark.parametrize(
    "environ",
    [
        {},
        {"DISPLAY": ""},
        {"DISPLAY": NOBODY},
        {"DISPLAY": f"unix{NOBODY}.0"},
        {"WAYLAND_DISPLAY": "wayland-63999", "XDG_RUNTIME_DIR": "/nowhere"},
        {"WAYLAND_DISPLAY": "/nowhere/wayland-0", "DISPLAY": NOBODY},
    ],
)
def test_no_window_where_no_display_answers(environ: dict[str, str]) -> None:
    with pytest.raises(NoDisplay) as raised:
        check_display(environ, "linux", hint=HINT)
    assert raised.value.hint == HINT
    check_display(environ, "darwin", hint=HINT)
    check_display({**environ, "QT_QPA_PLATFORM": "offscreen"}, "linux", hint=HINT)


def test_a_window_where_one_of_the_displays_answers(wayland: dict[str, str]) -> None:
    check_display(wayland, "linux", hint=HINT)
    check_display({**wayland, "DISPLAY": NOBODY}, "linux", hint=HINT)


def test_a_display_of_another_machine_is_not_asked() -> None:
    check_display({"DISPLAY": "elsewhere:10.0"}, "linux", hint=HINT)
