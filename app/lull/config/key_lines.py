"""Finds the line of each key in a TOML text, so that errors can name the line.

No TOML library reports this. A valid text splits into statements; a statement is the shortest run
of lines that parses by itself, and tomllib then gives its keys.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator

Path = tuple[str, ...]


def key_lines(text: str) -> dict[Path, int]:
    """Map the path of each key and each group in a TOML text to the line (counted from 1) where it
    first appears.

    `text` must be valid TOML.
    """
    lines: dict[Path, int] = {}
    header: Path = ()
    statement, began = "", 1
    for number, line in enumerate(text.split("\n"), 1):
        statement += line + "\n"
        try:
            said = tomllib.loads(statement)
        except tomllib.TOMLDecodeError:
            continue  # a value over several lines
        paths = list(_paths(said))
        if statement.lstrip().startswith("["):
            header = max(paths, key=len)
            paths = [header[:depth] for depth in range(1, len(header) + 1)]
        else:
            paths = [header + path for path in paths]
        for path in paths:
            lines.setdefault(path, began)
        statement, began = "", number + 1
    return lines


def _paths(said: dict[str, object]) -> Iterator[Path]:
    for key, value in said.items():
        yield (key,)
        if isinstance(value, dict):
            yield from ((key, *rest) for rest in _paths(value))
