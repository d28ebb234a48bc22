"""Tests of `lull connect` at a terminal and for scripts, with a home folder of the test's own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from lull.cli.clients import connect
from lull.service.process.lock import Discovery
from tests.cli.conftest import Here
from tests.cli.parser.test_words import one_line
from tests.cli.terminal import at_a_terminal
from tests.running import Lull, RunningLull

SETTINGS = '// mine\n{\n  "vim_mode": true,\n}\n'
KEYS = ["name", "found", "version", "files", "connected", "drifted"]


@pytest.fixture
def me(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's home folder, empty but for Zed's settings."""
    for name in ("XDG_CONFIG_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR", "CONTINUE_GLOBAL_DIR"):
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / "me"
    (folder / ".config" / "zed").mkdir(parents=True)
    (folder / ".config" / "zed" / "settings.json").write_text(SETTINGS)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("PATH", str(folder / "bin"))
    monkeypatch.setenv("SHELL", "/bin/zsh")
    return folder


@pytest.fixture
def zed(me: Path) -> Path:
    return me / ".config" / "zed" / "settings.json"


def test_the_list_names_every_client_and_what_is_known_of_it(here: Here, me: Path) -> None:
    tool = me / "lib" / "node_modules" / "@openai" / "codex"
    (tool / "bin").mkdir(parents=True)
    (tool / "bin" / "codex.js").write_text("#!/bin/sh\nexit 1\n")
    (tool / "bin" / "codex.js").chmod(0o755)
    (tool / "package.json").write_text('{"version": "0.169.0"}')
    (me / "bin").mkdir()
    (me / "bin" / "codex").symlink_to(tool / "bin" / "codex.js")
    for words in (["connect"], ["connect", "list"]):
        views = {view["name"]: view for view in here(*words, "--json").json["clients"]}
        assert all(set(KEYS) <= set(view) for view in views.values())
    assert list(views)[:5] == ["aider", "continue", "claude-code", "codex", "zed"]
    assert (views["codex"]["found"], views["codex"]["version"]) == (True, "0.169.0")
    assert views["zed"]["found"] and not views["aider"]["found"]
    assert views["cline"]["by_hand"] and not views["cline"]["writable"]
    said = here("connect").out
    assert "0.169.0" in said and "by hand" in said


def test_without_a_word_nothing_is_written(here: Here, home: Path, zed: Path) -> None:
    for words in ([], ["--dry-run"], ["--dry-run", "--yes"]):
        ran = here("connect", "zed", *words)
        assert ran.code == 0 and '+  "language_models": {' in ran.out
        assert zed.read_text() == SETTINGS and not home.exists()
    answer = here("connect", "zed", "--json").json
    assert answer["written"] is False and answer["diff"].count("\n+") == 6


def test_it_is_written_drifts_and_is_undone(here: Here, zed: Path) -> None:
    answer = here("connect", "zed", "--yes", "--json").json
    assert (answer["written"], answer["test"], answer["file"]) == (True, None, str(zed))
    assert "11435" in zed.read_text()
    assert "already" in here("connect", "zed").out
    here("settings", "set", "service.port", "11500")
    said = here("connect").out
    assert "was connected, is not now" in said and "another address" in said
    assert "Written" in here("connect", "zed", "--yes").out and "11500" in zed.read_text()
    assert "As before Lull" in here("connect", "zed", "--undo").out
    assert zed.read_text() == SETTINGS
    ran = here("connect", "zed", "--undo")
    assert ran.code == 1 and "has written nothing" in one_line(ran.err)


@pytest.mark.full
def test_the_doctor_says_which_client_no_longer_points_here(here: Here, zed: Path) -> None:
    def looked() -> dict[str, object]:
        checks = here("doctor", "--json").json["checks"]
        return next(one for one in checks if one["name"] == "clients")

    assert looked()["text"] == "No chat app was connected by Lull."
    here("connect", "zed", "--yes")
    assert (looked()["ok"], looked()["text"]) == (True, "Connected to Lull: Zed.")
    zed.write_text(SETTINGS)
    found = looked()
    assert (found["ok"], found["serious"]) == (False, False)
    assert str(found["text"]).endswith("no longer pointing at Lull: Zed.")
    assert "`lull connect zed`" in str(found["hint"])
    here("settings", "set", "service.port", "0")
    assert looked()["ok"], "which port is free is known once it runs"


def test_what_was_changed_since_is_shown_and_kept_only_with_force(here: Here, zed: Path) -> None:
    here("connect", "zed", "--yes")
    zed.write_text("// later\n" + zed.read_text())
    ran = here("connect", "zed", "--undo")
    assert ran.code == 1 and "+// later" in ran.out and "--force" in one_line(ran.err)
    ran = here("connect", "zed", "--undo", "--json")
    assert ran.code == 1 and ran.json["error"]["title"] == "Conflict"
    assert "language_models" in zed.read_text()
    assert here("connect", "zed", "--undo", "--dry-run", "--json").json["undone"] is False
    assert "changed in it since" in here("connect", "zed", "--undo", "--force").out
    assert zed.read_text() == "// later\n" + SETTINGS


def test_a_file_whose_line_ends_alone_differ_was_changed_since(here: Here, zed: Path) -> None:
    here("connect", "zed", "--yes")
    zed.write_bytes(zed.read_bytes().replace(b"// mine\n", b"// mine\r\n"))
    ran = here("connect", "zed", "--undo")
    assert ran.code == 1 and "only line ends differ" in one_line(ran.err)
    (file,) = here("connect", "zed", "--undo", "--dry-run", "--json").json["files"]
    assert (file["changed_since"], file["only_line_ends"]) == (True, True)
    assert "but for line ends" in here("connect", "zed", "--undo", "--force").out
    assert zed.read_bytes() == SETTINGS.replace("// mine\n", "// mine\r\n").encode()


def test_all_clients_are_undone_before_lull_is_removed(here: Here, me: Path, zed: Path) -> None:
    assert "No client is connected" in here("connect", "--undo").out
    for name in ("zed", "aider", "environment"):
        here("connect", name, "--yes")
    (me / ".aider.conf.yml").write_text("# later\n" + (me / ".aider.conf.yml").read_text())
    ran = here("connect", "--undo")
    assert ran.code == 1 and ".aider.conf.yml was changed since" in one_line(ran.err)
    assert zed.read_text() == SETTINGS and not (me / ".zshrc").exists()
    assert [one["name"] for one in here("connect", "--undo", "--json").json["failed"]] == ["aider"]


def test_every_document_of_one_client_has_its_view(here: Here, zed: Path) -> None:
    for words, connected in (
        (["--dry-run"], False),
        (["--yes"], True),
        (["--yes"], True),
        (["--undo", "--dry-run"], True),
        (["--undo"], False),
    ):
        answer = here("connect", "zed", *words, "--json").json
        (view,) = answer["clients"]
        assert set(KEYS) <= set(view) and view["files"] == [str(zed)]
        assert view["connected"] is connected
    assert here("connect", "cline", "--json").json["clients"][0]["name"] == "cline"


def test_what_is_undone_in_part_is_an_error_in_one_line(here: Here, me: Path, zed: Path) -> None:
    for name in ("zed", "aider", "environment"):
        here("connect", name, "--yes")
    for name in (".aider.conf.yml", ".zshrc"):
        (me / name).write_text("# later\n" + (me / name).read_text())
    ran = here("connect", "--undo", "--json")
    assert ran.code == 1 and ".zshrc was changed" in one_line(ran.err)
    assert ".aider.conf.yml was changed" in ran.json["error"]["detail"]
    (done,) = ran.json["clients"]
    assert set(KEYS) <= set(done) and done["files"] == [str(zed)]
    assert done["undone"] and not done["connected"] and not done["changes"][0]["changed_since"]


def test_a_failed_test_is_an_error_in_one_line(
    here: Here, zed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = Discovery(address="http://127.0.0.1:9", pid=1, control="", version="", started="")
    monkeypatch.setattr(connect, "find_service", lambda _: running)
    monkeypatch.setattr(connect._Walk, "_status", lambda _: {"policy": {"model": ""}})
    ran = here("connect", "zed", "--yes", "--json")
    assert ran.code == 1 and "The test failed" in one_line(ran.err) and ran.json["written"]
    assert ran.json["error"]["title"] == "The test failed" and "--undo" in ran.json["error"]["hint"]
    ran = here("connect", "zed", "--test")
    assert ran.code == 1 and ran.out == "" and "does not answer" in one_line(ran.err)


def test_what_has_to_be_done_by_hand_is_said(here: Here, me: Path) -> None:
    ran = here("connect", "cline")
    assert ran.code == 0 and "http://127.0.0.1:11435" in ran.out
    assert here("connect", "cline", "--yes").code == 2
    env = me / "open-webui" / ".env"
    ran = here("connect", "open-webui", "--file", str(env), "--yes")
    assert ran.code == 0 and env.read_text() == "OLLAMA_BASE_URL=http://127.0.0.1:11435\n"
    assert here("connect", "open-webui", "--undo").code == 0 and not env.parent.exists()


def test_a_lull_that_asks_for_a_token_is_connected_by_hand(
    here: Here, home: Path, zed: Path
) -> None:
    home.mkdir()
    (home / "settings.toml").write_text('[service]\nbind = "0.0.0.0"\nallow_network = true\n')
    ran = here("connect", "zed", "--yes")
    assert ran.code == 2 and "token" in one_line(ran.err) and zed.read_text() == SETTINGS


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["connect", "frobnicate"], 1),
        (["connect", ""], 2),
        (["connect", "zed", "extra"], 2),
        (["connect", "--test"], 2),
        (["connect", "zed", "--force"], 2),
        (["connect", "codex", "--yes"], 2),
        (["connect", "zed", "--test"], 3),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_words_are_one_line(here: Here, me: Path, words: list[str], code: int) -> None:
    ran = here(*words)
    assert (ran.code, ran.out) == (code, "")
    one_line(ran.err)


def test_a_file_that_cannot_be_read_is_refused_in_one_line(here: Here, zed: Path) -> None:
    zed.write_bytes(b"\0\1")
    ran = here("connect", "zed", "--yes")
    assert ran.code == 1 and str(zed) in one_line(ran.err)
    assert "needs one change by hand" in here("connect").out


@pytest.mark.full
@pytest.mark.slow
def test_at_a_terminal_it_asks_first(me: Path, home: Path, zed: Path) -> None:
    env = {"HOME": str(me), "LULL_HOME": str(home)}
    with at_a_terminal("connect", "zed", env=env) as terminal:
        assert "language_models" in terminal.answer("[y/N] ", "n")
        code, said = terminal.end()
    assert (code, zed.read_text()) == (0, SETTINGS) and "Nothing was changed" in said
    with at_a_terminal("connect", "zed", env=env) as terminal:
        terminal.answer("[y/N] ", "y")
        code, said = terminal.end()
    assert code == 0 and "Written" in said and "11435" in zed.read_text()


@pytest.fixture
def lull(tmp_path: Path, me: Path) -> Iterator[Lull]:
    with RunningLull.cleaned_up(tmp_path / "home") as lull:
        yield lull


@pytest.mark.full
def test_each_protocol_is_tried_by_a_real_request_through_lull(lull: Lull, me: Path) -> None:
    running = lull.serve()
    files = {
        "zed": ".config/zed/settings.json",
        "codex": ".codex/config.toml",
        "claude-code": ".claude/settings.json",
    }
    for name, file in files.items():
        answer = lull.ask("connect", name, "--yes", "--model", "pocket")
        assert answer["test"]["ok"] and answer["test"]["answer"], answer
        assert running.address in (me / file).read_text()
        assert lull.ask("connect", name, "--test")["test"]["ok"]
    # What Lull asked to test a connection is not among the user's conversations.
    assert lull.ask("conversations")["conversations"] == []
    ran = lull.run("connect", "codex", "--test", "--model", "nobody", "--json")
    assert ran.code == 1 and not json.loads(ran.out)["test"]["ok"]
    for name in files:
        assert lull.ask("connect", name, "--undo")["undone"]
    assert (me / files["zed"]).read_text() == SETTINGS and not (me / ".codex").exists()
