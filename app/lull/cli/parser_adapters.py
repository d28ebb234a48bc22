"""The words of `lull adapters`: what was learned into weights, and the way back."""

from __future__ import annotations

from lull.cli.parser_base import Commands, Parser, command, named

ADAPTERS = """\
An adapter is what a training run has made: a small file beside the model's weights. The gate
compares it with what answers now; then it answers a share of new conversations for a day, and
then all of them. The last five stay, and each can be put back as it was, bit for bit."""

ROLLBACK = """\
Without --to: a trial is ended; else the adapter before comes back, or the base where there was
none. --to ID puts that one in force, --to base takes every adapter out."""


def adapter_commands(commands: Commands) -> None:
    adapters = command(commands, "adapters", "what was learned into weights, and back", ADAPTERS)
    actions = adapters.add_subparsers(
        dest="action", metavar="ACTION", title="actions", parser_class=Parser
    )
    command(actions, "list", "every adapter, newest first", "Needs no running service.")
    shown = command(actions, "show", "one adapter, and what the gate said of it")
    shown.add_argument("adapter", metavar="ID", type=named)
    promoted = command(
        actions,
        "promote",
        "put an adapter in force now",
        "Skips the day on trial. What the gate did not accept needs --anyway.",
    )
    promoted.add_argument("adapter", metavar="ID", type=named)
    promoted.add_argument("--anyway", action="store_true", help="also what the gate did not accept")
    back = command(actions, "rollback", "go back to the adapter before", ROLLBACK)
    back.add_argument("--to", metavar="ID", type=named, help="to this one, or to the base")
    compared = command(actions, "compare", "what the gate said of two, side by side")
    compared.add_argument("a", metavar="A", type=named)
    compared.add_argument("b", metavar="B", type=named)
