"""Defines the arguments and help texts of `lull read`, which shows the feedback found in the user's
messages.
"""

from __future__ import annotations

from lull.cli.parser.base import Commands, add_command, count, named

READ = """\
The reader reads each of your replies to an answer once, when the machine is quiet. It decides
whether the reply corrects the answer and whether it should change later answers. Newest first.
--again reads waiting messages now, reads those from an earlier reader again with the current
one, and shows what changed. It needs a running service."""


def read_command(commands: Commands) -> None:
    """Add the command `lull read` to the parser."""
    read = add_command(commands, "read", "show the feedback that Lull found in your messages", READ)
    read.add_argument(
        "conversation",
        metavar="CONVERSATION",
        nargs="?",
        type=named,
        help="only from this conversation",
    )
    read.add_argument(
        "--again", action="store_true", help="read messages again that an earlier reader read"
    )
    read.add_argument(
        "--after", metavar="TURN", default="", help="continue the list after this turn"
    )
    read.add_argument(
        "--limit", type=count, default=50, metavar="N", help="how many at most (default: 50)"
    )
