"""Converts the database rows of LoRA adapters to Python values and back, and makes the errors about
damaged rows.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from lull.core.adapters.adapter import AdapterStatus, AdapterVersion
from lull.core.adapters.gate_report import Verdict, verdict_from, verdict_json
from lull.store.rows.readable_rows import DamagedRow, NamedValues, ReadableRows

_NAMES_SHOWN: Final = 5
"""Most names of records listed in one error message."""


class Move(StrEnum):
    """Kind of change of the adapter that answers for a model: the start of a trial (canary), a
    promotion to active, or a rollback.
    """

    TRIAL = "trial"
    """The adapter starts a trial and answers a share of new conversations."""
    PROMOTE = "promote"
    ROLL_BACK = "roll back"


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveRow:
    """One logged change of the adapter that answers for a model: its kind, time and reason, and
    which adapter is active and which is on trial after it.
    """

    number: int
    at: datetime
    model: str
    move: Move
    active: str | None
    shadow: str | None
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AdapterOrigin:
    """What is known of a LoRA adapter even where the rest of its row is damaged: its id, status and
    hash, and the run and the earlier adapter that it was made from.
    """

    id: str
    sha256: str
    status: str
    run: str | None
    parent: str | None


def row_of(version: AdapterVersion) -> tuple[object, ...]:
    """Convert a LoRA adapter to the values of its database row, in the order of the table's
    columns.
    """
    return (
        version.id,
        version.parent,
        version.base_model,
        version.base_digest,
        version.sha256,
        version.run,
        version.status.value,
        version.made.isoformat(),
        verdict_text(version.verdict) if version.verdict is not None else None,
    )


def verdict_text(verdict: Verdict) -> str:
    """Return the JSON text of an adapter's verdict (of its test before use), for its row."""
    return json.dumps(verdict_json(verdict), ensure_ascii=False)


def _version(row: NamedValues) -> AdapterVersion:
    return AdapterVersion(
        id=row["id"],
        parent=row["parent"],
        base_model=row["base_model"],
        base_digest=row["base_digest"],
        sha256=row["sha256"],
        run=row["run"],
        status=AdapterStatus(row["status"]),
        made=datetime.fromisoformat(row["made"]),
        verdict=verdict_from(json.loads(row["verdict"])) if row["verdict"] else None,
    )


def _move(row: NamedValues) -> MoveRow:
    return MoveRow(
        number=row["number"],
        at=datetime.fromisoformat(row["at"]),
        model=row["model"],
        move=Move(row["move"]),
        active=row["active"],
        shadow=row["shadow"],
        why=row["why"],
    )


def damaged_adapter(adapter: str) -> DamagedRow:
    """Return the error which says that the record of a LoRA adapter is damaged."""
    return DamagedRow(
        f"What is recorded of the adapter {adapter} is damaged.",
        hint="It is not used, and its files are kept. A backup may have the record.",
    )


def put_right_error(changed: Sequence[str]) -> DamagedRow:
    """Return the error which tells the user that records of LoRA adapters were changed outside of
    Lull and have been repaired; `changed` has the ids of the adapters, models or log entries.
    """
    named = [one for one in changed if not one.isdecimal()]  # a move's number says nothing
    names = ", ".join((named or changed)[:_NAMES_SHOWN])
    return DamagedRow(
        f"The record of adapters was changed outside of Lull ({names}) and is put right from its "
        "sealed copy.",
        hint="Nothing of the change is used.",
    )


def not_put_right_error(number: int) -> DamagedRow:
    """Return the error which tells the user that so many records of LoRA adapters were changed
    outside of Lull and cannot be repaired.
    """
    return DamagedRow(
        "The record of adapters was changed outside of Lull and cannot be put right from its "
        f"sealed copy, which Lull uses: {number} entries.",
        hint="Remove from the database what another program added to it, such as a trigger.",
    )


def lost_error(model: str, active: str | None) -> DamagedRow:
    """Return the error which tells the user that no intact copy of a record of LoRA adapters is
    left: the record of which adapter answers for `model`, or another one if `model` is "".
    """
    if not model:
        return DamagedRow(
            "A part of the record of adapters was changed outside of Lull, and no intact copy of "
            "it is left. It is not used.",
            hint="A backup may have it.",
        )
    return DamagedRow(
        f"Which adapter answers for {model} was changed outside of Lull, and no intact copy of the "
        f"record is left. {active or 'The base'} answers.",
        hint="`lull adapters promote` puts another one into use. A backup may have the record.",
    )


ADAPTER_ROWS = ReadableRows(_version, damaged_adapter)
MOVE_ROWS = ReadableRows(_move, damaged_adapter, id="active")
