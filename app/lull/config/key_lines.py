"""On which line of a TOML text each key stands, because an error without a line is a search.

No TOML library tells. But a text that is valid as a whole splits into statements, and a statement
is the shortest run of lines that is valid by itself; what it says, the library tells.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator

Path = tuple[str, ...]


def key_lines(text: str) -> dict[Path, int]:
    """Each key's and each group's path → the line (from 1) where it is first named.

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
            continue  # a value that goes on
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
