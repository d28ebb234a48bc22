"""Defines the arguments and help texts of `lull calendar`, the command for calendar feeds."""

from __future__ import annotations

import argparse

from lull.cli.parser.base import Commands, Parser, add_command, count, named
from lull.core.calendars.event import Meaning

CALENDAR = """\
Lull reads and keeps only the times when you are busy: no titles, no people, no places.
All-day events count, from midnight to midnight. Calendars of holidays and birthdays usually
mark their events as free, and free events do not count."""

ADD = """\
--means says what an event in this calendar means. `away`: you are not at this computer, so Lull
may work. `busy`: you are using it (for a call, say), so Lull may not.
A calendar's address is a password. It is kept in the keychain and never shown. With - instead of
an address you are asked for it without echo, or it is read from stdin.
Addresses must be https:// or webcal:// and not on this machine or your own network. --private
allows those, and http:// for them."""

TEST = """\
Reads the calendar once and saves nothing. This needs no running service. --means only sets how
events are labelled."""


def calendar_commands(commands: Commands) -> None:
    """Add the command `lull calendar` and its actions to the parser."""
    calendar = add_command(
        commands, "calendar", "manage calendars that tell Lull when you are away or busy", CALENDAR
    )
    actions = calendar.add_subparsers(
        dest="action", metavar="ACTION", title="actions", parser_class=Parser
    )
    add_command(actions, "list", "list the calendars, how fresh they are, and any problems")
    added = add_command(actions, "add", "follow a calendar", ADD)
    _location(added)
    _means(added, needed=True)
    added.add_argument(
        "--label", metavar="T", default="", help="its name in lists (default: its host)"
    )
    tested = add_command(actions, "test", "show what Lull would read from a calendar", TEST)
    _location(tested)
    _means(tested, needed=False)
    tested.add_argument(
        "--days",
        type=count,
        default=7,
        metavar="N",
        help="how many days to look ahead (default: 7)",
    )
    removed = add_command(
        actions, "remove", "stop following a calendar", "Removes its address from the keychain."
    )
    removed.add_argument(
        "calendar", metavar="ID", type=named, help="its id, from `lull calendar list`"
    )


def _location(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("location", metavar="URL|FILE|-", type=_place)
    parser.add_argument(
        "--private",
        action="store_true",
        help="allow an address on this machine or your own network",
    )


def _place(text: str) -> str:
    if not text.strip():
        raise argparse.ArgumentTypeError("it needs an address, the path of a file, or -")
    return text


def _means(parser: argparse.ArgumentParser, *, needed: bool) -> None:
    choices = tuple(meaning.value for meaning in Meaning)
    parser.add_argument(
        "--means",
        metavar="|".join(choices),
        choices=choices,
        required=needed,
        default=None if needed else Meaning.BUSY.value,
        help="what an event in this calendar means",
    )
