"""Keeps a sealed copy (a second copy authenticated with a keyed hash) of the rows of some tables,
so that rows changed, added or removed outside of Lull are detected, ignored and repaired.

Rows with the same values in a table's `group` columns have one copy. The copy is what counts, not
the row. A list for each table, sealed too, says which groups there are and which copy of each is
the newest, so that removed copies are missed and older ones are not taken for it. The key is in the
same file, so this detects damage and careless edits, not a program that reads the key
(docs/security.md).
"""

from __future__ import annotations

import contextlib
import json
import logging
import secrets
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from lull.store.rows.facts import MAC_BYTES, fact, is_signed, keyed_hash, set_fact
from lull.store.rows.put_right import note_put_right

log = logging.getLogger(__name__)

_KEY: Final = "row-key"
_TO_SEAL: Final = "rows-to-seal"
"""Fact that names the tables whose rows a migration found without seals, or has just made."""
_LISTS: Final = "lists"
"""Table name under which the seal of a list of groups is stored; other seals have their table's."""
_LOST: Final = ""
"""Mark in a list of groups for a group whose copy was damaged when the list was made anew."""

Values = tuple[Any, ...]
"""The values of one row, in the order of the table's columns."""
Row = Mapping[str, Any]
"""One row, by column."""


@dataclass(frozen=True, slots=True)
class SealedTable:
    """Describes a database table whose rows also have sealed copies (each with a keyed hash), from
    which changes made outside of Lull are detected.
    """

    name: str
    columns: tuple[str, ...]
    """All columns, in their order in the table."""
    group: tuple[str, ...]
    """Columns that name a group: the rows that are sealed together."""
    current: bool = False
    """Whether a group says what holds now, so that an older copy of it must never count. Of other
    tables a copy still counts where the list of groups is damaged.
    """

    def id_of(self, values: Values) -> str:
        """Return the id of the group (rows that share one sealed copy) to which a row of this table
        belongs.
        """
        row = dict(zip(self.columns, values, strict=True))
        return " ".join(str(row[name]) for name in self.group)

    def row(self, values: Values) -> Row:
        """Name a row's values by the table's columns."""
        return dict(zip(self.columns, values, strict=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedRows:
    """A table's rows as read from their sealed copies, in groups of rows that share a copy."""

    groups: Mapping[str, tuple[Row, ...]]
    lost: frozenset[str]
    """Groups whose copy is gone or damaged: what they said is not known."""
    complete: bool
    """Whether all groups of rows are known; False if the list of the groups is damaged."""

    def all(self) -> list[Row]:
        """Return the rows of all groups whose copy is undamaged."""
        return [row for rows in self.groups.values() for row in rows]

    def group(self, id_: str) -> tuple[Row, ...]:
        """Return the rows of one group; empty for an unknown id."""
        return self.groups.get(id_, ())

    def is_lost(self, id_: str) -> bool:
        """Whether the sealed copy of the group of rows with this id is gone or damaged; also true
        for an unknown id if the list of all groups is damaged.
        """
        return id_ in self.lost or (not self.complete and id_ not in self.groups)


def seal_once(connection: sqlite3.Connection, tables: Iterable[SealedTable]) -> None:
    """Make the first sealed copies (with a keyed hash) of the present rows of those tables that a
    database migration has marked as not sealed yet.

    Call it in a transaction. It does nothing afterwards.
    """
    marked = (fact(connection, _TO_SEAL) or b"").decode().split()
    for table in tables:
        if table.name in marked:
            groups = _groups(connection, table)
            _write(connection, table, groups, {})
    connection.execute("DELETE FROM facts WHERE name = ?", (_TO_SEAL,))


def is_to_seal(connection: sqlite3.Connection) -> bool:
    """Whether a table still waits for its first sealed copies, made after a database migration."""
    return fact(connection, _TO_SEAL) is not None


def sealed_rows(
    connection: sqlite3.Connection, table: SealedTable, groups: Iterable[str] | None = None
) -> SealedRows:
    """Read rows of a table from their sealed copies (each with a keyed hash), because other
    programs may have changed the table itself: the rows of these groups, or all rows.
    """
    listed = _listed(connection, table)
    seals = _seals(connection, table, groups)
    copies = _valid(connection, table, seals, listed)
    if listed is not None:
        known = set(listed)
    else:
        known = {*seals, *(_groups(connection, table) if groups is None else ())}
    if groups is not None:
        known &= set(groups)
    return SealedRows(
        groups={id_: tuple(map(table.row, rows)) for id_, rows in copies.items()},
        lost=frozenset(known - copies.keys()),
        complete=listed is not None,
    )


def unsealed_row(connection: sqlite3.Connection, table: SealedTable, id_: str) -> Row | None:
    """Return the first row of a group (rows that share a sealed copy) from the table itself, which
    other programs may have changed; bytes that are not UTF-8 are replaced. None if there is no row.
    """
    for values in _groups(connection, table).get(id_, []):
        return table.row(tuple(map(_readable, values)))
    return None


def unlike_sealed(connection: sqlite3.Connection, *tables: SealedTable) -> list[tuple[str, str]]:
    """Return table and id of the groups of rows that are not as their sealed copies have them,
    except for groups without an intact copy. Only reads.
    """
    found: list[tuple[str, str]] = []
    for table in tables:
        listed = _listed(connection, table)
        copies = _valid(connection, table, _seals(connection, table), listed)
        rows = _groups(connection, table)
        added = rows.keys() - copies.keys() - (rows if listed is None else listed).keys()
        unlike = {id_ for id_, copy in copies.items() if _differ(rows.get(id_, []), copy)}
        found += [(table.name, id_) for id_ in sorted(added | unlike)]
    return found


def repair_rows(connection: sqlite3.Connection, *tables: SealedTable) -> list[str]:
    """Make the rows of these tables equal to their sealed copies, and remove rows that Lull did not
    write. Return the ids of the groups that were changed, added or removed outside of Lull; they
    are noted, too, until the user is told.

    A row may refer only to rows of an earlier table of `tables`. The rows of lost groups stay.
    """
    found: dict[str, list[str]] = {table.name: [] for table in tables}
    lists = {table: _listed(connection, table) for table in tables}
    copies = {
        table: _valid(connection, table, _seals(connection, table), listed)
        for table, listed in lists.items()
    }
    for table in tables:
        rows = _groups(connection, table)
        for id_, copy in copies[table].items():
            if _differ(rows.get(id_, []), copy):
                # It may name a row that is lost, or be text that was damaged before it was sealed.
                with contextlib.suppress(sqlite3.IntegrityError, UnicodeEncodeError):
                    _put_right(connection, table, copy)
                    found[table.name].append(id_)
    for table in reversed(tables):
        listed = lists[table]
        for id_, now in _groups(connection, table).items():
            added = listed is not None and id_ not in listed
            whole = copies[table].get(id_, [] if added else now)
            for values in now:
                if values not in whole and _delete(connection, table, values):
                    found[table.name].append(id_)
    for name, changed in found.items():
        note_put_right(connection, name, changed)
    return list(dict.fromkeys(id_ for changed in found.values() for id_ in changed))


@contextlib.contextmanager
def changing(connection: sqlite3.Connection, *tables: SealedTable) -> Iterator[None]:
    """Context manager in which the rows of these tables may be changed: it makes new sealed copies
    of the changed rows in the same transaction. Before that it repairs rows that were changed
    outside of Lull.

    A group whose copy is lost is sealed again only if it is declared to be written anew or if its
    rows were deleted.
    """
    for table in tables:
        if _listed(connection, table) is None:
            _make_list_anew(connection, table)
    put_right = repair_rows(connection, *tables)
    if put_right:
        log.info("changed by another program and put right: %s", ", ".join(put_right))
    before = {table: _groups(connection, table) for table in tables}
    lists = {table: _listed(connection, table) or {} for table in tables}
    yield
    for table in tables:
        old, now = before[table], _groups(connection, table)
        listed = _listed(connection, table) or {}
        changed = {id_ for id_ in old.keys() | now.keys() if old.get(id_) != now.get(id_)}
        changed |= lists[table].keys() - listed.keys()  # written anew, perhaps as before
        if not changed:
            continue
        known = _valid(connection, table, _seals(connection, table), listed)
        lost = listed.keys() - known.keys()
        groups = {id_: now.get(id_, []) for id_ in changed if id_ not in lost or id_ not in now}
        _write(connection, table, groups, listed)


def written_anew(connection: sqlite3.Connection, table: SealedTable, id_: str) -> None:
    """Declare, within `changing`, that all rows of a group are about to be replaced, so that a new
    sealed copy of them may be made even if the old copy is lost.
    """
    _write(connection, table, {id_: []}, _listed(connection, table) or {})


def drop_lost_seals(connection: sqlite3.Connection, *tables: SealedTable) -> None:
    """Delete the remains of damaged sealed copies, which may contain data that the user wants
    deleted; their groups of rows still count as lost.
    """
    for table in tables:
        for id_ in sealed_rows(connection, table).lost:
            connection.execute("DELETE FROM row_seals WHERE part = ? AND id = ?", (table.name, id_))


# Seals


def _write(
    connection: sqlite3.Connection,
    table: SealedTable,
    groups: Mapping[str, Sequence[Values]],
    listed: Mapping[str, str],
) -> None:
    """Seal these groups, and those of the list as before; a group without rows goes, and one with
    values that Lull never writes is listed as lost.
    """
    key, new = _key_made(connection), dict(listed)
    for id_, rows in groups.items():
        if not rows or not all(map(_is_writable, rows)):
            connection.execute("DELETE FROM row_seals WHERE part = ? AND id = ?", (table.name, id_))
            new.pop(id_, None)
            if rows:
                new[id_] = _LOST
            continue
        seal = _sealed(key, [table.name, id_, sorted(rows, key=repr)])
        _put_seal(connection, table.name, id_, seal)
        new[id_] = _mark(seal)
    _write_list(connection, table, new)


def _write_list(
    connection: sqlite3.Connection, table: SealedTable, listed: Mapping[str, str]
) -> None:
    seal = _sealed(_key_made(connection), [_LISTS, table.name, dict(sorted(listed.items()))])
    _put_seal(connection, _LISTS, table.name, seal)


def _put_seal(connection: sqlite3.Connection, part: str, id_: str, seal: bytes) -> None:
    connection.execute("INSERT OR REPLACE INTO row_seals VALUES (?, ?, ?)", (part, id_, seal))


def _sealed(key: bytes, content: object) -> bytes:
    data = json.dumps(content, ensure_ascii=True).encode()
    return keyed_hash(key, data) + data


def _mark(seal: bytes) -> str:
    """Return the mark by which the list of groups knows a group's newest copy."""
    return seal[:MAC_BYTES].hex()


def _listed(connection: sqlite3.Connection, table: SealedTable) -> dict[str, str] | None:
    """Read the list of a table's groups, each with the mark of its newest copy; None if it is gone
    or damaged.
    """
    row = connection.execute(
        "SELECT CAST(seal AS BLOB) FROM row_seals WHERE part = ? AND id = ?", (_LISTS, table.name)
    ).fetchone()
    content = _opened(fact(connection, _KEY), bytes(row[0])) if row else None
    if content is None or content[:2] != [_LISTS, table.name]:
        return None
    return dict(content[2])


def _make_list_anew(connection: sqlite3.Connection, table: SealedTable) -> None:
    """Make the list of a table's groups where it was lost; what is not certain is lost with it."""
    seals = _seals(connection, table)
    copies = _valid(connection, table, seals, None)
    names = {*seals, *_groups(connection, table)}
    listed = {id_: _mark(seals[id_]) if id_ in copies else _LOST for id_ in names}
    _write_list(connection, table, listed)


def _seals(
    connection: sqlite3.Connection, table: SealedTable, groups: Iterable[str] | None = None
) -> dict[str, bytes]:
    sql, values = "SELECT id, CAST(seal AS BLOB) FROM row_seals WHERE part = ?", [table.name]
    if groups is not None:
        sql += " AND id IN (SELECT value FROM json_each(?))"
        values.append(json.dumps(list(groups)))
    return {str(id_): bytes(seal) for id_, seal in connection.execute(sql, values)}


def _valid(
    connection: sqlite3.Connection,
    table: SealedTable,
    seals: Mapping[str, bytes],
    listed: Mapping[str, str] | None,
) -> dict[str, list[Values]]:
    """Return the copies whose seal is valid and, by the list of groups, the newest."""
    found: dict[str, list[Values]] = {}
    if listed is None and table.current:
        return found
    key = fact(connection, _KEY)
    for id_, seal in seals.items():
        if listed is not None and listed.get(id_) != _mark(seal):
            continue
        content = _opened(key, seal)
        if content is not None and content[:2] == [table.name, id_]:
            found[id_] = [tuple(values) for values in content[2]]
    return found


def _opened(key: bytes | None, seal: bytes) -> Any:
    """Return what a seal holds, which only Lull can have written; None if it is not valid."""
    if not key or not is_signed(key, seal):
        return None
    return json.loads(seal[MAC_BYTES:])


def _key_made(connection: sqlite3.Connection) -> bytes:
    """Return the secret key, made now if there is none; seals of a lost key stay lost."""
    key = fact(connection, _KEY)
    if not key:
        key = secrets.token_bytes(32)
        set_fact(connection, _KEY, key)
    return key


# Tables


def _groups(connection: sqlite3.Connection, table: SealedTable) -> dict[str, list[Values]]:
    """Read the rows of a table itself, by group."""
    found: dict[str, list[Values]] = {}
    strict, connection.text_factory = connection.text_factory, _text
    try:
        rows = connection.execute(f"SELECT {', '.join(table.columns)} FROM {table.name}").fetchall()
    finally:
        connection.text_factory = strict
    for values in map(tuple, rows):
        found.setdefault(table.id_of(values), []).append(values)
    return found


def _differ(rows: Sequence[Values], copy: Sequence[Values]) -> bool:
    return sorted(rows, key=repr) != sorted(copy, key=repr)


def _is_writable(values: Values) -> bool:
    """Whether a row has only values that Lull can have written: no blobs, and texts in UTF-8."""
    return not any(
        isinstance(one, bytes) or (isinstance(one, str) and not _is_utf8(one)) for one in values
    )


def _is_utf8(text: str) -> bool:
    return not any("\ud800" <= sign <= "\udfff" for sign in text)


def _readable(value: Any) -> Any:
    stored = value.encode(errors="surrogateescape") if isinstance(value, str) else value
    return stored.decode(errors="replace") if isinstance(stored, bytes) else value


def _text(stored: bytes) -> str:
    """Decode a stored text; other programs may write one that is not UTF-8."""
    return stored.decode(errors="surrogateescape")


def _put_right(connection: sqlite3.Connection, table: SealedTable, copy: Sequence[Values]) -> None:
    """Write rows as their copy has them. They are not deleted first: other rows go with them."""
    names, marks = ", ".join(table.columns), ", ".join("?" * len(table.columns))
    sets = ", ".join(f"{name} = excluded.{name}" for name in table.columns)
    connection.executemany(
        f"INSERT INTO {table.name} ({names}) VALUES ({marks}) ON CONFLICT DO UPDATE SET {sets}",
        copy,
    )


def _delete(connection: sqlite3.Connection, table: SealedTable, values: Values) -> bool:
    """Delete one row; return whether this worked. It fails if other rows refer to the row."""
    texts = [isinstance(one, str) for one in values]
    names = zip(table.columns, texts, strict=True)
    where = " AND ".join(f"CAST({name} AS BLOB) IS ?" if t else f"{name} IS ?" for name, t in names)
    # As bytes, because a text that is not UTF-8 could not be compared at all.
    stored = [
        one.encode(errors="surrogateescape") if isinstance(one, str) else one for one in values
    ]
    try:
        done = connection.execute(f"DELETE FROM {table.name} WHERE {where}", stored)
    except sqlite3.IntegrityError:
        return False
    return done.rowcount > 0
