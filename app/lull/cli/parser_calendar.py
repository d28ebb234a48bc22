"""The words of `lull calendar`: feeds that say when the user is busy, and what that means."""

from __future__ import annotations

import argparse

from lull.cli.parser_base import Commands, Parser, command, count, named
from lull.core.calendar_event import Meaning

CALENDAR = """\
Only when you are busy is read of a calendar and kept: no titles, no people, no places.
All-day events count, from midnight to midnight; holidays and birthdays are usually marked
as free by those who publish them, and do not count then."""

ADD = """\
--means says what being busy in this calendar means: away, you are not at this machine then,
so learn; busy, you are on it (a call, say), so do not.
The address of a calendar is a password. It is kept in the keychain and shown nowhere. Give -
instead of it and it is asked for, unseen, or read from standard input.
https:// and webcal:// only, and nothing on this machine or your own network, unless you say
--private; a private address may also be http://."""

TEST = """\
Reads it once and saves nothing; needs no running service. --means only names the events."""


def calendar_commands(commands: Commands) -> None:
    calendar = command(commands, "calendar", "when you are busy, from your calendars", CALENDAR)
    actions = calendar.add_subparsers(
        dest="action", metavar="ACTION", title="actions", parser_class=Parser
    )
    command(actions, "list", "the calendars, how fresh they are, and what is wrong")
    added = command(actions, "add", "follow a calendar", ADD)
    _location(added)
    _means(added, needed=True)
    added.add_argument("--label", metavar="T", default="", help="what to call it (its host)")
    tested = command(actions, "test", "what Lull reads from a calendar", TEST)
    _location(tested)
    _means(tested, needed=False)
    tested.add_argument(
        "--days", type=count, default=7, metavar="N", help="how many to look ahead (7)"
    )
    removed = command(
        actions, "remove", "forget a calendar", "Its address is taken out of the keychain."
    )
    removed.add_argument(
        "calendar", metavar="ID", type=named, help="`lull calendar list` lists them"
    )


def _location(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("location", metavar="URL|FILE|-", type=_place)
    parser.add_argument(
        "--private", action="store_true", help="it is on this machine or on your own network"
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
        help="what being busy means for learning",
    )
