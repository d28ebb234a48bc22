"""The words of the command line: subcommands, options and their help, nothing else."""

from __future__ import annotations

import argparse
from typing import Any, NoReturn, Protocol

from lull import __version__
from lull.core.errors import UsageError

HELP = """Your local language model gets better in the lulls of your day.

Point a chat client at http://127.0.0.1:11435 instead of Ollama's port and carry on as before."""


class Parser(argparse.ArgumentParser):
    """Wrong usage becomes one line, not a page."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}.", hint=f"`{self.prog} --help` tells more.")


def build() -> Parser:
    parser = Parser(prog="lull", description=HELP, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--version", action="version", version=f"lull {__version__}")
    _common(parser, top=True)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=Parser)
    _service_commands(commands)
    _conversation_commands(commands)
    _skill_commands(commands)
    _settings_commands(commands)
    return parser


def _common(parser: argparse.ArgumentParser, *, top: bool = False) -> None:
    """Options that may stand before or behind the subcommand."""
    home, as_json = (None, False) if top else (argparse.SUPPRESS, argparse.SUPPRESS)
    parser.add_argument(
        "--home", metavar="DIR", default=home, help="where every file lies (LULL_HOME)"
    )
    parser.add_argument(
        "--json", action="store_true", default=as_json, help="one JSON document on stdout"
    )


class Commands(Protocol):
    """What argparse's add_subparsers gives, as far as it is used here."""

    choices: Any

    def add_parser(self, name: str, *, help: str, description: str) -> Any: ...  # noqa: A002


def _command(commands: Commands, name: str, text: str) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=text, description=text)
    assert isinstance(parser, argparse.ArgumentParser)
    _common(parser)
    return parser


def _service_commands(commands: Commands) -> None:
    serve = _command(commands, "serve", "run the service in the foreground")
    serve.add_argument("--port", type=_port, metavar="N", help="0 takes any free port")
    _command(commands, "status", "what is running, and with what")
    _command(commands, "stop", "stop the service")
    _command(commands, "open", "open the dashboard")
    logs = _command(commands, "logs", "what the service did")
    logs.add_argument("--follow", "-f", action="store_true", help="go on as it is written")
    logs.add_argument("--lines", "-n", type=_count, default=50, metavar="N", help="how many")
    _command(commands, "doctor", "look at every part: what is wrong, what to do")


def _conversation_commands(commands: Commands) -> None:
    listed = _command(commands, "conversations", "what was said, newest first")
    listed.add_argument("--client", metavar="C", help="only of this client")
    listed.add_argument("--search", metavar="T", default="", help="only with these words")
    listed.add_argument("--after", metavar="ID", default="", help="go on behind this one")
    listed.add_argument("--limit", type=_count, default=50, metavar="N", help="at most so many")
    shown = _command(commands, "show", "one conversation, turn by turn")
    shown.add_argument("conversation", metavar="CONVERSATION")
    rated = _command(commands, "rate", "say that a turn was good or bad")
    rated.add_argument("turn", metavar="TURN")
    rated.add_argument("label", metavar="good|bad|clear", choices=("good", "bad", "clear"))


def _skill_commands(commands: Commands) -> None:
    skills = _command(commands, "skills", "what the model was taught")
    actions = skills.add_subparsers(dest="action", metavar="ACTION", parser_class=Parser)
    listed = _command(actions, "list", "the skills in force")
    listed.add_argument("--all", action="store_true", help="deleted ones, too")
    added = _command(actions, "add", "add a skill: a new generation, in force at once")
    added.add_argument("name", metavar="NAME", help="a-z, 0-9 and hyphens, such as menu-style")
    _text_options(added, needed=True)
    added.add_argument("--pin", action="store_true", help="put it into every conversation")
    edited = _command(actions, "edit", "change a skill's text: its next version")
    edited.add_argument("name", metavar="NAME")
    _text_options(edited, needed=False)
    for name, text in (
        ("pin", "put it into every conversation"),
        ("unpin", "only where it fits the request"),
        ("disable", "keep it, use it no longer"),
        ("enable", "use it again"),
        ("delete", "move it to the archive"),
    ):
        _command(actions, name, text).add_argument("name", metavar="NAME")
    copied = _command(actions, "copy", "share a skill with another client")
    copied.add_argument("name", metavar="NAME")
    copied.add_argument("--to", metavar="C", default="", help="a client; nothing for everybody")
    history = _command(actions, "history", "the generations, or one skill's versions")
    history.add_argument("name", metavar="NAME", nargs="?")
    diff = _command(actions, "diff", "what changed between two versions")
    diff.add_argument("name", metavar="NAME")
    diff.add_argument("old", metavar="FROM", nargs="?", type=_count, help="a version's number")
    diff.add_argument("new", metavar="TO", nargs="?", type=_count, help="a version's number")
    back = _command(actions, "rollback", "make the library read as it did before")
    back.add_argument("generation", metavar="GENERATION", nargs="?", type=_whole)
    brought = _command(actions, "import", "take in a skill folder, or a folder of them")
    brought.add_argument("folder", metavar="DIR", help="'starter' for the set that comes with Lull")
    taken = _command(actions, "export", "write the skills as folders")
    taken.add_argument("folder", metavar="DIR")
    taken.add_argument("names", metavar="NAME", nargs="*", help="only these")
    for parser in actions.choices.values():
        parser.add_argument(
            "--client",
            metavar="C",
            help="skills of the client kept apart at /c/C/ or of a program such as curl",
        )


def _text_options(parser: argparse.ArgumentParser, *, needed: bool) -> None:
    parser.add_argument(
        "--description", metavar="T", required=needed, help="when it applies, in one sentence"
    )
    parser.add_argument(
        "--body", metavar="T|@FILE|-", required=needed, help="what to do; - reads stdin"
    )


def _settings_commands(commands: Commands) -> None:
    settings = _command(commands, "settings", "what can be set, and why it is as it is")
    actions = settings.add_subparsers(dest="action", metavar="ACTION", parser_class=Parser)
    _command(actions, "show", "every setting with its reason")
    changed = _command(actions, "set", "change one")
    changed.add_argument("key", metavar="KEY", help="such as service.port")
    changed.add_argument("value", metavar="VALUE")


def _whole(text: str) -> int:
    if not text.isdecimal() or len(text) > 12:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a whole number")
    return int(text)


def _count(text: str) -> int:
    if (number := _whole(text)) < 1:
        raise argparse.ArgumentTypeError("it must be at least 1")
    return number


def _port(text: str) -> int:
    if (number := _whole(text)) > 65535:
        raise argparse.ArgumentTypeError("a port is at most 65535")
    return number
