"""Reads the records of LoRA adapters (their data, which one answers for each model, and the log of
such changes) from the sealed copies of the rows, which other programs cannot have written.
"""

from __future__ import annotations

import sqlite3
from datetime import datetime

from lull.core.adapters.adapter import AdaptersInForce, AdapterVersion
from lull.core.errors import NotFound, StoreError
from lull.store.adapters.adapter_rows import (
    ADAPTER_ROWS,
    MOVE_ROWS,
    AdapterOrigin,
    MoveRow,
    damaged_adapter,
    lost_error,
)
from lull.store.rows.readable_rows import NamedValues
from lull.store.rows.sealed_rows import sealed_rows, unsealed_row
from lull.store.rows.sealed_tables import (
    ADAPTER_LEARNED,
    ADAPTER_MOVES,
    ADAPTERS,
    ADAPTERS_IN_FORCE,
)


def stored_adapter(connection: sqlite3.Connection, adapter: str) -> AdapterVersion:
    """Return the record of a LoRA adapter. Raises NotFound, or DamagedRow if no intact copy of the
    record is left.
    """
    sealed = sealed_rows(connection, ADAPTERS, [adapter])
    for row in sealed.group(adapter):
        return ADAPTER_ROWS.one(row)
    if sealed.is_lost(adapter) and (sealed.complete or unsealed_row(connection, ADAPTERS, adapter)):
        raise damaged_adapter(adapter)
    raise _no_adapter(adapter)


def _no_adapter(adapter: str) -> NotFound:
    return NotFound(f"There is no adapter {adapter}.", hint="`lull adapters list` lists them.")


def model_of(connection: sqlite3.Connection, adapter: str) -> str:
    """Return the name of the base model of a LoRA adapter, also of one whose record is lost.
    Raises NotFound.
    """
    sealed = sealed_rows(connection, ADAPTERS, [adapter])
    for row in sealed.group(adapter):
        return str(row["base_model"])
    for force in sealed_rows(connection, ADAPTERS_IN_FORCE).all():
        if adapter in (force["active"], force["shadow"], force["held"]):
            return str(force["model"])
    left = unsealed_row(connection, ADAPTERS, adapter) if sealed.is_lost(adapter) else None
    if left is None:
        raise _no_adapter(adapter)
    return str(left["base_model"])


def by_time(row: NamedValues) -> tuple[str, str]:
    """Return the sort key of a row of a LoRA adapter: the time when the adapter was made, then its
    id.
    """
    return str(row["made"]), str(row["id"])


def adapter_origins(connection: sqlite3.Connection) -> list[AdapterOrigin]:
    """List what each LoRA adapter was made from (training run, earlier adapter), with empty fields
    for what is unknown of adapters whose record is lost.
    """
    sealed, columns = sealed_rows(connection, ADAPTERS), AdapterOrigin.__slots__
    found = [AdapterOrigin(**{name: row[name] for name in columns}) for row in sealed.all()]
    for adapter in sorted(sealed.lost):
        left = unsealed_row(connection, ADAPTERS, adapter)
        if left is not None:
            found.append(AdapterOrigin(**{name: left[name] for name in columns}))
        else:
            found.append(AdapterOrigin(id=adapter, sha256="", status="", run=None, parent=None))
    return found


def adapters_damage(connection: sqlite3.Connection) -> StoreError | None:
    """Return one error for all records of LoRA adapters that have no intact copy left, about the
    most important of them; None if every record can be read.
    """
    force = sealed_rows(connection, ADAPTERS_IN_FORCE)
    for model in sorted(force.lost):
        return lost_error(model, stored_in_force(connection, model).active)
    sealed = sealed_rows(connection, ADAPTERS)
    damage = ADAPTER_ROWS.damage_error(sealed.all(), lost=sealed.lost)
    if damage is not None:
        return damage
    for table in (ADAPTER_LEARNED, ADAPTER_MOVES):
        rest = sealed_rows(connection, table)
        if rest.lost:
            return lost_error("", None)
    return None if sealed.complete and force.complete else lost_error("", None)


def stored_moves(connection: sqlite3.Connection, model: str) -> list[MoveRow]:
    """List the logged changes of which LoRA adapter answers for a model, newest first."""
    rows = [row for row in sealed_rows(connection, ADAPTER_MOVES).all() if row["model"] == model]
    return MOVE_ROWS.all(sorted(rows, key=_number, reverse=True))


def _number(row: NamedValues) -> int:
    return int(row["number"])


def stored_in_force(connection: sqlite3.Connection, model: str) -> AdaptersInForce:
    """Return which LoRA adapters answer for a model. If that record is lost, it is derived from the
    last logged change; if this is lost too, the base model answers.
    """
    sealed = sealed_rows(connection, ADAPTERS_IN_FORCE, [model])
    for row in sealed.group(model):
        return AdaptersInForce(
            model=model,
            active=row["active"],
            shadow=row["shadow"],
            share=row["share"],
            since=_time_or_none(row["since"]),
            held=row["held"],
            held_share=row["held_share"],
        )
    last = _last_move(connection, model) if sealed.is_lost(model) else None
    if last is None:
        return AdaptersInForce(model=model)
    return AdaptersInForce(model=model, active=last.active, since=last.at)


def _last_move(connection: sqlite3.Connection, model: str) -> MoveRow | None:
    """Return the last change of who answers for a model, if it is certain that it was the last."""
    sealed = sealed_rows(connection, ADAPTER_MOVES)
    if sealed.lost or not sealed.complete:
        return None
    return next(iter(stored_moves(connection, model)), None)


def _time_or_none(text: object) -> datetime | None:
    """Read a time; None where it is damaged: who answers is worth more than since when."""
    try:
        return datetime.fromisoformat(str(text))
    except ValueError:
        return None
