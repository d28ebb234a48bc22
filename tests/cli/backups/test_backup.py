"""Tests of `lull backup` and `lull restore` as people call them.

Backups are made beside a service that records, by schedule, with kills, and with secrets planted
wherever one might lie.
"""

from __future__ import annotations

import random
import signal
import stat
import subprocess
import threading
import time
import zipfile
from pathlib import Path

import pytest

from tests.building import half_written
from tests.eventually import eventually
from tests.running import Lull, RunningLull
from tests.zygote import started

pytestmark = pytest.mark.full

PLANTED = "sk-ant-api03-" + "Planted0123456789" * 5


def lived_in(lull: Lull, *words: str) -> RunningLull:
    running = lull.serve()
    lull.ask("skills", "add", "menu-style", "--description", "When a menu", "--body", "use bars")
    for word in words:
        running.chat(f"list: {word}")
    eventually(lambda: lull.ask("status")["turns"] == len(words))
    return running


def problems(lull: Lull) -> list[str]:
    return [p["detail"] for p in lull.ask("status")["problems"]]


def nothing_is_left_over(lull: Lull) -> bool:
    """Wait until no half-written file is left: a running service writes under temporary names."""
    return bool(eventually(lambda: not half_written(lull.home)))


@pytest.mark.slow
def test_one_file_takes_a_home_to_another_machine_and_back_in_time(
    lull: Lull, tmp_path: Path
) -> None:
    running = lived_in(lull, "apple", "pear")
    file = tmp_path / "mine.zip"
    made = lull.ask("backup", str(file))
    assert made["file"] == str(file)
    assert made["holds"] | {"generation": 0} == {
        **dict.fromkeys(("generation", "adapters", "calendars"), 0),
        **{"conversations": 2, "turns": 2, "skills": 1},
    }
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    refused = lull.run("restore", str(file), "--yes")
    assert refused.code == 1 and "lull stop" in refused.err and refused.err.count("\n") == 1
    running.chat("list: plum")
    running.stop()
    assert lull.ask("restore", str(file))["done"] is False
    said = lull.run("restore", str(file), "--yes").out
    assert "2 turns in 2 conversations, 1 skill" in said and "before-restore-1" in said
    lull.serve()
    assert (lull.ask("status")["turns"], problems(lull)) == (2, [])
    assert lull.ask("skills", "list")["skills"][0]["name"] == "menu-style"
    lull.run("stop")
    assert lull.run("restore", "--undo", "--yes").code == 0
    with RunningLull.cleaned_up(tmp_path / "elsewhere") as other:
        assert other.ask("restore", str(file), "--yes")["before"] is None
        again = other.serve()
        assert (other.ask("status")["turns"], problems(other)) == (2, [])
        again.stop()
        checks = {one["name"]: one for one in other.run("doctor", "--json").json["checks"]}
        assert checks["store"]["ok"] and checks["skills"]["ok"] and checks["backups"]["ok"]
    lull.serve()
    assert (lull.ask("status")["turns"], problems(lull)) == (3, [])


@pytest.mark.slow
def test_no_planted_secret_is_in_a_backup(lull: Lull, tmp_path: Path) -> None:
    """Secrets are planted as the network's token, in the secrets' file, in a chat, in folders."""
    lull.home.mkdir()
    (lull.home / "settings.toml").write_text(
        "[service]\nbind = '0.0.0.0'\nallow_network = true\n[secrets]\nfile_fallback = true\n"
    )
    running = lull.serve()
    token = lull.ask("status", "--token")["token"]
    assert token and token in (lull.home / "secrets.json").read_text()
    running.post(
        "/api/chat",
        {
            "model": "pocket",
            "stream": False,
            "messages": [{"role": "user", "content": f"list: my key is {PLANTED}"}],
        },
        {"X-Lull-Token": token, "Authorization": f"Bearer {token}"},
    )
    eventually(lambda: lull.ask("status")["turns"] == 1)
    for folder in ("logs", "models", "vectors", "run"):
        (lull.home / folder).mkdir(exist_ok=True)
        (lull.home / folder / "planted").write_text(PLANTED)
    (lull.home / "library" / ".planted").write_text(PLANTED)
    file = tmp_path / "mine.zip"
    lull.ask("backup", str(file))
    running.stop()
    with zipfile.ZipFile(file) as packed:
        for name in packed.namelist():
            data = packed.read(name)
            assert token.encode() not in data, name
            assert PLANTED.encode() not in data, name
            assert PLANTED.encode("utf-16-le") not in data, name
    assert token.encode() not in file.read_bytes()


@pytest.mark.slow
def test_a_service_that_records_meanwhile_loses_nothing_and_waits_for_nothing(
    lull: Lull, tmp_path: Path
) -> None:
    running, ended, said = lived_in(lull, "apple"), threading.Event(), [1]

    def talk() -> None:
        while not ended.is_set():
            running.chat(f"list: word {said[0]}", most=8)
            said[0] += 1

    talking = [threading.Thread(target=talk) for _ in range(2)]
    for one in talking:
        one.start()
    try:
        holds = []
        for number in range(3):
            before = lull.ask("status")["turns"]
            made = lull.ask("backup", str(tmp_path / f"{number}.zip"))
            holds.append(made["holds"]["turns"])
            assert before <= holds[-1] <= lull.ask("status")["turns"]
    finally:
        ended.set()
        for one in talking:
            one.join()
    eventually(lambda: lull.ask("status")["turns"] >= said[0])
    running.stop()
    assert lull.ask("restore", str(tmp_path / "2.zip"), "--yes")["holds"]["turns"] == holds[2]
    lull.serve()
    assert (lull.ask("status")["turns"], problems(lull)) == (holds[2], [])


@pytest.mark.slow
def test_what_is_forgotten_is_told_to_lie_in_backups(lull: Lull, tmp_path: Path) -> None:
    lived_in(lull, "apple")
    conversation = lull.ask("conversations")["conversations"][0]["id"]
    assert lull.ask("forget", conversation)["backups"] == []
    first = lull.ask("backup", str(tmp_path / "mine.zip"))["file"]
    second = lull.ask("backup")["file"]
    assert Path(second).parent == lull.home / "backups"
    assert sorted(lull.ask("forget", conversation)["backups"]) == sorted([first, second])
    Path(first).unlink()
    said = lull.run("forget", conversation, "--yes").out
    (line,) = [line for line in said.splitlines() if "may still hold it" in line]
    assert second in line and first not in line


@pytest.mark.slow
def test_by_schedule_one_is_made_and_a_folder_that_is_gone_is_told(
    lull: Lull, tmp_path: Path
) -> None:
    folder = tmp_path / "disk"
    running = lived_in(lull, "apple")
    for key, value in (
        *(("backup.every_days", "1"), ("backup.keep", "2"), ("learning.quiet_s", "0")),
        ("backup.folder", str(folder)),
    ):
        lull.ask("settings", "set", key, value)
    (told,) = eventually(lambda: [p for p in problems(lull) if "The automatic backup failed" in p])
    assert str(folder) in told
    hints = [one["hint"] for one in lull.run("doctor", "--json").json["checks"]]
    assert any("backup.folder" in hint for hint in hints)
    running.stop()
    folder.mkdir()
    (folder / "notes.txt").write_text("mine")
    for number in (3, 4, 5):
        (folder / f"lull-auto-{number:04}-2036-01-01.zip").write_text("not a zip any more")
    running = lull.serve()
    eventually(lambda: not (folder / "lull-auto-0004-2036-01-01.zip").exists())
    names = eventually(lambda: sorted(file.name for file in folder.iterdir()))
    assert names[0] == "lull-auto-0005-2036-01-01.zip" and names[2:] == ["notes.txt"]
    assert names[1].startswith("lull-auto-0006-") and problems(lull) == []
    running.stop()
    assert lull.ask("restore", str(folder / names[1]))["holds"]["turns"] == 1


@pytest.mark.slow
def test_what_is_called_wrongly_or_is_no_backup_gets_one_line(lull: Lull, tmp_path: Path) -> None:
    (tmp_path / "x.zip").write_text("nothing")
    for words, code in (
        (["restore"], 2),
        (["restore", "x", "--undo"], 2),
        (["restore", "--undo"], 2),
        (["restore", "--undo", "--yes"], 1),
        (["restore", str(tmp_path / "x.zip")], 1),
        (["restore", str(tmp_path), "--yes"], 1),
        (["restore", str(tmp_path / "nowhere")], 1),
        (["backup"], 1),
        (["backup", ""], 2),
    ):
        ran = lull.run(*words)
        assert (ran.code, ran.out) == (code, ""), words
        assert ran.err.startswith("lull: ") and ran.err.count("\n") == 1
        assert "Traceback" not in ran.err


def kill_at_random(lull: Lull, chance: random.Random, *words: str, within_s: float) -> int:
    process = started(
        words, env=lull.environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    time.sleep(chance.random() * within_s)
    process.send_signal(signal.SIGKILL)
    return process.wait()


@pytest.mark.slow
@pytest.mark.parametrize("times", [6, pytest.param(60, marks=pytest.mark.soak)])
def test_real_processes_that_are_killed_leave_the_old_or_the_new(
    lull: Lull, tmp_path: Path, times: int
) -> None:
    running = lived_in(lull, "apple")
    file = tmp_path / "mine.zip"
    lull.ask("backup", str(file))
    running.chat("list: plum")
    eventually(lambda: lull.ask("status")["turns"] == 2)
    running.stop()
    chance = random.Random(7)
    for number in range(times):
        kill_at_random(lull, chance, "backup", str(tmp_path / "other.zip"), within_s=0.4)
        if (tmp_path / "other.zip").exists():
            assert lull.run("restore", str(tmp_path / "other.zip")).code == 0
            (tmp_path / "other.zip").unlink()
        kill_at_random(lull, chance, "restore", str(file), "--yes", within_s=0.4)
        assert len(lull.ask("conversations")["conversations"]) in (1, 2), number
        if lull.run("restore", "--undo", "--yes").code == 0:
            assert len(lull.ask("conversations")["conversations"]) in (1, 2)
    lull.serve()
    assert lull.ask("status")["turns"] in (1, 2)
    assert problems(lull) == [] and nothing_is_left_over(lull)


@pytest.mark.slow
def test_a_service_that_is_killed_while_it_makes_one_leaves_nothing_half_made(
    lull: Lull, tmp_path: Path
) -> None:
    running = lived_in(lull, "apple")
    for wait_s in (0.01, 0.05, 0.1, 0.2):
        asked = started(
            ["backup", str(tmp_path / "mine.zip")],
            env=lull.environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(wait_s)
        running.kill()
        asked.wait()
        running = lull.serve()
        assert problems(lull) == [] and nothing_is_left_over(lull)
        if (tmp_path / "mine.zip").exists():
            (tmp_path / "mine.zip").unlink()
    assert lull.ask("backup", str(tmp_path / "mine.zip"))["holds"]["turns"] == 1
    assert [file.name for file in tmp_path.glob(".*")] == []
