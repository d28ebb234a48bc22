"""Removing a conversation from the database, with all words that came of it.

What is removed is decided elsewhere (`loops/forget.py`) and handed over as ids; here it is taken
out of every table in one transaction, and afterwards out of the file, where SQLite would leave
what was deleted lying about. An intention is written down first: a crash in between is finished at
the next start.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from lull.core.injection import block
from lull.core.signals import YOU_SAID
from lull.store.database import Database
from lull.store.retention import sweep_messages
from lull.store.reward_rows import whose
from lull.store.training import remove_runs

GONE: Final = "forgotten"
"""Stands where the name of a skill stood that is forgotten."""
_FACT: Final = "forgetting"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToForget:
    """Ids of all that goes."""

    trajectory: str
    turns: tuple[str, ...]
    room: str = ""
    """The client whose conversation it is, "" for everybody's."""
    proposals: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    """sha256 of every skill text that goes."""
    skills: tuple[tuple[str, str], ...] = ()
    """(client, name) of skills that go wholly."""
    set_back: tuple[tuple[str, str, str], ...] = ()
    """(client, name, sha256 of the text that they go back to)."""
    runs: tuple[str, ...] = ()
    adapters: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()
    """sha256 of these adapters."""
    said: tuple[str, ...] = ()
    """What the user said in it: other turns were held to it."""
    held: tuple[str, ...] = ()
    """Those turns, as far as they are known."""


class Forgetting:
    def __init__(self, database: Database) -> None:
        self._db = database

    # The intention

    async def intend(self, what: ToForget) -> None:
        await self._db.write(
            lambda connection: connection.execute(
                "INSERT OR REPLACE INTO facts VALUES (?, ?)",
                (f"{_FACT}:{what.trajectory}", json.dumps(asdict(what)).encode()),
            )
        )

    def intended(self) -> list[ToForget]:
        """What was begun and not finished."""
        rows = self._db.read(
            lambda connection: connection.execute(
                "SELECT value FROM facts WHERE name LIKE ?", (f"{_FACT}:%",)
            ).fetchall()
        )
        return [_read(row["value"]) for row in rows]

    async def done(self, what: ToForget) -> None:
        await self._db.write(
            lambda connection: connection.execute(
                "DELETE FROM facts WHERE name = ?", (f"{_FACT}:{what.trajectory}",)
            )
        )

    # The rows

    async def remove(self, what: ToForget, bodies: Mapping[str, str]) -> None:
        """Take all of it out of every table. `bodies` of the skills that stay, by sha256. Safe to
        do twice."""

        def work(connection: sqlite3.Connection) -> None:
            remove_runs(connection, what.runs)
            _samples(connection, what)
            _proposals(connection, what)
            _wishes(connection, what)
            _skills(connection, what)
            _prompts(connection, what, bodies)
            _conversation(connection, what)
            _adapters(connection, what)
            sweep_messages(connection)
            connection.execute(
                "DELETE FROM tool_sets WHERE sha256 NOT IN (SELECT tools FROM turns)"
            )
            # The index keeps the words of what was deleted until its parts are merged.
            connection.execute("INSERT INTO words (words) VALUES ('optimize')")

        await self._db.write(work)

    def rewrite(self) -> list[Path]:
        """Write the file anew without what was deleted, and remove copies that were made of it.
        Blocks. Returns files that may hold some of it and were left: damaged ones, kept aside."""
        self._db.flush()
        connection = sqlite3.connect(self._db.path, isolation_level=None, timeout=60)
        try:
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            connection.close()
        folder, name = self._db.path.parent, self._db.path.name
        for copy in folder.glob(f"{name}.before-*"):
            copy.unlink(missing_ok=True)
        return sorted(folder.glob(f"{name}.damaged-*"))


def blot(file: Path, words: Iterable[str]) -> None:
    """Write over these words where they stand, in a file that another may be appending to. Blocks;
    a file that is gone is no matter."""
    found = [word.encode() for word in words if word]
    with contextlib.suppress(FileNotFoundError), file.open("r+b") as log:
        data = log.read()
        for word in found:
            at = data.find(word)
            while at >= 0:
                log.seek(at)
                log.write(b"*" * len(word))
                at = data.find(word, at + len(word))


def _read(value: bytes) -> ToForget:
    fields: dict[str, Any] = json.loads(value)
    return ToForget(**{name: _tuples(one) for name, one in fields.items()})


def _tuples(value: Any) -> Any:
    return tuple(_tuples(one) for one in value) if isinstance(value, list) else value


def _marks(values: Sequence[object]) -> str:
    return ",".join("?" * len(values))


def _samples(connection: sqlite3.Connection, what: ToForget) -> None:
    """Groups with one of the skills in the prompt, or drawn by weights that go."""
    policies = (*what.versions, *(f"run:{run}" for run in what.runs))
    connection.execute(f"DELETE FROM rollouts WHERE adapter IN ({_marks(policies)})", policies)
    for text in what.texts:
        connection.execute("DELETE FROM rollouts WHERE instr(skills, ?) > 0", (text,))
    # Other conversations' groups that were scored by what was said in this one.
    connection.execute(f"DELETE FROM rollouts WHERE wish IN ({_marks(what.turns)})", what.turns)


def _proposals(connection: sqlite3.Connection, what: ToForget) -> None:
    turns, proposals = what.turns, what.proposals
    for proposal in proposals:
        connection.execute("DELETE FROM decisions WHERE proposal = ?", (proposal,))
        connection.execute("DELETE FROM proposals WHERE id = ?", (proposal,))
    connection.execute(f"DELETE FROM support WHERE turn IN ({_marks(turns)})", turns)
    for turn in turns:
        for table in ("replays", "shown_pairs"):
            connection.execute(f"DELETE FROM {table} WHERE instr(pair, ?) > 0", (f'"{turn}"',))
        connection.execute("DELETE FROM writing_faults WHERE instr(turns, ?) > 0", (f'"{turn}"',))
    for proposal in proposals:
        connection.execute("DELETE FROM events WHERE instr(fields, ?) > 0", (f'"{proposal}"',))


def _wishes(connection: sqlite3.Connection, what: ToForget) -> None:
    """Turns that were held to what was said here are scored again without it. In another room the
    same words are somebody else's."""
    own = set(what.turns)
    touched: set[str] = set()
    mine, values = whose(what.room)
    rows = connection.execute(
        "SELECT w.turn, w.signals, t.trajectory FROM rewards w JOIN turns t ON t.id = w.turn"
        " JOIN trajectories r ON r.id = t.trajectory"
        f" WHERE {mine} AND instr(w.signals, ?) > 0",
        (*values, YOU_SAID),
    ).fetchall()
    for row in rows:
        texts = [str(signal["text"]) for signal in json.loads(row["signals"])]
        if row["turn"] in own or not any(said in text for text in texts for said in what.said):
            continue
        connection.execute("DELETE FROM rewards WHERE turn = ?", (row["turn"],))
        touched.add(row["trajectory"])
    for trajectory in touched:
        connection.execute("UPDATE turns SET read_by_score = 0 WHERE trajectory = ?", (trajectory,))


def _skills(connection: sqlite3.Connection, what: ToForget) -> None:
    for client, name in what.skills:
        for table in ("skill_states", "skill_folders", "skill_uses", "coin_flips"):
            connection.execute(f"DELETE FROM {table} WHERE client = ? AND name = ?", (client, name))
        connection.execute("UPDATE generations SET detail = replace(detail, ?, ?)", (name, GONE))
        connection.execute(
            "UPDATE events SET fields = replace(fields, ?, ?) WHERE instr(fields, ?) > 0",
            (name, GONE, name),
        )
    connection.execute(
        f"DELETE FROM skill_states WHERE sha256 IN ({_marks(what.texts)})", what.texts
    )
    connection.execute(f"DELETE FROM coin_flips WHERE sha256 IN ({_marks(what.texts)})", what.texts)


def _prompts(connection: sqlite3.Connection, what: ToForget, bodies: Mapping[str, str]) -> None:
    """Other conversations that had the skills in their prompts go on without them."""
    texts = set(what.texts)
    for text in texts:
        rows = connection.execute(
            "SELECT id, selection, suffixes FROM trajectories"
            " WHERE instr(selection, ?) > 0 OR instr(suffixes, ?) > 0",
            (text, text),
        ).fetchall()
        for row in rows:
            selection = _without(json.loads(row["selection"]), texts, bodies)
            suffixes = [_suffix(one, texts, bodies) for one in json.loads(row["suffixes"])]
            connection.execute(
                "UPDATE trajectories SET selection = ?, suffixes = ? WHERE id = ?",
                (json.dumps(selection), json.dumps(_told(suffixes)), row["id"]),
            )
        turns = connection.execute(
            "SELECT id, skills, suffixes FROM turns"
            " WHERE instr(skills, ?) > 0 OR instr(suffixes, ?) > 0",
            (text, text),
        ).fetchall()
        for row in turns:
            skills = [_nameless(one, texts) for one in json.loads(row["skills"])]
            suffixes = [_suffix(one, texts, bodies) for one in json.loads(row["suffixes"])]
            connection.execute(
                "UPDATE turns SET skills = ?, suffixes = ? WHERE id = ?",
                (json.dumps(skills), json.dumps(_told(suffixes)), row["id"]),
            )


def _nameless(skill: dict[str, Any], texts: set[str]) -> dict[str, Any]:
    """The stamp still says that something else stood there: such a turn never trains."""
    return {**skill, "name": GONE} if skill["sha256"] in texts else skill


def _without(
    selection: dict[str, Any], texts: set[str], bodies: Mapping[str, str]
) -> dict[str, Any]:
    skills = [one for one in selection["skills"] if one["sha256"] not in texts]
    flips = [one for one in selection.get("flips", ()) if one["sha256"] not in texts]
    kept = [bodies[one["sha256"]] for one in skills if one["sha256"] in bodies]
    return {**selection, "skills": skills, "flips": flips, "block": block(kept)}


def _suffix(suffix: dict[str, Any], texts: set[str], bodies: Mapping[str, str]) -> dict[str, Any]:
    skills = [one for one in suffix["skills"] if one["sha256"] not in texts]
    if len(skills) == len(suffix["skills"]):
        return suffix
    kept = [bodies[one["sha256"]] for one in skills if one["sha256"] in bodies]
    return {**suffix, "skills": skills, "text": block(kept)}


def _told(suffixes: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [suffix for suffix in suffixes if suffix["text"]]


def _conversation(connection: sqlite3.Connection, what: ToForget) -> None:
    for one in (what.trajectory, *what.turns):
        connection.execute("DELETE FROM events WHERE instr(fields, ?) > 0", (f'"{one}"',))
    connection.execute("DELETE FROM trajectories WHERE id = ?", (what.trajectory,))


def _adapters(connection: sqlite3.Connection, what: ToForget) -> None:
    """What the gate has planned to ask may be words of this conversation."""
    for turn in what.turns:
        connection.execute("DELETE FROM gate_plans WHERE instr(plan, ?) > 0", (turn,))
    connection.execute(
        f"DELETE FROM adapter_learned WHERE sha256 IN ({_marks(what.texts)})", what.texts
    )
