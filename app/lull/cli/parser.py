"""The words of the command line: subcommands, options and their help, nothing else."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from lull import __version__
from lull.cli.parser_adapters import adapter_commands
from lull.cli.parser_ask import ask_command
from lull.cli.parser_base import (
    Commands,
    Parser,
    command,
    common,
    count,
    named,
    port,
    without_addresses,
)
from lull.cli.parser_calendar import calendar_commands
from lull.cli.parser_demo import demo_command
from lull.cli.parser_lulls import lull_commands
from lull.cli.parser_model import model_commands
from lull.cli.parser_read import read_command
from lull.cli.parser_review import prove_command, review_commands
from lull.cli.parser_skills import skill_commands, verify_command
from lull.cli.parser_train import forget_command, train_commands
from lull.core.errors import UsageError

HELP = """\
Your local language model gets better in the lulls of your day.

Start it with `lull serve`, point a chat client at http://127.0.0.1:11435 instead of
Ollama's port, and carry on as before."""

AFTER = """\
--home and --json may stand before or behind the command. With --json there is one JSON
document on stdout (one a line where it streams) and nothing else.

exit codes: 0 done, 1 failed, 2 wrong usage, 3 the service is not running but needed.
A closed output is no failure, one that a full disk does not take is one (1).
A failure is one line on stderr, `lull: TITLE: DETAIL (HINT)`."""


def parse(words: Sequence[str]) -> argparse.Namespace:
    """Raises UsageError; SystemExit once --help or --version is printed."""
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


def build() -> Parser:
    parser = Parser(prog="lull", description=HELP, epilog=AFTER)
    parser.add_argument("--version", action="version", version=f"lull {__version__}")
    common(parser, top=True)
    commands = parser.add_subparsers(
        dest="command", metavar="COMMAND", title="commands", parser_class=Parser
    )
    _service_commands(commands)
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
    model_commands(commands)
    adapter_commands(commands)
    _settings_commands(commands)
    demo_command(commands)
    return parser


def _service_commands(commands: Commands) -> None:
    serve = command(
        commands,
        "serve",
        "run the service in the foreground",
        "Ctrl-C stops it once the answers under way have ended (service.finish_within_s of the\n"
        "settings at most, 5 s); twice, at once.\n"
        "With --json: a line when it is ready, {address, pid}.",
    )
    serve.add_argument("--port", type=port, metavar="N", help="0 takes any free port")
    # For `lull demo` alone: a file that sets the time of day.
    serve.add_argument("--played-clock", type=Path, default=None, help=argparse.SUPPRESS)
    command(commands, "status", "what is running, and with what")
    command(commands, "stop", "stop the service")
    opened = command(commands, "open", "open the dashboard; plain `lull` does the same")
    opened.add_argument(
        "--hidden", action="store_true", help="only the icon; where there is no tray, the window"
    )
    logs = command(
        commands,
        "logs",
        "what the service did",
        "Never holds what you or the model said. --follow goes on until Ctrl-C.",
    )
    logs.add_argument("--follow", "-f", action="store_true", help="go on as it is written")
    logs.add_argument("--lines", "-n", type=count, default=50, metavar="N", help="how many (50)")
    command(
        commands,
        "doctor",
        "look at every part: what is wrong, what to do",
        "Works with and without a service. Exits 1 when a part of Lull's own does not work.",
    )


def _conversation_commands(commands: Commands) -> None:
    listed = command(commands, "conversations", "what was said, newest first")
    listed.add_argument("--client", metavar="C", help="only of this client or program")
    listed.add_argument("--search", metavar="T", default="", help="only with these words")
    listed.add_argument("--after", metavar="ID", default="", help="go on behind this one")
    listed.add_argument("--limit", type=count, default=50, metavar="N", help="at most so many")
    shown = command(
        commands, "show", "one conversation, turn by turn", "`lull conversations` lists the ids."
    )
    shown.add_argument(
        "conversation", metavar="CONVERSATION", nargs="?", type=named, help="by default the newest"
    )
    rated = command(
        commands, "rate", "say that a turn was good or bad", "`lull show ID` lists the turns."
    )
    rated.add_argument("turn", metavar="TURN", type=named)
    rated.add_argument("label", metavar="good|bad|clear", choices=("good", "bad", "clear"))


def _settings_commands(commands: Commands) -> None:
    settings = command(commands, "settings", "what can be set, and why it is as it is")
    actions = settings.add_subparsers(
        dest="action", metavar="ACTION", title="actions", parser_class=Parser
    )
    command(actions, "show", "every setting with its reason")
    changed = command(
        actions,
        "set",
        "change one",
        "Checked before it is written; your own comments in the file stay.",
    )
    changed.add_argument("key", metavar="KEY", help="such as service.port")
    changed.add_argument("value", metavar="VALUE")
