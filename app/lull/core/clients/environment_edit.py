"""Sets environment variables in a shell's start-up file or in a .env file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from lull.core.clients.tree import newline_of, unchangeable

BEGIN: Final = "# >>> lull connect >>>"
END: Final = "# <<< lull connect <<<"
_ASSIGNED: Final = re.compile(r"[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)[ \t]*=[ \t]*")
_QUOTED: Final = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'", re.DOTALL)


def with_block(text: str, lines: Sequence[str]) -> str:
    """Return the text of a shell's start-up file with these lines added at its end between two
    marker lines, where they override earlier lines.

    An earlier block between these markers is replaced where it stands. Raises ClientFileError if
    only one of the markers is there.
    """
    nl = newline_of(text)
    block = nl.join([BEGIN, *lines, END])
    found = text.split(BEGIN)
    if len(found) == 1 and END not in text:
        gap = "" if not text else nl if text.endswith("\n") else nl * 2
        return f"{text}{gap}{block}{nl}"
    if len(found) != 2 or text.count(END) != 1 or END not in found[1]:
        raise unchangeable(
            f"In it, the lines {BEGIN!r} and {END!r} should stand once each, in this order."
        )
    return f"{found[0]}{block}{found[1].partition(END)[2]}"


def with_variable(text: str, name: str, value: str) -> str:
    """Return the text of a .env file with a variable set to a value. If several lines set it, the
    last one counts and is changed.
    """
    nl = newline_of(text)
    place = _place_of(text, name)
    if place is None:
        gap = "" if not text or text.endswith("\n") else nl
        return f"{text}{gap}{name}={value}{nl}"
    start, until = place
    if text[start:until].strip("\"'") == value:
        return text
    return f"{text[:start]}{value}{text[until:]}"


def value_of_variable(text: str, name: str) -> str:
    """Return the value that the text of a .env file gives a variable, without quotes; "" if no line
    sets it.
    """
    place = _place_of(text, name)
    return "" if place is None else text[place[0] : place[1]].strip("\"'")


def _place_of(text: str, name: str) -> tuple[int, int] | None:
    """Return where the value of a variable begins and ends in the last line that sets it."""
    place: tuple[int, int] | None = None
    at = 0
    while at < len(text):
        end = _line_end(text, at)
        found = _ASSIGNED.match(text, at, end)
        if found:
            string = _QUOTED.match(text, found.end())
            until = string.end() if string else _bare_end(text, found.end(), end)
            if found[1] == name:
                place = (found.end(), until)
            end = _line_end(text, until)
        at = end + 1
    return place


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _bare_end(text: str, start: int, end: int) -> int:
    """Where a value without quotes ends: before blanks and a comment."""
    value = re.split(r"[ \t]+#", text[start:end])[0]
    return start + len(value.rstrip())
