"""What every part of the command line's grammar shares: how wrong words are answered, the options
that every command has, and the kinds of value."""

from __future__ import annotations

import argparse
import difflib
import re
import sys
from typing import Any, NoReturn, Protocol

from lull.core.errors import UsageError

LATER = frozenset(
    {
        *("clients", "export", "uninstall"),
    }
)
"""Commands that a later version has."""

_UNKNOWN = re.compile(r"argument (COMMAND|ACTION): invalid choice: (['\"])(.*?)\2 \(choose from")


_ADDRESS = re.compile(r"(?:https?|webcals?)://[^\s'\"]+", re.IGNORECASE)


class Parser(argparse.ArgumentParser):
    """Wrong usage becomes one line, not a page; nothing may be abbreviated, because what is short
    for one option today may be short for two tomorrow."""

    def __init__(self, **words: Any) -> None:
        super().__init__(
            **{
                "formatter_class": argparse.RawDescriptionHelpFormatter,
                **words,
                "allow_abbrev": False,
            }
        )
        self.set_defaults(prog=self.prog)

    def _print_message(self, message: str, file: Any = None) -> None:
        # Not by argparse: it passes over a full disk in some patch releases of Python and not in
        # others, and falls back to a stderr that may be closed as well.
        stream = file or sys.stderr
        if message and stream is not None:
            stream.write(message)

    def error(self, message: str) -> NoReturn:
        message = without_addresses(message)
        unknown = _UNKNOWN.match(message)
        if unknown is None:
            raise UsageError(f"{message}.", hint=f"`{self.prog} --help` tells more.")
        word = unknown[3]
        if unknown[1] == "COMMAND" and word in LATER:
            raise UsageError(
                f"This version has no `lull {word}` yet.", hint="`lull --help` lists what it has."
            )
        near = difflib.get_close_matches(word, re.findall(r"'([a-z-]+)'", message[unknown.end() :]))
        guess = f"Did you mean `{self.prog} {near[0]}`? " if near else ""
        raise UsageError(
            f"There is no `{self.prog} {word}`.", hint=f"{guess}`{self.prog} --help` lists them."
        )


def without_addresses(text: str) -> str:
    """A calendar's address is a password, also where it stands in the wrong place."""
    return _ADDRESS.sub("…", text)


def common(parser: argparse.ArgumentParser, *, top: bool = False) -> None:
    """Options that may stand before or behind the subcommand."""
    home, as_json = (None, False) if top else (argparse.SUPPRESS, argparse.SUPPRESS)
    parser.add_argument(
        "--home",
        metavar="DIR",
        type=folder,
        default=home,
        help="where every file lies (LULL_HOME)",
    )
    parser.add_argument(
        "--json", action="store_true", default=as_json, help="one JSON document on stdout"
    )


class Commands(Protocol):
    """What argparse's add_subparsers gives, as far as it is used here."""

    choices: Any

    def add_parser(self, name: str, *, help: str, description: str, epilog: str) -> Any: ...  # noqa: A002


def command(commands: Commands, name: str, text: str, more: str = "") -> argparse.ArgumentParser:
    first = f"{text[0].upper()}{text[1:]}."
    parser = commands.add_parser(name, help=text, description=first, epilog=more)
    assert isinstance(parser, argparse.ArgumentParser)
    common(parser)
    return parser


def whole(text: str) -> int:
    if not text.isdecimal() or len(text) > 12:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a whole number")
    return int(text)


def count(text: str) -> int:
    if (number := whole(text)) < 1:
        raise argparse.ArgumentTypeError("it must be at least 1")
    return number


def port(text: str) -> int:
    if (number := whole(text)) > 65535:
        raise argparse.ArgumentTypeError("a port is at most 65535")
    return number


def folder(text: str) -> str:
    if not text:
        raise argparse.ArgumentTypeError("it needs the name of a folder")
    return text


def named(text: str) -> str:
    if not text:
        raise argparse.ArgumentTypeError("it needs an id")
    return text
