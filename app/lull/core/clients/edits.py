"""Edits the configuration of each client program so that it uses Lull's proxy. Each edit is a
function from a file's text to its new text.

Repeating an edit changes nothing. So to find out whether a client is still connected, Lull makes
the edit again: if nothing changes, it is.
"""

from __future__ import annotations

from collections.abc import Callable

from lull.core.clients.environment_edit import with_block, with_variable
from lull.core.clients.json_edit import node_at, set_in_json
from lull.core.clients.target import ConnectTarget
from lull.core.clients.toml_edit import set_in_toml
from lull.core.clients.tree import Node, NodeKind, Reader
from lull.core.clients.yaml_edit import YamlText

Edit = Callable[[str, ConnectTarget, Reader], str]
"""Type of a function that edits a configuration: (text of the file, what to write, reader of YAML)
→ new text.

The model is written only if one is given. Raises ClientFileError if the text cannot be changed
safely.
"""

_AIDER_VARIABLE = "OLLAMA_API_BASE"
_WRITTEN_BY = "# Written by `lull connect environment`, which removes it with --undo."
ANY_KEY = "lull"
"""API key that is written where a client program insists on one; nobody checks it."""


def edit_aider(text: str, to: ConnectTarget, yaml: Reader) -> str:
    """Make the coding assistant aider use Lull's proxy, by `set-env` in its YAML file: the library
    that aider uses takes Ollama's address from the variable OLLAMA_API_BASE.
    """
    conf = YamlText(text, yaml)
    base = None if conf.root is None else conf.root.get("openai-api-base")
    if base is not None and to.replaces(base.text):
        conf.put([], "openai-api-base", to.openai)
    listed = None if conf.root is None else conf.root.get("set-env")
    wanted = f"{_AIDER_VARIABLE}={to.address}"
    places: list[tuple[list[str | int], Node]] = []
    if listed is not None:  # one value may stand without a list
        one_alone = listed.kind is NodeKind.TEXT
        places = [(["set-env", i], one) for i, one in enumerate(listed.items)]
        places = [(["set-env"], listed)] if one_alone else places
    there = [one for one in places if one[1].text.split("=")[0].strip() == _AIDER_VARIABLE]
    if not there:
        conf.append("set-env", wanted)
    elif there[-1][1].text != wanted:  # of several the last one counts
        conf.replace(there[-1][1], there[-1][0], wanted)
    return str(conf)


def edit_continue(text: str, to: ConnectTarget, yaml: Reader) -> str:
    """Set Lull's address in every local Ollama model in the YAML file of the coding assistant
    Continue; if there is none, add a model.
    """
    conf = YamlText(text, yaml)
    if conf.root is None or not conf.root.entries:
        for key, value in (("name", "Local Config"), ("version", "1.0.0"), ("schema", "v1")):
            conf.put([], key, value)
    listed = None if conf.root is None else conf.root.get("models")
    number = 0 if listed is None else len(listed.items)
    ours: list[int] = []
    elsewhere: list[int] = []
    for i in range(number):
        model = _item(conf, "models", i)
        if _text(model, "provider") != "ollama":
            continue
        base = _text(model, "apiBase")
        if base.rstrip("/") == to.address:
            ours.append(i)
        elif not base or to.replaces(base):  # else an Ollama of another machine
            elsewhere.append(i)
    if elsewhere:
        conf.put_each("models", elsewhere, "apiBase", to.address)
    elif not ours:
        added = {"name": "Lull", "provider": "ollama", "model": to.model or "AUTODETECT"}
        conf.append("models", {**added, "apiBase": to.address})
    return str(conf)


def edit_claude_code(text: str, to: ConnectTarget, yaml: Reader) -> str:
    """Make Claude Code use Lull, by variables under `env` in its settings. Claude Code itself
    appends /v1/messages to the address.
    """
    del yaml
    variables = {"ANTHROPIC_BASE_URL": to.address, "ANTHROPIC_AUTH_TOKEN": ANY_KEY}
    if to.model:
        # The second is for its small background tasks, which ask for a model of its own otherwise.
        variables |= {"ANTHROPIC_MODEL": to.model, "ANTHROPIC_DEFAULT_HAIKU_MODEL": to.model}
    for name, value in variables.items():
        text = set_in_json(text, ["env", name], value)
    return text


def edit_codex(text: str, to: ConnectTarget, yaml: Reader) -> str:
    """Add Lull as a model provider to Codex's TOML file. Codex speaks only /v1/responses, and
    reserves the provider names openai and ollama.
    """
    del yaml
    if to.model:
        text = set_in_toml(text, ["model"], to.model)
    for path, value in (
        (["model_provider"], "lull"),
        (["model_providers", "lull", "name"], "Lull"),
        (["model_providers", "lull", "base_url"], to.openai),
        (["model_providers", "lull", "wire_api"], "responses"),
    ):
        text = set_in_toml(text, path, value)
    return text


def edit_zed(text: str, to: ConnectTarget, yaml: Reader) -> str:
    """Make the Ollama provider in Zed's settings use Lull's address; Zed then finds the models by
    itself.
    """
    del yaml
    return set_in_json(text, ["language_models", "ollama", "api_url"], to.address)


def edit_openclaw(text: str, to: ConnectTarget, yaml: Reader) -> str:
    """Make the Ollama provider in OpenClaw's configuration use Lull's address; with an empty list
    of models, OpenClaw finds them by itself.
    """
    del yaml
    path = ["models", "providers", "ollama"]
    if node_at(text, path) is None:
        added = {"baseUrl": to.address, "apiKey": ANY_KEY, "api": "ollama", "models": []}
        return set_in_json(text, path, added)
    return set_in_json(text, [*path, "baseUrl"], to.address)


def edit_open_webui(text: str, to: ConnectTarget, yaml: Reader) -> str:
    """Return the environment file of Open WebUI with Lull's address as Ollama's."""
    del yaml
    return with_variable(text, "OLLAMA_BASE_URL", to.address)


def edit_shell(text: str, to: ConnectTarget, yaml: Reader) -> str:
    """Set the variables that make Ollama and OpenAI clients use Lull, in the start-up file of sh,
    bash or zsh.
    """
    del yaml
    return with_block(
        text,
        [
            _WRITTEN_BY,
            f'export OLLAMA_HOST="{to.address}"',
            f'export OPENAI_BASE_URL="{to.openai}"',
            f'export OPENAI_API_KEY="${{OPENAI_API_KEY:-{ANY_KEY}}}"',
        ],
    )


def edit_fish(text: str, to: ConnectTarget, yaml: Reader) -> str:
    """Return the start-up file of the shell fish with Lull's address as Ollama's and OpenAI's."""
    del yaml
    return with_block(
        text,
        [
            _WRITTEN_BY,
            f'set -gx OLLAMA_HOST "{to.address}"',
            f'set -gx OPENAI_BASE_URL "{to.openai}"',
            f"set -q OPENAI_API_KEY; or set -gx OPENAI_API_KEY {ANY_KEY}",
        ],
    )


def _item(conf: YamlText, key: str, number: int) -> Node | None:
    listed = None if conf.root is None else conf.root.get(key)
    return None if listed is None else listed.items[number]


def _text(node: Node | None, key: str) -> str:
    found = None if node is None else node.get(key)
    return found.text if found is not None and found.kind is NodeKind.TEXT else ""
