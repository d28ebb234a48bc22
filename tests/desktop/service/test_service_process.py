"""Tests of whether the window starts a service, and of what it does when a service dies."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from lull.contract.json_object import Json
from lull.core.errors import SettingsError
from lull.desktop.service.down_words import ServiceState
from lull.desktop.service.place import Place
from lull.desktop.service.service_process import ServiceProcess, last_error, spawn


@dataclass
class FakeChild:
    code: int | None = None

    told_to_end: bool = False

    def poll(self) -> int | None:
        return self.code

    def terminate(self) -> None:
        self.told_to_end = True


@dataclass
class World:
    """A fake service whose state a test sets, and a clock."""

    runs: bool = False
    left_traces: bool = False
    now_s: float = 0.0
    children: list[FakeChild] = field(default_factory=list)
    refuses: bool = False

    control_socket = Path("/a/c")
    serve = ("lull", "serve")

    def is_running(self) -> bool:
        return self.runs

    def has_fallen(self) -> bool:
        return self.left_traces

    def settings(self, wanted: Mapping[str, object] | None) -> Json:
        raise SettingsError("There is no file with settings here.")

    def spawn(self, _: Place) -> FakeChild:
        if self.refuses:
            raise OSError(2, "No such file or directory")
        self.children.append(FakeChild())
        return self.children[-1]


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def process(qapp: QApplication, tmp_path: Path, world: World) -> ServiceProcess:
    place = Place(
        home=tmp_path,
        window_socket=tmp_path / "window.sock",
        logs=tmp_path / "logs",
        service=world,
    )
    place.logs.mkdir()
    return ServiceProcess(place, spawn=world.spawn, monotonic=lambda: world.now_s)


def falls(world: World, process: ServiceProcess, code: int = -9) -> None:
    world.runs = False
    world.children[-1].code = code
    process.check_service()


def test_a_running_service_is_adopted(process: ServiceProcess, world: World) -> None:
    world.runs = True
    process.start()
    assert process.state is ServiceState.RUNNING
    assert world.children == []
    assert not process.started_here


def test_without_one_a_service_is_started(process: ServiceProcess, world: World) -> None:
    process.start()
    assert process.state is ServiceState.STARTING
    world.runs = True
    process.check_service()
    assert process.state is ServiceState.RUNNING
    assert process.started_here


def test_one_that_falls_is_started_again_later_each_time(
    process: ServiceProcess, world: World
) -> None:
    process.start()
    waits = []
    for _ in range(4):
        world.runs = True
        process.check_service()
        falls(world, process)
        assert process.state is ServiceState.FALLEN
        began_s, count = world.now_s, len(world.children)
        while len(world.children) == count:
            world.now_s += 0.1
            process.check_service()
        waits.append(world.now_s - began_s)
    assert waits[0] < 0.5
    assert waits == sorted(waits)
    assert waits[-1] > 2


def test_one_that_falls_again_and_again_is_left_until_the_user_asks(
    process: ServiceProcess, world: World
) -> None:
    process.start()
    for _ in range(20):
        if process.state is ServiceState.GIVEN_UP:
            break
        falls(world, process, code=1)
        world.now_s += 40
        process.check_service()
    assert process.state is ServiceState.GIVEN_UP
    count = len(world.children)
    world.now_s += 10_000
    process.check_service()
    assert len(world.children) == count
    process.start()
    assert len(world.children) == count + 1


def test_an_adopted_one_that_fell_is_started_again(process: ServiceProcess, world: World) -> None:
    world.runs = True
    process.start()
    world.runs, world.left_traces = False, True
    process.check_service()
    assert process.state is ServiceState.FALLEN
    world.now_s += 1
    process.check_service()
    assert len(world.children) == 1


def test_one_that_was_stopped_by_hand_stays_stopped(process: ServiceProcess, world: World) -> None:
    world.runs = True
    process.start()
    world.runs = False  # `lull stop`: it cleaned up behind itself
    process.check_service()
    assert process.state is ServiceState.STOPPED
    world.now_s += 1_000
    process.check_service()
    assert world.children == []


def test_one_that_the_user_stops_here_stays_stopped(process: ServiceProcess, world: World) -> None:
    process.start()
    world.runs = True
    process.check_service()
    process.expect_stop()
    falls(world, process, code=0)
    assert process.state is ServiceState.STOPPED


def test_one_that_has_not_quite_gone_is_waited_for(process: ServiceProcess, world: World) -> None:
    process.attach_or_start()
    world.runs = True
    process.check_service()
    process.expect_stop()
    world.runs = False  # it has given up its place, and still writes its last lines
    process.start()
    process.check_service()
    assert len(world.children) == 1
    world.children[0].code = 0
    process.check_service()
    assert len(world.children) == 2
    world.runs = True
    process.check_service()
    assert process.state is ServiceState.RUNNING


def test_one_that_is_restarted_is_started_as_soon_as_it_has_gone(
    process: ServiceProcess, world: World
) -> None:
    process.start()
    world.runs = True
    process.check_service()
    process.expect_restart()
    world.runs = False
    process.check_service()
    assert len(world.children) == 1  # its process is still ending
    world.children[0].code = 0
    process.check_service()
    assert len(world.children) == 2
    process.close()
    assert world.children[1].told_to_end


@pytest.mark.parametrize("forget", ["start", "expect_stop", "restart_failed"])
def test_a_restart_that_did_not_come_about_starts_nothing_later(
    process: ServiceProcess, world: World, forget: str
) -> None:
    process.start()
    process.expect_restart()
    getattr(process, forget)()
    world.runs = True
    process.check_service()
    falls(world, process, code=0)  # `lull stop`
    assert process.state is ServiceState.STOPPED
    assert len(world.children) == 1


def test_a_start_while_it_still_stops_for_a_restart_does_not_forget_the_restart(
    process: ServiceProcess, world: World
) -> None:
    process.start()
    world.runs = True
    process.check_service()
    process.expect_restart()
    process.start()
    falls(world, process, code=0)
    assert len(world.children) == 2


def test_one_that_was_found_and_restarted_stays_when_the_window_quits(
    process: ServiceProcess, world: World
) -> None:
    world.runs = True
    process.start()
    process.expect_restart()
    world.runs = False
    process.check_service()
    assert len(world.children) == 1
    process.close()
    assert not world.children[0].told_to_end


def test_quit_ends_the_one_that_was_started_also_before_it_is_up(
    process: ServiceProcess, world: World
) -> None:
    process.start()
    process.close()
    assert [child.told_to_end for child in world.children] == [True]


def test_quit_leaves_the_one_that_was_found(process: ServiceProcess, world: World) -> None:
    world.runs = True
    process.start()
    process.close()
    assert world.children == []


def test_the_reason_of_a_fall_is_what_the_service_said(
    process: ServiceProcess, world: World, tmp_path: Path
) -> None:
    process.start()
    words = "lull: The address is in use: port 11435 is in use. (Stop the other program.)\n"
    (tmp_path / "logs" / "service-start.txt").write_text(words)
    falls(world, process, code=1)
    assert process.why["detail"] == "port 11435 is in use."
    assert process.why["hint"] == "Stop the other program."


def test_a_service_that_cannot_be_started_is_no_crash_of_the_window(
    process: ServiceProcess, world: World
) -> None:
    world.refuses = True
    process.start()
    assert process.state is ServiceState.FALLEN
    assert "No such file" in process.why["detail"]


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ("", None),
        ("Traceback (most recent call last):\n", None),
        ("noise\nlull: Title: what (hint)\n", "what"),
        ("lull: Title: no hint at all.\n", "no hint at all."),
        ("lull: T: a (b) c (d)\nmore noise\n", "a (b) c"),
    ],
)
def test_last_words_are_read_as_they_are_written(
    tmp_path: Path, text: str, detail: str | None
) -> None:
    file = tmp_path / "words"
    file.write_text(text)
    assert last_error(file).get("detail") == detail
    assert last_error(tmp_path / "none") == {}


def test_places_are_values() -> None:
    place = Place(
        home=Path("/a"),
        window_socket=Path("/a/w"),
        logs=Path("/a/logs"),
        service=World(),
    )
    assert replace(place, home=Path("/b")).preferences_file == Path("/b/window.ini")


def pipe(place: Path) -> None:
    os.mkfifo(place)


def folder(place: Path) -> None:
    place.mkdir()


def device(place: Path) -> None:
    place.symlink_to("/dev/zero")


@pytest.mark.skipif(os.name != "posix", reason="no pipes in folders here")
@pytest.mark.timeout(60)
@pytest.mark.parametrize("make", [pipe, folder, device])
def test_what_lies_in_the_place_of_the_last_words_holds_nobody_up(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    place = Place(
        home=tmp_path,
        window_socket=tmp_path / "window.sock",
        logs=tmp_path / "logs",
        service=Speaking(),
    )
    place.logs.mkdir()
    make(place.service_error_file)
    child = spawn(place)
    assert isinstance(child, subprocess.Popen)
    assert child.wait(30) == 0
    assert last_error(place.service_error_file) == {}


class Speaking(World):
    serve = (sys.executable, "-c", "print('a word')")
