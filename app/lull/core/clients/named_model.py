"""Reads from a client program's configuration which model the program asks for through Lull's proxy
when it starts.

Each function takes a file's text and returns the model's name, or "" if the file names none, or one
that the program asks another server for.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable

from lull.core.clients.environment_edit import value_of_variable
from lull.core.clients.json_text import read_json
from lull.core.clients.target import ConnectTarget
from lull.core.clients.tree import Node, NodeKind, Reader, split_bom, unchangeable

NamedModel = Callable[[str, ConnectTarget, Reader], str]
"""Type of a function that reads the model's name: (text of the file, how Lull is reached, reader of
YAML) → name.

Raises ClientFileError if the text cannot be read.
"""

_OLLAMA_ROUTES = ("ollama_chat", "ollama")
"""What stands before the slash in aider's name of a model that it asks Ollama for."""
_AUTODETECT = "AUTODETECT"
"""What Continue has in place of a model's name where it uses all that Ollama lists."""


def aider_model(text: str, to: ConnectTarget, yaml: Reader) -> str:
    """Return the model that aider asks Lull for. Its names say the protocol, as in
    `ollama_chat/qwen3:8b`; with another protocol the request goes elsewhere.
    """
    root = yaml(split_bom(text)[1])
    route, _, name = _text(root, "model").partition("/")
    own = _text(root, "openai-api-base").rstrip("/") == to.openai
    return name if route in _OLLAMA_ROUTES or (route == "openai" and own) else ""


def continue_model(text: str, to: ConnectTarget, yaml: Reader) -> str:
    """Return the first model for chats in Continue's list that is asked through Lull."""
    root = yaml(split_bom(text)[1])
    listed = None if root is None else root.get("models")
    for model in () if listed is None else listed.items:
        roles = model.get("roles")
        chats = roles is None or "chat" in [one.text for one in roles.items]
        ours = _text(model, "apiBase").rstrip("/") == to.address
        name = _text(model, "model")
        if ours and chats and _text(model, "provider") == "ollama" and name != _AUTODETECT:
            return name
    return ""


def claude_code_model(text: str, to: ConnectTarget, yaml: Reader) -> str:
    """Return the model that Claude Code asks for. Its variable goes before its setting, and either
    may hold a short name, such as "opus", for which another variable names the model.
    """
    del to, yaml
    root = read_json(split_bom(text)[1])
    env = None if root is None else root.get("env")
    name = _text(env, "ANTHROPIC_MODEL") or _text(root, "model")
    return _text(env, f"ANTHROPIC_DEFAULT_{name.upper()}_MODEL") or name


def codex_model(text: str, to: ConnectTarget, yaml: Reader) -> str:
    """Return the model that Codex asks for: that of the profile it uses, else the file's."""
    del to, yaml
    try:
        conf = tomllib.loads(split_bom(text)[1].replace("\r\n", "\n"))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise unchangeable(f"It is not valid TOML: “{error}”.") from error
    profiles, used = conf.get("profiles"), conf.get("profile")
    profile = profiles.get(used) if isinstance(profiles, dict) else None
    name = (profile.get("model") if isinstance(profile, dict) else None) or conf.get("model")
    return name if isinstance(name, str) else ""


def zed_model(text: str, to: ConnectTarget, yaml: Reader) -> str:
    """Return the model that Zed's assistant asks Ollama for."""
    del to, yaml
    root = read_json(split_bom(text)[1])
    for part in ("agent", "assistant"):  # the second is what earlier versions called it
        model = _at(root, part, "default_model")
        if _text(model, "provider") == "ollama":
            return _text(model, "model")
    return ""


def openclaw_model(text: str, to: ConnectTarget, yaml: Reader) -> str:
    """Return the model that OpenClaw's agents ask Ollama for, if it is one of Ollama's."""
    del to, yaml
    model = _at(read_json(split_bom(text)[1]), "agents", "defaults", "model")
    one_alone = model is not None and model.kind is NodeKind.TEXT
    said = model.text if model is not None and one_alone else _text(model, "primary")
    provider, _, name = said.partition("/")
    return name if provider == "ollama" else ""


def open_webui_model(text: str, to: ConnectTarget, yaml: Reader) -> str:
    """Return the model that a new chat of Open WebUI begins with."""
    del to, yaml
    return value_of_variable(text, "DEFAULT_MODELS").split(",")[0].strip()


def _at(node: Node | None, *path: str) -> Node | None:
    for key in path:
        node = None if node is None else node.get(key)
    return node


def _text(node: Node | None, key: str) -> str:
    found = _at(node, key)
    return found.text if found is not None and found.kind is NodeKind.TEXT else ""
