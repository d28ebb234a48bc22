"""The words of `lull model`: which models can learn, and which one does."""

from __future__ import annotations

from lull.cli.parser_base import Commands, Parser, command, named

CHOOSE = """\
NAME is a model of your Ollama, "pocket" for the built-in one, "auto" for the one that you talk
to most and that can learn here, or a folder of MLX weights.
The weights are read from Ollama's own file and made ready for learning; nothing is
downloaded. It says first how much of the disk that takes. Ctrl-C stops it, and it goes on
where it was when you ask again; where a service runs, the service goes on with it."""

EXAMS = """\
The largest chat models of your Ollama that fit into memory are examined while you are away,
on questions that come with Lull; nothing of yours is asked and nothing leaves this machine.
Who passes may read your corrections, judge answers or write skills where the setting is
"auto". Another make of a model is examined anew."""


def model_commands(commands: Commands) -> None:
    model = command(commands, "model", "which models can learn here or help Lull, and which do")
    actions = model.add_subparsers(
        dest="action", metavar="ACTION", title="actions", parser_class=Parser
    )
    command(actions, "list", "every model, whether it can learn here, and why not")
    exams = command(actions, "exams", "who may read, judge and write for Lull, and why not", EXAMS)
    exams.add_argument("--now", action="store_true", help="take them now, not in the next lull")
    chosen = command(actions, "choose", "let this one learn", CHOOSE)
    chosen.add_argument("name", metavar="NAME", type=named)
