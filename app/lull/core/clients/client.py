"""Lists the chat client programs that Lull can set up to use its proxy: where each one's
configuration lies and what is changed in it.

Each entry names the version whose configuration format it was written for and where that format was
read. Nothing here looks at the disk.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import PurePath
from typing import Final

from lull.core.clients import edits, named_model
from lull.core.clients.edits import Edit
from lull.core.clients.named_model import NamedModel
from lull.core.errors import NotFound


class ApiProtocol(Enum):
    """The API protocol in which a client program sends its chat requests: Ollama's, one of OpenAI's
    two or Anthropic's. The value is the protocol's URL path.
    """

    OLLAMA = "/api/chat"
    OPENAI = "/v1/chat/completions"
    RESPONSES = "/v1/responses"
    ANTHROPIC = "/v1/messages"


@dataclass(frozen=True, slots=True, kw_only=True)
class UserMachine:
    """The facts about a user's machine by which programs choose where they keep configuration
    files: home folder, platform and environment variables.
    """

    home: PurePath
    platform: str
    """A value of `sys.platform`."""
    environ: Mapping[str, str]

    def folder_from(self, variable: str, *usual: str) -> PurePath:
        """Return the folder that an environment variable names or, if it is not set, the given
        folder below the user's home folder.
        """
        said = self.environ.get(variable, "")
        folder = self.home / said if said else self.home.joinpath(*usual)
        return self.home / folder if not said.startswith("~/") else self.home / said[2:]

    @property
    def config(self) -> PurePath:
        """The user's folder of configuration files by the XDG rules, which most client programs
        keep to.
        """
        said = self.environ.get("XDG_CONFIG_HOME", "")
        return self.home / said if said.startswith("/") else self.home / ".config"


Places = Callable[[UserMachine], Sequence[PurePath]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatProgram:
    """A chat client program: where its configuration lies, and how Lull changes it so that the
    program uses Lull's proxy, or how the user can do so by hand.
    """

    name: str
    title: str
    tested: str
    """Version of the program whose configuration format was read or tried."""
    source: str
    """Where that configuration format is described."""
    programs: tuple[str, ...] = ()
    """Names of its executables, by which it is found."""
    places: Places = lambda _: ()
    """Its configuration files, the preferred first. The first that exists is changed; if none does,
    the first of all is made.
    """
    edit: Edit | None = None
    """Function that edits the configuration; None if it cannot be written from outside."""
    named_model: NamedModel | None = None
    """Function that reads from the configuration which model the program asks for; None if no file
    of it says so.
    """
    speech: ApiProtocol = ApiProtocol.OLLAMA
    needs_model: bool = False
    by_hand: str = ""
    """Instructions for the user if Lull cannot write the configuration; `{address}` stands for
    Lull's address.
    """
    note: str = ""
    """What the user should know once the configuration is written; "" for nothing."""
    traces: Places = lambda _: ()
    """Files and folders that only exist where the client is installed."""


def _aider(user: UserMachine) -> Sequence[PurePath]:
    return (user.home / ".aider.conf.yml",)


def _continue(user: UserMachine) -> Sequence[PurePath]:
    return (user.folder_from("CONTINUE_GLOBAL_DIR", ".continue") / "config.yaml",)


def _claude(user: UserMachine) -> Sequence[PurePath]:
    return (user.folder_from("CLAUDE_CONFIG_DIR", ".claude") / "settings.json",)


def _codex(user: UserMachine) -> Sequence[PurePath]:
    return (user.folder_from("CODEX_HOME", ".codex") / "config.toml",)


def _zed(user: UserMachine) -> Sequence[PurePath]:
    if user.platform == "win32":
        return (user.folder_from("APPDATA", "AppData", "Roaming") / "Zed" / "settings.json",)
    if user.platform == "darwin":
        return (user.home / ".config" / "zed" / "settings.json",)
    return (user.config / "zed" / "settings.json",)


def _openclaw(user: UserMachine) -> Sequence[PurePath]:
    said = user.environ.get("OPENCLAW_CONFIG_PATH", "")
    if said:
        return (user.home / said,)
    return (user.folder_from("OPENCLAW_STATE_DIR", ".openclaw") / "openclaw.json",)


def _shell(user: UserMachine) -> Sequence[PurePath]:
    match PurePath(user.environ.get("SHELL", "")).name:
        case "zsh":
            return (user.folder_from("ZDOTDIR") / ".zshrc",)
        case "bash" if user.platform == "darwin":
            return (user.home / ".bash_profile",)
        case "bash":
            return (user.home / ".bashrc",)
        case _:
            return (user.home / ".profile",)


def _fish(user: UserMachine) -> Sequence[PurePath]:
    return (user.config / "fish" / "config.fish",)


def _editors(user: UserMachine) -> Sequence[PurePath]:
    """The folders of VS Code and its relatives, in which extensions keep their state."""
    if user.platform == "darwin":
        base = user.home / "Library" / "Application Support"
    elif user.platform == "win32":
        base = user.folder_from("APPDATA", "AppData", "Roaming")
    else:
        base = user.config
    return [
        base / editor / "User" / "globalStorage" / extension
        for editor in ("Code", "VSCodium", "Cursor", "Windsurf")
        for extension in ("saoudrizwan.claude-dev", "rooveterinaryinc.roo-cline")
    ] + [user.home / ".cline"]


_VSCODE: Final = (
    "They keep their settings in the editor's own database and key store, which must not be"
    " changed while the editor runs. In the panel of Cline or Roo: Settings, API Provider"
    ' "Ollama", tick "Use custom base URL", enter {address}, choose a model.'
)
_WEBUI: Final = (
    "After its first start, it keeps its settings in a database that only its own pages can"
    " change: under Admin Panel, Settings, Connections, Ollama API, set the address to {address}."
    " A new installation reads the address from the environment instead:"
    " OLLAMA_BASE_URL={address} open-webui serve, or `lull connect open-webui --file PATH/.env`"
    " for the .env file of a checkout or of Docker Compose. In a container it needs"
    " --network=host, because Lull only listens on this machine."
)

CLIENTS: Final = (
    ChatProgram(
        name="aider",
        title="aider",
        tested="0.86.2",
        source="Aider-AI/aider: aider/args.py, aider/main.py (set-env)",
        programs=("aider",),
        places=_aider,
        edit=edits.edit_aider,
        named_model=named_model.aider_model,
        note="Ask for a model as ollama_chat/NAME. In a terminal: aider --model ollama_chat/NAME.",
    ),
    ChatProgram(
        name="continue",
        title="Continue",
        tested="its CLI 1.5.47, config.yaml schema v1",
        source="continuedev/continue: docs, config.yaml reference and Ollama provider",
        programs=("cn",),
        places=_continue,
        edit=edits.edit_continue,
        named_model=named_model.continue_model,
        note="In it, all Ollama models on this machine are used through Lull.",
    ),
    ChatProgram(
        name="claude-code",
        title="Claude Code",
        tested="2.1.197",
        source="code.claude.com/docs: settings, env-vars",
        programs=("claude",),
        places=_claude,
        edit=edits.edit_claude_code,
        named_model=named_model.claude_code_model,
        speech=ApiProtocol.ANTHROPIC,
        needs_model=True,
        note="From now on it uses your own model instead of Anthropic's, in every folder, until "
        "you undo this. It needs a model that can use tools, with a context window of "
        "32,000 tokens or more.",
    ),
    ChatProgram(
        name="codex",
        title="Codex CLI",
        tested="0.171.0",
        source="developers.openai.com/codex: config-reference, config-advanced",
        programs=("codex",),
        places=_codex,
        edit=edits.edit_codex,
        named_model=named_model.codex_model,
        speech=ApiProtocol.RESPONSES,
        needs_model=True,
        note="From now on it uses your own model instead of OpenAI's, until you undo this. It "
        "needs Ollama 0.13 or newer (for /v1/responses).",
    ),
    ChatProgram(
        name="zed",
        title="Zed",
        tested="1.x settings.json",
        source="zed-industries/zed: docs/src/ai/use-a-local-model.md",
        programs=("zed", "zeditor"),
        places=_zed,
        edit=edits.edit_zed,
        named_model=named_model.zed_model,
        note="Choose a model below Ollama in its list of models.",
    ),
    ChatProgram(
        name="open-webui",
        title="Open WebUI",
        tested="0.12.4",
        source="open-webui/open-webui: backend/open_webui/env.py, config.py (PersistentConfig)",
        programs=("open-webui",),
        edit=edits.edit_open_webui,
        named_model=named_model.open_webui_model,
        by_hand=_WEBUI,
        note="It reads this only at its first start, or with ENABLE_PERSISTENT_CONFIG=False.",
    ),
    ChatProgram(
        name="cline",
        title="Cline and Roo Code",
        tested="Cline 3, Roo Code 3",
        source="cline/cline pull request 9227; microsoft/vscode issue 103127",
        traces=_editors,
        programs=("cline",),
        by_hand=_VSCODE,
    ),
    ChatProgram(
        name="environment",
        title="LangChain, the OpenAI and Ollama libraries, scripts",
        tested="ollama 0.6, openai 3, langchain-ollama 1",
        source="ollama-python: _client.py; openai-python: _client.py",
        places=_shell,
        edit=edits.edit_shell,
        note="It applies to terminals that you open from now on. Programs there that use "
        "OpenAI by default will use Lull, too. Start `ollama serve` there with "
        "OLLAMA_HOST=127.0.0.1:11434, or it takes Lull's port.",
    ),
    ChatProgram(
        name="openclaw",
        title="OpenClaw",
        tested="2026.6",
        source="docs.openclaw.ai: providers/ollama/configuration",
        programs=("openclaw",),
        places=_openclaw,
        edit=edits.edit_openclaw,
        named_model=named_model.openclaw_model,
        note="Choose a model as ollama/NAME. Restart its gateway.",
    ),
)
ALIASES: Final = {"langchain": "environment", "shell": "environment", "roo": "cline"}


def client_named(name: str, user: UserMachine) -> ChatProgram:
    """Return the description of the chat client program with this name: where its configuration
    lies and how it is edited, for this user's shell and platform. Raises NotFound.
    """
    wanted = ALIASES.get(name, name)
    for client in clients_of(user):
        if client.name == wanted:
            return client
    known = ", ".join(client.name for client in CLIENTS)
    raise NotFound(f"There is no client called {name[:80]!r}.", hint=f"These are known: {known}.")


def clients_of(user: UserMachine) -> Sequence[ChatProgram]:
    """Return the descriptions of all chat client programs that Lull can set up: where their
    configuration lies and how it is edited, for this user's shell and platform.
    """
    return [_for_user(client, user) for client in CLIENTS]


def _for_user(client: ChatProgram, user: UserMachine) -> ChatProgram:
    from dataclasses import replace

    if client.name != "environment":
        return client
    if user.platform == "win32":
        by_hand = "setx OLLAMA_HOST {address} and setx OPENAI_BASE_URL {address}/v1"
        return replace(client, edit=None, places=lambda _: (), by_hand=by_hand)
    if PurePath(user.environ.get("SHELL", "")).name == "fish":
        return replace(client, places=_fish, edit=edits.edit_fish)
    return client
