"""Tests of the log: one JSON document a line, no words of the user's, readable across rotation."""

from __future__ import annotations

import json
import logging
import os
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from lull.cli.process import log_lines
from lull.core.errors import LullError, StoreError
from lull.service.process.logs import LOG_FILE, JsonLines, newest_first
from tests.eventually import eventually


def record(error: BaseException | None = None, text: str = "it failed") -> dict[str, str]:
    info = (type(error), error, error.__traceback__) if error is not None else None
    made = logging.LogRecord("lull.part", logging.ERROR, __file__, 1, text, None, info)
    line = JsonLines().format(made)
    assert "\n" not in line
    said: dict[str, str] = json.loads(line)
    return said


def fallen(make: object) -> BaseException:
    try:
        make()  # type: ignore[operator]
    except (LullError, KeyError, OSError) as error:
        return error
    raise AssertionError("it should have failed")


def test_a_line_says_when_how_bad_where_and_what() -> None:
    said = record()
    assert set(said) == {"at", "level", "part", "text"}
    assert (said["level"], said["part"], said["text"]) == ("error", "part", "it failed")
    assert said["at"].endswith("+00:00")


def test_a_trace_keeps_places_and_no_words_of_a_librarys() -> None:
    def inner() -> None:
        int("my secret text")

    def outer() -> None:
        try:
            inner()
        except ValueError as error:
            raise KeyError("another secret") from error

    trace = record(fallen(outer))["trace"]
    assert "secret" not in trace
    assert "ValueError" in trace and "KeyError" in trace
    assert f"{Path(__file__).name}:" in trace and "in inner" in trace


def test_a_trace_keeps_our_own_words_and_the_systems() -> None:
    def ours() -> None:
        raise StoreError("the disk is full", hint="Free some space.")

    assert "the disk is full" in record(fallen(ours))["trace"]
    assert "No such file" in record(fallen(lambda: Path("/nowhere/x").read_text()))["trace"]


def test_the_last_lines_reach_into_older_files(tmp_path: Path) -> None:
    (tmp_path / f"{LOG_FILE}.2").write_text("1\n2\n")
    (tmp_path / f"{LOG_FILE}.1").write_text("3\n4\n")
    (tmp_path / LOG_FILE).write_text("5\n6\n")
    assert [file.name for file in newest_first(tmp_path)] == [
        LOG_FILE,
        f"{LOG_FILE}.1",
        f"{LOG_FILE}.2",
    ]
    assert log_lines.last_lines(tmp_path, 2) == ["5", "6"]
    assert log_lines.last_lines(tmp_path, 3) == ["4", "5", "6"]
    assert log_lines.last_lines(tmp_path, 99) == ["1", "2", "3", "4", "5", "6"]


@pytest.fixture
def seen(tmp_path: Path) -> Iterator[list[str]]:
    """The lines that a follower of the log folder has read so far."""
    following = log_lines.LogFollower(tmp_path)
    lines: list[str] = []

    def follow() -> None:
        with suppress(StopFollowing):
            for line in following.lines():
                if line == "end":
                    raise StopFollowing
                lines.append(line)

    thread = threading.Thread(target=follow)
    thread.start()
    yield lines
    with (tmp_path / LOG_FILE).open("a") as file:
        file.write("\nend\n")
    thread.join()
    following.close()


class StopFollowing(Exception):
    pass


@pytest.mark.slow
def test_following_begins_with_the_first_file_and_survives_its_turning_over(
    tmp_path: Path, seen: list[str]
) -> None:
    file = tmp_path / LOG_FILE
    with file.open("a") as log:
        log.write("a\nhalf ")
        log.flush()
        eventually(lambda: seen == ["a"])
        log.write("a line\n")
        log.flush()
        eventually(lambda: seen == ["a", "half a line"])
        log.write("the last of the old one\n")
        file.rename(tmp_path / f"{LOG_FILE}.1")
        log.write("written after it was moved\n")
    file.write_text("new\n")
    eventually(lambda: len(seen) == 5)
    assert seen[2:] == ["the last of the old one", "written after it was moved", "new"]


@pytest.mark.slow
def test_following_goes_on_in_a_file_that_was_emptied(tmp_path: Path, seen: list[str]) -> None:
    file = tmp_path / LOG_FILE
    file.write_text("a long line that is there first\n")
    eventually(lambda: seen == ["a long line that is there first"])
    with file.open("w") as log:
        log.write("short\n")
    eventually(lambda: seen[1:] == ["short"])


def test_a_pipe_that_takes_the_place_of_a_followed_log_is_one_clear_error(tmp_path: Path) -> None:
    file = tmp_path / LOG_FILE
    file.write_text("a\n")
    following = log_lines.LogFollower(tmp_path)
    file.unlink()
    os.mkfifo(file)
    with pytest.raises(LullError, match="is not a regular file"):
        next(following.lines())
