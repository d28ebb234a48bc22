"""Defines the arguments and help texts of `lull adapters`, the command for LoRA adapters."""

from __future__ import annotations

from lull.cli.parser.base import Commands, Parser, add_command, named

ADAPTERS = """\
An adapter is the result of a training run: a small file that is added to the model's weights.
A test compares its answers with those given now. If it passes, it answers a share of new
conversations for a trial day, and then all of them. The last five adapters are kept, and each of
them can be restored exactly."""

ROLLBACK = """\
Without --to, this ends a trial if one is running; otherwise it goes back to the previous
adapter, or to the base model if there was none. --to ID puts that adapter into use, and --to base
uses no adapter at all."""


def adapter_commands(commands: Commands) -> None:
    """Add the command `lull adapters` and its actions to the parser."""
    adapters = add_command(
        commands, "adapters", "list, compare and roll back trained adapters", ADAPTERS
    )
    actions = adapters.add_subparsers(
        dest="action", metavar="ACTION", title="actions", parser_class=Parser
    )
    add_command(
        actions, "list", "list all adapters, newest first", "This needs no running service."
    )
    shown = add_command(actions, "show", "show one adapter and whether it passed its test")
    shown.add_argument("adapter", metavar="ID", type=named)
    promoted = add_command(
        actions,
        "promote",
        "put an adapter into use now",
        "Skips the trial day. An adapter that the gate did not accept needs --anyway.",
    )
    promoted.add_argument("adapter", metavar="ID", type=named)
    promoted.add_argument("--anyway", action="store_true", help="even if it did not pass its test")
    back = add_command(actions, "rollback", "go back to the previous adapter", ROLLBACK)
    back.add_argument("--to", metavar="ID", type=named, help="an adapter, or `base` for no adapter")
    compared = add_command(actions, "compare", "show the test results of two adapters side by side")
    compared.add_argument("a", metavar="A", type=named)
    compared.add_argument("b", metavar="B", type=named)
