"""Keeps a sealed record (with a keyed hash) of which proofs of skills (evidence files) this Lull
has written, so that a proof written by somebody else is recognised.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum

from lull.core.errors import StoreError
from lull.store.rows.facts import fact
from lull.store.rows.readable_rows import DamagedRow
from lull.store.rows.sealed_rows import changing, sealed_rows, written_anew
from lull.store.rows.sealed_tables import PROOF_RECORDS
from lull.store.sqlite.database import Database
from lull.store.sqlite.repair_records import not_put_right, repair_records

_TO_SEAL = "proofs-to-seal"
"""Name of a stored fact: proofs that are older than the table of proof records still have to be
recorded.
"""


class ProofRecord(StrEnum):
    """Whether the proof of a skill's text (its evidence file) was written by this Lull, according
    to the sealed record.
    """

    OURS = "ours"
    """This Lull wrote exactly this document when the text was approved."""
    OTHER = "other"
    """This Lull wrote a proof of this text, and it is another document."""
    NONE = "none"
    """This Lull has never written a proof of this text: it comes from elsewhere."""
    LOST = "lost"
    """The record was changed or removed outside of Lull, and no intact copy is left."""


def proof_record(database: Database, skill_sha256: str, data: bytes) -> ProofRecord:
    """Look up in the sealed record whether this Lull wrote the document `data` as the proof of a
    skill's text.
    """

    def work(connection: sqlite3.Connection) -> ProofRecord:
        sealed = sealed_rows(connection, PROOF_RECORDS, [skill_sha256])
        known = {row["evidence_sha256"] for row in sealed.group(skill_sha256)}
        if hashlib.sha256(data).hexdigest() in known:
            return ProofRecord.OURS
        if known:
            return ProofRecord.OTHER
        return ProofRecord.LOST if sealed.is_lost(skill_sha256) else ProofRecord.NONE

    return database.read(work)


async def record_proof(database: Database, skill_sha256: str, data: bytes) -> None:
    """Record the proof document `data` of a skill's text, which is about to be stored and approved,
    as one that this Lull has written.

    It is recorded before its file takes the place of an earlier proof: an approval that is refused
    at last, or cut off by a kill, would else leave a document that counts as somebody else's.
    """
    await database.write_synced(lambda connection: _record(connection, {skill_sha256: data}))


async def repair_proof_records(database: Database) -> StoreError | None:
    """Undo changes that other programs made to the records of which proofs of skills this Lull has
    written; return an error that tells the user of it, None if nothing was changed.

    Of a record without an intact copy nothing is told here: what is wrong with a skill's proof for
    want of it is told as damage of the proof.
    """
    if not await repair_records(database, PROOF_RECORDS):
        return None
    return DamagedRow(
        "The record of proofs was changed outside of Lull and is put right from its sealed copy.",
        hint="Nothing of the change is used.",
    )


def proof_records_not_put_right(database: Database) -> StoreError | None:
    """Return an error that tells of records of proofs of skills that other programs changed and
    that cannot be put right; None if there are none. Blocking.
    """
    if not (number := not_put_right(database, PROOF_RECORDS)):
        return None
    return DamagedRow(
        "The record of proofs was changed outside of Lull and cannot be put right from its sealed "
        f"copy, which Lull uses: {number} entries.",
        hint="Remove from the database what another program added to it, such as a trigger.",
    )


def remove_proof_records(connection: sqlite3.Connection, texts: Iterable[str]) -> None:
    """Delete the records of which proofs this Lull wrote for these skill texts, which are being
    deleted. Call it within `changing`.
    """
    connection.executemany(
        "DELETE FROM proof_records WHERE skill_sha256 = ?", [(text,) for text in texts]
    )


def record_earlier_proofs(database: Database, proofs: Callable[[], Mapping[str, bytes]]) -> None:
    """Record, once, all proofs of skills that were stored before Lull kept records of the proofs it
    wrote; they count as its own.

    `proofs` returns them, by the sha256 of the skill's text.
    """
    if database.read(lambda connection: fact(connection, _TO_SEAL)) is None:
        return
    found = proofs()

    def work(connection: sqlite3.Connection) -> None:
        if fact(connection, _TO_SEAL) is not None:
            _record(connection, found)
            connection.execute("DELETE FROM facts WHERE name = ?", (_TO_SEAL,))

    database.submit(work).result()


def _record(connection: sqlite3.Connection, proofs: Mapping[str, bytes]) -> None:
    with changing(connection, PROOF_RECORDS):
        lost = sealed_rows(connection, PROOF_RECORDS, proofs).lost
        for text in lost:  # what is approved now is certain, whatever was recorded before
            written_anew(connection, PROOF_RECORDS, text)
        remove_proof_records(connection, lost)
        connection.executemany(
            "INSERT OR IGNORE INTO proof_records VALUES (?, ?)",
            [(text, hashlib.sha256(data).hexdigest()) for text, data in proofs.items()],
        )
