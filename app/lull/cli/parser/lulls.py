"""Defines the arguments and help texts of `lull why`, `lull pause` and `lull resume`, about Lull's
background work.
"""

from __future__ import annotations

import argparse

from lull.cli.parser.base import Commands, add_command
from lull.core.idle.pausing import PauseLength, length_of

PAUSE = """\
While paused, Lull does no work of its own: no training, proofs or judging. Your chats are
answered as always, and it still does what you ask for (`lull prove`). A pause survives a
restart."""


def lull_commands(commands: Commands) -> None:
    """Add the commands about idle times, such as `lull why` and `lull pause`, to the parser."""
    add_command(
        commands,
        "why",
        "show why Lull is or is not working in the background",
        "Also shows every condition that decides this, and when Lull may work next.",
    )
    pause = add_command(commands, "pause", "pause Lull's background work", PAUSE)
    pause.add_argument(
        "length",
        metavar="LENGTH",
        nargs="?",
        type=_length,
        default=PauseLength.HOUR.value,
        help="how long, such as 45m, 3h or 2d (default: 1h); or tomorrow (until eight in the "
        "morning), or for-good (until `lull resume`)",
    )
    add_command(commands, "resume", "go on with Lull's background work after a pause")


def _length(text: str) -> str:
    if length_of(text) is None:
        raise argparse.ArgumentTypeError(
            f"{text[:40]!r} is not a valid pause length: say 45m, 3h, 2d, tomorrow or for-good"
        )
    return text
