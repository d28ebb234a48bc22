"""Defines the arguments and help texts of `lull model`, which lists, chooses and examines language
models.
"""

from __future__ import annotations

from lull.cli.parser.base import Commands, Parser, add_command, named

CHOOSE = """\
NAME is one of your Ollama models, "lull-mini" for the built-in one, "auto" for the one that you use
most of those that can learn here, or a folder of MLX weights.
The weights are converted from Ollama's own file; nothing is downloaded. The disk space needed is
shown first. Ctrl-C stops the conversion, and the same command continues it later; if a service
is running, the service goes on with it."""

EXAMS = """\
While you are away, the largest of your Ollama chat models that fit into memory are tested with
questions that come with Lull. None of your data is used and nothing leaves this machine.
A model that passes may read your corrections, judge answers or write skills where that setting
is "auto". A model that has changed is tested again."""


def model_commands(commands: Commands) -> None:
    """Add the command `lull model` and its actions to the parser."""
    model = add_command(commands, "model", "choose the model that learns, and show which can")
    actions = model.add_subparsers(
        dest="action", metavar="ACTION", title="actions", parser_class=Parser
    )
    add_command(actions, "list", "list all models and whether each can learn here")
    exams = add_command(
        actions, "exams", "show which models may read, judge and write for Lull", EXAMS
    )
    exams.add_argument(
        "--now", action="store_true", help="run the tests now instead of when the computer is idle"
    )
    chosen = add_command(actions, "choose", "choose the model that learns", CHOOSE)
    chosen.add_argument("name", metavar="NAME", type=named)
