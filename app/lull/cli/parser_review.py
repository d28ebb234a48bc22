"""The words of `lull review` and `lull prove`: what Lull proposes, and what the user says to it."""

from __future__ import annotations

import argparse

from lull.cli.parser_base import Commands, Parser, command, named
from lull.cli.parser_skills import text_options

REVIEW = """\
On a terminal: one proposal after the other, with its diff, its proof and who said each
sentence; then a to approve, e to edit, r to reject, d to put off, u to take the last
decision back. Anywhere else, and with --json: the open proposals, newest first.
Nothing that you have not approved ever reaches a prompt."""

APPROVE = """\
The proposal's exact text becomes a skill: a new generation, in force from the next
conversation. With --sha256 only if the text has this hash. On a terminal and without
--sha256 the text is shown first and you are asked."""

EDIT = """\
The text is yours then, and what was proved of the other one holds no more: it is proved
anew. Another scope leaves the proof as it is; another check takes the verdicts of the old
one away. Without options, on a terminal, your $VISUAL or $EDITOR opens with the SKILL.md."""

COMPARE = """\
Two answers to a request of yours, one with the skill and one without, in an order that is
tossed and told to nobody. Pick the better one: a, b, s for the same, n for neither, q to
stop. Some six picks one way prove. Anywhere but on a terminal: one pair, and with --pick
your pick from it."""

PROVE = """\
Looks for failures, writes proposals and replays them now, at full speed, and not in the
next lull. Without ID all that wait; with ID that one alone, and what was proved, unproved or
put off begins anew. Answers once it has begun, with --wait once the proofs have ended.
Ctrl-C while it waits leaves them running in the service."""


def review_commands(commands: Commands) -> None:
    review = command(commands, "review", "what Lull proposes to teach the model", REVIEW)
    review.set_defaults(all=False)
    _all(review)
    actions = review.add_subparsers(
        dest="action", metavar="ACTION", title="actions", parser_class=Parser
    )
    listed = command(actions, "list", "the proposals, newest first, also on a terminal")
    _all(listed)
    shown = command(actions, "show", "one proposal: diff, proof, who said what")
    approved = command(actions, "approve", "put a proposal into force", APPROVE)
    rejected = command(
        actions,
        "reject",
        "turn a proposal down",
        "The reason is remembered: the same is not proposed again in other words.",
    )
    rejected.add_argument("--reason", metavar="T", required=True, help="why not")
    deferred = command(
        actions, "defer", "not now", "It stays in the list and is not proved by itself meanwhile."
    )
    edited = command(actions, "edit", "change a proposal's text", EDIT)
    text_options(edited, needed=False)
    edited.add_argument(
        "--scope", choices=("all", "kind"), help="for every request, or those like it"
    )
    edited.add_argument(
        "--check", metavar="JSON|none", help="what an answer must look like; none: no check"
    )
    compared = command(actions, "compare", "pick the better of two answers, blind", COMPARE)
    _proposal(compared)
    compared.add_argument(
        "--pick", nargs=2, metavar=("PAIR", "PICK"), help="one of a, b, same, neither"
    )
    compared.add_argument("--picks", metavar="A,B,…", help="from the next pairs, one after another")
    for parser in (shown, approved, rejected, deferred, edited):
        _proposal(parser)
        parser.add_argument(
            "--sha256", metavar="H", help="only if the text has this hash, as `show` says it"
        )
    command(
        actions,
        "undo",
        "take the last decision back",
        "As often as there were decisions. What was approved leaves the prompts again.",
    )


def prove_command(commands: Commands) -> None:
    proved = command(commands, "prove", "replay proposals now, not in the next lull", PROVE)
    proved.add_argument("proposal", metavar="ID", nargs="?", type=named, help="only this one")
    proved.add_argument("--wait", action="store_true", help="answer when the proofs have ended")


def _proposal(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("proposal", metavar="ID", type=named, help="`lull review` lists them")


def _all(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--all", action="store_true", default=argparse.SUPPRESS, help="decided ones, too"
    )
