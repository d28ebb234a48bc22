"""Tests of the command line beside a running service: the same answers, through its socket."""

from __future__ import annotations

import re
import signal
import subprocess
import sys

import pytest

from tests.cli.parser.test_words import one_line
from tests.eventually import PATIENCE_S
from tests.running import Lull, RunningLull

pytestmark = pytest.mark.full

TURN_KEYS = [
    "id",
    "at",
    "policy",
    "skills",
    "request",
    "answer",
    "complete",
    "reward",
    "signals",
    "support",
    "eligible",
    "why_not",
]


def test_conversations_are_listed_and_shown(running: RunningLull) -> None:
    lull = running.lull
    running.chat("write a menu for apple river", client="desk")
    (conversation,) = lull.ask("conversations", "--client", "desk")["conversations"]
    assert list(conversation)[:6] == ["id", "client", "model", "turns", "started", "last"]
    shown = lull.ask("show", conversation["id"])
    assert list(shown)[:3] == ["id", "client", "model"]
    (turn,) = shown["turns"]
    assert set(TURN_KEYS) <= set(turn)
    assert set(turn["policy"]) >= {"model", "adapter", "generation"}
    assert turn["request"] == "write a menu for apple river"
    assert turn["reward"] is None and turn["complete"] is True
    assert turn["eligible"] is False and turn["why_not"]
    assert lull.ask("show")["id"] == conversation["id"], "by default the newest"
    text = lull.run("show", conversation["id"]).out
    assert "user: write a menu for apple river" in text and turn["id"] in text
    markdown = lull.run("show", conversation["id"], "--markdown").out
    assert markdown.startswith("# Conversation with ")
    assert "write a menu for apple river\n\n## Assistant, " in markdown
    assert conversation["id"] in lull.run("conversations").out
    assert lull.ask("conversations", "--search", "river apple")["conversations"]
    assert lull.ask("conversations", "--search", "zebra")["conversations"] == []
    assert lull.ask("conversations", "--client", "nobody")["conversations"] == []


def test_pages_of_conversations(running: RunningLull) -> None:
    for word in ("apple", "river", "stone"):
        running.chat(f"list: {word}", client="pages")
    lull = running.lull
    seen, after = [], []
    while True:
        words = ["conversations", "--client", "pages", "--limit", "2", *after]
        page = lull.ask(*words)
        seen += [c["id"] for c in page["conversations"]]
        if page["next"] is None:
            break
        after = ["--after", page["next"]]
    assert len(seen) == len(set(seen)) == 3
    assert seen == sorted(seen, reverse=True)
    ran = lull.run("conversations", "--after", "conv_none")
    assert ran.code == 1 and "conv_none" in one_line(ran.err)


def test_what_is_not_there(running: RunningLull) -> None:
    for words in (
        ["show", "conv_none"],
        ["show", "../status"],
        ["rate", "turn_none", "good"],
        ["rate", "a/../b", "good"],
        ["skills", "pin", "nothing-here"],
        ["skills", "history", "nothing-here"],
        ["skills", "rollback", "999"],
    ):
        ran = running.lull.run(*words, "--json")
        assert ran.code == 1, words
        assert ran.json["error"]["title"] == "Not found"
        one_line(ran.err)


def test_changes_of_skills_go_through_the_service(running: RunningLull) -> None:
    lull = running.lull
    words = ["skills", "add", "menu-style", "--description", "d", "--body", "b", "--client", "a"]
    first = lull.ask(*words)
    assert first["skill"]["client"] == "a"
    assert lull.ask("status")["policy"]["generation"] == first["generation"]
    ran = lull.run(*words)
    assert ran.code == 1 and one_line(ran.err).startswith("lull: Conflict: ")
    assert lull.run("skills", "edit", "menu-style", "--client", "a").code == 2
    edited = lull.ask("skills", "edit", "menu-style", "--client", "a", "--body", "c")
    assert edited["skill"]["version"] == 2
    assert "+c" in lull.ask("skills", "diff", "menu-style", "--client", "a")["diff"]
    history = lull.ask("skills", "history", "menu-style", "--client", "a")["history"]
    assert [row["version"] for row in history] == [2, 1]
    back = lull.ask("skills", "rollback")
    assert back["skill"]["body"] == "b"
    assert lull.ask("skills", "history")["history"][0]["generation"] == back["generation"]


def test_settings_say_what_waits_for_the_next_start(running: RunningLull) -> None:
    lull = running.lull
    assert lull.ask("settings", "set", "skills.at_most", "2")["restart_needed"] is False
    assert lull.ask("settings", "set", "skills.facts_within_ms", "40")["restart_needed"] is True
    assert lull.ask("settings", "set", "records.keep_days", "30")["restart_needed"] is True
    for key, value in (
        ("idle.after_min", "9"),
        ("idle.enabled", "yes"),
        ("guard.settle_uses", "50"),
        ("review.auto_approve", "no"),
        ("learning.quiet_s", "61"),
    ):
        assert lull.ask("settings", "set", key, value)["restart_needed"] is False
    assert lull.ask("settings", "set", "idle.source", "file:~/me.json")["restart_needed"] is True
    assert lull.run("settings", "set", "skills.at_most", "999").code == 1


def test_a_change_of_lulls_is_followed_at_once(running: RunningLull) -> None:
    lull = running.lull
    lull.ask("settings", "set", "idle.enabled", "no")
    assert lull.ask("why")["state"] == "off"
    lull.ask("settings", "set", "idle.enabled", "yes")
    assert lull.ask("why")["state"] != "off"


def test_the_doctor_looks_at_every_part(running: RunningLull) -> None:
    document = running.lull.ask("doctor")
    checks = {one["name"]: one for one in document["checks"]}
    assert set(checks) >= {
        *("service", "settings", "address", "ollama", "engine", "store"),
        *("skills", "memory", "keychain", "disk", "speed", "backups"),
        *("idle source", "lulls", "calendars"),
    }
    assert all(set(one) >= {"name", "ok", "text", "hint"} for one in document["checks"])
    assert checks["engine"]["ok"] and "works" in checks["engine"]["text"]
    assert checks["ollama"]["ok"] is False and "ollama serve" in checks["ollama"]["hint"]
    assert all(one["hint"] for one in document["checks"] if not one["ok"])
    assert "ok    store: " in running.lull.run("doctor").out


def test_the_status_for_people(running: RunningLull) -> None:
    text = running.lull.run("status").out
    assert running.address in text and str(running.process.pid) in text
    assert "Ollama at " in text and "does not answer" in text


def test_the_greeting_holds_a_line_that_gets_an_answer(lull: Lull) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "lull.cli.main", "serve", "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=lull.environment(),
    )
    try:
        assert process.stdout is not None
        lines: list[str] = []
        while not lines or lines[-1] != "Ctrl-C stops it.\n":
            lines.append(process.stdout.readline())
            assert lines[-1], lines
        address = re.match(r"Lull is running at (http://127\.0\.0\.1:\d+) ", lines[0])
        assert address and str(process.pid) in lines[0]
        assert any("'lull-mini' answers alone" in line for line in lines)
        assert any(str(lull.home) in line for line in lines)
        (paste,) = [line.strip() for line in lines if " ask --model lull-mini " in line]
        # Another terminal: it knows nothing of LULL_HOME, nor of the checkout's folder.
        elsewhere = {k: v for k, v in lull.environment().items() if k != "LULL_HOME"}
        asked = subprocess.run(
            ["sh", "-c", paste],
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            env=elsewhere,
            cwd=lull.home,
        )
        assert (asked.returncode, asked.stderr) == (0, "")
        # The model may answer anything, so the test asks only for an answer in words.
        assert len(asked.stdout.split()) >= 5
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE_S)
        assert (process.returncode, out, err) == (0, "Lull has stopped.\n", "")
    finally:
        process.kill()
        process.wait()


def test_serve_goes_on_when_the_reader_of_its_lines_left(lull: Lull) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "lull.cli.main", "serve", "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=lull.environment(),
    )
    try:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert lull.ask("status")["pid"] == process.pid
        assert lull.ask("stop") == {"stopped": True}
        assert process.wait(PATIENCE_S) == 0
        assert process.stderr.read() == b""
        process.stderr.close()
    finally:
        process.kill()
        process.wait()
