"""Deletes a conversation and all text derived from it from the database.

The caller decides what to delete and passes ids. Everything is removed from all tables in one
transaction, then from the file itself, because SQLite leaves deleted content in free pages. What to
delete is stored first, so that the next start finishes a deletion that a crash interrupted.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from lull.core.errors import StoreError
from lull.core.feedback.signals import YOU_SAID
from lull.core.skills.prompt_block import skills_block
from lull.store.backups.witness import count_deleted
from lull.store.chat.deletion_list import ToForget, read_list, written_list
from lull.store.chat.left_out import with_other_name
from lull.store.disk.on_disk import NOT_REGULAR, is_no_room, open_regular
from lull.store.feedback.reward_rows import owner_condition
from lull.store.forgetting.retention import sweep_messages
from lull.store.proof.proposal_rows import proposal_or_none
from lull.store.rows.put_right import forget_put_right
from lull.store.rows.readable_rows import readable
from lull.store.rows.rewriting import REWRITTEN, TO_REWRITE, log_bytes, log_emptied
from lull.store.rows.sealed_rows import changing, drop_lost_seals
from lull.store.rows.sealed_tables import OF_ADAPTERS, PROOF_RECORDS, TRAINED_ADAPTERS
from lull.store.skills.proof_records import remove_proof_records
from lull.store.skills.skill_seals import STATES, repair_rows, seal_again
from lull.store.sqlite.database import Database
from lull.store.training.training import remove_runs

FORGOTTEN_NAME: Final = "forgotten"
"""Text that replaces the name of a forgotten skill."""
_FACT: Final = "forgetting"
_SEALED: Final = (*OF_ADAPTERS, TRAINED_ADAPTERS, PROOF_RECORDS)
"""Tables with sealed copies of which a deletion may take rows."""
_EMPTY: Final[dict[str, Any]] = {}
_NONE: Final[list[dict[str, Any]]] = []
PATIENCE_S: Final = 20.0
"""Longest wait for programs that read the database file before it is rewritten."""


class ForgettingRows:
    """Deletes the rows of a conversation and of all that was made from it, and keeps the list of
    deletions until they are finished.
    """

    def __init__(self, database: Database) -> None:
        self._db = database

    # The intention

    async def save_deletion(self, what: ToForget) -> None:
        """Store the list of everything that is about to be deleted with a conversation, so that a
        deletion interrupted by a crash can be finished.
        """
        # Synced: a power cut must not take it from a home that some files are already gone from.
        await self._db.write_synced(
            lambda connection: connection.execute(
                "INSERT OR REPLACE INTO facts VALUES (?, ?)",
                (f"{_FACT}:{what.trajectory}", written_list(what)),
            )
        )

    def unfinished_deletions(self) -> list[ToForget]:
        """List the deletions of conversations that were begun but not finished, each as the ids of
        what must be deleted.
        """
        rows = self._db.read(
            lambda connection: connection.execute(
                "SELECT name, value FROM facts WHERE name LIKE ?", (f"{_FACT}:%",)
            ).fetchall()
        )
        prefix = f"{_FACT}:"
        return [read_list(row["value"], row["name"].removeprefix(prefix)) for row in rows]

    async def mark_rows_deleted(self, what: ToForget) -> None:
        """Record that all rows of a forgotten conversation are deleted: removes the stored list of
        what was to be deleted, and marks the database file as still to be rewritten, because its
        free space contains the deleted content.
        """

        def work(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM facts WHERE name = ?", (f"{_FACT}:{what.trajectory}",))
            connection.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (TO_REWRITE, b""))

        await self._db.write(work)

    def to_rewrite(self) -> bool:
        """Return whether the database file must still be rewritten to remove deleted content,
        because a crash or a reader prevented it. Blocking.
        """
        return bool(
            self._db.read(
                lambda connection: connection.execute(
                    "SELECT 1 FROM facts WHERE name = ?", (TO_REWRITE,)
                ).fetchone()
            )
        )

    # The rows

    async def remove(self, what: ToForget, bodies: Mapping[str, str]) -> None:
        """Delete everything listed in `what` (a conversation and all derived from it) from every
        table. Safe to repeat.

        `bodies` are the texts of the skills that stay, by sha256.
        """

        def work(connection: sqlite3.Connection) -> None:
            with changing(connection, *_SEALED):
                remove_runs(connection, what.runs)
                _adapters(connection, what)
                remove_proof_records(connection, what.texts)
            drop_lost_seals(connection, *_SEALED)
            _samples(connection, what)
            _proposals(connection, what)
            _wishes(connection, what)
            repair_rows(connection)
            forget_put_right(connection, STATES)  # the note holds names
            _skills(connection, what)
            seal_again(connection)
            _prompts(connection, what, bodies)
            _conversation(connection, what)
            sweep_messages(connection)
            connection.execute(
                "DELETE FROM tool_sets WHERE sha256 NOT IN (SELECT tools FROM turns)"
            )
            # By these hashes, with the key beside them, a short secret could be guessed; in which
            # conversation it stood is not recorded. Its number is not given to another one.
            connection.execute("UPDATE secrets_seen SET mark = lower(hex(randomblob(16)))")
            # The full-text index keeps deleted words until its segments are merged.
            connection.execute("INSERT INTO words (words) VALUES ('optimize')")

        await self._db.write(work)

    def rewrite(self, patience_s: float = PATIENCE_S) -> list[Path]:
        """Rewrite the database file, so that deleted content is gone from it, and remove backup
        copies of it. Blocking. Raises StoreError; then it is to be called again.

        Returns damaged files kept aside that may still hold some of it.
        """
        self._db.flush()
        folder, name = self._db.path.parent, self._db.path.name
        for copy in folder.glob(f"{name}.before-*"):
            copy.unlink(missing_ok=True)
        connection = self._db.connect()
        try:
            wanted = connection.execute(
                "SELECT value FROM facts WHERE name = ?", (TO_REWRITE,)
            ).fetchone()
            if wanted is None or wanted["value"] != REWRITTEN:
                self._check_room(connection)
                connection.execute(f"PRAGMA busy_timeout = {round(patience_s * 1000)}")
                connection.execute("VACUUM")
                connection.execute(
                    "UPDATE facts SET value = ? WHERE name = ?", (REWRITTEN, TO_REWRITE)
                )
            if not log_emptied(connection, patience_s):
                raise StoreError(
                    f"What was deleted is still in {self._db.path}, which another program is "
                    "reading.",
                    hint="Close that program. Lull tries again and again while it runs.",
                )
            connection.execute("DELETE FROM facts WHERE name = ?", (TO_REWRITE,))
        except sqlite3.Error as error:
            raise self._not_rewritten(error) from error
        finally:
            connection.close()
        return sorted(folder.glob("*.damaged-*"))

    def _check_room(self, connection: sqlite3.Connection) -> None:
        """Raise StoreError unless the write-ahead log, and the temporary file beside it, find room
        for the whole database: what requests write meanwhile must never find a disk that the
        rewriting has filled.
        """
        log_emptied(connection, 0.0)  # gives its room back
        if shutil.disk_usage(self._db.path.parent).free < 2 * log_bytes(connection):
            raise self._still_there(f"{self._db.path}: the disk is full.", no_room=True)

    def _not_rewritten(self, error: sqlite3.Error) -> StoreError:
        return self._still_there(self._db.in_words(error).detail, no_room=is_no_room(error))

    def _still_there(self, where: str, *, no_room: bool) -> StoreError:
        hint = "Lull tries again and again while it runs."
        if no_room:
            hint = (
                f"Make room of {self._db.size_bytes() / 1e6:,.0f} MB on the disk, and as much for "
                f"temporary files. {hint}"
            )
        return StoreError(
            f"What was deleted is still in unused parts of the database. {where}", hint=hint
        )


def mask_words(file: Path, words: Iterable[str]) -> None:
    """Overwrite every occurrence of these words in a file with asterisks; the file, such as a log,
    may still be written to.

    Blocking. A missing file is ignored, and so is a pipe, device or folder in its place, which
    holds nothing that Lull wrote. What was overwritten is synced to disk.
    """
    found = [word.encode() for word in words if word]
    try:
        descriptor = open_regular(file, os.O_RDWR)
    except OSError as error:
        if isinstance(error, FileNotFoundError) or error.strerror == NOT_REGULAR:
            return
        raise
    with os.fdopen(descriptor, "r+b") as log:
        data = log.read()
        for word in found:
            at = data.find(word)
            while at >= 0:
                log.seek(at)
                log.write(b"*" * len(word))
                at = data.find(word, at + len(word))
        log.flush()
        os.fsync(log.fileno())


def _marks(values: Sequence[object]) -> str:
    return ",".join("?" * len(values))


def _samples(connection: sqlite3.Connection, what: ToForget) -> None:
    """Delete rollout groups that used these skills, weights or wishes."""
    policies = (*what.versions, *(f"run:{run}" for run in what.runs))
    connection.execute(f"DELETE FROM rollouts WHERE adapter IN ({_marks(policies)})", policies)
    for text in what.texts:
        connection.execute("DELETE FROM rollouts WHERE instr(skills, ?) > 0", (text,))
    # Other conversations' groups that were scored by wishes of this one.
    connection.execute(f"DELETE FROM rollouts WHERE wish IN ({_marks(what.turns)})", what.turns)


def _proposals(connection: sqlite3.Connection, what: ToForget) -> None:
    turns, proposals = what.turns, what.proposals
    for proposal in proposals:
        connection.execute("DELETE FROM decisions WHERE proposal = ?", (proposal,))
        connection.execute("DELETE FROM proposals WHERE id = ?", (proposal,))
    connection.execute(f"DELETE FROM support WHERE turn IN ({_marks(turns)})", turns)
    _unreadable(connection, turns)
    for turn in turns:
        for table in ("replays", "shown_pairs"):
            connection.execute(f"DELETE FROM {table} WHERE instr(pair, ?) > 0", (f'"{turn}"',))
        connection.execute("DELETE FROM writing_faults WHERE instr(turns, ?) > 0", (f'"{turn}"',))
    for proposal in proposals:
        connection.execute("DELETE FROM events WHERE instr(fields, ?) > 0", (f'"{proposal}"',))


def _unreadable(connection: sqlite3.Connection, turns: Sequence[str]) -> None:
    """Delete damaged proposals that mention one of these turns; other queries skip such rows."""
    for row in connection.execute("SELECT * FROM proposals").fetchall():
        if any(turn in str(row["fields"]) for turn in turns) and proposal_or_none(row) is None:
            connection.execute("DELETE FROM proposals WHERE id = ?", (row["id"],))


def _wishes(connection: sqlite3.Connection, what: ToForget) -> None:
    """Queue the client's turns for rescoring that were scored by this conversation's wishes."""
    own = set(what.turns)
    touched: set[str] = set()
    mine, values = owner_condition(what.owner)
    rows = connection.execute(
        "SELECT w.turn, w.signals, t.trajectory FROM rewards w JOIN turns t ON t.id = w.turn"
        " JOIN trajectories r ON r.id = t.trajectory"
        f" WHERE {mine} AND instr(w.signals, ?) > 0",
        (*values, YOU_SAID),
    ).fetchall()
    for row in rows:
        texts = readable(row["signals"], _texts, [str(row["signals"])])
        if row["turn"] in own or not any(said in text for text in texts for said in what.said):
            continue
        connection.execute("DELETE FROM rewards WHERE turn = ?", (row["turn"],))
        touched.add(row["trajectory"])
    for trajectory in touched:
        connection.execute("UPDATE turns SET read_by_score = 0 WHERE trajectory = ?", (trajectory,))


def _skills(connection: sqlite3.Connection, what: ToForget) -> None:
    for client, name in what.skills:
        for table in ("skill_states", "skill_folders", "skill_uses", "coin_flips", "use_replays"):
            connection.execute(f"DELETE FROM {table} WHERE client = ? AND name = ?", (client, name))
        connection.execute(
            "UPDATE generations SET detail = replace(detail, ?, ?)", (name, FORGOTTEN_NAME)
        )
        connection.execute(
            "UPDATE events SET fields = replace(fields, ?, ?) WHERE instr(fields, ?) > 0",
            (name, FORGOTTEN_NAME, name),
        )
    connection.execute(
        f"DELETE FROM skill_states WHERE sha256 IN ({_marks(what.texts)})", what.texts
    )
    for table in ("coin_flips", "use_replays"):
        connection.execute(
            f"DELETE FROM {table} WHERE sha256 IN ({_marks(what.texts)})", what.texts
        )


def _prompts(connection: sqlite3.Connection, what: ToForget, bodies: Mapping[str, str]) -> None:
    """Remove the skills from the prompts that other conversations continue with."""
    for _, name in what.skills:
        _remove_from_reasons(connection, name)
    texts = set(what.texts)

    def suffixes_left(suffixes: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [_suffix(one, texts, bodies) for one in suffixes]

    for text in texts:
        rows = connection.execute(
            "SELECT id, selection, suffixes FROM trajectories"
            " WHERE instr(selection, ?) > 0 OR instr(suffixes, ?) > 0",
            (text, text),
        ).fetchall()
        for row in rows:
            # A damaged value holds the text too, and nothing of it is used.
            selection = readable(row["selection"], lambda s: _without(s, texts, bodies), _EMPTY)
            suffixes = readable(row["suffixes"], suffixes_left, _NONE)
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
            skills = readable(row["skills"], lambda s: [_nameless(one, texts) for one in s], _NONE)
            suffixes = readable(row["suffixes"], suffixes_left, _NONE)
            connection.execute(
                "UPDATE turns SET skills = ?, suffixes = ? WHERE id = ?",
                (json.dumps(skills), json.dumps(_told(suffixes)), row["id"]),
            )


def _texts(signals: list[dict[str, Any]]) -> list[str]:
    return [str(signal["text"]) for signal in signals]


def _without_reason(selection: dict[str, Any], name: str) -> dict[str, Any] | None:
    """The selection without the name in its reason; None if it is not there."""
    why = with_other_name(selection["why"], name, FORGOTTEN_NAME)
    return {**selection, "why": why} if why != selection["why"] else None


def _remove_from_reasons(connection: sqlite3.Connection, name: str) -> None:
    """Remove a skill's name from the reasons why it had no room in a prompt."""
    rows = connection.execute(
        "SELECT id, selection FROM trajectories WHERE instr(selection, ?) > 0", (name,)
    ).fetchall()
    for row in rows:
        nothing: dict[str, Any] | None = _EMPTY
        left = readable(row["selection"], lambda s: _without_reason(s, name), nothing)
        if left is not None:
            connection.execute(
                "UPDATE trajectories SET selection = ? WHERE id = ?", (json.dumps(left), row["id"])
            )
    rows = connection.execute(
        "SELECT id, note FROM turns WHERE note LIKE 'left out %' AND instr(note, ?) > 0", (name,)
    ).fetchall()
    for row in rows:
        note = with_other_name(row["note"], name, FORGOTTEN_NAME)
        connection.execute("UPDATE turns SET note = ? WHERE id = ?", (note, row["id"]))


def _nameless(skill: dict[str, Any], texts: set[str]) -> dict[str, Any]:
    """Replace the skill's name but keep the entry: its turn must never be used for training."""
    return {**skill, "name": FORGOTTEN_NAME} if skill["sha256"] in texts else skill


def _without(
    selection: dict[str, Any], texts: set[str], bodies: Mapping[str, str]
) -> dict[str, Any]:
    skills = [one for one in selection["skills"] if one["sha256"] not in texts]
    flips = [one for one in selection.get("flips", ()) if one["sha256"] not in texts]
    kept = [bodies[one["sha256"]] for one in skills if one["sha256"] in bodies]
    return {**selection, "skills": skills, "flips": flips, "block": skills_block(kept)}


def _suffix(suffix: dict[str, Any], texts: set[str], bodies: Mapping[str, str]) -> dict[str, Any]:
    skills = [one for one in suffix["skills"] if one["sha256"] not in texts]
    if len(skills) == len(suffix["skills"]):
        return suffix
    kept = [bodies[one["sha256"]] for one in skills if one["sha256"] in bodies]
    return {**suffix, "skills": skills, "text": skills_block(kept)}


def _told(suffixes: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [suffix for suffix in suffixes if suffix["text"]]


def _conversation(connection: sqlite3.Connection, what: ToForget) -> None:
    for one in (what.trajectory, *what.turns):
        connection.execute("DELETE FROM events WHERE instr(fields, ?) > 0", (f'"{one}"',))
    count_deleted(connection, what.trajectory)
    connection.execute("DELETE FROM trajectories WHERE id = ?", (what.trajectory,))


def _adapters(connection: sqlite3.Connection, what: ToForget) -> None:
    """Delete gate plans with requests of this conversation, and learned-skill entries."""
    for turn in what.turns:
        connection.execute("DELETE FROM gate_plans WHERE instr(plan, ?) > 0", (turn,))
    connection.execute(
        f"DELETE FROM adapter_learned WHERE sha256 IN ({_marks(what.texts)})", what.texts
    )
