"""Tests of reading from a client's configuration which model it asks Lull for."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest

from lull.backends.clients.yaml_tree import read_yaml
from lull.core.clients.client import CLIENTS, UserMachine, client_named
from lull.core.clients.target import ConnectTarget
from lull.core.errors import ClientFileError

TO = ConnectTarget(address="http://127.0.0.1:11435")
ME = UserMachine(home=PurePosixPath("/home/me"), platform="linux", environ={})

NAMED = [
    ("aider", "model: ollama_chat/qwen3:8b\n", "qwen3:8b"),
    ("aider", "model: ollama/hf.co/me/my:Q4\n", "hf.co/me/my:Q4"),
    ("aider", "model: sonnet\n", ""),
    ("aider", "model: openai/gpt-5\n", ""),
    ("aider", f"openai-api-base: {TO.openai}\nmodel: openai/qwen3\n", "qwen3"),
    ("aider", "", ""),
    (
        "continue",
        "models:\n"
        "  - {provider: anthropic, model: claude}\n"
        f"  - {{provider: ollama, model: embed, apiBase: '{TO.address}', roles: [embed]}}\n"
        f"  - {{provider: ollama, model: phi4, apiBase: '{TO.address}/', roles: [chat]}}\n",
        "phi4",
    ),
    (
        "continue",
        f"models:\n  - {{provider: ollama, model: AUTODETECT, apiBase: '{TO.address}'}}\n",
        "",
    ),
    ("continue", "models:\n  - {provider: ollama, model: phi4, apiBase: 'http://gpu:11434'}\n", ""),
    ("claude-code", '{"env": {"ANTHROPIC_MODEL": "qwen3"}, "model": "opus"}', "qwen3"),
    ("claude-code", '{"model": "qwen3:30b"}', "qwen3:30b"),
    (
        "claude-code",
        '{"env": {"ANTHROPIC_DEFAULT_HAIKU_MODEL": "tiny"}, "model": "haiku"}',
        "tiny",
    ),
    ("claude-code", "{}", ""),
    ("codex", 'model = "gpt-oss:20b"\nmodel_provider = "lull"\n', "gpt-oss:20b"),
    ("codex", 'model = "a"\nprofile = "work"\n[profiles.work]\nmodel = "b"\n', "b"),
    ("codex", 'profile = "gone"\nmodel = "a"\n', "a"),
    ("codex", "", ""),
    (
        "zed",
        '// mine\n{"agent": {"default_model": {"provider": "ollama", "model": "qwen3"}}}',
        "qwen3",
    ),
    ("zed", '{"agent": {"default_model": {"provider": "zed.dev", "model": "claude"}}}', ""),
    ("zed", '{"assistant": {"default_model": {"provider": "ollama", "model": "old"}}}', "old"),
    ("zed", "", ""),
    ("openclaw", "{agents: {defaults: {model: {primary: 'ollama/qwen3:8b'}}}}", "qwen3:8b"),
    ("openclaw", '{"agents": {"defaults": {"model": "ollama/phi4"}}}', "phi4"),
    ("openclaw", '{"agents": {"defaults": {"model": "anthropic/claude"}}}', ""),
    ("open-webui", 'PORT=1\nDEFAULT_MODELS="qwen3:8b,phi4"\n', "qwen3:8b"),
    ("open-webui", "PORT=1\n", ""),
]


def test_the_model_is_the_one_that_the_client_would_ask_for_through_lull(
    subtests: pytest.Subtests,
) -> None:
    for name, text, model in NAMED:
        with subtests.test(client=name, text=text):
            read = client_named(name, ME).named_model
            assert read is not None and read(text, TO, read_yaml) == model


def test_what_lull_writes_with_a_model_names_it() -> None:
    to = ConnectTarget(address=TO.address, model="qwen3")
    for client in CLIENTS:
        if client.needs_model:
            assert client.edit is not None and client.named_model is not None
            text = client.edit("", to, read_yaml)
            assert client.named_model(text, to, read_yaml) == "qwen3", client.name


@pytest.mark.parametrize(("name", "text"), [("codex", "model = "), ("zed", "{"), ("aider", "a: [")])
def test_what_cannot_be_read_is_an_error(name: str, text: str) -> None:
    read = client_named(name, ME).named_model
    assert read is not None
    with pytest.raises(ClientFileError):
        read(text, TO, read_yaml)
