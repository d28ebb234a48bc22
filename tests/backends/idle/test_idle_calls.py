"""Tests of noticing a call on Linux, by a real PulseAudio and by the output of PipeWire's tool."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lull.backends.idle.calls import Recording, recorded_by_pipewire
from lull.backends.machine.commands import command_runner
from lull.core.idle.signals import Known, Reading, Unknown
from tests.eventually import PATIENCE_S
from tests.sound import MICROPHONE, WHAT_IS_PLAYED, SoundServer, sound_server

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="PulseAudio is tried on Linux")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[SoundServer]:
    with sound_server(tmp_path) as server:
        yield server


def recording(environ: dict[str, str]) -> Reading[bool]:
    return Recording(environ, command_runner(environ, within_s=PATIENCE_S)).read()


@on_linux
def test_who_records_from_the_microphone_is_in_a_call(server: SoundServer) -> None:
    assert recording(server.environ) == Known(False)
    with server.recorder(MICROPHONE):
        assert recording(server.environ) == Known(True)
    assert recording(server.environ) == Known(False)


@on_linux
def test_who_records_what_the_machine_plays_is_not(server: SoundServer) -> None:
    with server.recorder(WHAT_IS_PLAYED):
        assert recording(server.environ) == Known(False)
        with server.recorder(MICROPHONE):
            assert recording(server.environ) == Known(True)


@on_linux
def test_a_server_may_be_named(server: SoundServer, tmp_path: Path) -> None:
    elsewhere = {**server.environ, "XDG_RUNTIME_DIR": str(tmp_path / "elsewhere")}
    assert recording(elsewhere) == Unknown("no sound server runs here")
    named = {**elsewhere, "PULSE_SERVER": f"unix:{tmp_path}/pulse/native"}
    assert recording(named) == Known(False)


def test_without_a_server_nobody_is_asked(tmp_path: Path) -> None:
    asked: list[object] = []

    def ask(command: object) -> Reading[str]:
        asked.append(command)
        return Unknown("never")

    source = Recording({"XDG_RUNTIME_DIR": str(tmp_path)}, ask)
    assert source.read() == Unknown("no sound server runs here")
    assert asked == [], "pactl would start one"


# PipeWire


def node(state: str, kind: str, **props: object) -> dict[str, Any]:
    named = {name.replace("_", "."): value for name, value in props.items()}
    return {
        "id": 55,
        "type": "PipeWire:Interface:Node",
        "info": {"state": state, "props": {"media.class": kind, **named}},
    }


MIC = node("running", "Stream/Input/Audio", application_name="Firefox")
CAMERA = node("running", "Stream/Input/Video", application_name="cheese")
METER = node("running", "Stream/Input/Audio", stream_monitor=True)
DESKTOP = node("running", "Stream/Input/Audio", stream_capture_sink="true")
FILTER = {**node("running", "Stream/Input/Audio")}
FILTER["info"]["props"]["node.link-group"] = "echo-cancel-1-7"
MUSIC = node("running", "Stream/Output/Audio")
PAUSED = node("idle", "Stream/Input/Audio")
DEVICE = node("running", "Audio/Source")


@pytest.mark.parametrize(
    ("objects", "recorded"),
    [
        ([], False),
        ([MIC], True),
        ([CAMERA], True),
        ([MUSIC, PAUSED, DEVICE], False),
        ([METER, DESKTOP, FILTER], False),
        ([METER, MUSIC, MIC], True),
        ([{"id": 1, "type": "PipeWire:Interface:Core", "info": None}, "odd", {"info": []}], False),
        ([{"info": {"state": "running", "props": None}}], False),
        ({"not": "a list"}, False),
    ],
)
def test_a_running_stream_from_a_microphone_or_camera_is_a_call(
    objects: Any, recorded: bool
) -> None:
    assert recorded_by_pipewire(json.dumps(objects)) == Known(recorded)


@pytest.mark.parametrize("text", ["", "[{", "pw-dump: can't connect"])
def test_what_is_no_json_is_unknown(text: str) -> None:
    assert recorded_by_pipewire(text) == Unknown("pw-dump returned something that is not JSON")


@pytest.fixture
def pipewire(tmp_path: Path) -> dict[str, str]:
    """The environment of a PipeWire whose tool `pw-dump` prints the file `said`."""
    (tmp_path / "pipewire-0").touch()
    tool = tmp_path / "pw-dump"
    tool.write_text(f'#!/bin/sh\ncat "{tmp_path}/said"\n')
    tool.chmod(0o755)
    return {"XDG_RUNTIME_DIR": str(tmp_path), "PATH": f"{tmp_path}:/usr/bin:/bin"}


def test_pipewire_is_asked_by_its_own_tool(pipewire: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "said").write_text(json.dumps([MIC]))
    assert recording(pipewire) == Known(True)
    (tmp_path / "said").write_text(json.dumps([MUSIC]))
    assert recording(pipewire) == Known(False)


def test_a_tool_that_fails_is_unknown_in_its_own_words(
    pipewire: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "pw-dump").write_text("#!/bin/sh\necho can't connect: Host is down >&2\nexit 255\n")
    answer = recording(pipewire)
    assert isinstance(answer, Unknown)
    assert answer.why.startswith("running pw-dump failed: ")


# Commands


def test_a_command_is_run_in_english_and_without_a_shell() -> None:
    ask = command_runner({"PATH": "/usr/bin:/bin", "LC_ALL": "de_DE.UTF-8"}, within_s=PATIENCE_S)
    assert ask(["printenv", "LC_ALL"]) == Known("C\n")
    assert ask(["echo", "$(id); *"]) == Known("$(id); *\n")


def test_a_command_that_hangs_is_ended() -> None:
    ask = command_runner({"PATH": "/usr/bin:/bin"}, within_s=0.2)
    assert ask(["sleep", "3600"]) == Unknown("sleep does not answer")


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (["no-such-command-anywhere"], "no-such-command-anywhere is not installed here"),
        (["sh", "-c", "echo one >&2; echo two >&2; exit 3"], "running sh failed: two"),
        (["false"], "running false failed: it does not say why"),
        (["/"], "/ cannot be run: Permission denied"),
    ],
)
def test_a_command_that_fails_says_why(command: list[str], why: str) -> None:
    ask = command_runner({"PATH": "/usr/bin:/bin"}, within_s=PATIENCE_S)
    assert ask(command) == Unknown(why)
