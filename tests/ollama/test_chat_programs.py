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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.ollama.conftest import RealOllama
from tests.running import PATIENCE_S, Ran, RunningLull
from tests.service.lulls import SETTINGS

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
