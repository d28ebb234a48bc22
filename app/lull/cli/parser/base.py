"""Shared parts of the command line's parser: usage errors, common options and types of
arguments.
"""

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
"""Names of commands that do not exist yet, which get an error of their own."""

_UNKNOWN = re.compile(r"argument (COMMAND|ACTION): invalid choice: (['\"])(.*?)\2 \(choose from")


_ADDRESS = re.compile(r"(?:https?|webcals?)://[^\s'\"]+", re.IGNORECASE)


class Parser(argparse.ArgumentParser):
    """An argument parser that reports wrong usage in one line.

    Options cannot be abbreviated, because an abbreviation may become ambiguous when options are
    added.
    """

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
        # Overridden because argparse ignores a full disk in some patch releases of Python, and
        # falls back to a stderr that may be closed too.
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
                f"This version has no `lull {word}` yet.",
                hint="`lull connect` does it."
                if word == "clients"
                else "`lull --help` lists what it has.",
            )
        near = difflib.get_close_matches(word, re.findall(r"'([a-z-]+)'", message[unknown.end() :]))
        guess = f"Did you mean `{self.prog} {near[0]}`? " if near else ""
        raise UsageError(
            f"There is no `{self.prog} {word}`.", hint=f"{guess}`{self.prog} --help` lists them."
        )


def without_addresses(text: str) -> str:
    """Replace the URLs in an error text, because whoever knows a calendar feed's URL can read the
    calendar.
    """
    return _ADDRESS.sub("…", text)


def add_common_options(parser: argparse.ArgumentParser, *, top: bool = False) -> None:
    """Add the options that all commands of `lull` share; they may come before or after the
    subcommand.
    """
    home, as_json = (None, False) if top else (argparse.SUPPRESS, argparse.SUPPRESS)
    parser.add_argument(
        "--home",
        metavar="DIR",
        type=folder,
        default=home,
        help="the folder with all of Lull's files (LULL_HOME)",
    )
    parser.add_argument(
        "--json", action="store_true", default=as_json, help="print one JSON document on stdout"
    )


class Commands(Protocol):
    """Type, for the type checker only, of the object with which argparse adds subcommands."""

    choices: Any

    def add_parser(self, name: str, *, help: str, description: str, epilog: str) -> Any:  # noqa: A002
        """Add a subcommand with its help texts and return its parser."""


def add_command(
    commands: Commands, name: str, text: str, more: str = ""
) -> argparse.ArgumentParser:
    """Add a subcommand to the parser and return its own parser.

    `text` describes it in the list of commands; `more` is appended to its own help.
    """
    first = f"{text[0].upper()}{text[1:]}."
    parser = commands.add_parser(name, help=text, description=first, epilog=more)
    assert isinstance(parser, argparse.ArgumentParser)
    add_common_options(parser)
    return parser


def whole(text: str) -> int:
    """Parse an argument as a whole number, 0 or more; for argparse."""
    if not text.isdecimal() or len(text) > 12:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a whole number")
    return int(text)


def count(text: str) -> int:
    """Parse an argument as a whole number, 1 or more; for argparse."""
    if text.startswith("-") or (number := whole(text)) < 1:
        raise argparse.ArgumentTypeError("it must be at least 1")
    return number


def port(text: str) -> int:
    """Parse an argument as the number of a network port; for argparse."""
    if (number := whole(text)) > 65535:
        raise argparse.ArgumentTypeError("a port is at most 65535")
    return number


def folder(text: str) -> str:
    """Parse an argument as the name of a folder, which must not be empty; for argparse."""
    if not text:
        raise argparse.ArgumentTypeError("it needs the name of a folder")
    return text


def named(text: str) -> str:
    """Parse an argument as an id, which must not be empty; for argparse."""
    if not text:
        raise argparse.ArgumentTypeError("it needs an id")
    return text
