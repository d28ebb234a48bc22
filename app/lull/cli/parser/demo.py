"""Defines the arguments and help texts of `lull demo`, which simulates a week of use."""

from __future__ import annotations

from lull.cli.parser.base import Commands, add_command

DEMO = """\
A real service answers a week of everyday requests with the built-in model, in a temporary folder.
It is corrected, proposes skills and proves them; only its clock is simulated. That takes some five
minutes on two processor cores. Then the dashboard opens on the result, with one suggestion left to
test and decide. Your own Lull is not touched.

--home DIR simulates the week in that folder and keeps it; --keep keeps the temporary folder. --json
prints the folder and a summary of the week at the end."""


def demo_command(commands: Commands) -> None:
    """Add the command `lull demo` to the parser."""
    demo = add_command(
        commands, "demo", "simulate a week of use in a temporary folder and show the result", DEMO
    )
    demo.add_argument(
        "--no-window", action="store_true", help="simulate the week without opening the dashboard"
    )
    demo.add_argument("--keep", action="store_true", help="keep the folder")
