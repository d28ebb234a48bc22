"""Seals the skill states of each library generation (version) with a keyed hash, so that rows
changed outside Lull are detected.

Rows that do not match their seal are not used; if one other value would make them match, that value
is restored. The key is in the same file, so this detects damage and careless edits, not an attacker
who reads the key (docs/security.md).
"""

from __future__ import annotations

import hashlib
import hmac
import itertools
import json
import secrets
import sqlite3
from collections.abc import Iterable, Iterator
from typing import Final

_KEY: Final = "seal-key"
_SEAL: Final = "seal:"
_STATUSES: Final = ("active", "disabled", "archived")
_COLUMNS: Final = "client, name, version, sha256, status, pinned"

State = tuple[str, str, int, str, str, int]
"""A skill's state as sealed: (client, name, version, sha256, status, pinned)."""


def begin(connection: sqlite3.Connection) -> None:
    """Create the key for seals (keyed hashes of the skill library's rows) and seal all generations,
    if the library has no key yet.
    """
    if connection.execute("SELECT 1 FROM facts WHERE name = ?", (_KEY,)).fetchone():
        return
    connection.execute("INSERT INTO facts VALUES (?, ?)", (_KEY, secrets.token_bytes(32)))
    for number in _numbers(connection):
        seal(connection, number)


def seal(connection: sqlite3.Connection, generation: int) -> None:
    """Store a seal (a keyed hash) of a library generation's skill rows, in the transaction that
    writes them.
    """
    connection.execute(
        "INSERT OR REPLACE INTO facts VALUES (?, ?)",
        (f"{_SEAL}{generation}", _mac(_key(connection), generation, _rows(connection, generation))),
    )


def broken(connection: sqlite3.Connection) -> frozenset[int]:
    """Return the numbers of the skill library's generations whose rows do not match their seal (a
    keyed hash).
    """
    key, seals = _key(connection), _seals(connection)
    states: dict[int, list[State]] = {number: [] for number in _numbers(connection)}
    for row in connection.execute(f"SELECT generation, {_COLUMNS} FROM skill_states"):
        states.setdefault(row[0], []).append(_state(row[1:]))
    states |= {number: [] for number in seals.keys() - states.keys()}
    return frozenset(
        number
        for number, rows in states.items()
        if not hmac.compare_digest(seals.get(number, b""), _mac(key, number, rows))
    )


def mend(connection: sqlite3.Connection, texts: Iterable[str]) -> list[str]:
    """Repair versions (generations) of the skill library in which one skill's row was changed
    outside Lull; return those skills' names.

    A seal is the keyed hash of a generation's rows. If replacing one row by a value that it may
    have had makes the hash match again, that value is restored. `texts` are the sha256 values that
    the row may have had.
    """
    mended: list[str] = []
    known = tuple(dict.fromkeys(texts))
    key, seals = _key(connection), _seals(connection)
    for number in sorted(broken(connection)):
        rows = _rows(connection, number)
        for at, row in enumerate(rows):
            fits = (
                other
                for other in _others(row, known)
                if hmac.compare_digest(
                    seals.get(number, b""), _mac(key, number, [*rows[:at], other, *rows[at + 1 :]])
                )
            )
            was = next(fits, None)
            if was is not None:
                connection.execute(
                    "UPDATE skill_states SET version = ?, sha256 = ?, status = ?, pinned = ?"
                    " WHERE client = ? AND name = ? AND generation = ?",
                    (*was[2:], *was[:2], number),
                )
                mended.append(was[1])
                break
    return mended


def seal_again(connection: sqlite3.Connection, *, skip: Iterable[int]) -> None:
    """Recompute the seals (keyed hashes of the skill rows) after rows were removed on purpose
    (`lull forget`).

    Generations in `skip`, which were broken before, are left out.
    """
    skipped = set(skip)
    for number in _numbers(connection):
        if number not in skipped:
            seal(connection, number)


def _others(row: State, texts: Iterable[str]) -> Iterator[State]:
    """List what the row may have been: another text, status and pin, or another version."""
    client, name, version, sha256, _, _ = row
    versions = range(1, version + 50)
    for text, status, pinned in itertools.product((sha256, *texts), _STATUSES, (0, 1)):
        yield (client, name, version, text, status, pinned)
    for number in versions:
        yield (client, name, number, sha256, row[4], row[5])


def _numbers(connection: sqlite3.Connection) -> list[int]:
    return [row[0] for row in connection.execute("SELECT number FROM generations ORDER BY number")]


def _rows(connection: sqlite3.Connection, generation: int) -> list[State]:
    found = connection.execute(
        f"SELECT {_COLUMNS} FROM skill_states WHERE generation = ?", (generation,)
    )
    return [_state(row) for row in found]


def _state(row: Iterable[object]) -> State:
    client, name, version, sha256, status, pinned = row
    return (
        str(client),
        str(name),
        version if isinstance(version, int) else -1,
        str(sha256),
        str(status),
        pinned if isinstance(pinned, int) else -1,
    )


def _seals(connection: sqlite3.Connection) -> dict[int, bytes]:
    found = connection.execute("SELECT name, value FROM facts WHERE name LIKE ?", (f"{_SEAL}%",))
    return {
        int(name.removeprefix(_SEAL)): bytes(value)
        for name, value in found
        if name.removeprefix(_SEAL).isdecimal()
    }


def _key(connection: sqlite3.Connection) -> bytes:
    row = connection.execute("SELECT value FROM facts WHERE name = ?", (_KEY,)).fetchone()
    return bytes(row[0]) if row else b""


def _mac(key: bytes, generation: int, rows: Iterable[State]) -> bytes:
    text = json.dumps([generation, sorted(rows)], ensure_ascii=True)
    return hmac.new(key, text.encode(), hashlib.sha256).digest()
