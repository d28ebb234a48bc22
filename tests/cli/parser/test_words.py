"""Tests of which words the command line understands: wrong ones get one line and an exit code."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Here

COMMANDS = [
    "serve",
    "status",
    "stop",
    "open",
    "logs",
    "doctor",
    "ask",
    "conversations",
    "show",
    "rate",
    "skills",
    "review",
    "prove",
    "verify",
    "settings",
    "demo",
    "backup",
    "restore",
    "connect",
]
ACTIONS = [
    "list",
    "add",
    "edit",
    "pin",
    "unpin",
    "disable",
    "enable",
    "delete",
    "copy",
    "history",
    "diff",
    "rollback",
    "import",
    "export",
]
REVIEW_ACTIONS = ["list", "show", "approve", "reject", "defer", "edit", "undo"]
LATER = [
    "clients",
    "export",
    "uninstall",
]
WRONG = [
    ["ask"],
    ["ask", ""],
    ["ask", "hello", "--model", ""],
    ["ask", "hello", "--client", ""],
    ["frobnicate"],
    [""],
    ["skills", "frobnicate"],
    ["settings", "get", "service.port"],
    ["settings", "set"],
    ["settings", "set", "service.port"],
    ["serve", "--port"],
    ["serve", "--port", "x"],
    ["serve", "--port", "-1"],
    ["serve", "--port", "65536"],
    ["serve", "--po", "3"],
    ["status", "extra"],
    ["status", "--jso"],
    ["--home"],
    ["--home", "", "status"],
    ["--hom", "x", "status"],
    ["logs", "--lines", "0"],
    ["logs", "--lines", "9999999999999"],
    ["conversations", "--limit", "many"],
    ["show", ""],
    ["rate"],
    ["rate", "turn_1"],
    ["rate", "turn_1", "fine"],
    ["skills", "add"],
    ["skills", "add", "menu", "--body", "b"],
    ["skills", "add", "menu", "--description", "d"],
    ["skills", "add", "menu", "--description", "d", "--body", "@/nowhere/at-all"],
    ["skills", "edit", "menu"],
    ["skills", "rollback", "yesterday"],
    ["skills", "diff", "menu", "0"],
    ["skills", "import"],
    ["skills", "import", ""],
    ["review", "frobnicate"],
    ["review", "show"],
    ["review", "show", ""],
    ["review", "approve"],
    ["review", "reject", "prop_1", "--reason"],
    ["review", "undo", "prop_1"],
    ["review", "edit"],
    ["prove", ""],
    ["prove", "prop_1", "prop_2"],
    ["verify"],
    ["verify", "menu", "extra"],
    ["backup", ""],
    ["backup", "a", "b"],
    ["restore"],
    ["restore", "a", "--undo"],
    ["restore", "--undo"],
]


def one_line(err: str) -> str:
    assert re.fullmatch(r"lull: [^:\n]+: [^\n]+\n", err), err
    assert "Traceback" not in err
    return err


def test_wrong_usage_is_one_line_and_exit_code_2(here: Here, subtests: pytest.Subtests) -> None:
    for words in WRONG:
        with subtests.test(words=words):
            ran = here(*words)
            assert (ran.code, ran.out) == (2, "")
            one_line(ran.err)


@pytest.mark.slow
def test_wrong_usage_with_json_is_also_one_document(here: Here, subtests: pytest.Subtests) -> None:
    for words in WRONG:
        with subtests.test(words=words):
            ran = here("--json", *words)
            assert ran.code == 2
            assert set(ran.json["error"]) == {"title", "detail", "hint"}
            one_line(ran.err)


@pytest.mark.parametrize("name", LATER)
def test_what_comes_later_says_so(here: Here, name: str) -> None:
    ran = here(name, "list")
    assert ran.code == 2
    assert f"This version has no `lull {name}` yet" in one_line(ran.err)
    assert not re.search(rf"^    {name} ", here("--help").out, re.MULTILINE)


HELPED: list[list[str]] = [
    [],
    *([name] for name in COMMANDS),
    *(["skills", name] for name in ACTIONS),
    *(["review", name] for name in REVIEW_ACTIONS),
    ["settings", "show"],
    ["settings", "set"],
]


def test_every_command_has_help(here: Here, home: Path, subtests: pytest.Subtests) -> None:
    for words in HELPED:
        with subtests.test(words=words):
            ran = here(*words, "--help")
            assert (ran.code, ran.err) == (0, "")
            assert f"usage: {' '.join(['lull', *words])}" in ran.out
            assert len(ran.out.splitlines()) > 6
            assert not home.exists(), "asking for help must not make anything"
            assert here("help", *words).out == ran.out


def test_help_lists_every_command(here: Here) -> None:
    ran = here("--help")
    assert ran.code == 0
    assert "lull serve" in ran.out
    for name in COMMANDS:
        assert re.search(rf"^    {name}\b", ran.out, re.MULTILINE)


@pytest.mark.parametrize("words", [[], ["open"]], ids=["no command", "open"])
def test_without_a_display_the_window_says_so(here: Here, home: Path, words: list[str]) -> None:
    ran = here(*words)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("lull: There is no display: ")
    assert "`lull serve`" in ran.err
    assert not home.exists()


def test_the_version(here: Here) -> None:
    assert here("--version").out.startswith("lull 0.")


def test_a_near_miss_gets_a_guess(here: Here) -> None:
    assert "Did you mean `lull skills`?" in here("skill").err
    assert "Did you mean `lull skills list`?" in here("skills", "lst").err


@pytest.mark.parametrize("behind", [True, False])
def test_home_and_json_may_stand_before_or_behind(here: Here, tmp_path: Path, behind: bool) -> None:
    options = ["--home", str(tmp_path / "other"), "--json"]
    ran = here("conversations", *options) if behind else here(*options, "conversations")
    assert ran.json == {"conversations": [], "next": None}
    ran = here("skills", "list", *options) if behind else here(*options, "skills", "list")
    assert ran.json == {"generation": 0, "skills": []}
    ran = here("status", *options) if behind else here(*options, "status")
    assert ran.json["home"] == str(tmp_path / "other")


@pytest.mark.parametrize(
    "words",
    [
        ["status"],
        ["stop"],
        ["rate", "turn_1", "good"],
        ["review"],
        ["review", "show", "prop_1"],
        ["review", "approve", "prop_1"],
        ["review", "reject", "prop_1", "--reason", "no"],
        ["review", "defer", "prop_1"],
        ["review", "edit", "prop_1", "--body", "b"],
        ["review", "undo"],
        ["prove"],
        ["prove", "prop_1", "--wait"],
    ],
    ids=" ".join,
)
def test_what_needs_the_service_exits_3_without_it(here: Here, words: list[str]) -> None:
    ran = here(*words)
    assert (ran.code, ran.out) == (3, "")
    assert one_line(ran.err).startswith("lull: Lull is not running: ")
    ran = here(*words, "--json")
    assert ran.code == 3
    assert ran.json["error"]["title"] == "Lull is not running"


def test_status_without_a_service_says_so_in_json(here: Here) -> None:
    document = here("status", "--json").json
    assert document["running"] is False
    assert document["address"] is None and document["pid"] is None


def test_reading_nothing_is_no_failure(here: Here, home: Path) -> None:
    assert here("conversations").code == 0
    assert here("skills").code == 0
    assert here("skills", "history", "--json").json == {"history": []}
    assert not home.exists()
    assert here("show").code == here("show", "conv_1").code == 1
    assert here("logs").code == 1


@pytest.mark.parametrize(
    "words",
    [["show", "x"], ["logs"], ["skills", "history", "x"], ["verify", "x"], ["verify", "X"]],
    ids=str,
)
def test_a_failure_is_one_line_and_exit_code_1(here: Here, words: list[str]) -> None:
    ran = here(*words)
    assert (ran.code, ran.out) == (1, "")
    one_line(ran.err)
    assert set(json.loads(here(*words, "--json").out)) == {"error"}


def test_words_that_are_not_utf8_are_refused(here: Here) -> None:
    ran = here("skills", "add", "menu", "--description", "d", "--body", "caf\udce9")
    assert ran.code == 2
    one_line(ran.err)


def test_settings_are_shown_and_set(here: Here, home: Path) -> None:
    shown = here("settings", "--json").json["settings"]
    port = next(item for item in shown if item["key"] == "service.port")
    assert port["value"] == port["default"] == 11435
    assert port["reason"] and port["allowed"]
    done = here("settings", "set", "service.port", "12000", "--json").json
    assert (done["key"], done["value"], done["restart_needed"]) == ("service.port", 12000, False)
    assert "service.port = 12000  (default 11435)" in here("settings").out
    assert "port = 12000" in (home / "settings.toml").read_text()


def test_a_refused_setting_leaves_the_file(here: Here, home: Path) -> None:
    here("settings", "set", "service.port", "12000")
    before = (home / "settings.toml").read_text()
    for key, value in (("service.port", "x"), ("service.prt", "1"), ("service.bind", "0.0.0.0")):
        ran = here("settings", "set", key, value)
        assert ran.code == 1
        assert key in one_line(ran.err)
    assert (home / "settings.toml").read_text() == before


@pytest.mark.full
@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[service]\nprt = 1\n", 2),
        ("[service]\nport = 'x'\n", 2),
        ("\n\n[service\n", 3),
        ("a = 1", 1),
    ],
)
def test_broken_settings_are_named_with_their_line(
    here: Here, home: Path, text: str, line: int
) -> None:
    home.mkdir()
    (home / "settings.toml").write_text(text)
    for words in (["serve"], ["settings"], ["settings", "set", "log.level", "debug"]):
        ran = here(*words)
        assert ran.code == 1
        assert f"settings.toml, line {line}: " in one_line(ran.err)
    assert here("conversations").code == 0, "what needs no settings still works"
    checks = {one["name"]: one for one in here("doctor", "--json").json["checks"]}
    assert f"line {line}" in checks["settings"]["text"]
