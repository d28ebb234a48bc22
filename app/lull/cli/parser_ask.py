"""The words of `lull ask`."""

from __future__ import annotations

from lull.cli.parser_base import Commands, command, named

ASK = """\
It goes to Lull's own address, as a chat client's would: it is recorded, and the skills that
fit are put in. --continue sends the last conversation of `lull ask` along, so that you can say
what was wrong with the answer.
With --json a line for each piece, {piece}, and at the end {done, model, client, answer, finish}."""


def ask_command(commands: Commands) -> None:
    ask = command(commands, "ask", "send one request and print the answer as it comes", ASK)
    ask.add_argument("question", metavar="QUESTION", nargs="+", help="or - to read it from stdin")
    ask.add_argument(
        "--model", metavar="NAME", type=named, help="pocket is always there; else the last one used"
    )
    ask.add_argument("--client", metavar="C", type=named, help="ask as a client kept apart")
    ask.add_argument(
        *("--continue", "-c"),
        dest="go_on",
        action="store_true",
        help="go on with the last conversation of `lull ask`",
    )
