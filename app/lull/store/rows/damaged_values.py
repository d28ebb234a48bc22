"""Finds values in the database's tables that Lull cannot have written, such as a text where a
number or a time belongs, and puts empty ones in their place, so that a damaged value costs itself
and not the list in which its row stands.

What kind a column has follows from how its table was made and from its name. A row that only holds
a damaged measurement, such as a pair of answers, is removed; it is measured again. Tables whose
rows have sealed copies are left to these.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from typing import Final

from lull.core.errors import StoreError
from lull.core.feedback.reward import Source

_NOW: Final = "strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000+00:00'"
"""SQL for the time that replaces a damaged one. It is the present, because an old time would have a
conversation deleted for its age.
"""
_CAREFUL: Final = {
    ("trajectories", "excluded_at"): _NOW,
    ("trajectories", "apart"): "1",
    ("trajectories", "client"): f"'', excluded_at = {_NOW}",
    ("feeds", "private"): "1",
}
"""SQL that replaces damaged values which protect something, by the safe choice: damage must not let
a conversation be learned from, or a private calendar be shown.
"""
_MADE_AGAIN: Final = frozenset({"births"})
"""Tables whose rows are made again; one with any damaged value is removed."""
_TYPES: Final = {
    "TEXT": "'text'",
    "INTEGER": "'integer'",
    "REAL": "'real', 'integer'",
    "BLOB": "'blob'",
}
"""SQLite's types of the values of a column, by the column's own type."""
_TIMES: Final = frozenset({"at", "due", "last", "started", "until"})
"""Columns with times besides those whose names end in `_at`."""
_LISTS: Final = frozenset(
    {("windows", "done"), ("support", "marks"), ("rewards", "signals"), ("writing_faults", "turns")}
)
"""Columns with a JSON array; a damaged one becomes an empty one."""
_NEEDED: Final = {
    ("replays", "pair"): "object",
    ("replays", "answers"): "array",
    ("use_replays", "pair"): "object",
    ("shown_pairs", "pair"): "object",
    ("feedback", "heard"): "object",
    ("gate_plans", "plan"): "object",
    ("gate_measures", "measure"): "object",
    ("rollouts", "samples"): "array",
    ("rollouts", "prompt_ids"): "array",
}
"""Columns with JSON of a kind without which their row says nothing; damaged rows are removed."""
_WORDS: Final = {
    ("turns", "label"): ("good", "bad"),
    ("rewards", "source"): tuple(Source),
}
"""Columns that hold one of few words."""
_REMOVED_IF: Final = {
    "rewards": "(source IS NULL) <> (value IS NULL) OR (source IS NULL) <> (p_good IS NULL)"
    " OR abs(value) > 1 OR p_good < 0 OR p_good > 1"
}
"""By table, the SQL condition for rows whose values contradict each other; such rows are removed.
"""
READ_FEEDBACK_AGAIN: Final = (
    "UPDATE OR IGNORE feedback SET read_by = '', corrects = 0, lasts = 0, heard = '{}' WHERE"
)
"""SQL that has messages wait for a reader again; a condition on their rows follows."""
_LEFT_ALONE: Final = frozenset(
    {
        *("facts", "messages", "skill_states", "skill_folders", "row_seals"),
        *("adapters", "adapters_in_force", "adapter_moves", "adapter_learned", "published"),
        *("trained_adapters", "proof_records", "kept_pieces", "search_rows", "words"),
    }
)
"""Tables with sealed copies, and those whose readers expect damage."""
_SEALED: Final = frozenset({("generations", "at"), ("generations", "change")})
"""Sealed columns (those with sealed copies) of tables that also have columns without."""


def damaged_tables(connection: sqlite3.Connection, tables: Iterable[str]) -> list[str]:
    """Return those of Lull's `tables` in which there are damaged values."""
    return [
        table
        for table in sorted(set(tables) - _LEFT_ALONE)
        if (wrong := [*_damage(connection, table).values(), *_wrong_rows(table)])
        and connection.execute(
            f"SELECT 1 FROM {table} WHERE {' OR '.join(wrong)} LIMIT 1"
        ).fetchone()
    ]


def mend_values(connection: sqlite3.Connection, tables: Iterable[str]) -> StoreError | None:
    """Replace the damaged values in these tables, in the caller's transaction; return the error
    that tells the user how many there were, None if there were none.
    """
    found = {table: count for table in tables if (count := _mend_table(connection, table))}
    return damage_told(found)


def damage_told(found: Mapping[str, int]) -> StoreError | None:
    """Return the error that tells the user how many damaged values were in each of these tables;
    None if there were none.
    """
    if not found:
        return None
    where = ", ".join(f"{table} ({count})" for table, count in sorted(found.items()))
    return StoreError(
        "Values in the database were damaged and are empty now. Tables, with their number:"
        f" {where}.",
        hint="The rest is used as before. A backup may have them whole.",
    )


def _mend_table(connection: sqlite3.Connection, table: str) -> int:
    bad = _damage(connection, table)
    others = {row["from"] for row in connection.execute(f"PRAGMA foreign_key_list({table})")}
    removed = [bad[name] for name in bad if table in _MADE_AGAIN or (table, name) in _NEEDED]
    removed += _wrong_rows(table)
    count = 0
    for column in _columns(connection, table):
        name = column["name"]
        if (table, name) in _NEEDED or (table, name) in _SEALED or table in _MADE_AGAIN:
            continue
        if column["pk"]:
            count += _mend_key(connection, table, name, bad[name], of_other=name in others)
            continue
        if name in others:  # names no row any more, and no other value would
            continue
        count += connection.execute(
            f'UPDATE {table} SET "{name}" = {_empty(table, column)} WHERE {bad[name]}'
        ).rowcount
    for condition in removed:
        if table == "rewards":
            connection.execute(
                "UPDATE turns SET read_by_score = 0 WHERE id IN"
                f" (SELECT turn FROM rewards WHERE {condition})"
            )
        if table == "feedback":
            count += connection.execute(f"{READ_FEEDBACK_AGAIN} {condition}").rowcount
        count += connection.execute(f"DELETE FROM {table} WHERE {condition}").rowcount
    return count


def _columns(connection: sqlite3.Connection, table: str) -> list[sqlite3.Row]:
    """Return a table's columns, without those that another program may have added to it."""
    found = connection.execute(f"PRAGMA table_info({table})").fetchall()
    return [one for one in found if one["type"] in _TYPES and one["name"].isidentifier()]


def _damage(connection: sqlite3.Connection, table: str) -> dict[str, str]:
    return {one["name"]: _is_damaged(table, one) for one in _columns(connection, table)}


def _wrong_rows(table: str) -> list[str]:
    return [f"({_REMOVED_IF[table]})"] if table in _REMOVED_IF else []


def _mend_key(
    connection: sqlite3.Connection, table: str, name: str, damaged: str, *, of_other: bool
) -> int:
    """Write a damaged name of a row as text. Where it is the name of another table's row, or there
    is a row of that name, or it is a time, the row goes.
    """
    count = (
        0
        if of_other
        else connection.execute(
            f'UPDATE OR IGNORE {table} SET "{name}" = hex("{name}") WHERE {damaged}'
            f" AND typeof(\"{name}\") = 'blob'"
        ).rowcount
    )
    return count + connection.execute(f"DELETE FROM {table} WHERE {damaged}").rowcount


def _is_damaged(table: str, column: sqlite3.Row) -> str:
    """Return the SQL condition that a column's value is none that Lull wrote."""
    name = f'"{column["name"]}"'
    damaged = f"typeof({name}) NOT IN ({_TYPES[column['type']]})"
    if column["name"] in _TIMES or column["name"].endswith("_at"):
        form = f"{name} GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T*'"
        damaged += f" OR ({name} <> '' AND (NOT {form} OR julianday({name}) IS NULL))"
    elif (table, column["name"]) in _LISTS or (table, column["name"]) in _NEEDED:
        wanted = _NEEDED.get((table, column["name"]), "array")
        damaged += f" OR NOT json_valid({name}) OR json_type({name}) <> '{wanted}'"
    elif words := _WORDS.get((table, column["name"])):
        damaged += f" OR {name} NOT IN ({', '.join(repr(str(word)) for word in words)})"
    return f"({name} IS NOT NULL AND ({damaged}))"


def _empty(table: str, column: sqlite3.Row) -> str:
    """Return the SQL of what takes the place of a column's damaged value."""
    if careful := _CAREFUL.get((table, column["name"])):
        return careful
    if not column["notnull"]:
        return "NULL"
    if column["name"] in _TIMES or column["name"].endswith("_at"):
        return _NOW
    if (table, column["name"]) in _LISTS:
        return "'[]'"
    return {"TEXT": "''", "INTEGER": "0", "REAL": "0.0", "BLOB": "x''"}[column["type"]]
