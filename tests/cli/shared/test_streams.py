"""Tests of odd terminals and pipes: missing signs, closed streams, full disks, and no traceback."""

from __future__ import annotations

import json
import shlex
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.eventually import PATIENCE_S
from tests.running import Lull, RunningLull

pytestmark = pytest.mark.full


def bash(lull: Lull, line: str, **more: str) -> subprocess.CompletedProcess[str]:
    command = f"{shlex.quote(sys.executable)} -m lull.cli.main"
    return subprocess.run(
        ["bash", "-c", line.replace("LULL", command)],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        env=lull.environment(more),
    )


def taught_by_hand(lull: Lull) -> Lull:
    lull.ask("skills", "add", "gruss", "--description", "Grüße ✓", "--body", "Sag ‘hallo’ 日本")
    lull.ask("skills", "import", "starter")
    return lull


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lull]:
    """A home with skills, shared by the tests that change nothing in it."""
    with RunningLull.cleaned_up(tmp_path_factory.mktemp("taught") / "home") as made:
        yield taught_by_hand(made)


@pytest.fixture
def broken(lull: Lull) -> Lull:
    """A home with skills of one test's own, which may damage it."""
    return taught_by_hand(lull)


def test_a_terminal_without_the_signs(taught: Lull) -> None:
    ran = taught.run("skills", env={"PYTHONIOENCODING": "ascii"})
    assert (ran.code, ran.err) == (0, "")
    assert "gruss" in ran.out
    ran = taught.run("skills", "--json", env={"PYTHONIOENCODING": "ascii"})
    assert ran.json["skills"][4]["description"] or ran.code == 0
    assert "Grüße ✓" in {skill["description"] for skill in ran.json["skills"]}
    ran = taught.run("skills", "pin", "nö", env={"PYTHONIOENCODING": "ascii"})
    assert ran.code == 1 and ran.err.startswith("lull: The skill cannot be used: ")
    ran = taught.run("skills", env={"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"})
    assert (ran.code, ran.err) == (0, "")


@pytest.mark.parametrize("words", ["--help", "skills", "settings", "skills --json"])
def test_a_reader_that_leaves_is_no_failure(taught: Lull, words: str) -> None:
    ran = bash(taught, f"set -o pipefail; LULL {words} | head -c 1")
    assert (ran.returncode, ran.stderr) == (0, "")
    ran = bash(taught, f"LULL {words} | true; exit ${{PIPESTATUS[0]}}")
    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.parametrize(
    "words", ["skills", "skills --json", "--help", "--version", "skills add x"]
)
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_closed_streams(taught: Lull, words: str, closed: str) -> None:
    ran = bash(taught, f"LULL {words} {closed}")
    assert ran.returncode == (2 if words == "skills add x" else 0)
    assert "Traceback" not in ran.stderr + ran.stdout
    assert not ran.stdout or closed == "2>&-"
    assert (taught.home / "lull.db").read_bytes().startswith(b"SQLite format 3\0")


def test_a_body_from_a_closed_stdin_is_empty(lull: Lull) -> None:
    ran = bash(lull, "LULL skills add x --description d --body - <&-")
    assert ran.returncode == 1 and "no body" in ran.stderr
    ran = bash(lull, "printf 'caf\\xe9' | LULL skills add x --description d --body -")
    assert ran.returncode == 2 and "not UTF-8" in ran.stderr
    ran = bash(lull, "printf 'do so' | LULL skills add x --description d --body - --json")
    assert json.loads(ran.stdout)["skill"]["body"] == "do so"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux has /dev/full, others do not")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("words", ["skills", "--help", "--version"])
def test_a_full_disk_is_said(taught: Lull, words: str, unbuffered: str) -> None:
    ran = bash(taught, f"LULL {words} > /dev/full", PYTHONUNBUFFERED=unbuffered)
    assert ran.returncode == 1
    assert ran.stderr.startswith("lull: The system refused: No space left on device. (")
    assert ran.stderr.count("\n") == 1


def test_a_store_that_cannot_be_used_is_one_line(broken: Lull) -> None:
    (broken.home / "lull.db").rename(broken.home / "kept")
    (broken.home / "lull.db").mkdir()
    for words in (["skills"], ["conversations"], ["skills", "pin", "gruss"]):
        ran = broken.run(*words)
        assert ran.code == 1
        assert ran.err.count("\n") == 1 and ran.err.startswith("lull: The database cannot be used")


def test_a_store_that_cannot_be_written_is_one_line(broken: Lull) -> None:
    """The error is one line: nothing that the store logs may come beside it."""
    no = "CREATE TRIGGER no BEFORE INSERT ON generations BEGIN SELECT raise(ABORT, 'no'); END"
    with closing(sqlite3.connect(broken.home / "lull.db")) as database:
        database.execute(no)
        database.commit()
    ran = broken.run("skills", "pin", "gruss")
    assert ran.code == 1
    assert ran.err.count("\n") == 1 and ran.err.startswith("lull: The database cannot be used")


def test_following_the_log_ends_with_ctrl_c(lull: Lull) -> None:
    log = lull.home / "logs" / "service.log"
    log.parent.mkdir(parents=True)
    line = {"at": "2026-11-21T09:00:00.000+00:00", "level": "info", "part": "a", "text": "b"}
    log.write_text(json.dumps(line) + "\nno JSON at all\n")
    process = subprocess.Popen(
        [sys.executable, "-m", "lull.cli.main", "logs", "--follow", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=lull.environment(),
    )
    assert process.stdout is not None
    assert json.loads(process.stdout.readline()) == line
    assert json.loads(process.stdout.readline()) == {"text": "no JSON at all"}
    with log.open("a") as file:
        file.write(json.dumps({**line, "text": "later"}) + "\n")
    assert json.loads(process.stdout.readline())["text"] == "later"
    log.rename(log.with_name("service.log.1"))
    log.write_text(json.dumps({**line, "text": "turned over"}) + "\n")
    assert json.loads(process.stdout.readline())["text"] == "turned over"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, out, err) == (0, "", "")


def test_logs_for_people(lull: Lull) -> None:
    log = lull.home / "logs" / "service.log"
    log.parent.mkdir(parents=True)
    lines = [
        {"at": f"2026-11-21T09:00:0{n}.000+00:00", "level": "info", "part": "a", "text": f"t{n}"}
        for n in range(5)
    ]
    log.write_text("".join(json.dumps(line) + "\n" for line in lines))
    ran = lull.run("logs", "-n", "2")
    assert ran.out == "".join(f"{s['at']} info    a: {s['text']}\n" for s in lines[3:])
    assert len(lull.run("logs", "--json").out.splitlines()) == 5


def test_nothing_is_written_outside_the_home(lull: Lull, tmp_path: Path) -> None:
    """With LULL_HOME set, every file lies there, and none in the user's other folders."""
    other = tmp_path / "user"
    other.mkdir()
    env = {"HOME": str(other), "XDG_DATA_HOME": str(other), "XDG_CACHE_HOME": str(other)}
    lull.run("skills", "import", "starter", env=env)
    running = lull.serve(env=env)
    running.chat("list: apple")
    running.stop()
    assert list(other.rglob("*")) == []
    assert {path.name for path in lull.home.iterdir()} >= {"settings.toml", "lull.db", "library"}
    assert list((lull.home / "run").iterdir()) == []
