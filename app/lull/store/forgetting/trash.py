"""Stores the trash: conversations removed for age or size, one file per removal.

A file holds every row that belongs to the removed conversations, with their messages, so restoring
leaves the database as if they had never been removed. The file is complete on disk before any row
is deleted. A damaged file cannot be restored. Only when a conversation in it is forgotten are the
other conversations put back that can be read completely.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from lull.core.errors import StoreError
from lull.core.feedback.signals import YOU_SAID
from lull.store.backups.witness import count_deleted
from lull.store.chat.kept_pieces import KeptPieces
from lull.store.chat.left_out import left_out_names
from lull.store.chat.trash_files import (
    ROOT,
    DamagedTrash,
    TrashRow,
    TrashRows,
    complete_conversations,
    head_of,
    is_damaged,
    rows_of,
    to_bytes,
)
from lull.store.chat.trash_rows import (
    SHARED,
    by_conversation,
    links_in,
    only_rows_of,
    own_rows,
    put_back,
    put_back_alone,
    rows_of_conversations,
    rows_where,
)
from lull.store.disk.on_disk import make_folder, write_atomically
from lull.store.disk.uninterrupted import uninterrupted
from lull.store.forgetting.retention import exempt_from_expiry, remove_unused
from lull.store.proof.replay_rows import blank_answers
from lull.store.sqlite.database import Database
from lull.store.sqlite.writer import DatabaseWork

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """The description of one removal of conversations to the trash: why, when and which. It is the
    first line of the trash file.
    """

    why: str
    """Reason for the removal: "age", "size" or "asked"."""
    at: str
    """Time of the removal, by the system clock."""
    born: float
    """Time of the removal, by the count of days on which Lull ran."""
    conversations: tuple[str, ...]
    turns: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TrashFile:
    """A file in the trash, with a description of the conversations in it."""

    name: str
    size_bytes: int
    bundle: Removal


@dataclass(frozen=True, slots=True, kw_only=True)
class Salvage:
    """What happens to a damaged trash file (deleted conversations) when the user has a conversation
    in it forgotten: how many of its other conversations are restored and how many are lost.
    """

    file: Path
    known: bool
    """Whether the turns of the forgotten conversation can be read; what was learned from it is
    found by them.
    """
    back: int
    """Number of other conversations in the file that are complete and go back into the database."""
    lost: int
    """Number of other conversations in the file that cannot be read."""


class Trash:
    """Keeps removed conversations as files in the folder `trash/`, from which they can be restored.

    Its plain methods block; its coroutines read and write on other threads.
    """

    def __init__(self, folder: Path, database: Database) -> None:
        self.folder = folder
        self._db = database
        self._whole: dict[str, tuple[int, int]] = {}

    # Looking

    def files(self) -> list[TrashFile]:
        """List the trash files and what each holds, oldest first; unreadable ones are left out."""
        found = []
        for file in self._files():
            said = head_of(file)
            try:
                if said is None:
                    continue
                bundle = Removal(**{**said, "conversations": tuple(said["conversations"])})
                datetime.fromisoformat(bundle.at)
                size = file.stat().st_size
                found.append(TrashFile(name=file.stem, size_bytes=size, bundle=bundle))
            except (OSError, ValueError, TypeError, KeyError):
                continue
        return found

    def unlisted(self) -> list[Path]:
        """List the trash files whose description of the conversations in them cannot be read."""
        known = {one.name for one in self.files()}
        return [file for file in self._files() if file.stem not in known]

    def damaged(self) -> list[Path]:
        """List the damaged trash files (deleted conversations). A file that was found undamaged is
        read again only after it changed.
        """
        for file in self._files():
            state = _state(file)
            if self._whole.get(file.stem) != state and not is_damaged(file):
                self._whole[file.stem] = state
        return [file for file in self._files() if self._whole.get(file.stem) != _state(file)]

    def size_bytes(self) -> int:
        """Return the size of the trash on disk in bytes. Blocking."""
        return sum(file.stat().st_size for file in self._files())

    def _files(self) -> list[Path]:
        return sorted(self.folder.glob("*.gz"))

    # In

    async def move_to_trash(self, ids: Sequence[str], bundle: Removal) -> int:
        """Move these conversations to the trash; return how many were moved.

        A conversation that was continued or changed meanwhile, such as by a rating, stays.
        """
        return await uninterrupted(self._throw(tuple(ids), bundle))

    async def _throw(self, ids: Sequence[str], bundle: Removal) -> int:
        rows = await asyncio.to_thread(
            self._db.read, lambda connection: rows_of_conversations(connection, ids)
        )
        found = tuple(row["id"] for table, row in rows if table == ROOT)
        if not found:
            return 0
        file = await asyncio.to_thread(self._keep, rows, found, bundle)
        kept = by_conversation(rows)

        def work(connection: sqlite3.Connection) -> int:
            gone = 0
            now = by_conversation(own_rows(connection, found))
            for one in found:
                # Continued, rated or left out of learning since the file was written: it stays.
                if now.get(one) == kept[one]:
                    count_deleted(connection, one)
                    connection.execute("DELETE FROM trajectories WHERE id = ?", (one,))
                    gone += 1
            if gone:
                remove_unused(connection, links_in(rows))
                blank_answers(connection)
                self._db.checkpoint_soon()
            return gone

        return await self._thrown_with(file, work)

    def _keep(
        self, rows: Sequence[tuple[str, TrashRow]], ids: tuple[str, ...], bundle: Removal
    ) -> Path:
        """Write the rows of these conversations into a new file; return it. Blocking."""
        turns = sum(table == "turns" for table, _ in rows)
        head = asdict(replace(bundle, conversations=ids, turns=turns))
        return self._write(to_bytes(head, rows))

    async def _thrown_with(self, file: Path, work: DatabaseWork[int]) -> int:
        """Delete the rows that a trash file holds; the file goes only if they surely stay."""
        try:
            gone = await self._db.write(work)
        except StoreError:
            file.unlink(missing_ok=True)
            raise
        if not gone:
            file.unlink(missing_ok=True)
        return gone

    def _write(self, data: bytes) -> Path:
        try:
            make_folder(self.folder)
            numbers = [int(f.stem) for f in self._files() if f.stem.isdigit()]
            file = self.folder / f"{max(numbers, default=0) + 1:06}.gz"
            write_atomically(file, data)
        except OSError as error:
            raise StoreError(
                f"{self.folder}: {error.strerror}.",
                hint="Nothing was removed; old conversations go through the trash.",
            ) from error
        return file

    # Out

    async def restore(self, name: str, *, for_good: bool = True) -> int:
        """Put the conversations in a trash file back into the database; return how many. Raises
        DamagedTrash, StoreError.

        `for_good` keeps them from ever expiring by age again.
        """
        file = self.folder / f"{name}.gz"
        rows = await asyncio.to_thread(rows_of, file)

        def work(connection: sqlite3.Connection) -> int:
            back = put_back(connection, rows)
            if for_good:
                exempt_from_expiry(connection, back)
            return len(back)

        return await uninterrupted(self._restored_from(file, work))

    async def _restored_from(self, file: Path, work: DatabaseWork[int]) -> int:
        back = await self._db.write_synced(work)  # a power cut must not take both
        KeptPieces(self._db).move()
        file.unlink(missing_ok=True)
        return back

    async def salvage(self, damage: DamagedTrash, one: TrashFile, conversation: str) -> Salvage:
        """Put what a damaged trash file `one` still holds of one conversation, and all its other
        conversations that are complete, back into the database, then delete the file. `damage` has
        the rows that could be read.
        """
        file, done = self.folder / f"{one.name}.gz", list[Salvage]()

        def work(connection: sqlite3.Connection) -> int:
            done[:] = [_salvage(connection, damage.rows, one, conversation, file)]
            return 0

        await uninterrupted(self._restored_from(file, work))
        return done[0]

    def simulate_restore(
        self, conversation: str, look: Callable[[bool], T]
    ) -> tuple[T, Salvage | None]:
        """Call `look`, a query of the caller's, on the database as it would be with a conversation
        restored from the trash, to preview what forgetting it would delete; nothing is changed.

        The argument of the query is whether the conversation lies in a damaged file, so that parts
        of it may be missing. Return the query's result, and what would become of the damaged file
        (None if there is none). Blocking.
        """
        held = [one for one in self.files() if conversation in one.bundle.conversations]
        if not held:
            return look(False), None
        done: list[Salvage] = []

        def work(connection: sqlite3.Connection) -> None:
            for one in held:
                file = self.folder / f"{one.name}.gz"
                try:
                    put_back(connection, only_rows_of(connection, rows_of(file), {conversation}))
                except DamagedTrash as damage:
                    done.append(_salvage(connection, damage.rows, one, conversation, file))

        with self._db.as_if_written(work):
            return look(bool(done)), done[-1] if done else None

    def files_mentioning(
        self, words: Collection[str], wishes: Collection[str]
    ) -> tuple[list[str], list[Path]]:
        """Find the trash files whose conversations were answered with something that is to be
        forgotten: a skill, by its name or hash among the `words`, or a score by one of the user's
        `wishes`. Blocking; reads every file.

        Return their names, and the damaged files of which that is not known.
        """
        found, unknown = list[str](), list[Path]()
        by_wishes = {f"{YOU_SAID}{wish}" for wish in wishes}
        for one in self.files():
            file = self.folder / f"{one.name}.gz"
            try:
                rows = rows_of(file)
            except DamagedTrash:
                unknown.append(file)
                continue
            if any(_mentions(table, row, words, by_wishes) for table, row in rows):
                found.append(one.name)
        return found, unknown

    def remove(self, name: str) -> None:
        """Delete a trash file permanently."""
        (self.folder / f"{name}.gz").unlink(missing_ok=True)


def _state(file: Path) -> tuple[int, int]:
    """Return a file's time of change and size, by which a change of its content is noticed; (0, -1)
    if the file is gone.
    """
    try:
        about = file.stat()
    except FileNotFoundError:
        return (0, -1)
    return (about.st_mtime_ns, about.st_size)


def _mentions(table: str, row: TrashRow, words: Collection[str], scores: Collection[str]) -> bool:
    """Whether a row of a conversation itself, not of what was said in it, names one of the words,
    or one of the scores. A word that is only part of another is not named.
    """
    if table in SHARED:
        return False
    sought = {*words, *scores}
    return any(
        not sought.isdisjoint({text, *left_out_names(text)})
        for value in row.values()
        if isinstance(value, str)
        for text in _texts_in(value, sought)
    )


def _texts_in(value: str, sought: Collection[str]) -> list[str]:
    """Return every text in the value of a column: those in its JSON if it is that, else itself. Of
    broken JSON nobody knows its texts: those of `sought` that stand anywhere in it are returned.
    """
    if not value.startswith(("{", "[")):
        return [value]
    try:
        return _leaves(json.loads(value))
    except (ValueError, RecursionError):
        return [one for one in sought if one in value]


def _leaves(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for one in inside for text in _leaves(one)]


def _salvage(
    connection: sqlite3.Connection, rows: TrashRows, one: TrashFile, conversation: str, file: Path
) -> Salvage:
    """Restore from a damaged trash file the readable rows of one conversation, and all other
    conversations that are complete.
    """
    others = {*one.bundle.conversations} - {conversation}
    whole = sorted(others & complete_conversations(rows))
    back = [name for name in whole if put_back_alone(connection, rows, name)]
    put_back_alone(connection, rows, conversation)
    remove_unused(connection, links_in(rows))
    known = rows_where(connection, "turns", "trajectory", [conversation])
    return Salvage(file=file, known=bool(known), back=len(back), lost=len(others) - len(back))
