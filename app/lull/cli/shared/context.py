"""What every command gets (paths, options and output), and helpers to print text and tables."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lull.config.paths import Paths
from lull.contract.json_object import Json
from lull.core.errors import LullError, NotFound, NotRunning

if TYPE_CHECKING:
    from lull.service.wiring.base.stores import StoredRecords, Stores


@dataclass(frozen=True, slots=True)
class Context:
    """What every command of `lull` is given: paths, parsed options and the output format."""

    paths: Paths
    options: argparse.Namespace
    as_json: bool

    def print_result(self, document: Json, words: Callable[[Json], str]) -> None:
        """Print a command's result: as JSON with --json, else as the text returned by `words`."""
        if self.as_json:
            print(json.dumps(document, ensure_ascii=not _speaks_utf8()))
        else:
            text = words(document)
            if text:
                print(text)

    def print_error(self, error: LullError) -> None:
        """Print an error as one line on stderr, in addition to the command's result."""
        if sys.stderr is not None:
            print(f"lull: {error}", file=sys.stderr)

    def read(
        self,
        route: str,
        query: Mapping[str, object],
        from_database: Callable[[StoredRecords], Json],
        *,
        default: Json | None = None,
    ) -> Json:
        """Return stored data, such as conversations or skills, as JSON: from the service if one
        runs, else from the database.

        The service gets a GET request with the path `route` and the parameters `query`; the
        function `from_database` reads the same data from the database. If there is no database yet,
        `default` is returned; if that is None, NotFound is raised.
        """
        from lull.cli.shared.control import Control
        from lull.service.wiring.base.stores import reading_of

        try:
            return Control(self.paths).get(route, **query)
        except NotRunning:
            pass
        if not self.paths.database.exists() and default is not None:
            return default
        with self.open_stores() as stores:
            return from_database(reading_of(stores))

    @contextmanager
    def open_stores(self) -> Iterator[Stores]:
        """Context manager that opens Lull's database and skill folders without the service.

        Raises NotFound when there is no database yet.
        """
        from lull.service.wiring.base.stores import open_stores

        if not self.paths.database.exists():
            raise NotFound(
                f"Nothing is stored in {self.paths.home} yet.",
                hint="Start the service with `lull serve` and use it.",
            )
        stores = open_stores(self.paths, rescue=False)
        try:
            yield stores
        finally:
            stores.database.close()


def _speaks_utf8() -> bool:
    encoding = (sys.stdout.encoding if sys.stdout is not None else "") or ""
    return encoding.lower().replace("-", "") in ("utf8", "utf8sig")


def table(rows: Sequence[Sequence[object]], head: Sequence[str] = ()) -> str:
    """Format rows as a text with aligned columns, below the column titles in `head`, if any.

    The last column is not padded. Without rows the text is empty.
    """
    if not rows:
        return ""
    heads = [head] if head else []
    texts = [[plain(str(cell)) for cell in row] for row in (*heads, *rows)]
    widths = [max(len(row[i]) for row in texts) for i in range(len(texts[0]))]
    lines = []
    for row in texts:
        cells = [cell.ljust(width) for cell, width in zip(row[:-1], widths[:-1], strict=True)]
        lines.append("  ".join([*cells, row[-1]]).rstrip())
    return "\n".join(lines)


def plain(text: str) -> str:
    """Replace non-printable characters in a text, so that it cannot control a terminal."""
    return "".join(
        c if c in "\n\t" or c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text
    )


def short_time(iso: str) -> str:
    """Format an ISO time in the local zone, such as `2026-11-21 14:03`."""
    from datetime import datetime

    return datetime.fromisoformat(iso).astimezone().strftime("%Y-%m-%d %H:%M")


def progress(text: str) -> None:
    """Print a line about a command's progress to stderr if that is a terminal."""
    if sys.stderr is not None and sys.stderr.isatty():
        print(text, file=sys.stderr)
