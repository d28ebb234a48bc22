"""The words of the command line: subcommands, options and their help, nothing else."""

from __future__ import annotations

import argparse
import difflib
import re
from collections.abc import Sequence
from typing import Any, NoReturn, Protocol

from lull import __version__
from lull.core.errors import UsageError

HELP = """\
Your local language model gets better in the lulls of your day.

Start it with `lull serve`, point a chat client at http://127.0.0.1:11435 instead of
Ollama's port, and carry on as before."""

AFTER = """\
--home and --json may stand before or behind the command. With --json there is one JSON
document on stdout (one a line where it streams) and nothing else.

exit codes: 0 done, 1 failed, 2 wrong usage, 3 the service is not running but needed.
A failure is one line on stderr, `lull: TITLE: DETAIL (HINT)`."""

CLIENTS = """\
A skill without a client is for everybody at the plain address: curl, ollama-python, any
program. With --client C it is only for C: the client kept apart at /c/C/, which sees its
own skills and no others, or a program of that name, which sees everybody's and its own.
`lull skills copy NAME --to C` shares a skill, and nothing else does."""

LATER = frozenset(
    {
        *("review", "prove", "verify", "why", "pause", "resume", "calendar", "model", "train"),
        *("adapters", "forget", "clients", "export", "uninstall", "demo"),
    }
)
"""Commands that a later version has."""

_UNKNOWN = re.compile(r"argument (COMMAND|ACTION): invalid choice: (['\"])(.*?)\2 \(choose from")


class Parser(argparse.ArgumentParser):
    """Wrong usage becomes one line, not a page; nothing may be abbreviated, because what is short
    for one option today may be short for two tomorrow."""

    def __init__(self, **words: Any) -> None:
        super().__init__(
            **{
                "formatter_class": argparse.RawDescriptionHelpFormatter,
                **words,
                "allow_abbrev": False,
            }
        )
        self.set_defaults(prog=self.prog)

    def error(self, message: str) -> NoReturn:
        unknown = _UNKNOWN.match(message)
        if unknown is None:
            raise UsageError(f"{message}.", hint=f"`{self.prog} --help` tells more.")
        word = unknown[3]
        if unknown[1] == "COMMAND" and word in LATER:
            raise UsageError(
                f"This version has no `lull {word}` yet.", hint="`lull --help` lists what it has."
            )
        near = difflib.get_close_matches(word, re.findall(r"'([a-z-]+)'", message[unknown.end() :]))
        guess = f"Did you mean `{self.prog} {near[0]}`? " if near else ""
        raise UsageError(
            f"There is no `{self.prog} {word}`.", hint=f"{guess}`{self.prog} --help` lists them."
        )


def parse(words: Sequence[str]) -> argparse.Namespace:
    """Raises UsageError; SystemExit once --help or --version is printed."""
    parser = build()
    if words and words[0] == "help":
        words = [*words[1:], "--help"]
    options, rest = parser.parse_known_args(words)
    if rest:
        raise UsageError(
            f"{' '.join(rest)[:200]} is not understood.",
            hint=f"`{options.prog} --help` tells more.",
        )
    if options.command is None:
        # The dashboard will open here; until there is one, help is what one gets.
        parser.print_help()
        raise SystemExit(0)
    return options


def build() -> Parser:
    parser = Parser(prog="lull", description=HELP, epilog=AFTER)
    parser.add_argument("--version", action="version", version=f"lull {__version__}")
    _common(parser, top=True)
    commands = parser.add_subparsers(
        dest="command", metavar="COMMAND", title="commands", parser_class=Parser
    )
    _service_commands(commands)
    _conversation_commands(commands)
    _skill_commands(commands)
    _settings_commands(commands)
    return parser


def _common(parser: argparse.ArgumentParser, *, top: bool = False) -> None:
    """Options that may stand before or behind the subcommand."""
    home, as_json = (None, False) if top else (argparse.SUPPRESS, argparse.SUPPRESS)
    parser.add_argument(
        "--home",
        metavar="DIR",
        type=_folder,
        default=home,
        help="where every file lies (LULL_HOME)",
    )
    parser.add_argument(
        "--json", action="store_true", default=as_json, help="one JSON document on stdout"
    )


class Commands(Protocol):
    """What argparse's add_subparsers gives, as far as it is used here."""

    choices: Any

    def add_parser(self, name: str, *, help: str, description: str, epilog: str) -> Any: ...  # noqa: A002


def _command(commands: Commands, name: str, text: str, more: str = "") -> argparse.ArgumentParser:
    first = f"{text[0].upper()}{text[1:]}."
    parser = commands.add_parser(name, help=text, description=first, epilog=more)
    assert isinstance(parser, argparse.ArgumentParser)
    _common(parser)
    return parser


def _service_commands(commands: Commands) -> None:
    serve = _command(
        commands,
        "serve",
        "run the service in the foreground",
        "Ctrl-C stops it once the answers under way have ended (5 s at most); twice, at once.\n"
        "With --json: a line when it is ready, {address, pid}.",
    )
    serve.add_argument("--port", type=_port, metavar="N", help="0 takes any free port")
    _command(commands, "status", "what is running, and with what")
    _command(commands, "stop", "stop the service")
    _command(commands, "open", "open the dashboard (this version has none yet)")
    logs = _command(
        commands,
        "logs",
        "what the service did",
        "Never holds what you or the model said. --follow goes on until Ctrl-C.",
    )
    logs.add_argument("--follow", "-f", action="store_true", help="go on as it is written")
    logs.add_argument("--lines", "-n", type=_count, default=50, metavar="N", help="how many (50)")
    _command(
        commands,
        "doctor",
        "look at every part: what is wrong, what to do",
        "Works with and without a service. Exits 1 when a part of Lull's own does not work.",
    )


def _conversation_commands(commands: Commands) -> None:
    listed = _command(commands, "conversations", "what was said, newest first")
    listed.add_argument("--client", metavar="C", help="only of this client or program")
    listed.add_argument("--search", metavar="T", default="", help="only with these words")
    listed.add_argument("--after", metavar="ID", default="", help="go on behind this one")
    listed.add_argument("--limit", type=_count, default=50, metavar="N", help="at most so many")
    shown = _command(
        commands, "show", "one conversation, turn by turn", "`lull conversations` lists the ids."
    )
    shown.add_argument(
        "conversation", metavar="CONVERSATION", nargs="?", type=_named, help="by default the newest"
    )
    rated = _command(
        commands, "rate", "say that a turn was good or bad", "`lull show ID` lists the turns."
    )
    rated.add_argument("turn", metavar="TURN", type=_named)
    rated.add_argument("label", metavar="good|bad|clear", choices=("good", "bad", "clear"))


def _skill_commands(commands: Commands) -> None:
    skills = _command(commands, "skills", "what the model was taught", CLIENTS)
    skills.set_defaults(client=None, all=False)
    _client(skills)
    actions = skills.add_subparsers(
        dest="action", metavar="ACTION", title="actions", parser_class=Parser
    )
    listed = _command(
        actions,
        "list",
        "the skills, active and disabled",
        "Without --client those of every client; what you get with no action, too.",
    )
    listed.add_argument("--all", action="store_true", help="deleted ones, too")
    added = _command(
        actions,
        "add",
        "add a skill: a new generation, in force from the next conversation",
        CLIENTS,
    )
    added.add_argument("name", metavar="NAME", help="a-z, 0-9 and hyphens, such as menu-style")
    _text_options(added, needed=True)
    edited = _command(
        actions, "edit", "change a skill's text: its next version", "What is not given stays."
    )
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
    copied = _command(actions, "copy", "share a skill with another client", CLIENTS)
    copied.add_argument("name", metavar="NAME")
    copied.add_argument("--to", metavar="C", default="", help="a client; nothing for everybody")
    history = _command(actions, "history", "the generations, or one skill's versions")
    history.add_argument("name", metavar="NAME", nargs="?", default="")
    diff = _command(
        actions, "diff", "what changed between two versions", "By default the newest two."
    )
    diff.add_argument("name", metavar="NAME")
    diff.add_argument("old", metavar="FROM", nargs="?", type=_count, help="a version's number")
    diff.add_argument("new", metavar="TO", nargs="?", type=_count, help="a version's number")
    back = _command(
        actions,
        "rollback",
        "make the library read as it did before",
        "By default as before the last change. This is a new generation, too, so nothing is lost.",
    )
    back.add_argument("generation", metavar="GENERATION", nargs="?", type=_whole)
    brought = _command(
        actions,
        "import",
        "take in a skill folder, or a folder of them",
        "All of them or none: a broken SKILL.md is named with its line and nothing is taken in.",
    )
    brought.add_argument(
        "folder", metavar="DIR", type=_folder, help="'starter' for the set that comes with Lull"
    )
    taken = _command(actions, "export", "write the skills as folders")
    taken.add_argument("folder", metavar="DIR", type=_folder)
    taken.add_argument("names", metavar="NAME", nargs="*", help="only these")
    for parser in actions.choices.values():
        _client(parser)


def _client(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--client",
        metavar="C",
        default=argparse.SUPPRESS,
        help="of the client kept apart at /c/C/, or of a program such as curl",
    )


def _text_options(parser: argparse.ArgumentParser, *, needed: bool) -> None:
    parser.add_argument(
        "--description", metavar="T", required=needed, help="when it applies, in one sentence"
    )
    parser.add_argument(
        "--body",
        metavar="T|@FILE|-",
        required=needed,
        help="what to do; @FILE reads a file, - reads stdin",
    )
    parser.add_argument("--pin", action="store_true", help="put it into every conversation")


def _settings_commands(commands: Commands) -> None:
    settings = _command(commands, "settings", "what can be set, and why it is as it is")
    actions = settings.add_subparsers(
        dest="action", metavar="ACTION", title="actions", parser_class=Parser
    )
    _command(actions, "show", "every setting with its reason")
    changed = _command(
        actions,
        "set",
        "change one",
        "Checked before it is written; your own comments in the file stay.",
    )
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


def _folder(text: str) -> str:
    if not text:
        raise argparse.ArgumentTypeError("it needs the name of a folder")
    return text


def _named(text: str) -> str:
    if not text:
        raise argparse.ArgumentTypeError("it needs an id")
    return text
