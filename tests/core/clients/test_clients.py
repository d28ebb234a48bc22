"""Tests of the table of clients: where their files lie, and what Lull writes into each."""

from __future__ import annotations

import json
import tomllib
from pathlib import PurePosixPath

import pytest
import yaml

from lull.backends.clients.yaml_tree import read_yaml
from lull.core.clients.client import CLIENTS, UserMachine, client_named, clients_of
from lull.core.clients.target import ConnectTarget, is_local_ollama
from lull.core.errors import NotFound

TO = ConnectTarget(address="http://127.0.0.1:11435", model="qwen3")


def user(platform: str = "linux", **environ: str) -> UserMachine:
    return UserMachine(home=PurePosixPath("/home/me"), platform=platform, environ=environ)


def place(name: str, user: UserMachine) -> str:
    return str(client_named(name, user).places(user)[0])


@pytest.mark.parametrize(
    ("name", "where", "path"),
    [
        ("aider", user(), "/home/me/.aider.conf.yml"),
        ("continue", user(), "/home/me/.continue/config.yaml"),
        ("continue", user(CONTINUE_GLOBAL_DIR="/c"), "/c/config.yaml"),
        ("claude-code", user("darwin"), "/home/me/.claude/settings.json"),
        ("claude-code", user(CLAUDE_CONFIG_DIR="~/cc"), "/home/me/cc/settings.json"),
        ("codex", user(CODEX_HOME="/x"), "/x/config.toml"),
        ("zed", user(), "/home/me/.config/zed/settings.json"),
        ("zed", user(XDG_CONFIG_HOME="/xdg"), "/xdg/zed/settings.json"),
        ("zed", user(XDG_CONFIG_HOME="relative"), "/home/me/.config/zed/settings.json"),
        ("zed", user("darwin", XDG_CONFIG_HOME="/xdg"), "/home/me/.config/zed/settings.json"),
        ("openclaw", user(), "/home/me/.openclaw/openclaw.json"),
        ("openclaw", user(OPENCLAW_CONFIG_PATH="/o.json"), "/o.json"),
        ("langchain", user(SHELL="/bin/zsh"), "/home/me/.zshrc"),
        ("environment", user(SHELL="/bin/bash"), "/home/me/.bashrc"),
        ("environment", user("darwin", SHELL="/bin/bash"), "/home/me/.bash_profile"),
        ("environment", user(SHELL="/usr/bin/fish"), "/home/me/.config/fish/config.fish"),
        ("environment", user(), "/home/me/.profile"),
    ],
)
def test_files_lie_where_the_client_looks_for_them(
    name: str, where: UserMachine, path: str
) -> None:
    assert place(name, where) == path


def test_an_unknown_client_is_told_with_the_known_ones() -> None:
    with pytest.raises(NotFound, match="aider, continue"):
        client_named("frobnicate", user())


def test_what_cannot_be_written_says_how_it_is_done_by_hand() -> None:
    for where in (user(), user("darwin"), user("win32")):
        for client in clients_of(where):
            assert client.by_hand or (client.edit and client.places(where))
            assert client.tested and client.source
            assert "127.0.0.1:1" in client.by_hand.format(address=TO.address) or not client.by_hand


@pytest.mark.parametrize("client", [c for c in CLIENTS if c.edit], ids=lambda c: c.name)
@pytest.mark.parametrize("text", ["", "\n"])
def test_an_edit_that_was_made_changes_nothing_the_second_time(client, text: str) -> None:  # type: ignore[no-untyped-def]
    new = client.edit(text, TO, read_yaml)
    assert new != text and TO.address in new
    assert client.edit(new, TO, read_yaml) == new
    moved = ConnectTarget(address="http://127.0.0.1:5", earlier=(TO.address,))
    again = client.edit(new, moved, read_yaml)
    assert TO.address not in again and "127.0.0.1:5" in again


def test_what_each_client_reads_from_a_new_file() -> None:
    def written(name: str) -> str:
        edit = client_named(name, user()).edit
        assert edit is not None
        return edit("", TO, read_yaml)

    assert yaml.safe_load(written("aider")) == {"set-env": [f"OLLAMA_API_BASE={TO.address}"]}
    assert yaml.safe_load(written("continue"))["models"] == [
        {"name": "Lull", "provider": "ollama", "model": "qwen3", "apiBase": TO.address}
    ]
    assert json.loads(written("claude-code"))["env"] == {
        "ANTHROPIC_BASE_URL": TO.address,
        "ANTHROPIC_AUTH_TOKEN": "lull",
        "ANTHROPIC_MODEL": "qwen3",
        "ANTHROPIC_DEFAULT_HAIKU_MODEL": "qwen3",
    }
    assert tomllib.loads(written("codex")) == {
        "model": "qwen3",
        "model_provider": "lull",
        "model_providers": {
            "lull": {"name": "Lull", "base_url": f"{TO.address}/v1", "wire_api": "responses"}
        },
    }
    assert json.loads(written("zed")) == {"language_models": {"ollama": {"api_url": TO.address}}}
    assert json.loads(written("openclaw"))["models"]["providers"]["ollama"] == {
        "baseUrl": TO.address,
        "apiKey": "lull",
        "api": "ollama",
        "models": [],
    }
    assert written("open-webui") == f"OLLAMA_BASE_URL={TO.address}\n"


OPENCLAW = """\
{
  // OpenClaw of mine
  agents: { defaults: { model: { primary: "ollama/qwen3" } } },
  models: {
    providers: {
      ollama: {
        baseUrl: 'http://127.0.0.1:11434', // No /v1
        apiKey: "ollama-local",
        api: "ollama",
        models: [{ id: "qwen3", params: { keep_alive: "15m" } }],
      },
    },
  },
}
"""


def test_a_real_file_of_openclaw_keeps_its_json5() -> None:
    edit = client_named("openclaw", user()).edit
    assert edit is not None
    changed = OPENCLAW.replace("'http://127.0.0.1:11434'", f'"{TO.address}"')
    assert edit(OPENCLAW, TO, read_yaml) == changed


@pytest.mark.parametrize(
    ("address", "local"),
    [
        ("http://localhost:11434", True),
        ("http://127.0.0.1:11434/v1", True),
        ("127.0.0.1:11434", True),
        ("http://[::1]:11434", True),
        ("http://gpu.local:11434", False),
        ("http://localhost:8080", False),
        ("http://localhost:x", False),
        ("", False),
        ("http://[", False),
    ],
)
def test_only_an_ollama_of_this_machine_is_replaced(address: str, local: bool) -> None:
    assert is_local_ollama(address) is local
