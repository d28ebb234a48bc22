"""Tests that a damaged value or a removed table costs itself alone: every list is still answered.

Another program damages each column of each table under a running service, and at the end all of
them while it is stopped.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from lull.contract import routes
from lull.core.feedback.feedback import MessageFindings
from lull.store.feedback.feedback import feedback_to_json
from tests.eventually import eventually
from tests.running import Lull
from tests.service.control.socket_client import ControlSocket

pytestmark = [pytest.mark.full, pytest.mark.timeout(1800)]

AT = "2026-11-29T10:00:00+00:00"
ROWS = {
    "windows": ("w1", AT, AT, AT, "why", "because", "idle", 1.0, "[]"),
    "lulls": (AT, 60.0, 1),
    "pause": (1, AT, AT),
    "exams": ("m", "d", "judge", "e", AT, 1, "[]", "{}"),
    "placings": ("d", "m", "s", AT, "system", "w", "[]"),
    "skill_uses": ("", "", "menu-style", 1, AT),
    "writing_faults": ("f1", AT, "", "[]", "e", "p", "a", AT),
    "tool_sets": ("00", "[]"),
    "secrets_seen": ("k", "m", 1),
}
DAMAGE = ("damaged", b"\xff\xfe\x00", -7)
LISTS = (
    routes.STATUS,
    routes.SNAPSHOT,
    f"{routes.CONVERSATIONS}?limit=100",
    routes.CONVERSATION_KINDS,
    f"{routes.LEARNING}?from=2020-01-01T00:00:00%2B00:00",
    routes.FEEDBACK,
    routes.SKILLS,
    routes.SKILLS_HISTORY,
    routes.PROPOSALS,
    routes.CALENDARS,
    routes.WINDOWS,
    f"{routes.WINDOWS}?from=2020-01-01T00:00:00%2B00:00&to=2030-01-01T00:00:00%2B00:00",
    routes.ADAPTERS,
    routes.MODELS_EXAMS,
    routes.TRAIN,
    routes.TRASH,
)


def lived_in(lull: Lull, tmp_path: Path) -> ControlSocket:
    """Leave conversations with scores, skills, a suggestion, and a row in most other tables."""
    running, socket = lull.serve(), ControlSocket(lull.home)
    lull.ask("skills", "add", "menu-style", "--description", "d", "--body", "b")
    folder = tmp_path / "from-elsewhere"
    folder.mkdir()
    text = "---\nname: from-elsewhere\ndescription: d\n---\nWrite short.\n"
    (folder / "SKILL.md").write_text(text)
    lull.ask("skills", "import", str(folder))
    for word in ("apple", "pear"):
        running.chat(f"list: {word}")
    with closing(connected(lull)) as database:
        turns = eventually(lambda: database.execute("SELECT id, trajectory FROM turns").fetchall())
        eventually(lambda: len(database.execute("SELECT id FROM turns").fetchall()) == 2)
        for (turn, _), label in zip(turns, ("good", "bad"), strict=False):
            assert socket.ask("POST", routes.RATE.format(id=turn), {"label": label}).status == 200
        eventually(lambda: database.execute("SELECT 1 FROM rewards WHERE value = 1").fetchone())
        found = feedback_to_json(MessageFindings(correction=0.1, lasting=0.1))
        heard = (turns[0][0], turns[0][0], "reader", AT, 0, 0, found)
        for table, row in {**ROWS, "feedback": heard}.items():
            marks = ", ".join("?" * len(row))
            database.execute(f"INSERT OR REPLACE INTO {table} VALUES ({marks})", row)
    return socket


def connected(lull: Lull) -> sqlite3.Connection:
    """Open the database as another program does."""
    return sqlite3.connect(lull.home / "lull.db", timeout=60, isolation_level=None)


def tables(database: sqlite3.Connection) -> list[str]:
    """Return the tables that are not SQLite's own or the search's."""
    rows = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    return sorted(name for (name,) in rows if not name.startswith(("sqlite_", "words", "search")))


def failing(socket: ControlSocket) -> list[tuple[str, object]]:
    """Ask every list and return which are not answered."""
    said = {path: socket.ask("GET", path) for path in LISTS}
    return [(path, one.json) for path, one in said.items() if one.status != 200]


def told(socket: ControlSocket) -> list[str]:
    return [problem["detail"] for problem in socket.get(routes.STATUS)["problems"]]


@pytest.mark.logs("failed", "damage", "put right", "cannot be read")
def test_a_damaged_value_in_any_column_costs_no_list(
    lull: Lull, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    socket = lived_in(lull, tmp_path)
    with closing(connected(lull)) as database:
        whole = {
            table: database.execute(f"SELECT * FROM {table}").fetchall()
            for table in tables(database)
        }
        assert sum(bool(rows) for rows in whole.values()) >= 20
        for table, rows in whole.items():
            for name in columns(database, table) if rows else ():
                for value in DAMAGE:
                    with subtests.test(table=table, column=name, value=value):
                        damage(database, table, name, value)
                        assert failing(socket) == []
                    restore(database, table, rows)
    assert any("were damaged and are empty now" in one for one in told(socket))


def test_what_was_damaged_while_lull_was_stopped_is_told_once_at_the_start(
    lull: Lull, tmp_path: Path
) -> None:
    lived_in(lull, tmp_path)
    lull.services[-1].kill()
    with closing(connected(lull)) as database:
        aged = (("trajectories", "last"), ("births", "born"))
        for table, name in (*aged, ("turns", "at"), ("rewards", "due"), ("windows", "seen_at")):
            damage(database, table, name, "damaged")
        damage(database, "generations", "at", "damaged")
    for words in (("conversations",), ("skills", "list"), ("skills", "history"), ("adapters",)):
        lull.ask(*words)  # without a service
    with closing(connected(lull)) as database:
        for table, name in (*aged, ("turns", "at"), ("rewards", "due"), ("windows", "seen_at")):
            damage(database, table, name, "damaged")
    lull.serve()
    socket = ControlSocket(lull.home)
    (said,) = [one for one in told(socket) if "damaged" in one]
    assert "rewards (" in said and "turns (" in said and "windows (" in said
    assert failing(socket) == []
    # Nothing counts as old for it.
    assert socket.ask("POST", routes.TRASH, {"do": "sweep"}).status == 200
    shown = socket.get(f"{routes.CONVERSATIONS}?limit=10")["conversations"]
    assert {one["title"] for one in shown} == {"list: apple", "list: pear"}


def test_what_another_program_added_to_the_database_stops_nothing(
    lull: Lull, tmp_path: Path
) -> None:
    socket = lived_in(lull, tmp_path)
    with closing(connected(lull)) as database:
        database.execute('CREATE TABLE "an other; table" (a VARCHAR(9), b)')
        database.execute("CREATE TABLE events_2 (at TEXT, seq DECIMAL)")
        database.execute("INSERT INTO events_2 VALUES ('no time', 'x')")
        database.execute('ALTER TABLE turns ADD COLUMN "of theirs"" at" VARCHAR')
        database.execute("ALTER TABLE windows DROP COLUMN used_s")
        damage(database, "turns", "took_s", "damaged")
    assert socket.ask("GET", f"{routes.CONVERSATIONS}?limit=10").status == 200
    lull.services[-1].stop()
    lull.serve()
    assert ControlSocket(lull.home).ask("GET", routes.STATUS).status == 200
    with closing(connected(lull)) as database:
        assert database.execute("SELECT at FROM events_2").fetchall() == [("no time",)]


@pytest.mark.parametrize("name", ["excluded_at", "client"])
def test_a_damaged_value_lets_nothing_be_learned_from(
    lull: Lull, tmp_path: Path, name: str
) -> None:
    socket = lived_in(lull, tmp_path)
    one, _ = socket.get(f"{routes.CONVERSATIONS}?limit=10")["conversations"]
    path = routes.CONVERSATION_EXCLUDE.format(id=one["id"])
    assert socket.ask("POST", path, {"excluded": name == "excluded_at"}).status == 200
    with closing(connected(lull)) as database:
        database.execute(f"UPDATE trajectories SET {name} = ? WHERE id = ?", (b"\xff", one["id"]))
    assert failing(socket) == []
    lull.services[-1].stop()
    with closing(connected(lull)) as database:
        query = "SELECT excluded_at FROM trajectories WHERE id = ?"
        lull.serve()
        eventually(lambda: isinstance(database.execute(query, (one["id"],)).fetchone()[0], str))


@pytest.mark.logs("failed", "no such table")
def test_a_table_that_is_removed_while_lull_runs_costs_no_list(
    lull: Lull, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    socket = lived_in(lull, tmp_path)
    with closing(connected(lull)) as database:
        for table in tables(database):
            with subtests.test(table=table):
                database.execute(f"DROP TABLE {table}")
                assert failing(socket) == []
    (said,) = [one for one in told(socket) if "had lost its tables" in one]
    assert "trajectories" in said and "turns" in said


def columns(database: sqlite3.Connection, table: str) -> list[str]:
    return [one[1] for one in database.execute(f"PRAGMA table_info({table})")]


def damage(database: sqlite3.Connection, table: str, name: str, value: object) -> None:
    """Give a column another value, in all rows that have the same value as the first one there."""
    first = f'(SELECT "{name}" FROM {table} LIMIT 1)'
    with contextlib.suppress(sqlite3.IntegrityError):  # the column takes no such value
        database.execute(f'UPDATE {table} SET "{name}" = ? WHERE "{name}" IS {first}', (value,))


def restore(database: sqlite3.Connection, table: str, rows: Sequence[tuple[object, ...]]) -> None:
    database.execute(f"DELETE FROM {table}")
    marks = ", ".join("?" * len(rows[0]))
    database.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)
