"""Keeps a small file beside Lull's database that tells at the start whether data has been lost.

A database that is gone, empty, restored from an old copy or swapped looks like a first start. So
`witness.json` stores the database's identity, a write counter and row counts; it is written every
few seconds while something is recorded, and at the stop. At the start it is compared with the
database. Losses are reported until the files are back or the old witness, kept as
`witness.lost-N.json`, is deleted.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final

from lull.core.errors import StoreError
from lull.store.chat.chain_key import chain_key, chain_key_in
from lull.store.disk.on_disk import check_is_file, read_regular, write_atomically
from lull.store.rows.facts import fact, set_fact
from lull.store.rows.lost_tables import lost_tables, note_told
from lull.store.sqlite.database import Database
from lull.store.sqlite.wal import is_header_valid

log = logging.getLogger(__name__)

_COUNT: Final = "witness"
"""Name of the fact in the database that counts writes of the file."""
_DELETED: Final = "turns-deleted"
"""Name of the fact in the database that counts the turns that Lull itself has deleted."""
_MOST_BYTES: Final = 65_536
"""Far more than the witness file ever has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WitnessRecord:
    """The content of the witness file: the database's identity and row counts when the file was
    written, by which a later loss of data is noticed.
    """

    store: str
    """Identity of the database that was seen."""
    number: int
    """How often the witness file was written for this database; the number is increased in the
    database first.
    """
    at: str
    conversations: int
    turns: int
    generation: int
    running: bool
    """Whether a service had the database open; if still set at a start, that service was killed."""
    deleted: int = 0
    """How many turns Lull itself had deleted."""

    @property
    def ever(self) -> int:
        """How many turns were in the database, those included that Lull deleted."""
        return self.turns + self.deleted


def count_deleted(connection: sqlite3.Connection, trajectory: str) -> None:
    """Count the turns of a conversation that is about to be deleted, so that they are not taken for
    lost.
    """
    (turns,) = connection.execute(
        "SELECT count(*) FROM turns WHERE trajectory = ?", (trajectory,)
    ).fetchone()
    set_fact(connection, _DELETED, str(_number(connection, _DELETED) + turns).encode())


class Witness:
    """Writes the witness file beside the database, and compares it with the database to find lost
    data. Blocking.
    """

    def __init__(self, database: Path) -> None:
        self._database = database
        self._file = database.with_name("witness.json")
        self._changes = -1

    # Before the database is opened

    def find_losses(self) -> list[StoreError]:
        """Return errors for database files that are missing, empty or damaged; to be called before
        the database is opened.

        Raises StoreError if something else is in the file's place, such as a folder or a pipe.
        """
        check_is_file(self._database)
        seen, wal = self._seen(), self._database.with_name(self._database.name + "-wal")
        empty = not self._database.is_file() or self._database.stat().st_size == 0
        if empty:
            what = f"{self._database} is gone"
            if self._database.is_file():
                what = f"{self._database} is empty"
            if seen is not None:
                return [self._lost(seen, what)]
            if any(left := self._remains()):
                return [_lost_with_its_witness(what, left)]
        # A missing WAL is normal: a reader without a service removes it when it closes.
        if seen is not None and wal.is_file() and not is_header_valid(wal):
            return self._losses_without(wal, seen)
        return []

    def _losses_without(self, wal: Path, seen: WitnessRecord) -> list[StoreError]:
        """Return what is lost with a write-ahead log that SQLite would discard: nothing if Lull was
        stopped in good order, which left everything in the database itself.
        """
        there = _in_file(self._database)
        if there is None or self._compared(there, seen) is not None:
            return [self._lost(seen, f"{wal} is damaged")]
        if not seen.running:
            return []
        return [
            StoreError(
                f"{wal} is damaged. All {seen.turns} answers that Lull's folder held on "
                f"{seen.at[:16]} are there; what was said in the seconds after that may be lost.",
                hint="At its start, Lull keeps the damaged file as "
                f"{self._database.name}.damaged-1-wal, or with a higher number.",
            )
        ]

    def keep_aside(self) -> Path | None:
        """Move a write-ahead log aside that SQLite would discard; return its new path, None if
        there is no such log.
        """
        wal = self._database.with_name(self._database.name + "-wal")
        alone = not self._database.is_file() or self._database.stat().st_size == 0
        if not wal.is_file() or wal.stat().st_size == 0 or not (alone or not is_header_valid(wal)):
            return None
        number = 1
        name = self._database.name
        while (aside := wal.with_name(f"{name}.damaged-{number}-wal")).exists():
            number += 1
        wal.rename(aside)
        return aside

    def _remains(self) -> tuple[int, int, int]:
        """Return how many texts of skills, adapters and training runs lie beside the database; at a
        first start there are none.
        """
        versions = self._database.with_name("library") / "versions"
        adapters, runs = (
            sum(1 for one in self._database.with_name(name).glob("[!.]*") if one.is_dir())
            for name in ("adapters", "runs")
        )
        return sum(1 for _ in versions.glob("*/*.md")), adapters, runs

    # With the database open

    def compare(self, database: Database) -> StoreError | None:
        """Return an error if the database is not the one last recorded in the witness file, or is
        an older state of it; else None.
        """
        seen = self._seen()
        if seen is None:
            return None
        return self._compared(database.read(_recorded), seen)

    def _compared(self, now: WitnessRecord, seen: WitnessRecord) -> StoreError | None:
        fewer = (now.turns, now.generation) < (seen.turns, seen.generation)
        if now.store != seen.store:
            return self._lost(seen, f"{self._database} is another database")
        if now.number < seen.number and (fewer or now.turns < seen.turns):
            return self._lost(seen, f"{self._database} has gone back to {now.turns} answers")
        if now.number >= seen.number and now.ever < seen.ever:
            return self._lost(seen, f"{self._database} holds only {now.turns} answers")
        return None

    def set_aside(self, database: Database) -> None:
        """Rename the old witness file (the last known state of the database), so that the loss is
        reported at the next start too.

        Where there is none and files are left of what was, a file of number 0 takes its place.
        """
        number = 1
        while (aside := self._file.with_name(f"witness.lost-{number}.json")).exists():
            number += 1
        if self._seen() is not None:
            self._file.rename(aside)
        elif any(self._remains()):
            _write(
                aside,
                WitnessRecord(
                    store=database.read(_name),
                    number=0,
                    at="",
                    conversations=0,
                    turns=0,
                    generation=0,
                    running=False,
                ),
            )

    def still_missing(self, database: Database) -> list[StoreError]:
        """Return errors for the losses of data that were found at earlier starts and are not
        restored yet.
        """
        store = database.read(_name)
        number = database.read(lambda connection: _number(connection, _COUNT))
        found = []
        for file in sorted(self._database.parent.glob("witness.lost-*.json")):
            seen = _read(file)
            if seen is not None and seen.number == 0:
                if seen.store == store:
                    found.append(_begun_anew(self._database, file))
                else:  # another file was put in the place of the one that was begun then
                    file.unlink(missing_ok=True)
                continue
            if seen is None or (
                seen.store == store
                and number >= seen.number > 0
                and database.read(_recorded).ever >= seen.ever
            ):
                file.unlink(missing_ok=True)  # restored
                continue
            found.append(self._lost(seen, f"{self._database} is not what it was", file))
        return found

    def write(self, database: Database, *, at: str, running: bool) -> None:
        """Record the database's current state in the witness file; skipped while running if nothing
        was written to the database since the last call.

        Raises StoreError.
        """
        if running and database.changes == self._changes:
            return

        def work(connection: sqlite3.Connection) -> int:
            number = _number(connection, _COUNT) + 1
            set_fact(connection, _COUNT, str(number).encode())
            return number

        number = database.submit(work).result()
        self._changes = database.changes
        now = replace(database.read(_recorded), at=at, number=number, running=running)
        _write(self._file, now)

    # Words

    def _seen(self) -> WitnessRecord | None:
        return _read(self._file)

    def _lost(self, seen: WitnessRecord, what: str, file: Path | None = None) -> StoreError:
        told = file or self._file.with_name("witness.lost-1.json")
        return StoreError(
            f"{what}. On {seen.at[:16]}, Lull's folder held {seen.turns} answers in "
            f"{seen.conversations} conversations and {seen.generation} generations of skills.",
            hint="Stop Lull and restore the file from a backup; until then, Lull works with what "
            f"is left. To turn off this reminder, delete {told.name}; adapters and training runs "
            "that no record names are then removed.",
        )


def open_database(path: Path, witness: Witness, *, rescue: bool = True) -> Database:
    """Open the database and compare it with its witness file (its last recorded state); what is
    lost is then among `Database.worries`. Raises StoreError.

    A damaged database, and a WAL that SQLite would discard, are set aside, and a new one is begun.
    With `rescue` False all files are left as they are, and damage or a missing file raises.
    """
    missing = witness.find_losses()
    if missing and not rescue:
        raise missing[0]
    if rescue:
        _keep_wal_aside(witness)
    database = Database(path, rescue=rescue)
    try:
        chain_key(database)  # the witness knows a database by its key
        database.worries += _losses(witness, database, missing, rescue=rescue)
        with contextlib.suppress(StoreError):  # what cannot be mended, as on a full disk, stays
            database.worries += database.mend().values()
    except BaseException:
        database.close()
        raise
    return database


def _keep_wal_aside(witness: Witness) -> None:
    try:
        aside = witness.keep_aside()
    except OSError as error:
        raise StoreError(f"{error.filename}: {error.strerror}.") from error
    if aside is not None:
        log.info("%s was kept: the database does not go with it", aside)


def database_replaced_error(database: Database) -> StoreError:
    """Return the error that tells the user that the database was damaged and replaced by a new one,
    and where the old one is.
    """
    return StoreError(
        f"{database.path} was damaged. It was kept as {database.kept_aside}, and Lull began a new"
        " one. No skill is in use until you approve it again, in Review; which of them were"
        " approved, their history and all conversations are in the old file.",
        hint="`sqlite3 FILE .recover` may save them.",
    )


def _losses(
    witness: Witness, database: Database, missing: Sequence[StoreError], *, rescue: bool
) -> list[StoreError]:
    """Compare an opened database with its witness file (its last recorded state); return the losses
    of data that the user must be told of.

    `missing` are the losses found before the database was opened. With `rescue`, a witness file
    that shows a loss is set aside, so that the next start reports the loss too.
    """
    worry = witness.compare(database)
    found = [*missing] or ([worry] if worry is not None else [])
    if rescue and database.kept_aside is not None:
        witness.set_aside(database)
        found = []  # reported separately, with the old file's path
    else:
        if rescue and found:
            witness.set_aside(database)
        found = found or witness.still_missing(database)
    lost = database.read(lambda c: lost_tables(c, database.path, anew=database.made_anew))
    if lost:
        database.submit(note_told).result()
    return [*found, *lost]


def _lost_with_its_witness(what: str, left: tuple[int, int, int]) -> StoreError:
    texts, adapters, runs = left
    unused = "No adapter is in use."
    if texts:
        unused = "No skill is in use until you approve it again, in Review, and no adapter is."
    return StoreError(
        f"{what}, and with it the file that recorded how much was in it. What is left from before: "
        f"skill texts {texts}, adapters {adapters}, training runs {runs}. {unused}",
        hint="Stop Lull and restore both files from a backup; until then, Lull works with what "
        "is left.",
    )


def _begun_anew(database: Path, file: Path) -> StoreError:
    return StoreError(
        f"{database} was begun anew, and no file records what was in the one before. Skill texts, "
        "adapters and training runs from before are kept, and not in use.",
        hint="Stop Lull and restore the file from a backup; until then, Lull works with what is "
        f"left. To turn off this reminder, delete {file.name}; adapters and training runs that no "
        "record names are then removed.",
    )


def _write(file: Path, seen: WitnessRecord) -> None:
    try:
        write_atomically(file, json.dumps(asdict(seen)).encode())
    except OSError as error:
        raise StoreError(f"{file}: {error.strerror}.", hint="Is the disk full?") from error


def _read(file: Path) -> WitnessRecord | None:
    try:
        seen = WitnessRecord(**json.loads(read_regular(file, _MOST_BYTES)))
    except (OSError, ValueError, TypeError):
        return None
    counts = (seen.number, seen.conversations, seen.turns, seen.generation, seen.deleted)
    texts = (seen.store, seen.at)
    sound = all(type(n) is int for n in counts) and all(isinstance(t, str) for t in texts)
    return seen if sound else None


def _in_file(database: Path) -> WitnessRecord | None:
    """Return what a database file holds without its write-ahead log; None if it cannot be read. The
    file and what lies beside it are left as they are.
    """
    place = f"{database.absolute().as_uri()}?mode=ro&immutable=1"
    try:
        with closing(sqlite3.connect(place, uri=True)) as connection:
            connection.row_factory = sqlite3.Row
            return _recorded(connection)
    except sqlite3.Error:
        return None


def _recorded(connection: sqlite3.Connection) -> WitnessRecord:
    """Return what a database holds now, as the witness file records it, without a time."""
    deleted = _number(connection, _DELETED)  # first: one that comes in between is no loss
    row = connection.execute(
        "SELECT (SELECT count(*) FROM trajectories), (SELECT count(*) FROM turns),"
        " (SELECT coalesce(max(number), 0) FROM generations)"
    ).fetchone()
    return WitnessRecord(
        store=_name(connection),
        number=_number(connection, _COUNT),
        deleted=deleted,
        at="",
        conversations=row[0],
        turns=row[1],
        generation=row[2],
        running=False,
    )


def _name(connection: sqlite3.Connection) -> str:
    """Return a name that identifies this database: a hash of the secret key that is made once for
    each; "" if it has none yet.
    """
    key = chain_key_in(connection)
    return hashlib.sha256(b"witness" + key).hexdigest()[:16] if key else ""


def _number(connection: sqlite3.Connection, name: str) -> int:
    value = fact(connection, name)
    return int(value) if value and value.isdigit() else 0
