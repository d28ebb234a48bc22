"""Defines the arguments and help texts of `lull train`, `lull forget` and `lull trash`, which train
LoRA adapters, delete conversations and manage the trash of old ones.
"""

from __future__ import annotations

from lull.cli.parser.base import Commands, Parser, add_command, named

NOW = """\
Ignores idle time, hours, calendars and pauses, and starts with fewer samples. Heat, a low battery
and little free memory still stop it."""
SHOW = "With --json also the data it was made of, which `lull forget` follows."
FORGET = """\
Without --yes this only lists what was learned from the conversation. With --yes all of it is
removed: skills that it taught are deleted or go back to an earlier version, training runs that
used it are deleted, and their adapters are rolled back and removed."""
TRASH = """\
Conversations older than records.keep_days, or beyond records.keep_mb in all, are moved to the
trash a few at a time. They can be restored for at least a week."""


def train_commands(commands: Commands) -> None:
    """Add the command `lull train` and its actions to the parser."""
    train = add_command(commands, "train", "list, start and cancel training runs")
    actions = train.add_subparsers(
        dest="action", metavar="ACTION", title="actions", parser_class=Parser
    )
    now = add_command(actions, "now", "train now instead of when the computer is idle", NOW)
    now.add_argument("--wait", action="store_true", help="wait until nothing is left to do")
    add_command(actions, "list", "list all runs, newest first")
    shown = add_command(actions, "show", "show one run", SHOW)
    shown.add_argument("run", metavar="RUN", type=named, help="its id, from `lull train list`")
    ended = add_command(actions, "cancel", "cancel a run; none of its results are used")
    ended.add_argument("run", metavar="RUN", type=named, help="its id, from `lull train list`")
    by_hand = add_command(
        actions,
        "run",
        "train a run folder without the service",
        "The same folder on the same machine gives the same adapter, byte for byte.",
    )
    by_hand.add_argument("folder", metavar="DIR", type=named)


def forget_command(commands: Commands) -> None:
    """Add the command `lull forget` to the parser."""
    forget = add_command(
        commands, "forget", "remove a conversation and all that was learned from it", FORGET
    )
    forget.add_argument("conversation", metavar="CONVERSATION", type=named)
    forget.add_argument("--yes", action="store_true", help="really do it; this cannot be undone")


def trash_commands(commands: Commands) -> None:
    """Add the command `lull trash` and its actions to the parser."""
    trash = add_command(commands, "trash", "list and restore old conversations", TRASH)
    actions = trash.add_subparsers(
        dest="action", metavar="ACTION", title="actions", parser_class=Parser
    )
    add_command(actions, "list", "list what is in the trash; plain `lull trash` does the same")
    back = add_command(
        actions, "restore", "restore conversations; their age never moves them to the trash again"
    )
    back.add_argument(
        "step", metavar="STEP", nargs="?", default="", help="a step from the list (default: all)"
    )
    sweep = add_command(actions, "sweep", "move conversations beyond the limits to the trash now")
    sweep.add_argument("--yes", action="store_true", help="really do it")
    empty = add_command(actions, "empty", "delete everything in the trash for good")
    empty.add_argument("--yes", action="store_true", help="really do it; this cannot be undone")
