"""The words of `lull why`, `pause` and `resume`."""

from __future__ import annotations

from lull.cli.parser_base import Commands, command
from lull.core.pausing import PauseLength

PAUSE = """\
Lull then does nothing for itself, proofs and judging neither; your chats are answered as
always, and what you ask for (`lull prove`) is done. A pause outlives a restart."""


def lull_commands(commands: Commands) -> None:
    command(
        commands,
        "why",
        "why Lull is or is not working for itself now",
        "And when it next may, with every gate that decides about it.",
    )
    pause = command(commands, "pause", "keep Lull from working for itself", PAUSE)
    pause.add_argument(
        "length",
        metavar="|".join(PauseLength),
        nargs="?",
        choices=[length.value for length in PauseLength],
        default=PauseLength.HOUR.value,
        help="1h unless you say otherwise; tomorrow ends at eight in the morning",
    )
    command(commands, "resume", "end a pause")
