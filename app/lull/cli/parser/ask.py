"""Defines the arguments and help texts of `lull ask`, which sends one chat request."""

from __future__ import annotations

from lull.cli.parser.base import Commands, add_command, named

ASK = """\
The request goes to Lull's address, like a chat client's: it is recorded, and matching skills are
added to it. --continue sends the last `lull ask` conversation along, so that you can say what was
wrong with the answer.
With --json there is one line for each piece, {piece}, and at the end {done, model, client,
answer, finish}."""


def ask_command(commands: Commands) -> None:
    """Add the command `lull ask` to the parser."""
    ask = add_command(commands, "ask", "send one request and print the answer as it arrives", ASK)
    ask.add_argument(
        "question", metavar="QUESTION", nargs="+", help="the question, or - to read it from stdin"
    )
    ask.add_argument(
        "--model",
        metavar="NAME",
        type=named,
        help="the model to ask (default: the last one used); lull-mini is always there",
    )
    ask.add_argument(
        "--client", metavar="C", type=named, help="ask as the client with its own address /c/C/"
    )
    ask.add_argument(
        *("--continue", "-c"),
        dest="go_on",
        action="store_true",
        help="continue the last `lull ask` conversation",
    )
