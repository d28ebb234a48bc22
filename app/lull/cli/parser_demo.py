"""The words of `lull demo`."""

from __future__ import annotations

from lull.cli.parser_base import Commands, command

DEMO = """\
A real service answers a week of requests with the small built-in model, in a folder that is
thrown away: it is corrected, proposes skills, proves them, trains weights in a night. Only the
time of day is set. Then the dashboard opens on it. Your own Lull is not touched.

With --home DIR the week is played there and stays; so it does with --keep. --json: the folder
and what came of the week, when it has been played."""


def demo_command(commands: Commands) -> None:
    demo = command(commands, "demo", "play a week in a throw-away folder and look at it", DEMO)
    demo.add_argument("--no-window", action="store_true", help="play the week and open nothing")
    demo.add_argument("--keep", action="store_true", help="leave the folder where it is")
    demo.add_argument(
        "--quick", action="store_true", help="no night of training: a minute instead of some"
    )
