"""Lets a killed run continue: a journal, and a copy of Lull's home after each day.

After a day a copy of the home and then the day's line in the journal are on disk. A day counts
when its line is there; one that was under way begins again, from the home of the day before.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench.json_object import Json
from bench.models.endpoint import Endpoint
from bench.through_lull.conditions import Condition, Service, Upstream, copy_home


@contextmanager
def behind(
    condition: Condition, endpoint: Endpoint, upstream: Upstream, folder: Path, number: int
) -> Iterator[tuple[Endpoint, Service | None]]:
    """Yield where day `number` (from 0) sends its requests: the model itself, or a Lull with what
    it learned before. Raises LullFailed.
    """
    if not condition.through_lull:
        yield endpoint, None
        return
    service = Service(folder / "home", upstream)
    service.stop_orphan()
    shutil.rmtree(service.home, ignore_errors=True)
    before = folder / f"home-{number}"
    if before.exists():
        shutil.copytree(before, service.home)
    address = service.start(learns=condition.learns)
    try:
        pause = service.let_it_read if condition.learns else None
        yield replace(endpoint, address=address, before_user=pause), service
    finally:
        service.stop()


def keep(service: Service | None, folder: Path, number: int) -> None:
    """Save a copy of the stopped service's home after day `number`."""
    if service is not None:
        copy_home(service.home, folder / f"home-{number + 1}")


def forget_before(folder: Path, number: int) -> None:
    shutil.rmtree(folder / f"home-{number}", ignore_errors=True)


def read_lines(journal: Path) -> list[Json]:
    """Return the journal's complete lines, and remove a line that a kill cut short from the
    file.
    """
    read: list[Json] = []
    lines = journal.read_text("utf-8").splitlines() if journal.exists() else []
    for line in lines:
        try:
            read.append(json.loads(line))
        except ValueError:
            break
    if len(read) < len(lines):
        _rewrite(journal, lines[: len(read)])
    return read


def _rewrite(journal: Path, lines: Sequence[str]) -> None:
    half = journal.with_suffix(".half")
    half.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    half.replace(journal)


def append_line(journal: Path, document: Mapping[str, Any]) -> None:
    with journal.open("a", encoding="utf-8") as out:
        out.write(json.dumps(document, ensure_ascii=False) + "\n")
        out.flush()
        os.fsync(out.fileno())
