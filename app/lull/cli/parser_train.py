"""The words of `lull train` and `lull forget`."""

from __future__ import annotations

from lull.cli.parser_base import Commands, Parser, command, named

NOW = """\
Skips waiting, hours, calendars and pauses, and begins with fewer samples. Heat, an empty
battery and short memory are minded all the same."""
SHOW = "With what it was made of: `lull forget` follows that."
FORGET = """\
Without --yes it only says what was made of the conversation. With it all of that goes: the
skills that it taught are taken out or set back, training runs that it was part of are
deleted, and adapters that came of them are rolled back and removed."""


def train_commands(commands: Commands) -> None:
    train = command(commands, "train", "training of the weights: what was done, and more of it")
    actions = train.add_subparsers(
        dest="action", metavar="ACTION", title="actions", parser_class=Parser
    )
    now = command(actions, "now", "sample and train now, not in the next lull", NOW)
    now.add_argument("--wait", action="store_true", help="answer when nothing is left to do")
    command(actions, "list", "every run, newest first")
    shown = command(actions, "show", "one run", SHOW)
    shown.add_argument("run", metavar="RUN", type=named, help="`lull train list` shows them")
    ended = command(actions, "cancel", "end a run; nothing of it comes into force")
    ended.add_argument("run", metavar="RUN", type=named, help="`lull train list` shows them")
    by_hand = command(
        actions,
        "run",
        "train a run folder by hand",
        "The same folder on the same machine gives the same adapter, byte for byte.",
    )
    by_hand.add_argument("folder", metavar="DIR", type=named)


def forget_command(commands: Commands) -> None:
    forget = command(commands, "forget", "remove a conversation and all that it made", FORGET)
    forget.add_argument("conversation", metavar="CONVERSATION", type=named)
    forget.add_argument("--yes", action="store_true", help="do it; it cannot be taken back")
