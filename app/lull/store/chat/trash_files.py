"""Reads and writes trash files, which hold deleted conversations: gzip-compressed lines of JSON,
the first of which describes the content.

Such a file may be damaged. Then the lines before the damage can still be read.
"""

from __future__ import annotations

import base64
import gzip
import json
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from lull.core.errors import StoreError
from lull.store.disk.on_disk import open_regular

ROOT: Final = "trajectories"
"""The table of conversations, to which every other row in a trash file belongs."""
TrashRow = dict[str, Any]
"""A deleted row of any table, by column."""
TrashRows = Sequence[tuple[str, TrashRow]]
"""Rows, each with the name of its table, parents before their children, messages last."""
_DAMAGE: Final = (
    gzip.BadGzipFile,
    EOFError,
    zlib.error,
    ValueError,
    TypeError,
    KeyError,
    AttributeError,
    StopIteration,
)
"""Exceptions that reading a damaged file raises."""
_READ_BYTES: Final = 1 << 20
_LOOKED_AT: Final = {
    ROOT: {"id"},
    "turns": {"trajectory", "request_link", "answer_link", "tools"},
    "messages": {"link", "parent"},
    "words": {"link", "text"},
    "tool_sets": {"sha256"},
}
"""Columns by which rows are found to belong together."""


class DamagedTrash(StoreError):
    """Raised when trash files (deleted conversations) can be opened but their content is
    damaged.
    """

    title = "Part of the trash is damaged"

    rows: TrashRows = ()
    """The rows that could still be read, most of them from before the damage."""


def damage_error(files: Sequence[Path], rows: TrashRows = ()) -> DamagedTrash:
    """Build the error to raise for damaged trash files (deleted conversations): it names the files
    and carries the rows that could still be read.
    """
    error = DamagedTrash(
        f"Old conversations in these files cannot be restored: {', '.join(map(str, files))}.",
        hint="A backup may have intact copies; `lull trash empty --yes` deletes them all.",
    )
    error.rows = [(table, row) for table, row in rows if _sound(table, row)]
    return error


def to_bytes(head: Mapping[str, Any], rows: TrashRows) -> bytes:
    """Return the bytes of a trash file, which holds deleted conversations: `head` describes the
    content, `rows` are the database rows.
    """
    lines = [head, *([table, _packed(row)] for table, row in rows)]
    data = "".join(json.dumps(line) + "\n" for line in lines)
    return gzip.compress(data.encode(), compresslevel=6, mtime=0)


@contextmanager
def _unpacked_file(file: Path) -> Iterator[gzip.GzipFile]:
    """Open a trash file for reading. Raises OSError also for a pipe or a device in its place."""
    with os.fdopen(open_regular(file), "rb") as packed, gzip.GzipFile(fileobj=packed) as lines:
        yield lines


def head_of(file: Path) -> dict[str, Any] | None:
    """Return the first line of a trash file, which describes the deleted conversations in it; None
    if it cannot be read.
    """
    try:
        with _unpacked_file(file) as lines:
            said = json.loads(lines.readline(_READ_BYTES))
    except (OSError, *_DAMAGE):
        return None
    return said if isinstance(said, dict) else None


def rows_of(file: Path) -> list[tuple[str, TrashRow]]:
    """Return the database rows in a trash file (deleted conversations), each with the name of its
    table.

    Raises DamagedTrash, StoreError.
    """
    rows: list[tuple[str, TrashRow]] = []
    try:
        with _unpacked_file(file) as lines:
            next(lines)
            for line in lines:
                table, row = json.loads(line)
                rows.append((str(table), {name: _unpacked(value) for name, value in row.items()}))
    except _DAMAGE as error:
        raise damage_error((file,), rows) from error
    except OSError as error:
        raise StoreError(
            f"{file} cannot be read: {error.strerror}.",
            hint="`lull trash` lists what can be taken back.",
        ) from error
    return rows


def is_damaged(file: Path) -> bool:
    """Return whether a trash file cannot be unpacked to its end. Reads the whole file, a part at a
    time.
    """
    if head_of(file) is None:
        return file.exists()
    try:
        with _unpacked_file(file) as packed:
            while packed.read(_READ_BYTES):
                pass
    except FileNotFoundError:
        return False
    except (OSError, *_DAMAGE):
        return True
    return False


def damaged_in(folder: Path) -> list[Path]:
    """List the damaged trash files in a folder. Reads every file to its end."""
    return [file for file in sorted(folder.glob("*.gz")) if is_damaged(file)]


def complete_conversations(rows: TrashRows) -> set[str]:
    """Return the ids of the conversations that are complete among these rows of a trash file, which
    means that all their messages are there.

    Messages are written last, so everything else that belongs to such a conversation is there, too.
    """
    parents = {row["link"]: row["parent"] for table, row in rows if table == "messages"}

    def there(link: str) -> bool:
        seen: set[str] = set()
        while link in parents and link not in seen:  # a damaged link may lead back
            seen.add(link)
            link = parents[link]
        return not link

    turns = [row for table, row in rows if table == "turns"]
    broken = {
        row["trajectory"]
        for row in turns
        if not (there(row["request_link"]) and there(row["answer_link"]))
    }
    return {row["trajectory"] for row in turns} - broken


def _sound(table: str, row: TrashRow) -> bool:
    """Whether a row from a damaged trash file has all columns that are needed to restore it."""
    plain = all(one is None or isinstance(one, (str, int, float, bytes)) for one in row.values())
    return plain and _LOOKED_AT.get(table, set()) <= row.keys()


def _packed(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: {"b64": base64.b64encode(value).decode()} if isinstance(value, bytes) else value
        for name, value in row.items()
    }


def _unpacked(value: Any) -> Any:
    return base64.b64decode(value["b64"]) if isinstance(value, dict) else value
