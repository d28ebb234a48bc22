"""The words of `lull model`: which models can learn, and which one does."""

from __future__ import annotations

from lull.cli.parser_base import Commands, Parser, command, named

CHOOSE = """\
NAME is a model of your Ollama, "pocket" for the built-in one, or a folder of MLX weights.
The weights are read from Ollama's own file and made ready for learning; nothing is
downloaded. It says first how much of the disk that takes. Ctrl-C stops it, and it goes on
where it was when you ask again; where a service runs, the service goes on with it."""


def model_commands(commands: Commands) -> None:
    model = command(commands, "model", "which models can learn here, and which one does")
    actions = model.add_subparsers(
        dest="action", metavar="ACTION", title="actions", parser_class=Parser
    )
    command(actions, "list", "every model, whether it can learn here, and why not")
    chosen = command(actions, "choose", "let this one learn", CHOOSE)
    chosen.add_argument("name", metavar="NAME", type=named)
