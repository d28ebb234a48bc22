"""Reads the skill library: the skills in each of its numbered versions (generations), their
history, and how often each was used.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from lull.core.errors import NotFound, SkillError, StoreError
from lull.core.skills.skill import (
    ChangeKind,
    Library,
    Skill,
    SkillGeneration,
    SkillKey,
    SkillStatus,
    SkillText,
    scope_of,
)
from lull.core.text.coded_text import TextSkillList, coded_text
from lull.store.skills.proof_records import ProofRecord, proof_record
from lull.store.skills.skill_folders import SkillFolders
from lull.store.skills.skill_seals import SealedStates, State, sealed_states, table_rows
from lull.store.sqlite.database import Database

log = logging.getLogger(__name__)
T = TypeVar("T")

_STATUSES = frozenset(SkillStatus)


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryRow:
    """One past state of a skill in the library, with the change that made it."""

    generation: int
    at: str
    change: str
    detail: str
    version: int
    sha256: str
    status: SkillStatus
    pinned: bool


class LibraryReader:
    """Reads the tables of the skill library: its numbered versions (generations), each skill's
    states, and how often each was used.
    """

    def __init__(self, database: Database, folders: SkillFolders) -> None:
        self._db = database
        self.folders = folders
        self._lost: set[str] = set()
        """Versions whose text is lost, each logged once."""

    def library(self, generation: int | None = None) -> Library:
        """Return the skill library as of a generation (version number), the newest by default.
        Raises NotFound.
        """
        return self._db.read(lambda connection: self._library(connection, generation))

    def _library(self, connection: sqlite3.Connection, generation: int | None) -> Library:
        sealed = sealed_states(connection)
        newest = sealed.newest
        if generation is not None and not 0 <= generation <= newest:
            raise NotFound(f"There is no generation {generation}.", hint=f"The newest is {newest}.")
        at = newest if generation is None else generation
        states: dict[SkillKey, tuple[int, State]] = {}
        latest: dict[SkillKey, int] = {}
        for number, state in _in_order(connection, sealed):
            key = SkillKey(state[0], state[1])
            latest[key] = max(latest.get(key, 0), state[2])
            if number <= at:
                states[key] = (number, state)
        skills = [
            self._skill(
                state, since=number, latest=latest[key], certain=sealed.is_certain(number, at=at)
            )
            for key, (number, state) in states.items()
        ]
        return Library(generation=at, skills={skill.key: skill for skill in skills})

    def _skill(self, state: State, *, since: int, latest: int, certain: bool) -> Skill:
        """Build a skill; one that a lost generation may have changed gets no text, like one whose
        text is lost."""
        client, name, version, sha256, status, pinned = state
        key = SkillKey(client, name)
        lost = SkillText(name=name, description="", body="")
        text = self._text(key, sha256) if certain else lost
        return Skill(
            client=client,
            name=name,
            version=version,
            sha256=sha256,
            description=text.description,
            body=text.body,
            status=SkillStatus(status) if status in _STATUSES else SkillStatus.DISABLED,
            pinned=bool(pinned),
            scope=scope_of(text),
            since=since,
            latest=latest,
        )

    def _text(self, key: SkillKey, sha256: str) -> SkillText:
        """Return a version's text; a lost one is empty, so that the rest of the library stays
        usable.

        An empty skill is never put into prompts.
        """
        try:
            return self.folders.text(sha256, key)
        except (StoreError, SkillError) as error:
            if sha256 not in self._lost:
                self._lost.add(sha256)
                log.error("skill %s cannot be used: %s", key.name, error)
            return SkillText(name=key.name, description="", body="")

    def missing(self) -> StoreError | None:
        """Return an error that names skills whose approved texts are missing on disk; None if no
        text is missing. Blocking.
        """
        rows = self._db.read(
            lambda connection: connection.execute(
                "SELECT sha256, min(name) AS name FROM skill_states GROUP BY sha256 ORDER BY name"
            ).fetchall()
        )
        lost = [str(row["name"]) for row in rows if not self.folders.has_version(row["sha256"])]
        if not lost:
            return None
        return StoreError(
            coded_text(
                "skill-texts-gone",
                "%1 of %2 skill texts are gone from %3: %4.",
                len(lost),
                len(rows),
                str(self.folders.versions),
                TextSkillList(tuple(sorted(set(lost)))),
            ),
            hint="Restore the folder from a backup; skills with a copy under skills/ stay in use.",
        )

    def proof_record(self, sha256: str, data: bytes) -> ProofRecord:
        """Look up in the sealed record whether this Lull wrote the document `data` as the proof of
        a skill's text. Blocking.
        """
        return proof_record(self._db, sha256, data)

    def generations(self) -> list[SkillGeneration]:
        """Return the history of all skills, one entry for each change. Blocking."""
        rows = self._db.read(
            lambda connection: connection.execute(
                "SELECT * FROM generations ORDER BY number"
            ).fetchall()
        )
        return list(_readable(rows, _generation))

    def history(self, key: SkillKey) -> list[HistoryRow]:
        """List every past and present state of one skill, newest first. Raises NotFound."""
        rows = self._db.read(
            lambda connection: connection.execute(
                "SELECT s.generation, g.at, g.change, g.detail, s.version, s.sha256, s.status,"
                " s.pinned FROM skill_states s JOIN generations g ON g.number = s.generation"
                " WHERE s.client = ? AND s.name = ? ORDER BY s.generation DESC",
                (key.client, key.name),
            ).fetchall()
        )
        if not rows:
            raise NotFound(
                f"There is no skill '{key.name}'.", hint="`lull skills list --all` shows them."
            )
        return list(_readable(rows, _history_row))

    def retired(self) -> set[SkillKey]:
        """Return the skills whose latest change was a retirement (Lull disabled them, for example
        because answers with them were worse).
        """
        rows = self._db.read(
            lambda connection: connection.execute(
                "SELECT s.client, s.name FROM skill_states s"
                " JOIN generations g ON g.number = s.generation"
                " WHERE g.change = ? AND s.generation = (SELECT max(generation) FROM skill_states"
                " WHERE client = s.client AND name = s.name)",
                (ChangeKind.RETIRE.value,),
            ).fetchall()
        )
        return {SkillKey(row["client"], row["name"]) for row in rows}

    def uses(self) -> dict[SkillKey, int]:
        """Return how often each skill went into a conversation's prompt, over all clients."""
        total: dict[SkillKey, int] = {}
        for counts in self.uses_by_client().values():
            for key, count in counts.items():
                total[key] = total.get(key, 0) + count
        return total

    def uses_by_client(self) -> dict[str, dict[SkillKey, int]]:
        """Return how often each skill went into a conversation's prompt, by the client that asked.

        The client that used a skill last comes last.
        """
        rows = self._db.read(
            lambda connection: connection.execute(
                "SELECT *, max(last) OVER (PARTITION BY asker) AS newest FROM skill_uses"
                " ORDER BY newest"
            ).fetchall()
        )
        found: dict[str, dict[SkillKey, int]] = {}
        for row in rows:
            counts = found.setdefault(row["asker"], {})
            counts[SkillKey(row["client"], row["name"])] = int(row["uses"])
        return found


def _in_order(connection: sqlite3.Connection, sealed: SealedStates) -> Iterator[tuple[int, State]]:
    """Yield each state with its generation, oldest first; those of a lost generation as the table
    has them.
    """
    for number in range(1, sealed.newest + 1):
        lost = number not in sealed.states
        for state in table_rows(connection, number) if lost else sealed.states[number]:
            yield number, state


def _generation(row: sqlite3.Row) -> SkillGeneration:
    return SkillGeneration(
        number=row["number"],
        at=datetime.fromisoformat(row["at"]),
        change=ChangeKind(row["change"]),
        detail=row["detail"],
    )


def _history_row(row: sqlite3.Row) -> HistoryRow:
    status, pinned = SkillStatus(row["status"]), bool(row["pinned"])
    return HistoryRow(**{**dict(row), "status": status, "pinned": pinned})


def _readable(rows: Iterable[sqlite3.Row], convert: Callable[[sqlite3.Row], T]) -> Iterator[T]:
    """Convert the rows that can be read; a damaged one comes back from its sealed copy at the next
    start or look at the records.
    """
    for row in rows:
        try:
            yield convert(row)
        except (ValueError, TypeError) as error:
            log.info("a row of the record of skills cannot be read: %s", error)
