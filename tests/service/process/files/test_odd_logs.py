"""Tests that nothing in the place of a log file holds up the service or a command.

A pipe that nobody reads, a device, a folder or a link to one: one line says so, and chats go on.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lull.desktop.shared.log_tail import LogTail
from lull.service.process import logs
from lull.service.process.logs import LOG_FILE, LogFile, start_logging
from lull.store.forgetting.forgetting import mask_words
from tests.running import Lull

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(300),
    pytest.mark.skipif(os.name != "posix", reason="no pipes in folders here"),
]


def pipe(place: Path) -> None:
    os.mkfifo(place)


def folder(place: Path) -> None:
    place.mkdir()


def device(place: Path) -> None:
    place.symlink_to("/dev/full")


def link_to_a_pipe(place: Path) -> None:
    os.mkfifo(place.with_name("pipe"))
    place.symlink_to("pipe")


def link_to_a_folder(place: Path) -> None:
    place.symlink_to(place.parent)


ODD = [pipe, folder, device, link_to_a_pipe, link_to_a_folder]
SOME = [pipe, *(pytest.param(make, marks=pytest.mark.full) for make in ODD[1:])]


@pytest.mark.parametrize("make", SOME, ids=lambda make: make.__name__)
def test_the_service_goes_on_and_says_so(lull: Lull, make: Callable[[Path], None]) -> None:
    place = lull.home / "logs" / LOG_FILE
    place.parent.mkdir(mode=0o700, parents=True)
    make(place)
    device_mode = Path("/dev/full").stat().st_mode
    running = lull.serve()
    (problem,) = [one for one in lull.ask("status")["problems"] if one["key"] == "log"]
    assert problem["detail"] == f"There is no log: {place} is not a regular file."
    chat = {"model": "pocket", "messages": [{"role": "user", "content": "hi"}], "stream": False}
    assert running.post("/api/chat", chat).status == 200
    (said,) = lull.ask("conversations")["conversations"]
    ran = lull.run("logs")
    assert ran.code != 0
    assert f"{place} is not a regular file." in ran.err and "Traceback" not in ran.err
    lull.ask("forget", said["id"], "--yes")
    assert running.stop() == 0
    assert running.process.stderr is not None
    told = running.process.stderr.read().splitlines()
    assert [line for line in told if "There is no log" in line] == [
        f"lull: The system refused: There is no log: {place} is not a regular file."
    ]
    assert Path("/dev/full").stat().st_mode == device_mode, "what is there is nobody's to change"


@pytest.mark.full
@pytest.mark.parametrize("make", SOME, ids=lambda make: make.__name__)
def test_what_stands_in_an_old_log_s_place_holds_up_nobody(
    lull: Lull, make: Callable[[Path], None]
) -> None:
    running = lull.serve()
    make(lull.home / "logs" / f"{LOG_FILE}.1")
    assert lull.run("logs", "--lines", "1000").code == 0
    chat = {"model": "pocket", "messages": [{"role": "user", "content": "hi"}], "stream": False}
    running.post("/api/chat", chat)
    (said,) = lull.ask("conversations")["conversations"]
    lull.ask("forget", said["id"], "--yes")
    assert running.stop() == 0


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LogFile]:
    monkeypatch.setattr(logs, "MOST_BYTES", 2_000)
    made = LogFile(tmp_path / LOG_FILE)
    yield made
    made.close()


def write(log: LogFile, text: str) -> None:
    log.handle(logging.LogRecord("lull.part", logging.INFO, __file__, 1, text, None, None))


def test_a_folder_in_an_old_log_s_place_neither_ends_the_log_nor_lets_it_grow(
    tmp_path: Path, written: LogFile
) -> None:
    old = tmp_path / f"{LOG_FILE}.1"
    old.mkdir()
    (old / "mine").touch()
    for number in range(100):
        write(written, f"line {number}")
    lines = (tmp_path / LOG_FILE).read_text().splitlines()
    texts = [json.loads(line)["text"] for line in lines]
    assert texts[-1] == "line 99"
    assert any("an old log file cannot be replaced" in text for text in texts)
    assert (tmp_path / LOG_FILE).stat().st_size < 3_000
    assert list(tmp_path.glob("*/mine")), "it may move to the next old log's place"


def test_a_pipe_put_there_later_costs_the_lines_alone(tmp_path: Path, written: LogFile) -> None:
    write(written, "before")
    (tmp_path / LOG_FILE).unlink()
    os.mkfifo(tmp_path / LOG_FILE)
    for number in range(100):
        write(written, f"line {number}")


@pytest.mark.parametrize("make", ODD, ids=lambda make: make.__name__)
def test_the_window_reads_no_lines_of_it(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / LOG_FILE)
    assert LogTail(tmp_path / LOG_FILE).new_lines() == []
    mask_words(tmp_path / LOG_FILE, ["word"])


def test_a_log_that_is_a_link_to_a_file_is_written(tmp_path: Path) -> None:
    (tmp_path / LOG_FILE).symlink_to("elsewhere.log")
    root = logging.getLogger()
    before = list(root.handlers)
    try:
        assert start_logging(tmp_path, "info") is None
        logging.getLogger("lull.part").info("a line")
    finally:
        for handler in [one for one in root.handlers if one not in before]:
            root.removeHandler(handler)
            handler.close()
    assert "a line" in (tmp_path / "elsewhere.log").read_text()
