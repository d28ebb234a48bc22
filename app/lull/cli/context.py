"""What every command gets: where the files lie, what was asked, and how to answer."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from lull.config.paths import Paths
from lull.core.errors import NotFound
from lull.service.wiring import Stores, open_stores

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Context:
    paths: Paths
    options: argparse.Namespace
    as_json: bool

    def answer(self, document: Json, words: Callable[[Json], str]) -> None:
        """The document for scripts, words for people."""
        if self.as_json:
            print(json.dumps(document, ensure_ascii=False))
        else:
            text = words(document)
            if text:
                print(text)

    @contextmanager
    def stores(self) -> Iterator[Stores]:
        """The store, read without a service. Raises NotFound where there is none yet."""
        if not self.paths.database.exists():
            raise NotFound(
                f"Nothing is stored in {self.paths.home} yet.",
                hint="Start the service with `lull serve` and use it.",
            )
        stores = open_stores(self.paths)
        try:
            yield stores
        finally:
            stores.database.close()


def table(rows: Sequence[Sequence[object]], head: Sequence[str]) -> str:
    """Columns as wide as they must be; the last one is never padded."""
    texts = [[str(cell) for cell in row] for row in (head, *rows)]
    widths = [max(len(row[i]) for row in texts) for i in range(len(head))]
    lines = []
    for row in texts:
        cells = [cell.ljust(width) for cell, width in zip(row[:-1], widths[:-1], strict=True)]
        lines.append("  ".join([*cells, row[-1]]).rstrip())
    return "\n".join(lines)


def short_time(iso: str) -> str:
    """`2026-11-21 14:03` of an ISO time, in the local zone."""
    from datetime import datetime

    return datetime.fromisoformat(iso).astimezone().strftime("%Y-%m-%d %H:%M")


def progress(text: str) -> None:
    """On stderr and only on a terminal."""
    if sys.stderr.isatty():
        print(text, file=sys.stderr)
