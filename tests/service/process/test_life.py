"""Tests of how the service starts, is stopped or killed, and what it says when it cannot start."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from lull.cli.main import main
from tests.eventually import PATIENCE_S, eventually
from tests.running import Answer, Lull, RunningLull, free_port
from tests.service.control.socket_client import ControlSocket
from tests.service.process.upstream import Slow

pytestmark = pytest.mark.full

CHAT = {"model": "slow", "messages": [{"role": "user", "content": "go"}]}


@pytest.fixture
def before_slow(lull: Lull, slow: Slow) -> RunningLull:
    """A service that waits an hour for answers under way, so that only the test ends them."""
    return served(lull, slow, finish_within_s=3600)


def served(lull: Lull, slow: Slow, *, finish_within_s: float) -> RunningLull:
    lull.upstream = slow.address
    lull.ask("settings", "set", "service.finish_within_s", str(finish_within_s))
    return lull.serve()


class Asking(threading.Thread):
    """A thread with a chat whose answer is under way."""

    def __init__(self, running: RunningLull, slow: Slow) -> None:
        super().__init__()
        self.running = running
        self.answer: Answer | None = None
        self.error: Exception | None = None
        slow.begun.clear()
        self.start()
        assert slow.begun.wait(PATIENCE_S)

    def run(self) -> None:
        try:
            self.answer = self.running.post("/api/chat", CHAT)
        except OSError as error:
            self.error = error
        except Exception as error:  # noqa: BLE001  http.client.IncompleteRead and its like
            self.error = error


def is_stopping(lull: Lull) -> bool:
    text = (lull.home / "logs" / "service.log").read_text()
    return any(json.loads(line)["text"] == "stopping" for line in text.splitlines())


def descendants(pid: int) -> set[int]:
    """Return the ids of all processes below `pid`, as `ps` lists them."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True).stdout
    children: dict[int, set[int]] = {}
    for line in listed.splitlines():
        own, parent = line.split()
        children.setdefault(int(parent), set()).add(int(own))
    found, left = set(), [pid]
    while left:
        for child in children.get(left.pop(), ()):
            found.add(child)
            left.append(child)
    return found


def gone(pid: int) -> bool:
    listed = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True)
    return not listed.stdout.strip() or listed.stdout.strip().startswith("Z")


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_answers_under_way_come_to_their_end(
    before_slow: RunningLull, slow: Slow, sign: signal.Signals
) -> None:
    asking = Asking(before_slow, slow)
    before_slow.process.send_signal(sign)
    eventually(lambda: is_stopping(before_slow.lull))
    slow.go_on.set()
    assert before_slow.process.wait(PATIENCE_S) == 0
    asking.join()
    assert asking.answer is not None, asking.error
    lines = [json.loads(line) for line in asking.answer.body.splitlines()]
    assert len(lines) == 11 and lines[-1]["done"] is True
    shown = before_slow.lull.ask("conversations")["conversations"]
    turns = before_slow.lull.ask("show", shown[0]["id"])["turns"]
    assert turns[0]["complete"] is True


def test_lull_stop_waits_for_them_too(before_slow: RunningLull, slow: Slow) -> None:
    asking = Asking(before_slow, slow)
    with ThreadPoolExecutor(1) as aside:
        stopped = aside.submit(before_slow.lull.ask, "stop")
        eventually(lambda: is_stopping(before_slow.lull))
        assert not stopped.done()
        slow.go_on.set()
        assert stopped.result() == {"stopped": True}
    asking.join()
    assert asking.answer is not None and asking.answer.status == 200
    assert before_slow.process.wait(PATIENCE_S) == 0
    assert before_slow.lull.run("stop").code == 3


def test_an_answer_that_takes_too_long_is_cut_off(lull: Lull, slow: Slow) -> None:
    running = served(lull, slow, finish_within_s=0.5)
    asking = Asking(running, slow)
    began_s = time.monotonic()
    assert running.stop() == 0
    assert time.monotonic() - began_s >= 0.5
    asking.join()
    assert asking.error is not None


def test_a_second_ctrl_c_does_not_wait(before_slow: RunningLull, slow: Slow) -> None:
    asking = Asking(before_slow, slow)
    before_slow.process.send_signal(signal.SIGINT)
    eventually(lambda: is_stopping(before_slow.lull))
    assert before_slow.process.poll() is None
    before_slow.process.send_signal(signal.SIGINT)
    assert before_slow.process.wait(PATIENCE_S) == 0, "though the answer may take an hour"
    asking.join()
    shown = before_slow.lull.ask("conversations")["conversations"]
    turns = before_slow.lull.ask("show", shown[0]["id"])["turns"]
    assert turns[0]["complete"] is False, "the part that came is kept"


def test_nobody_new_is_let_in_while_it_stops(before_slow: RunningLull, slow: Slow) -> None:
    asking = Asking(before_slow, slow)
    before_slow.process.send_signal(signal.SIGTERM)

    def refused() -> bool:
        try:
            before_slow.get("/api/version")
        except OSError:
            return True
        return False

    eventually(refused)
    slow.go_on.set()
    asking.join()
    assert asking.answer is not None and asking.answer.status == 200
    assert before_slow.process.wait(PATIENCE_S) == 0


def test_a_second_start_names_the_first(lull: Lull) -> None:
    first = lull.serve()
    for words in (["serve"], ["serve", "--port", "0", "--json"]):
        ran = lull.run(*words)
        assert ran.code == 1
        assert ran.err.startswith("lull: Lull is already running: ")
        assert str(first.process.pid) in ran.err and first.address in ran.err
    assert first.chat("list: apple")


@pytest.mark.parametrize("gone", [["service.lock"], ["service.lock", "service.json"]])
def test_a_lock_file_that_is_removed_lets_no_second_one_in(lull: Lull, gone: list[str]) -> None:
    first = lull.serve()
    before = (lull.home / "service.json").read_bytes()
    for name in gone:
        (lull.home / name).unlink()
    second = lull.run("serve", "--port", "0")
    restored = lull.run("restore", "--undo", "--yes")
    assert second.code == 1 and restored.code == 1, (second, restored)
    if len(gone) == 1:
        assert f"Process {first.process.pid} serves" in second.err
        assert f"Process {first.process.pid} serves" in restored.err
    eventually(lambda: all((lull.home / name).exists() for name in gone))
    eventually(lambda: (lull.home / "service.json").read_bytes() == before)
    assert lull.ask("status")["running"]
    assert f"Process {first.process.pid} serves" in lull.run("serve", "--port", "0").err
    assert lull.ask("stop") == {"stopped": True}
    assert first.process.wait(PATIENCE_S) == 0
    assert lull.serve().stop() == 0


@pytest.mark.parametrize("gone", ["socket", "folder", "replaced"])
def test_a_control_socket_that_is_removed_is_put_back(lull: Lull, gone: str) -> None:
    running = lull.serve()
    made = lull.home / "run" / "control.sock"
    if gone == "folder":
        shutil.rmtree(made.parent)
    else:
        made.unlink()
    if gone == "replaced":
        made.write_text("mine")
    eventually(lambda: made.is_socket() and lull.run("status").code == 0)
    assert made.stat().st_mode & 0o777 == 0o600
    assert made.parent.stat().st_mode & 0o777 == 0o700
    assert lull.ask("stop") == {"stopped": True}
    assert running.process.wait(PATIENCE_S) == 0
    assert not made.exists()


@pytest.mark.skipif(os.name != "posix", reason="no pipes in folders here")
@pytest.mark.timeout(300)
def test_a_pipe_in_the_place_of_its_file_holds_up_no_command_and_not_the_end(lull: Lull) -> None:
    running = lull.serve()
    found = lull.home / "service.json"
    found.unlink()
    os.mkfifo(found)
    eventually(found.is_file, within_s=60)
    assert lull.run("status").code == 0
    found.unlink()
    os.mkfifo(found)
    assert running.stop() == 0


def test_a_taken_port_is_named(lull: Lull, tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", free_port()))
        taken.listen(1)
        port = str(taken.getsockname()[1])
        ran = lull.run("serve", "--port", port)
        assert ran.code == 1
        assert ran.err.startswith("lull: The address is in use: ") and port in ran.err
        assert ran.err.count("\n") == 1
        ran = lull.run("serve", "--port", port, "--json")
        assert ran.json["error"]["title"] == "The address is in use"
    assert not (lull.home / "service.json").exists()
    lull.serve("--port", port).stop()


def test_after_kill_9_nothing_is_left_and_it_starts_again(lull: Lull) -> None:
    running = lull.serve()
    before = running.chat("write a menu for apple river")
    pid = running.process.pid
    children = descendants(pid)
    assert children, "the engine is a child"
    eventually(lambda: lull.ask("conversations")["conversations"])
    running.kill()
    assert (lull.home / "service.json").exists(), "a stale discovery file"
    assert lull.run("status").code == 3
    assert len(lull.ask("conversations")["conversations"]) == 1
    eventually(lambda: all(gone(child) for child in children))
    again = lull.serve()
    assert again.chat("write a menu for apple river") == before
    assert lull.ask("status")["pid"] == again.process.pid != pid


def test_the_engine_goes_with_a_clean_stop(lull: Lull) -> None:
    running = lull.serve()
    running.chat("list: apple")
    children = descendants(running.process.pid)
    assert children
    assert running.stop() == 0
    assert all(gone(child) for child in children)


def test_stale_files_are_no_hindrance(lull: Lull) -> None:
    (lull.home / "run").mkdir(parents=True)
    (lull.home / "run" / "control.sock").write_text("not even a socket")
    (lull.home / "service.lock").write_text("")
    (lull.home / "service.json").write_text(
        json.dumps(
            {
                "address": "http://127.0.0.1:1",
                "pid": os.getpid(),
                "control": str(lull.home / "run" / "control.sock"),
                "version": "0",
                "started": "2026-01-01T00:00:00+00:00",
            }
        )
    )
    assert lull.run("status").code == 3
    running = lull.serve()
    assert lull.ask("status")["address"] == running.address


def test_a_long_home_has_its_socket_elsewhere(tmp_path: Path) -> None:
    home = tmp_path / ("long-" * 20) / "home"
    with RunningLull.cleaned_up(home) as lull:
        running = lull.serve()
        control = Path(json.loads((home / "service.json").read_text())["control"])
        assert len(os.fsencode(control)) <= 100
        assert control.stat().st_mode & 0o777 == 0o600
        assert control.parent.stat().st_mode & 0o777 == 0o700
        assert lull.ask("status")["pid"] == running.process.pid
        running.stop()
        assert not control.exists()


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("", "file"),
        ("logs", "file"),
        ("run", "file"),
        ("library", "file"),
        ("lull.db", "folder"),
        ("service.lock", "folder"),
        ("settings.toml", "folder"),
        ("run/control.sock", "folder"),
        ("service.lock", "pipe"),
        ("settings.toml", "pipe"),
        ("lull.db", "pipe"),
    ],
)
def test_what_stands_in_the_way_is_named(
    lull: Lull,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    kind: str,
) -> None:
    there = lull.home / name
    there.parent.mkdir(parents=True, exist_ok=True)
    if kind == "file":
        there.write_text("in the way")
    elif kind == "pipe":
        os.mkfifo(there)
    else:
        there.mkdir()
    ran = lull.run("serve", "--port", "0")
    assert ran.code == 1, ran
    assert ran.out == ""
    assert ran.err.count("\n") == 1 and ran.err.startswith("lull: ")
    assert str(there) in ran.err
    for words in (["status"], ["conversations"], ["skills"], ["logs"], ["stop"]):
        monkeypatch.setenv("LULL_HOME", str(lull.home))
        capsys.readouterr()
        code = main(words)
        err = capsys.readouterr().err
        assert err.count("\n") == (0 if code == 0 else 1), err
        assert code in (0, 1, 3)


def test_a_damaged_database_is_kept_aside_and_explained(lull: Lull) -> None:
    first = lull.serve()
    first.chat("list: apple")
    lull.ask("skills", "add", "menu-style", "--description", "d", "--body", "b")
    first.stop()
    for name in ("lull.db-wal", "lull.db-shm"):
        (lull.home / name).unlink(missing_ok=True)
    (lull.home / "lull.db").write_bytes(b"damaged " * 1000)
    running = lull.serve()
    (problem,) = lull.ask("status")["problems"]
    assert problem["title"] == "The database cannot be used"
    aside = next(lull.home.glob("lull.db.damaged*"))
    assert str(aside) in problem["detail"]
    assert aside.read_bytes().startswith(b"damaged ")
    assert running.chat("list: apple")
    assert lull.ask("skills")["skills"] == []
    assert [one["name"] for one in lull.ask("review")["proposals"]] == ["menu-style"]
    checks = lull.ask("doctor")["checks"]
    assert any(str(aside) in one["text"] for one in checks)


def test_a_skill_broken_by_hand_is_a_problem_with_its_line(
    lull: Lull, alone: ControlSocket
) -> None:
    lull.ask("skills", "add", "menu-style", "--description", "d", "--body", "b")
    file = next(lull.home.glob("library/skills/*/menu-style/SKILL.md"))
    good = file.read_text()
    file.write_text(good.replace("description: d", "description: [d"))
    running = lull.serve()
    (problem,) = alone.get("/v1/status")["problems"]
    assert f"{file}, line " in problem["detail"]
    ran = lull.run("doctor", "--json")
    assert ran.code == 1
    found = next(one for one in ran.json["checks"] if one["name"] == "skills")
    assert (found["ok"], found["serious"]) == (False, True)
    assert f"{file}, line " in found["text"] and found["hint"]
    assert running.chat("list: apple")
    file.write_text(good)
    eventually(lambda: alone.get("/v1/status")["problems"] == [])


def test_two_homes_never_meet(lull: Lull, tmp_path: Path) -> None:
    lull.serve()
    with RunningLull.cleaned_up(tmp_path / "other") as other:
        assert other.run("status").code == 3
        second = other.serve()
        second.chat("list: apple")
        eventually(lambda: other.ask("status")["turns"] == 1)
        assert lull.ask("status")["turns"] == 0


def test_nobody_minds_a_terminal_that_was_told_to_stay(lull: Lull) -> None:
    """`nohup lull serve` goes on when the terminal closes."""
    script = (
        "import signal, sys; signal.signal(signal.SIGHUP, signal.SIG_IGN);"
        "from lull.cli.main import main; sys.exit(main(['serve', '--port', '0', '--json']))"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, env=lull.environment()
    )
    try:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["pid"] == process.pid
        process.send_signal(signal.SIGHUP)
        # A process gets a signal before it goes on: what it answers afterwards, it has outlived.
        assert ControlSocket(lull.home).get("/v1/status")["running"] is True
        process.terminate()
        assert process.wait(PATIENCE_S) == 0
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()
