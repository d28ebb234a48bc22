"""Seals each library generation (version): stores a second copy of its skill rows with a keyed hash
over it, so that rows changed, added or removed outside Lull are detected and restored.

The copy is what counts. A generation whose copy is gone or damaged is lost: nobody knows which
skills it changed, so a skill that no later generation changed is not used. The key is in the same
file, so this detects damage and careless edits, not an attacker who reads the key
(docs/security.md).
"""

from __future__ import annotations

import hmac
import json
import secrets
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from lull.store.rows.facts import MAC_BYTES, fact, keyed_hash, set_fact
from lull.store.rows.put_right import note_put_right

_KEY: Final = "seal-key"
_NEWEST: Final = "sealed-generations"
"""Name of the fact that holds how many generations were sealed, so that removed ones are missed."""
STATES: Final = "skill_states"
"""The table under whose name it is noted which skills' rows were put right."""
_SEAL: Final = "seal:"
_COLUMNS: Final = "client, name, version, sha256, status, pinned"
_TABLE_COLUMNS: Final = "client, name, generation, version, sha256, status, pinned"

State = tuple[str, str, int, str, str, int]
"""A skill's state as sealed: (client, name, version, sha256, status, pinned)."""


@dataclass(frozen=True, slots=True)
class SealedStates:
    """The skill states that each library generation (version) set, read from its seal: a second
    copy of the rows with a keyed hash over it.
    """

    newest: int
    """Number of the newest generation, also if its rows are gone."""
    states: Mapping[int, tuple[State, ...]]
    """The states that each generation with a valid seal set."""
    lost: frozenset[int]
    """Generations without a valid seal; what they changed is not known."""

    def is_certain(self, generation: int, *, at: int) -> bool:
        """Return whether a skill that was last changed in library version `generation` surely still
        had that state in version `at`: no seal of a version between the two is lost.
        """
        return not any(generation <= number <= at for number in self.lost)


@dataclass(frozen=True, slots=True)
class _Copy:
    """What a seal holds: when and by which change the generation was made, and its states."""

    at: str
    change: str
    states: tuple[State, ...]


def create_seals(connection: sqlite3.Connection) -> None:
    """Create the secret key for seals (copies of skill rows with a keyed hash), if there is none
    yet, and seal all library generations. Seals of an older form, without a copy of the rows, get
    one if the rows still match.
    """
    seals, rows = _seals(connection), _rows_by_generation(connection)
    key = fact(connection, _KEY)
    if key is None:
        set_fact(connection, _KEY, secrets.token_bytes(32))
    for number in _numbers(connection):
        older = _mac(key or b"", [number, sorted(rows.get(number, []))])
        if key is None or _equal(seals.get(number, b""), older):
            _seal(connection, number, rows.get(number, []))


def seal(connection: sqlite3.Connection, generation: int) -> None:
    """Store a copy of a library generation's (version's) skill rows with its keyed hash.

    Call it in the transaction that writes the rows.
    """
    _seal(connection, generation, table_rows(connection, generation))


def _seal(connection: sqlite3.Connection, generation: int, rows: Iterable[State]) -> None:
    at, change = connection.execute(
        "SELECT at, change FROM generations WHERE number = ?", (generation,)
    ).fetchone()
    key = _key(connection)
    content = [generation, at, change, sorted(rows)]
    copy = json.dumps(content, ensure_ascii=True).encode()
    set_fact(connection, f"{_SEAL}{generation}", _mac(key, content) + copy)
    if generation > (_counted(connection) or 0):
        set_fact(connection, _NEWEST, _mac(key, ["newest", generation]) + b"%d" % generation)


def sealed_states(connection: sqlite3.Connection) -> SealedStates:
    """Read the skill library's states from the seals (copies with a keyed hash), not from the
    table, which other programs may have changed.
    """
    copies = _copies(connection)
    newest = _counted(connection)
    if newest is None:
        newest = max([0, *_numbers(connection), *_seals(connection)])
    return SealedStates(
        newest=newest,
        states={number: copies[number].states for number in sorted(copies) if number <= newest},
        lost=frozenset(range(1, newest + 1)) - copies.keys(),
    )


def repair_rows(connection: sqlite3.Connection) -> list[str]:
    """Make the rows of the skill library equal to their seals (copies with a keyed hash); return
    the names of the skills whose rows were changed, added or removed outside Lull.
    """
    copies, sealed = _copies(connection), sealed_states(connection)
    rows = _rows_by_generation(connection)
    generations = connection.execute("SELECT number, at, change FROM generations")
    made = {number: (at, change) for number, at, change in generations}
    names = set(remove_planted(connection, sealed.newest))
    for number, states in sealed.states.items():
        found, copy = rows.get(number, []), copies[number]
        if sorted(found) != sorted(states) or made.get(number) != (copy.at, copy.change):
            names.update(state[1] for state in set(found) ^ set(states))
            _write(connection, number, copy)
    note_put_right(connection, STATES, names)
    return sorted(names)


def remove_planted(connection: sqlite3.Connection, newest: int) -> list[str]:
    """Remove the rows of generations behind the `newest` one that Lull made, which another program
    added, before the next generation takes their number and would seal them as its own; return the
    names of their skills.
    """
    rows = connection.execute("SELECT name FROM skill_states WHERE generation > ?", (newest,))
    names = sorted({row[0] for row in rows})
    connection.execute("DELETE FROM skill_states WHERE generation > ?", (newest,))
    connection.execute("DELETE FROM generations WHERE number > ?", (newest,))
    note_put_right(connection, STATES, names)
    return names


def seal_again(connection: sqlite3.Connection) -> None:
    """Seal the library's generations anew (copy their rows with a keyed hash) after rows were
    removed on purpose (`lull forget`).

    A lost generation stays lost, and what is left of its seal is deleted.
    """
    sealed, rows = sealed_states(connection), _rows_by_generation(connection)
    for number in _seals(connection):
        if number in sealed.states:
            _seal(connection, number, rows.get(number, []))
        else:
            set_fact(connection, f"{_SEAL}{number}", b"")


def _write(connection: sqlite3.Connection, number: int, copy: _Copy) -> None:
    """Write one generation's rows as its seal has them."""
    connection.execute(
        "INSERT INTO generations VALUES (?, ?, ?, '')"
        " ON CONFLICT (number) DO UPDATE SET at = excluded.at, change = excluded.change",
        (number, copy.at, copy.change),
    )
    connection.execute("DELETE FROM skill_states WHERE generation = ?", (number,))
    connection.executemany(
        f"INSERT INTO skill_states ({_TABLE_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)",
        [(*state[:2], number, *state[2:]) for state in copy.states],
    )


def _numbers(connection: sqlite3.Connection) -> list[int]:
    return [row[0] for row in connection.execute("SELECT number FROM generations ORDER BY number")]


def _rows_by_generation(connection: sqlite3.Connection) -> dict[int, list[State]]:
    """Read all skill states from the table in one pass: it has no index by generation."""
    found: dict[int, list[State]] = {}
    for row in connection.execute(f"SELECT generation, {_COLUMNS} FROM skill_states"):
        found.setdefault(row[0], []).append(_state(row[1:]))
    return found


def table_rows(connection: sqlite3.Connection, generation: int) -> list[State]:
    """Read the skill states of one library generation (version) from the table itself, not from
    their sealed copy.
    """
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


def _copies(connection: sqlite3.Connection) -> dict[int, _Copy]:
    """Read the copy of each generation whose seal is valid."""
    key, copies = _key(connection), {}
    for number, value in _seals(connection).items():
        try:
            content = json.loads(value[MAC_BYTES:])
        except (ValueError, RecursionError):
            continue
        if _equal(value[:MAC_BYTES], _mac(key, content)) and content[0] == number:
            _, at, change, rows = content
            copies[number] = _Copy(at, change, tuple(_state(row) for row in rows))
    return copies


def _seals(connection: sqlite3.Connection) -> dict[int, bytes]:
    found = connection.execute(
        "SELECT name, CAST(value AS BLOB) FROM facts WHERE name LIKE ?", (f"{_SEAL}%",)
    )
    return {
        int(name.removeprefix(_SEAL)): bytes(value)
        for name, value in found
        if name.removeprefix(_SEAL).isdecimal()
    }


def _counted(connection: sqlite3.Connection) -> int | None:
    """Return how many generations were sealed; None if that is not recorded validly."""
    value = fact(connection, _NEWEST) or b""
    digits = value[MAC_BYTES:]
    if not digits.isdigit():
        return None
    valid = _equal(value[:MAC_BYTES], _mac(_key(connection), ["newest", int(digits)]))
    return int(digits) if valid else None


def _key(connection: sqlite3.Connection) -> bytes:
    return fact(connection, _KEY) or b""


def _equal(one: bytes, other: bytes) -> bool:
    return hmac.compare_digest(one, other)


def _mac(key: bytes, content: object) -> bytes:
    text = json.dumps(content, ensure_ascii=True)
    return keyed_hash(key, text.encode())
