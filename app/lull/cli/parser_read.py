"""The words of `lull read`: what the reader heard in what you typed."""

from __future__ import annotations

from lull.cli.parser_base import Commands, command, count, named

READ = """\
What you type behind an answer is read once, in quiet time: whether it corrects the answer, and
whether it states something that should shape later ones. Newest first.
With --again what waits is read now, and what another reader had read is read anew by the one of
today; it says what changed. That needs a running service."""


def read_command(commands: Commands) -> None:
    read = command(commands, "read", "what the reader heard in what you typed", READ)
    read.add_argument(
        "conversation", metavar="CONVERSATION", nargs="?", type=named, help="only of this one"
    )
    read.add_argument("--again", action="store_true", help="read anew with the reader of today")
    read.add_argument("--after", metavar="TURN", default="", help="go on behind this one")
    read.add_argument("--limit", type=count, default=50, metavar="N", help="at most so many")
