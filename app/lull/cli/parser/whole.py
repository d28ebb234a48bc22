"""Builds the whole parser of `lull`: all commands, options and their help."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from lull import __version__
from lull.cli.parser.adapters import adapter_commands
from lull.cli.parser.ask import ask_command
from lull.cli.parser.backup import backup_commands
from lull.cli.parser.base import (
    Commands,
    Parser,
    add_command,
    add_common_options,
    count,
    named,
    port,
    without_addresses,
)
from lull.cli.parser.calendar import calendar_commands
from lull.cli.parser.connect import connect_command
from lull.cli.parser.demo import demo_command
from lull.cli.parser.lulls import lull_commands
from lull.cli.parser.model import model_commands
from lull.cli.parser.read import read_command
from lull.cli.parser.review import prove_command, review_commands
from lull.cli.parser.skills import skill_commands, verify_command
from lull.cli.parser.train import forget_command, train_commands, trash_commands
from lull.core.errors import UsageError

HELP = """\
Your local language model gets better in the lulls of your day.

Start it with `lull serve`, point your chat client at http://127.0.0.1:11435 instead of
Ollama's address, and carry on as before."""

AFTER = """\
--home and --json may come before or after the command. --json prints one JSON document on
stdout (one per line for commands that stream) and nothing else.

exit codes: 0 done, 1 failed, 2 wrong usage, 3 the command needs a running service.
A closed output is not a failure; output that does not fit on the disk is one (1).
A failure prints one line on stderr: `lull: TITLE: DETAIL (HINT)`."""


def parse(words: Sequence[str]) -> argparse.Namespace:
    """Parse a `lull` command line.

    Raises UsageError, or SystemExit after printing --help or --version.
    """
    parser = build()
    if words and words[0] == "help":
        words = [*words[1:], "--help"]
    options, rest = parser.parse_known_args(words)
    if rest:
        raise UsageError(
            f"{without_addresses(' '.join(rest))[:200]} is not understood.",
            hint=f"`{options.prog} --help` tells more.",
        )
    return options


@cache
def build() -> Parser:
    """Return the parser of the whole `lull` command line, which is built once in a process."""
    parser = Parser(prog="lull", description=HELP, epilog=AFTER)
    parser.add_argument("--version", action="version", version=f"lull {__version__}")
    add_common_options(parser, top=True)
    commands = parser.add_subparsers(
        dest="command", metavar="COMMAND", title="commands", parser_class=Parser
    )
    _service_commands(commands)
    connect_command(commands)
    ask_command(commands)
    _conversation_commands(commands)
    read_command(commands)
    skill_commands(commands)
    review_commands(commands)
    prove_command(commands)
    verify_command(commands)
    lull_commands(commands)
    calendar_commands(commands)
    train_commands(commands)
    forget_command(commands)
    trash_commands(commands)
    backup_commands(commands)
    model_commands(commands)
    adapter_commands(commands)
    _settings_commands(commands)
    demo_command(commands)
    return parser


def _service_commands(commands: Commands) -> None:
    serve = add_command(
        commands,
        "serve",
        "run the service in the foreground",
        "Ctrl-C stops it when the answers in progress have ended, or after\n"
        "service.finish_within_s (5 s). A second Ctrl-C stops it at once.\n"
        "--json prints {address, pid} on one line when the service is ready.",
    )
    serve.add_argument(
        "--port", type=port, metavar="N", help="the port to listen on; 0 takes any free one"
    )
    # For `lull demo` alone: a file that sets the time of day.
    serve.add_argument("--played-clock", type=Path, default=None, help=argparse.SUPPRESS)
    shown = add_command(
        commands,
        "status",
        "show whether the service runs, its address, model and problems",
        "The network token is never shown, so you may pass the output on; --token prints it alone.",
    )
    shown.add_argument("--token", action="store_true", help="print only the network token")
    add_command(commands, "stop", "stop the service")
    opened = add_command(
        commands,
        "open",
        "open the dashboard; plain `lull` does the same",
        "The command stays in the foreground until you quit Lull, from its icon or with Ctrl-C;\n"
        "`lull open &` gives the terminal back. If Lull is open, its window is shown.",
    )
    opened.add_argument(
        "--hidden",
        action="store_true",
        help="show only the tray icon, or the window if there is no tray",
    )
    logs = add_command(
        commands,
        "logs",
        "print the service's log",
        "The log never contains what you or the model said. --follow runs until Ctrl-C.",
    )
    logs.add_argument(
        "--follow", "-f", action="store_true", help="print new lines as they are written"
    )
    logs.add_argument(
        "--lines", "-n", type=count, default=50, metavar="N", help="how many lines (default: 50)"
    )
    add_command(
        commands,
        "doctor",
        "check every part of Lull and say how to fix what is wrong",
        "Works with or without a running service. Exits with 1 if a part of Lull does not work.",
    )


def _conversation_commands(commands: Commands) -> None:
    listed = add_command(commands, "conversations", "list conversations, newest first")
    listed.add_argument("--client", metavar="C", help="only from this client or program")
    listed.add_argument(
        "--search", metavar="T", default="", help="only those that contain these words"
    )
    listed.add_argument(
        "--after", metavar="ID", default="", help="continue the list after this one"
    )
    listed.add_argument(
        "--limit", type=count, default=50, metavar="N", help="how many at most (default: 50)"
    )
    shown = add_command(
        commands, "show", "show one conversation", "`lull conversations` lists the ids."
    )
    shown.add_argument(
        "conversation",
        metavar="CONVERSATION",
        nargs="?",
        type=named,
        help="its id (default: the newest)",
    )
    shown.add_argument(
        "--markdown", action="store_true", help="print it as Markdown, to keep or to hand on"
    )
    rated = add_command(
        commands,
        "rate",
        "rate an answer as good or bad",
        "`lull show` lists the turns. `clear` removes a rating.",
    )
    rated.add_argument("turn", metavar="TURN", type=named)
    rated.add_argument("label", metavar="good|bad|clear", choices=("good", "bad", "clear"))


def _settings_commands(commands: Commands) -> None:
    settings = add_command(commands, "settings", "show or change settings")
    actions = settings.add_subparsers(
        dest="action", metavar="ACTION", title="actions", parser_class=Parser
    )
    shown = add_command(actions, "show", "show the settings, each with what it is for")
    shown.add_argument("group", metavar="GROUP", nargs="?", help="only these, such as service")
    shown.add_argument("--changed", action="store_true", help="only what is not the default")
    changed = add_command(
        actions,
        "set",
        "change one setting",
        "The value is checked first. Your own comments in the file are kept.",
    )
    changed.add_argument("key", metavar="KEY", help="a setting such as service.port")
    changed.add_argument("value", metavar="VALUE")
