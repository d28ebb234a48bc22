"""Defines the arguments and help texts of `lull review` and `lull prove`, which decide on and test
proposed skills (instruction texts).
"""

from __future__ import annotations

import argparse

from lull.cli.parser.base import Commands, Parser, add_command, named
from lull.cli.parser.skills import text_options

REVIEW = """\
A suggestion is a skill that Lull would like to add, change or remove, because of what you said.
On a terminal this shows one suggestion after the other, with its diff, its tests and who said
each sentence. Type a to approve, e to edit, r to reject, d to defer, u to undo the last
decision. Elsewhere, or with --json, it lists the open suggestions, newest first.
Only what you have approved ever reaches a prompt."""

APPROVE = """\
The suggestion's exact text becomes a skill, used from your next message on. This makes a new
generation. With --sha256 it is approved only if the text has this hash. On a terminal without
--sha256 or --yes, the text is shown first and you are asked to confirm. What was not proved needs
one of the two, or the whole word yes on a terminal. --yes approves the text that `lull review show`
showed last, and nothing if it has changed since; if it showed none, --yes prints the text."""

EDIT = """\
A new text is yours. The tests of the old one no longer count, so it is tested again. The same holds
for a new scope if Lull wrote the sentence around your words, because that sentence changes too. A
new check removes the verdicts of the old check. Without options on a terminal, the SKILL.md opens
in your $VISUAL or $EDITOR."""

COMPARE = """\
Shows two answers to one of your requests, one with the skill and one without, in a random order
that stays hidden. Pick the better one: a, b, s for the same, n for neither, q to stop. About six
picks for the skill are enough for a proof. Elsewhere than on a terminal it shows one pair, and
--pick gives your pick."""

STOP = """\
Stops the test at once. It keeps its answers so far and is not tested again, also not while you
are away, until you ask for it: `lull prove ID` goes on where it stopped. A test that was asked for
and still waits for others is only taken back."""

PROVE = """\
Looks for bad answers, writes suggestions and tests them on your past requests now, at full speed,
instead of when the computer is idle. Without ID it tests all waiting suggestions that you did not
stop; with ID only that one, which goes on if it was stopped, and starts over if it was proved, not
proved or put off. It returns when the tests have started, or with --wait when they have ended.
Ctrl-C stops the waiting; the tests go on in the service until `lull review stop ID`."""


def review_commands(commands: Commands) -> None:
    """Add the command `lull review` and its actions to the parser."""
    review = add_command(commands, "review", "review the skills that Lull suggests", REVIEW)
    review.set_defaults(all=False)
    _all(review)
    actions = review.add_subparsers(
        dest="action", metavar="ACTION", title="actions", parser_class=Parser
    )
    listed = add_command(actions, "list", "list the suggestions, newest first")
    _all(listed)
    shown = add_command(
        actions, "show", "show one suggestion: its diff, its tests and whose words it uses"
    )
    approved = add_command(actions, "approve", "approve a suggestion", APPROVE)
    approved.add_argument(
        "--yes", action="store_true", help="do not ask, even if it was not proved"
    )
    rejected = add_command(
        actions,
        "reject",
        "reject a suggestion",
        "The same is not suggested again, in other words neither; `lull review undo` undoes it.",
    )
    rejected.add_argument("--reason", metavar="T", default="", help="why not, to look it up later")
    deferred = add_command(
        actions,
        "defer",
        "decide about a suggestion later",
        "It is not proved meanwhile. With --until it is hidden and comes back at that time by"
        " itself; `lull review undo` brings it back at once.",
    )
    deferred.add_argument(
        "--until",
        metavar="TIME",
        help="time until which the suggestion stays hidden, such as 2026-11-21T20:00:00+01:00",
    )
    stopped = add_command(actions, "stop", "stop a suggestion's test", STOP)
    edited = add_command(actions, "edit", "change a suggestion's text", EDIT)
    text_options(edited, needed=False)
    edited.add_argument(
        "--scope", choices=("all", "kind"), help="apply to every request, or to similar ones"
    )
    edited.add_argument(
        "--check",
        metavar="JSON|none",
        help='what an answer must look like, as one check or {"all": [several]}; '
        "none removes the check",
    )
    compared = add_command(
        actions, "compare", "pick the better of two answers in a blind test", COMPARE
    )
    _proposal(compared)
    compared.add_argument(
        "--pick",
        nargs=2,
        metavar=("PAIR", "PICK"),
        help="pick from this pair: a, b, same or neither",
    )
    compared.add_argument("--picks", metavar="A,B,…", help="picks for the next pairs, in order")
    _proposal(stopped)
    for parser in (shown, approved, rejected, deferred, edited):
        _proposal(parser)
        parser.add_argument(
            "--sha256", metavar="H", help="only if the text has this hash, as shown by `show`"
        )
    add_command(
        actions,
        "undo",
        "undo the last decision",
        "Can be repeated for earlier decisions. An approved skill leaves the prompts again.",
    )


def prove_command(commands: Commands) -> None:
    """Add the command `lull prove` to the parser."""
    proved = add_command(
        commands, "prove", "test suggested skills now instead of when the computer is idle", PROVE
    )
    proved.add_argument(
        "proposal", metavar="ID", nargs="?", type=named, help="test only this suggestion"
    )
    proved.add_argument("--wait", action="store_true", help="wait until the tests have ended")


def _proposal(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "proposal", metavar="ID", type=named, help="its id, from `lull review list`"
    )


def _all(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--all", action="store_true", default=argparse.SUPPRESS, help="include decided ones"
    )
