"""Defines the arguments and help texts of `lull connect`, which connects chat apps to Lull."""

from __future__ import annotations

from lull.cli.parser.base import Commands, add_command, named

CONNECT = """\
Without a name it lists the clients, what is installed, and what is connected.
With a name it shows what it would change in the client's own configuration, asks, keeps a copy
of the file, changes it, and sends one real request through Lull. --undo brings the file
back byte for byte; without a name, all of them. Only the request needs a running service.

clients: aider, continue, claude-code, codex, zed, open-webui, cline, environment, openclaw"""


def connect_command(commands: Commands) -> None:
    """Add the command `lull connect` to the parser."""
    connect = add_command(
        commands, "connect", "connect a chat client to Lull, or undo that", CONNECT
    )
    connect.add_argument("name", metavar="NAME", nargs="?", default="list", type=named)
    connect.add_argument("--dry-run", action="store_true", help="only show what would be changed")
    connect.add_argument("--yes", action="store_true", help="do it without asking")
    connect.add_argument("--undo", action="store_true", help="put the client's file back")
    connect.add_argument(
        "--force",
        action="store_true",
        help="with --undo: also if the file was changed since; later changes are kept",
    )
    connect.add_argument(
        "--test", action="store_true", help="only send a request, as the client would"
    )
    connect.add_argument(
        "--model", metavar="MODEL", type=named, help="the model that the client asks for"
    )
    connect.add_argument(
        "--file", metavar="FILE", type=named, help="another file than the client's usual one"
    )
