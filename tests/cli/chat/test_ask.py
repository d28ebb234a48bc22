"""Tests of `lull ask`: it sends one request as chat clients do, and prints what is answered."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lull.cli.shared.own_command import SAMPLE, as_called, ask_line, own_command
from lull.config.paths import Paths
from tests.cli.parser.test_words import one_line
from tests.eventually import PATIENCE_S
from tests.running import Lull, Ran, RunningLull
from tests.service.process.upstream import Slow, slow_ollama

pytestmark = pytest.mark.slow

MENU = "write a menu for apple river"


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningLull]:
    with RunningLull.cleaned_up(tmp_path_factory.mktemp("ask") / "home") as lull:
        yield lull.serve()


def ask(lull: Lull, *words: str, **more: Any) -> Ran:
    return lull.run("ask", "--model", "pocket", *words, **more)


def documents(ran: Ran) -> list[dict[str, Any]]:
    return [json.loads(line) for line in ran.out.splitlines()]


def test_the_answer_is_printed_and_recorded(running: RunningLull) -> None:
    ran = ask(running.lull, MENU)
    assert (ran.code, ran.out, ran.err) == (0, "apple and river\n", "")
    (newest, *_) = running.lull.ask("conversations")["conversations"]
    assert (newest["client"], newest["model"], newest["turns"]) == ("lull-ask", "pocket", 1)


def test_without_quotes_and_from_stdin_it_is_the_same_question(running: RunningLull) -> None:
    assert ask(running.lull, *MENU.split()).out == "apple and river\n"
    assert ask(running.lull, "-", stdin=f"{MENU}\n").out == "apple and river\n"
    ran = ask(running.lull, "-", stdin="\n")
    assert ran.code == 2 and "no question" in one_line(ran.err)


def test_json_is_a_line_for_each_piece_and_one_for_the_whole(running: RunningLull) -> None:
    ran = ask(running.lull, MENU, "--json")
    *pieces, last = documents(ran)
    assert len(pieces) > 1, "it streams"
    assert all(list(piece) == ["piece"] for piece in pieces)
    assert "".join(piece["piece"] for piece in pieces) == last["answer"] == "apple and river"
    assert (last["done"], last["model"], last["client"]) == (True, "pocket", "lull-ask")
    assert last["finish"] == "stop"


def test_a_client_kept_apart_asks_with_its_own_skills(running: RunningLull) -> None:
    rule = "when you write a menu, join with bars and end with sugar"
    told = ("--description", "menus", "--body", rule)
    running.lull.ask("skills", "add", "menu-style", *told, "--client", "desk")
    assert ask(running.lull, MENU, "--client", "desk").out == "apple | river | sugar\n"
    assert ask(running.lull, MENU).out == "apple and river\n"
    assert running.lull.ask("conversations", "--client", "desk")["conversations"]
    ran = ask(running.lull, MENU, "--client", "../x")
    assert ran.code == 1
    one_line(ran.err)


@pytest.mark.full
def test_one_can_go_on_and_say_what_was_wrong(running: RunningLull) -> None:
    lull = running.lull
    ran = ask(lull, "--continue", "--client", "fresh", "no, use dashes")
    assert ran.code == 1 and one_line(ran.err).startswith("lull: Not found: fresh has not said")
    ask(lull, "--client", "fresh", "write a note for coffee bread")
    ask(lull, "--client", "fresh", "-c", "no, for a note, use dashes and end with honey")
    ask(lull, "--client", "fresh", "-c", "write a note for paper glass")
    (one,) = lull.ask("conversations", "--client", "fresh")["conversations"]
    assert one["turns"] == 3, "each sent what was said before"
    turns = lull.ask("show", one["id"])["turns"]
    assert [turn["request"].split()[0] for turn in turns] == ["write", "no,", "write"]


def test_a_model_that_is_not_there_is_one_line(running: RunningLull) -> None:
    for words in ([], ["--json"]):
        ran = running.lull.run("ask", "--model", "nobody", "hello", *words)
        assert ran.code == 1
        assert one_line(ran.err).startswith("lull: The model did not answer: ")
        if words:
            assert set(documents(ran)[-1]["error"]) == {"title", "detail", "hint"}


def test_without_a_service_it_exits_with_3(lull: Lull) -> None:
    ran = ask(lull, MENU)
    assert (ran.code, ran.out) == (3, "")
    assert "lull serve" in one_line(ran.err)
    ran = ask(lull, MENU, "--json")
    assert ran.code == 3 and documents(ran)[0]["error"]["title"] == "Lull is not running"


@pytest.fixture
def slow() -> Iterator[Slow]:
    with slow_ollama() as made:
        yield made


@pytest.mark.full
def test_an_answer_that_breaks_off_is_no_success(lull: Lull, slow: Slow) -> None:
    lull.upstream = slow.address
    running = lull.serve()
    asking = subprocess.Popen(
        [sys.executable, "-m", "lull.cli.main", "ask", "--model", "slow", "go"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=lull.environment(),
    )
    assert asking.stdout is not None and asking.stdout.read(2) == "0 ", "as it comes"
    assert slow.begun.wait(PATIENCE_S)
    running.kill()
    out, err = asking.communicate()
    assert (asking.returncode, out) == (1, "\n")
    assert one_line(err).startswith("lull: The answer broke off: ")


@pytest.mark.full
def test_where_a_token_is_needed_it_is_sent(lull: Lull) -> None:
    lull.home.mkdir(parents=True)
    (lull.home / "settings.toml").write_text(
        '[service]\nbind = "0.0.0.0"\nallow_network = true\n[secrets]\nfile_fallback = true\n'
    )
    lull.serve()
    assert ask(lull, MENU).out == "apple and river\n"


# The line to paste


def test_the_line_names_the_home_only_where_it_is_another(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "LULL_HOME": str(tmp_path / "x")}
    usual = Paths.from_environment({"HOME": str(tmp_path)}, sys.platform)
    assert "--home" not in own_command(usual, environ)
    other = Paths.from_environment(environ, sys.platform)
    assert shlex.split(own_command(other, environ))[-2:] == ["--home", str(tmp_path / "x")]
    assert shlex.split(ask_line("lull"))[-2:] == ["lull-mini", SAMPLE]


def test_lull_on_the_path_is_called_by_its_name(tmp_path: Path) -> None:
    usual = Paths.from_environment({"HOME": str(tmp_path)}, sys.platform)
    script = Path(sys.executable).with_name("lull")
    assert own_command(usual, {"HOME": str(tmp_path), "PATH": str(script.parent)}) == "lull"
    another = tmp_path / "lull"
    shutil.copy(script, another)
    assert own_command(usual, {"HOME": str(tmp_path), "PATH": str(tmp_path)}) == str(script)


@pytest.mark.full
def test_a_hint_names_the_program_as_it_was_called(tmp_path: Path) -> None:
    script = Path(sys.executable).with_name("lull")
    hint = "Start it with `lull serve`; `lull` opens the window, the lull goes on."
    nowhere = {"PATH": str(tmp_path)}
    assert as_called(hint, ".venv/bin/lull", nowhere) == (
        "Start it with `.venv/bin/lull serve`; `.venv/bin/lull` opens the window, the lull goes on."
    )
    assert as_called(hint, str(script), {"PATH": str(script.parent)}) == hint
    assert as_called(hint, "/x/lull/cli/main.py", nowhere) == hint
    home = str(tmp_path / "home")
    named = subprocess.run(
        [script, "stop", "--home", home],
        capture_output=True,
        text=True,
        env={**os.environ, **nowhere},
    )
    assert named.returncode == 3 and f"`{script} --home {home} serve`" in named.stderr
    led_there = subprocess.run(
        [script, "stop"],
        capture_output=True,
        text=True,
        env={**os.environ, **nowhere, "LULL_HOME": home},
    )
    assert led_there.returncode == 3 and f"`{script} serve`" in led_there.stderr
