"""Tests of `lull connect` with the real programs, where they are on the PATH: connected, asked
something, found changed, and undone.

They answer from a real Ollama behind Lull. Nothing of the user's own files is read: each program
has a home folder of the test's own.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.eventually import eventually
from tests.ollama.conftest import RealOllama
from tests.running import PATIENCE_S, Ran, RunningLull, free_port, kill_with_children
from tests.service.lulls import SETTINGS
from tests.service.wire import Reply, ask

pytestmark = pytest.mark.soak

MODEL = "pocket-tools"
SAID = "write a list for apple river stone"
QUIET = {
    "DISABLE_TELEMETRY": "1",
    "DISABLE_AUTOUPDATER": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "CONTINUE_TELEMETRY_ENABLED": "0",
    "AIDER_ANALYTICS": "false",
    "AIDER_CHECK_UPDATE": "false",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
}
"""Variables under which the programs ask nobody on the Internet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A chat program, how it is asked one thing, and what its user had written before."""

    client: str
    command: Sequence[str]
    file: str
    """Its configuration file, below the home folder."""
    before: str
    speaks: str
    """The path at which its request is expected."""


PROGRAMS = (
    Program(
        client="aider",
        command=(
            *("aider", "--model", f"ollama_chat/{MODEL}", "--no-git", "--no-stream"),
            *("--yes-always", "--no-show-model-warnings", "--message", SAID),
        ),
        file=".aider.conf.yml",
        before="# mine\ndark-mode: true\n",
        speaks="/api/chat",
    ),
    Program(
        client="continue",
        command=("cn", "-p", SAID),
        file=".continue/config.yaml",
        before="name: Mine   # at home\nversion: 1.0.0\nschema: v1\n",
        speaks="/api/chat",
    ),
    Program(
        client="claude-code",
        command=("claude", "-p", SAID),
        file=".claude/settings.json",
        before='{\n  "includeCoAuthoredBy": false\n}\n',
        speaks="/v1/messages",
    ),
    Program(
        client="codex",
        command=("codex", "exec", "--skip-git-repo-check", SAID),
        file=".codex/config.toml",
        before='# mine\nhide_agent_reasoning = true\n\n[history]\npersistence = "none"\n',
        speaks="/v1/responses",
    ),
)


@pytest.fixture(params=PROGRAMS, ids=[one.client for one in PROGRAMS])
def program(request: pytest.FixtureRequest) -> Program:
    found: Program = request.param
    if shutil.which(found.command[0]) is None:
        pytest.skip(f"needs the chat program {found.command[0]} on the PATH")
    return found


@dataclass(frozen=True, slots=True)
class User:
    """A user with a home folder, and with the programs that this machine has."""

    home: Path
    lull: Callable[..., Ran]

    @property
    def environment(self) -> Mapping[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        return {**kept, **QUIET, "HOME": str(self.home), "SHELL": "/bin/sh"}

    def connect(self, *words: str) -> dict[str, Any]:
        ran = self.lull("connect", *words, "--json", env=self.environment)
        assert ran.code == 0, ran
        said: dict[str, Any] = json.loads(ran.out)
        return said

    def run(self, command: Sequence[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            env=dict(self.environment),
            cwd=self.home,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )


def test_a_real_program_gets_its_answer_through_lull_and_its_file_back(
    program: Program, ollama: RealOllama, tmp_path: Path
) -> None:
    home, mine = tmp_path / "home", tmp_path / "me"
    home.mkdir()
    (home / "settings.toml").write_text(SETTINGS)
    file = mine / program.file
    file.parent.mkdir(parents=True)
    file.write_text(program.before)
    with RunningLull.cleaned_up(home, upstream=ollama.address) as lull:
        lull.serve()
        user = User(mine, lull.run)

        done = user.connect(program.client, "--yes", "--model", MODEL)
        assert done["written"] and done["test"]["ok"] and done["test"]["route"] == program.speaks
        ran = user.run(program.command)
        turns = [
            turn
            for one in lull.ask("conversations")["conversations"]
            if one["client"] != "lull-connect"
            for turn in lull.ask("show", one["id"])["turns"]
        ]
        assert turns and any(SAID in turn["request"] for turn in turns), (ran, turns)
        answers = [turn["answer"].strip() for turn in turns if SAID in turn["request"]]
        assert ran.returncode == 0 and answers[0] and answers[0] in ran.stdout, (ran, answers)

        written = file.read_text()
        file.write_text(written.replace("127.0.0.1", "127.0.0.2"))
        (view,) = (one for one in user.connect("list")["clients"] if one["name"] == program.client)
        assert view["drifted"] and not view["connected"]
        file.write_text(written)
        user.connect(program.client, "--undo")
        assert file.read_text() == program.before


@dataclass(frozen=True, slots=True)
class WebUi:
    """A running Open WebUI, which needs no password."""

    address: str

    def answers(self) -> bool:
        try:
            return self.ask("GET", "/health").status == 200
        except OSError:
            return False

    def ask(self, method: str, path: str, body: object = None, token: str = "") -> Reply:
        headers = [("Content-Type", "application/json")]
        return ask(
            self.address,
            method,
            path,
            body,
            [*headers, ("Authorization", f"Bearer {token}")] if token else headers,
        )


@contextmanager
def open_webui(home: Path, variables: Mapping[str, str]) -> Iterator[WebUi]:
    """Run Open WebUI with these variables, as Docker Compose gives it those of its `.env` file."""
    port = free_port()
    quiet = {
        "DATA_DIR": str(home / "data"),
        "WEBUI_AUTH": "False",
        "ENABLE_OPENAI_API": "False",
        "OFFLINE_MODE": "true",
        "HF_HUB_OFFLINE": "1",
        "SCARF_NO_ANALYTICS": "true",
        "DO_NOT_TRACK": "true",
        "ANONYMIZED_TELEMETRY": "false",
    }
    process = subprocess.Popen(
        ["open-webui", "serve", "--host", "127.0.0.1", "--port", str(port)],
        env={"PATH": os.environ["PATH"], "HOME": str(home), **quiet, **variables},
        cwd=home,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        served = WebUi(f"http://127.0.0.1:{port}")
        eventually(served.answers)
        yield served
    finally:
        kill_with_children(process.pid)
        process.wait(PATIENCE_S)


def test_open_webui_answers_through_lull_and_gets_its_env_file_back(
    ollama: RealOllama, tmp_path: Path
) -> None:
    if shutil.which("open-webui") is None:
        pytest.skip("needs the chat program open-webui on the PATH")
    home, mine = tmp_path / "home", tmp_path / "me"
    for folder in (home, mine):
        folder.mkdir()
    (home / "settings.toml").write_text(SETTINGS)
    file = mine / ".env"
    before = "# mine\nWEBUI_NAME=Ours\nOLLAMA_BASE_URL='http://localhost:11434'\n"
    file.write_text(before)
    with RunningLull.cleaned_up(home, upstream=ollama.address) as lull:
        running = lull.serve()
        user = User(mine, lull.run)
        done = user.connect("open-webui", "--file", str(file), "--yes", "--model", MODEL)
        assert done["written"] and done["test"]["ok"]
        pairs = (line.split("=", 1) for line in file.read_text().splitlines() if "=" in line)
        variables = {name: value.strip("'\"") for name, value in pairs}
        assert variables == {"WEBUI_NAME": "Ours", "OLLAMA_BASE_URL": running.address}
        with open_webui(mine, variables) as web:
            token = web.ask("POST", "/api/v1/auths/signin", {"email": "", "password": ""}).json[
                "token"
            ]
            names = [one["id"] for one in web.ask("GET", "/api/models", token=token).json["data"]]
            assert f"{MODEL}:latest" in names
            asked = {
                "model": f"{MODEL}:latest",
                "messages": [{"role": "user", "content": SAID}],
                "stream": False,
            }
            answer = web.ask("POST", "/api/chat/completions", asked, token)
            assert answer.status == 200, answer
            said = answer.json["choices"][0]["message"]["content"].strip()
        others = [
            one
            for one in lull.ask("conversations")["conversations"]
            if one["client"] != "lull-connect"
        ]
        turns = [turn for one in others for turn in lull.ask("show", one["id"])["turns"]]
        assert [turn["answer"].strip() for turn in turns if SAID in turn["request"]] == [said]
        user.connect("open-webui", "--file", str(file), "--undo")
        assert file.read_text() == before
