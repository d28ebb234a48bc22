"""Stores LoRA adapters in the database: their versions, which one answers for each model (the
active one), and the log of changes of the active adapter.

Each change of the active adapter is one transaction, so a crash leaves either the old or the new
one active.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime
from typing import TypeVar

from lull.core.adapters.adapter import (
    AdaptersInForce,
    AdapterStatus,
    AdapterVersion,
    LearnedSkill,
    lineage,
)
from lull.core.adapters.gate_report import Verdict
from lull.core.errors import Conflict, NotFound, StoreError
from lull.core.skills.skill import SkillKey
from lull.store.adapters.adapter_reads import (
    adapter_origins,
    adapters_damage,
    by_time,
    model_of,
    stored_adapter,
    stored_in_force,
    stored_moves,
)
from lull.store.adapters.adapter_rows import (
    ADAPTER_ROWS,
    AdapterOrigin,
    Move,
    MoveRow,
    not_put_right_error,
    put_right_error,
    row_of,
    verdict_text,
)
from lull.store.rows.sealed_rows import (
    SealedRows,
    SealedTable,
    changing,
    sealed_rows,
    written_anew,
)
from lull.store.rows.sealed_tables import (
    ADAPTER_LEARNED,
    ADAPTER_MOVES,
    ADAPTERS,
    ADAPTERS_IN_FORCE,
    OF_ADAPTERS,
)
from lull.store.sqlite.database import Database
from lull.store.sqlite.repair_records import not_put_right, repair_records

T = TypeVar("T")


class Adapters:
    """Reads and writes the tables of LoRA adapters: their versions, which is active for each model,
    the log of those changes, and the skills that each has learned.

    What is read comes from the rows' sealed copies, which no other program can have written.
    """

    def __init__(self, database: Database) -> None:
        self._db = database

    # Reading

    def get(self, adapter: str) -> AdapterVersion:
        """Return the record of one LoRA adapter (its base model, state, test verdict …) by its id.
        Raises NotFound.
        """
        return self._db.read(lambda connection: stored_adapter(connection, adapter))

    def all(self, model: str | None = None) -> list[AdapterVersion]:
        """List LoRA adapters, of one base model or of all, newest first; damaged rows are left
        out.
        """
        rows = self._sealed(ADAPTERS).all()
        wanted = [row for row in rows if model is None or row["base_model"] == model]
        return ADAPTER_ROWS.all(sorted(wanted, key=by_time, reverse=True))

    def origins(self) -> list[AdapterOrigin]:
        """List what each LoRA adapter was made from (training run, earlier adapter), also for
        adapters whose rows are damaged.
        """
        return self._db.read(adapter_origins)

    def damage_error(self) -> StoreError | None:
        """Return an error about the records of LoRA adapters of which no intact copy is left, or
        that cannot be put right; None if there are none.
        """
        damage = self._db.read(adapters_damage)
        if damage is None and (number := not_put_right(self._db, *OF_ADAPTERS)):
            damage = not_put_right_error(number)
        return damage

    async def repair(self) -> StoreError | None:
        """Undo changes that other programs made to the records of LoRA adapters, by restoring the
        sealed copies; return an error that tells the user what was changed, None if nothing was.
        """
        changed = await repair_records(self._db, *OF_ADAPTERS)
        return put_right_error(changed) if changed else None

    def model_of(self, adapter: str) -> str:
        """Return the name of the base model of one LoRA adapter. Raises NotFound."""
        return self._db.read(lambda connection: model_of(connection, adapter))

    def models(self) -> list[str]:
        """List the names of all base models that have a LoRA adapter."""
        force = self._sealed(ADAPTERS_IN_FORCE).all()
        answered = {row["model"] for row in force if row["active"] or row["shadow"] or row["held"]}
        return sorted(answered | {row["base_model"] for row in self._sealed(ADAPTERS).all()})

    def _sealed(self, table: SealedTable) -> SealedRows:
        return self._db.read(lambda connection: sealed_rows(connection, table))

    def in_force(self, model: str) -> AdaptersInForce:
        """Return the adapter that is active for a model, and the one on trial. Blocking."""
        return self._db.read(lambda connection: stored_in_force(connection, model))

    def active(self, model: str) -> AdapterVersion | None:
        """Return a model's active adapter; None without one. Raises DamagedRow if its record is
        damaged.
        """
        force = self.in_force(model)
        return self.get(force.active) if force.active is not None else None

    def moves(self, model: str) -> list[MoveRow]:
        """List the logged changes of which LoRA adapter answers for a model, newest first."""
        return self._db.read(lambda connection: stored_moves(connection, model))

    def past(self, model: str) -> list[AdapterVersion]:
        """List a model's LoRA adapters that once answered for it and no longer do, the most recent
        first.
        """
        force = self.in_force(model)
        order = [move.active for move in self.moves(model) if move.active is not None]
        known = {one.id: one for one in self.all(model)}
        return [
            known[adapter]
            for adapter in dict.fromkeys(order)
            if adapter in known and adapter != force.active
        ]

    def lineage(self, adapter: str | None) -> tuple[str, ...]:
        """Return the ids of a LoRA adapter and its ancestors (the adapters it was trained on),
        youngest first.
        """
        return lineage(adapter, {one.id: one.parent for one in self.origins()})

    def learned(self, adapter: str | None) -> list[LearnedSkill]:
        """List the skills (instruction texts) that were trained into the adapter or one of its
        ancestors.
        """
        line = self.lineage(adapter)
        rows = self._db.read(
            lambda connection: sealed_rows(connection, ADAPTER_LEARNED, line)
        ).all()
        found = sorted({(row["client"], row["name"], row["sha256"]) for row in rows})
        return [
            LearnedSkill(skill=SkillKey(client, name), sha256=sha256)
            for client, name, sha256 in found
        ]

    def learned_by_active(self, model: str) -> frozenset[str]:
        """Return the sha256 hashes of the skills (instruction texts) that the active adapter of a
        model has learned.
        """
        active = self.active(model)
        learned = self.learned(active.id if active is not None else None)
        return frozenset(one.sha256 for one in learned)

    # Writing

    async def _changed(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Make a change, and seal the rows that it changes in the same transaction."""

        def sealed(connection: sqlite3.Connection) -> T:
            with changing(connection, *OF_ADAPTERS):
                return work(connection)

        return await self._db.write_synced(sealed)

    async def add(self, version: AdapterVersion, learned: Iterable[LearnedSkill] = ()) -> None:
        """Store a LoRA adapter and which skills were trained into it. Raises Conflict if the id is
        taken.
        """
        skills = [(version.id, one.skill.client, one.skill.name, one.sha256) for one in learned]

        def work(connection: sqlite3.Connection) -> None:
            try:
                connection.execute(
                    "INSERT INTO adapters VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row_of(version)
                )
            except sqlite3.IntegrityError as error:
                raise Conflict(f"There is already an adapter {version.id}.") from error
            connection.executemany("INSERT INTO adapter_learned VALUES (?, ?, ?, ?)", skills)

        await self._changed(work)

    async def store_verdict(self, adapter: str, verdict: Verdict) -> AdapterVersion:
        """Store the verdict of an adapter's gate (its test before use). An adapter that was never
        used becomes a candidate if it is accepted, else it is rejected.

        Raises NotFound.
        """

        def work(connection: sqlite3.Connection) -> AdapterVersion:
            now = stored_adapter(connection, adapter)
            status = now.status
            if status in (AdapterStatus.CANDIDATE, AdapterStatus.REJECTED):
                accepted = verdict.accepted
                status = AdapterStatus.CANDIDATE if accepted else AdapterStatus.REJECTED
            connection.execute(
                "UPDATE adapters SET verdict = ?, status = ? WHERE id = ?",
                (verdict_text(verdict), status.value, adapter),
            )
            return replace(now, verdict=verdict, status=status)

        return await self._changed(work)

    async def try_out(
        self, adapter: str, *, share: float, at: datetime, why: str
    ) -> AdaptersInForce:
        """Start an adapter's trial (canary): it answers the fraction `share` of new conversations,
        the active adapter the rest.

        Raises NotFound; Conflict if the adapter is the active one.
        """

        def work(connection: sqlite3.Connection) -> AdaptersInForce:
            version = stored_adapter(connection, adapter)
            now = stored_in_force(connection, version.base_model)
            if adapter == now.active:
                raise Conflict(f"{adapter} is already in use.")
            _leave_trial(connection, now)
            new = replace(now, shadow=adapter, share=share, since=at, held=None, held_share=0.0)
            return _moved(connection, new, Move.TRIAL, at, why)

        return await self._changed(work)

    async def promote(
        self, adapter: str, *, at: datetime, why: str, held_share: float = 0.0
    ) -> AdaptersInForce:
        """Make a LoRA adapter the active one, which answers for its model; the previous one still
        answers the fraction `held_share` of new conversations.

        Raises NotFound; Conflict if the adapter is already active.
        """

        def work(connection: sqlite3.Connection) -> AdaptersInForce:
            version = stored_adapter(connection, adapter)
            now = stored_in_force(connection, version.base_model)
            if adapter == now.active:
                raise Conflict(f"{adapter} is already in use.")
            if now.active is not None:
                _set_status(connection, now.active, AdapterStatus.RETIRED)
            if now.shadow != adapter:
                _leave_trial(connection, now)
            held = now.active if held_share else None
            new = AdaptersInForce(
                model=now.model, active=adapter, since=at, held=held, held_share=held_share
            )
            return _moved(connection, new, Move.PROMOTE, at, why)

        return await self._changed(work)

    async def end_trial(self, model: str, *, at: datetime, why: str) -> AdaptersInForce:
        """End the trial (canary) of a model's adapter, which then counts as rolled back; the active
        adapter stays.

        Raises Conflict if no adapter is on trial.
        """

        def work(connection: sqlite3.Connection) -> AdaptersInForce:
            now = stored_in_force(connection, model)
            if now.shadow is None:
                raise Conflict(f"No adapter of {model} is on trial.")
            _set_status(connection, now.shadow, AdapterStatus.ROLLED_BACK)
            new = AdaptersInForce(model=model, active=now.active, since=at)
            return _moved(connection, new, Move.ROLL_BACK, at, why)

        return await self._changed(work)

    async def roll_back(
        self, model: str, to: str | None, *, at: datetime, why: str
    ) -> AdaptersInForce:
        """Make the adapter `to` active instead of the present one (None: the base model without an
        adapter), and end any trial.

        Raises NotFound; Conflict if nothing would change.
        """

        def work(connection: sqlite3.Connection) -> AdaptersInForce:
            now = stored_in_force(connection, model)
            if to == now.active and now.shadow is None and not now.held_share:
                what = "The base" if to is None else to
                raise Conflict(f"{what} is already in use.", hint="Nothing was changed.")
            if to is not None and model_of(connection, to) != model:
                raise Conflict(f"{to} was made for another model.")
            for left in (now.active, now.shadow):
                if left is not None and left != to:
                    _set_status(connection, left, AdapterStatus.ROLLED_BACK)
            new = AdaptersInForce(model=model, active=to, since=at)
            return _moved(connection, new, Move.ROLL_BACK, at, why)

        return await self._changed(work)

    async def remove(self, adapter: str) -> None:
        """Delete a LoRA adapter from the database; the log of changes of the active adapter stays.

        Raises NotFound; Conflict while the adapter is active or on trial.
        """

        def work(connection: sqlite3.Connection) -> None:
            lost = adapter in sealed_rows(connection, ADAPTERS, [adapter]).lost
            try:
                force = stored_in_force(connection, model_of(connection, adapter))
            except NotFound:
                if not lost:
                    raise
                force = AdaptersInForce(model="")  # nothing is left of it but that it was
            if adapter in (force.active, force.shadow, force.held):
                raise Conflict(
                    f"{adapter} is in use.", hint="`lull adapters rollback` takes it out first."
                )
            for table in (ADAPTERS, ADAPTER_LEARNED):
                written_anew(connection, table, adapter)
            # Not by its model: what an unsealed row says that is in force is not in force.
            for column in ("active", "shadow", "held"):
                connection.execute(
                    f"UPDATE adapters_in_force SET {column} = NULL WHERE {column} = ?", (adapter,)
                )
            connection.execute("DELETE FROM adapters WHERE id = ?", (adapter,))

        await self._changed(work)


def _leave_trial(connection: sqlite3.Connection, now: AdaptersInForce) -> None:
    """Mark the adapter on trial as rolled back, because another replaces it."""
    if now.shadow is not None:
        _set_status(connection, now.shadow, AdapterStatus.ROLLED_BACK)


def _moved(
    connection: sqlite3.Connection, new: AdaptersInForce, move: Move, at: datetime, why: str
) -> AdaptersInForce:
    when = at.isoformat()
    written_anew(connection, ADAPTERS_IN_FORCE, new.model)
    connection.execute(
        "INSERT INTO adapters_in_force (model, active, shadow, share, since, held, held_share)"
        " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (model) DO UPDATE SET"
        " active = excluded.active, shadow = excluded.shadow, share = excluded.share,"
        " since = excluded.since, held = excluded.held, held_share = excluded.held_share",
        (new.model, new.active, new.shadow, new.share, when, new.held, new.held_share),
    )
    for adapter, status in (
        (new.active, AdapterStatus.ACTIVE),
        (new.shadow, AdapterStatus.SHADOW),
    ):
        if adapter is not None:
            _set_status(connection, adapter, status)
    # Lost entries never come back, and this one might get the number of one of them.
    for number in sealed_rows(connection, ADAPTER_MOVES).lost:
        written_anew(connection, ADAPTER_MOVES, number)
        connection.execute("DELETE FROM adapter_moves WHERE number = ?", (number,))
    connection.execute(
        "INSERT INTO adapter_moves (at, model, move, active, shadow, why)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (when, new.model, move.value, new.active, new.shadow, why),
    )
    return new


def _set_status(connection: sqlite3.Connection, adapter: str, status: AdapterStatus) -> None:
    connection.execute("UPDATE adapters SET status = ? WHERE id = ?", (status.value, adapter))
