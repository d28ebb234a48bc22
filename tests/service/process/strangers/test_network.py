"""Tests of listening beyond loopback: only if the user allows it, with a token and a warning."""

from __future__ import annotations

import json
import stat
import subprocess

import pytest

from lull.desktop.shared.diagnostics import bug_report
from tests.cli.terminal import CTRL_C, at_a_terminal
from tests.eventually import eventually
from tests.running import Lull, RunningLull
from tests.service.control.socket_client import ControlSocket
from tests.zygote import started

pytestmark = pytest.mark.slow

SETTINGS = '[service]\nbind = "0.0.0.0"\nallow_network = true\n[secrets]\nfile_fallback = {file}\n'


def serve(lull: Lull, *, file: bool) -> RunningLull:
    lull.home.mkdir(exist_ok=True)
    (lull.home / "settings.toml").write_text(SETTINGS.format(file=str(file).lower()))
    return lull.serve(env={"DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere"})


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def test_without_the_users_word_it_does_not_start(lull: Lull) -> None:
    lull.home.mkdir()
    (lull.home / "settings.toml").write_text('[service]\nbind = "0.0.0.0"\n')
    ran = lull.run("serve")
    assert ran.code == 1
    assert "settings.toml, line 2: " in ran.err and "allow_network" in ran.err


@pytest.mark.full
def test_every_request_needs_the_token(lull: Lull) -> None:
    running = serve(lull, file=False)
    assert running.address.startswith("http://127.0.0.1:")
    status = lull.ask("status")
    assert status["needs_token"] is True
    token = lull.ask("status", "--token")["token"]
    assert lull.run("status", "--token").out == f"{token}\n"
    assert len(token) >= 32
    for path in ("/api/version", "/api/tags", "/"):
        assert running.get(path).status == 403
        assert running.get(path, bearer("wrong")).status == 403
        assert running.get(path, bearer(token)).status == 200
    body = {"model": "pocket", "prompt": "list: apple", "stream": False}
    assert running.post("/api/generate", body).status == 403
    assert running.post("/api/generate", body, bearer(token)).status == 200
    elsewhere = {"Host": f"my-mac.local:{running.address.rsplit(':', 1)[1]}"}
    assert running.get("/api/version", {**elsewhere, **bearer(token)}).status == 200
    titles = {problem["title"] for problem in status["problems"]}
    assert titles == {"Other machines can reach Lull", "The keychain cannot be used"}
    # `lull ask` finds it by itself.
    assert lull.run("ask", "list: apple").code == 0

    # What is pasted into a report: status, doctor, settings, logs, and the window's diagnostics.
    checks, settings = lull.ask("doctor")["checks"], lull.ask("settings")["settings"]
    log = (lull.home / "logs" / "service.log").read_text().splitlines()
    given = bug_report(
        status=status, checks=checks, settings=settings, log=log, home=lull.home, user="anna"
    )
    words = [lull.run(*one).out for one in (("status",), ("doctor",), ("settings",), ("logs",))]
    snapshot = ControlSocket(lull.home).get("/v1/snapshot")
    for text in (given, *words, json.dumps([status, checks, settings, snapshot]), "\n".join(log)):
        assert text and token not in text
    assert "lull status --token" in words[0]


def test_the_token_is_kept(lull: Lull) -> None:
    serve(lull, file=True).stop()
    secrets = lull.home / "secrets.json"
    assert stat.S_IMODE(secrets.stat().st_mode) == 0o600
    serve(lull, file=True)
    status = lull.ask("status")
    assert lull.ask("status", "--token")["token"] in secrets.read_text()
    titles = {problem["title"] for problem in status["problems"]}
    assert titles == {"Other machines can reach Lull", "Secrets are stored in a file"}

    token = lull.ask("status", "--token")["token"]
    control = ControlSocket(lull.home)
    assert control.ask("POST", "/v1/token", {"do": "anything"}).status == 400
    assert token in secrets.read_text()
    assert control.ask("POST", "/v1/token", {"do": "forget"}).status == 200
    assert not secrets.exists() or token not in secrets.read_text()


@pytest.mark.full
def test_a_start_shows_the_token_on_a_terminal_and_nowhere_else(lull: Lull) -> None:
    """A service started at login writes to the system's journal, which others can read."""
    lull.home.mkdir()
    (lull.home / "settings.toml").write_text(SETTINGS.format(file="true"))
    env = lull.environment({"DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere"})
    words = ["serve", "--port", "0"]
    process = started(words, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    eventually((lull.home / "service.json").exists)
    token = eventually(lambda: lull.ask("status", "--token")["token"])
    assert lull.run("stop").code == 0
    said, _ = process.communicate()
    assert "Every request needs a token. `lull status --token` shows it." in said
    assert "Lull is running at" in said and token not in said
    with at_a_terminal(*words, env=env) as terminal:
        assert token in terminal.until("Ctrl-C stops it.")
        terminal.press(CTRL_C)
        assert terminal.end()[0] == 0


def test_loopback_has_no_token(lull: Lull) -> None:
    running = lull.serve()
    assert lull.ask("status")["needs_token"] is False
    assert lull.ask("status", "--token")["token"] is None
    assert "No request needs a token" in lull.run("status", "--token").out
    assert running.get("/api/version").status == 200
