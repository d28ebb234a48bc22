"""Tests of the stand-in: a small process that passes requests to Ollama after the service died."""

from __future__ import annotations

import json
import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from lull.config.paths import Paths
from lull.config.settings import ServiceSettings
from lull.service.entry.stand_in import StandInPlan
from lull.service.entry.stand_in_guard import plan_of
from lull.service.process.lock import FileLock, is_running
from tests.eventually import eventually
from tests.running import Lull, RunningLull, free_port
from tests.service.scripted_upstream import Asked, ScriptedUpstream, last_line, line
from tests.service.wire import ask, calling

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name != "posix", reason="only on macOS and Linux"),
]
CHAT = json.dumps(
    {"model": "real", "messages": [{"role": "user", "content": "hello"}], "stream": False}
).encode()


@pytest.fixture
def mine(tmp_path: Path, upstream: ScriptedUpstream) -> Iterator[Lull]:
    home = tmp_path / "home"
    home.mkdir()
    (home / "settings.toml").write_text(
        "[service]\nfinish_within_s = 600\n[upstream]\nprobe_every_s = 0.1\n"
    )
    with RunningLull.cleaned_up(home, upstream=upstream.address) as lull:
        yield lull
    for pid in standing_in(lull):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def standing_in(lull: Lull) -> list[int]:
    """Return the ids of this home's processes that stand in for the service, or wait to."""
    found = []
    for one in psutil.process_iter():
        with suppress(psutil.Error):
            words = " ".join(one.cmdline())
            if "stand_in" in words and str(lull.home) in words:
                found.append(one.pid)
    return found


def paths_of(lull: Lull) -> Paths:
    return Paths.from_environment({}, "linux", home=str(lull.home))


def killed(lull: Lull, port: int) -> None:
    running = lull.serve("--port", str(port))
    running.kill()
    eventually(lambda: is_running(paths_of(lull).stand_in_lock) and listens(port))


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_requests_go_on_to_ollama_byte_for_byte_after_a_crash(
    mine: Lull, upstream: ScriptedUpstream
) -> None:
    port = free_port()
    killed(mine, port)
    for path in ("/api/chat", "/c/editor/api/chat"):
        answer = ask(f"http://127.0.0.1:{port}", "POST", path, CHAT)
        assert answer.status == 200
        assert upstream.last("/api/chat").body == CHAT
    assert ask(f"http://127.0.0.1:{port}", "GET", "/api/tags").status == 200
    assert oct((mine.home / "stand-in.lock").stat().st_mode & 0o777) == "0o600"


@pytest.mark.full
def test_who_the_service_lets_not_in_is_not_let_in_by_what_stands_in(mine: Lull) -> None:
    port = free_port()
    killed(mine, port)
    for headers in ({"Host": f"evil.example:{port}"}, {"Origin": "https://evil.example"}):
        answer = ask(f"http://127.0.0.1:{port}", "POST", "/api/chat", CHAT, headers)
        assert answer.status == 403, headers


@pytest.mark.full
def test_a_new_service_gets_its_port_back_at_once(mine: Lull, upstream: ScriptedUpstream) -> None:
    port = free_port()
    killed(mine, port)
    (old,) = standing_in(mine)
    again = mine.serve("--port", str(port))
    assert again.address.endswith(f":{port}")
    assert mine.run("status").code == 0
    assert again.post("/api/chat", json.loads(CHAT)).status == 200
    eventually(lambda: not psutil.pid_exists(old))
    assert len(standing_in(mine)) == 1  # the new service's


@pytest.mark.full
def test_an_answer_in_progress_finishes_while_a_new_service_starts(
    mine: Lull, upstream: ScriptedUpstream
) -> None:
    port = free_port()
    killed(mine, port)
    begun, go_on = threading.Event(), threading.Event()

    def slowly(asked: Asked) -> None:
        asked.begin()
        asked.say(line("one"))
        begun.set()
        go_on.wait()
        asked.say(last_line("two"))
        asked.end()

    upstream.script = slowly
    with calling(f"http://127.0.0.1:{port}", "POST", "/api/chat", CHAT) as call:
        begun.wait()
        try:
            mine.serve("--port", str(port))
        finally:
            go_on.set()
        answer = call.read()
    assert answer.status == 200 and answer.body == line("one") + last_line("two")


@pytest.mark.full
def test_one_that_hangs_keeps_no_service_from_its_port(mine: Lull) -> None:
    port = free_port()
    killed(mine, port)
    (old,) = standing_in(mine)
    os.kill(old, signal.SIGSTOP)
    again = mine.serve("--port", str(port))
    assert again.address.endswith(f":{port}")
    eventually(lambda: not psutil.pid_exists(old))


@pytest.mark.full
@pytest.mark.parametrize("how", ["Ctrl-C", "lull stop"])
def test_nothing_stays_behind_a_service_that_is_stopped(mine: Lull, how: str) -> None:
    port = free_port()
    running = mine.serve("--port", str(port))
    eventually(lambda: standing_in(mine))
    if how == "Ctrl-C":
        assert running.stop() == 0
    else:
        assert mine.run("stop").code == 0
        running.process.wait()
    eventually(lambda: standing_in(mine) == [] and not listens(port))


@pytest.mark.full
def test_stop_ends_what_stands_in(mine: Lull) -> None:
    port = free_port()
    killed(mine, port)
    ran = mine.run("stop")
    assert ran.code == 0 and "handed its chat apps' requests to Ollama" in ran.out
    eventually(lambda: standing_in(mine) == [] and not listens(port))
    assert mine.run("stop").code == 3  # there is nothing to stop


@pytest.mark.full
def test_one_that_dies_before_the_service_is_replaced(
    mine: Lull, upstream: ScriptedUpstream
) -> None:
    port = free_port()
    running = mine.serve("--port", str(port))
    (first,) = eventually(lambda: standing_in(mine))
    os.kill(first, signal.SIGKILL)
    eventually(lambda: [pid for pid in standing_in(mine) if pid != first])
    running.kill()
    eventually(lambda: is_running(paths_of(mine).stand_in_lock) and listens(port))
    answer = ask(f"http://127.0.0.1:{port}", "POST", "/api/chat", CHAT)
    assert answer.status == 200 and upstream.last("/api/chat").body == CHAT


@pytest.mark.full
def test_without_an_ollama_it_says_what_is_missing(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with RunningLull.cleaned_up(home) as lull:
        port = free_port()
        killed(lull, port)
        answer = ask(f"http://127.0.0.1:{port}", "POST", "/api/chat", CHAT)
        assert answer.status == 503 and b"does not answer" in answer.body
        assert lull.run("stop").code == 0


@pytest.mark.full
def test_it_ends_with_the_data_folder(mine: Lull, tmp_path: Path) -> None:
    killed(mine, free_port())
    mine.home.rename(tmp_path / "elsewhere")
    eventually(lambda: standing_in(mine) == [])


def test_none_stands_in_where_none_could_be_found_or_is_wanted(tmp_path: Path) -> None:
    paths = Paths.from_environment({}, "linux", home=str(tmp_path))

    def plan(**more: object) -> StandInPlan | None:
        return plan_of(ServiceSettings(**more), paths, upstream="http://127.0.0.1:1")  # type: ignore[arg-type]

    made = plan()
    assert made is not None and StandInPlan.from_json(made.to_json()) == made
    assert plan(stand_in=False) is None
    assert plan(port=0) is None
    assert plan(bind="0.0.0.0", allow_network=True) is None


def test_a_lock_is_one_process_s(tmp_path: Path) -> None:
    first, second = FileLock(tmp_path / "lock"), FileLock(tmp_path / "lock")
    assert first.take("1") and not second.take("2")
    assert is_running(tmp_path / "lock") and (tmp_path / "lock").read_text() == "1"
    first.release()
    assert not is_running(tmp_path / "lock") and second.take("2")
    second.release()
