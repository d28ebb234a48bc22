"""Converts rows of the tables of proposals (candidate skills) to values and back, and writes single
rows.
"""

from __future__ import annotations

import hashlib
import json
import logging
import sqlite3
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any, Final

from lull.core.errors import SkillError
from lull.core.feedback.feedback import Scope
from lull.core.proof.evidence import look_from_json, pair_from_json
from lull.core.proof.pairs import Pair
from lull.core.proof.proposal import (
    ProofConditions,
    Proposal,
    ProposalKind,
    ProposalOrigin,
    ProposalStatus,
    Trace,
)
from lull.core.skills.skill import SkillKey
from lull.store.rows.declared_types import check_types
from lull.store.rows.measured_rows import MeasuredRows
from lull.store.rows.readable_rows import DAMAGE, DamagedRow, NamedValues
from lull.store.skills.skill_md import parse

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class WritingFault:
    """An unusable answer of a skill writer (a model that drafts instruction texts), kept to show
    and to decide when the model is asked again.
    """

    id: str
    at: datetime
    client: str
    turns: tuple[str, ...]
    evolver: str
    problem: str
    answer: str
    due: datetime | None
    """Time after which a skill may be written again from the same failures; None: not
    automatically.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class UserDecision:
    """A user's decision about a proposal (a candidate skill), with the status before it."""

    number: int
    proposal: str
    what: ProposalStatus
    before: ProposalStatus
    generation: int | None


def write_decision(connection: sqlite3.Connection, proposal: Proposal) -> None:
    """Store the user's decision about a proposal (a candidate skill), which is the proposal's new
    status, so that the decision can be undone; store the proposal, too.

    Also used inside the transaction of a skill change.
    """
    before = proposal.before or ProposalStatus.SCREENED
    connection.execute(
        "INSERT INTO decisions (at, proposal, what, before, generation) VALUES (?, ?, ?, ?, ?)",
        (
            proposal.changed_at.isoformat(),
            proposal.id,
            proposal.status.value,
            before.value,
            proposal.generation,
        ),
    )
    write_proposal(connection, proposal, None)


def write_proposal(connection: sqlite3.Connection, proposal: Proposal, data: bytes | None) -> None:
    """Write the present state of a proposed skill into its row."""
    connection.execute(
        "UPDATE proposals SET status = ?, changed_at = ?, reason = ?, before = ?, generation = ?,"
        " sha256 = ?, base_sha256 = ?, fields = ?, bytes = coalesce(?, bytes) WHERE id = ?",
        (
            proposal.status.value,
            proposal.changed_at.isoformat(),
            proposal.reason,
            proposal.before.value if proposal.before else None,
            proposal.generation,
            proposal.sha256,
            proposal.base_sha256,
            fields_of(proposal),
            data,
            proposal.id,
        ),
    )


def fields_of(proposal: Proposal) -> str:
    """Return the JSON of a proposal's fields that have no column of their own."""
    return json.dumps(
        {
            "failures": proposal.failures,
            "siblings": proposal.siblings,
            "successes": proposal.successes,
            "wish": proposal.wish,
            "wish_turns": proposal.wish_turns,
            "model": proposal.model,
            "scope": proposal.scope.value,
            "silent": proposal.silent,
            "ground": asdict(proposal.ground) if proposal.ground else None,
            "replayable": proposal.replayable,
            "needs_picks": proposal.needs_picks,
            "stopped": proposal.stopped,
            "flags": [dict(flag) for flag in proposal.flags],
            "traces": [asdict(trace) for trace in proposal.traces],
            "mixed": proposal.mixed,
            "until": proposal.until.isoformat() if proposal.until else None,
            "file_sha256": proposal.file_sha256,
        }
    )


def proposal_or_none(row: sqlite3.Row) -> Proposal | None:
    """Convert a database row to a proposal (a candidate skill); if it is damaged, log that and
    return None.
    """
    try:
        return proposal_of(row)
    except (SkillError, *DAMAGE) as error:
        log.info("proposal %s cannot be read: %s", row["id"], error)
        return None


def damage_of(row: sqlite3.Row) -> DamagedRow | None:
    """Return an error that says what is damaged in a stored proposal (a candidate skill); None if
    it can be read.
    """
    try:
        proposal_of(row)
    except (SkillError, *DAMAGE) as error:
        return DamagedRow(
            f"The suggestion {row['id']} is damaged: {error}.",
            hint="Nothing of it is used. Say again what you want, and Lull will make another.",
        )
    return None


def proposal_of(row: sqlite3.Row) -> Proposal:
    """Convert a database row to a proposal (a candidate skill).

    Raises SkillError or one of `DAMAGE` if it is damaged. Damage includes a text that does not
    match its sha256, because approval is by sha256.
    """
    proposal = _proposal(row)
    check_types(proposal)
    return proposal


def _proposal(row: sqlite3.Row) -> Proposal:
    fields = json.loads(row["fields"])
    data = row["bytes"]
    if not isinstance(data, bytes):
        raise ValueError("its text is not kept as bytes")
    if hashlib.sha256(data).hexdigest() != row["sha256"]:
        raise ValueError("its text is not the one that its sha256 names")
    return Proposal(
        id=row["id"],
        kind=ProposalKind(row["kind"]),
        key=SkillKey(row["client"], row["name"]),
        base_sha256=row["base_sha256"],
        sha256=row["sha256"],
        text=parse(data, where=f"suggestion {row['id']}"),
        status=ProposalStatus(row["status"]),
        origin=ProposalOrigin(row["origin"]),
        made_at=datetime.fromisoformat(row["made_at"]),
        changed_at=datetime.fromisoformat(row["changed_at"]),
        failures=tuple(fields["failures"]),
        siblings=tuple(fields["siblings"]),
        successes=tuple(fields["successes"]),
        wish=fields["wish"],
        wish_turns=tuple(fields["wish_turns"]),
        model=fields["model"],
        scope=Scope(fields.get("scope", Scope.KIND)),
        silent=tuple(fields["silent"]),
        ground=_ground_of(fields["ground"]) if fields["ground"] else None,
        replayable=fields["replayable"],
        needs_picks=fields.get("needs_picks", False),
        stopped=fields.get("stopped", False),
        flags=tuple(map(_flag_of, fields["flags"])),
        traces=tuple(_trace_of(trace) for trace in fields["traces"]),
        # Rows from before this field existed are left for the user to decide.
        mixed=fields.get("mixed", True),
        reason=row["reason"],
        before=ProposalStatus(row["before"]) if row["before"] else None,
        generation=row["generation"],
        until=datetime.fromisoformat(fields["until"]) if fields.get("until") else None,
        file_sha256=fields.get("file_sha256", ""),
    )


def _ground_of(fields: dict[str, Any]) -> ProofConditions:
    """Read what a proof runs on; rows from before the last look have none."""
    return ProofConditions(**{**fields, "look": look_from_json(fields.get("look"))})


def _flag_of(stored: dict[str, str]) -> dict[str, str]:
    return {"kind": stored["kind"], "text": stored["text"], **stored}


def _trace_of(stored: dict[str, Any]) -> Trace:
    return Trace(**{**stored, "quoted": tuple(stored.get("quoted", ()))})


def _pair(row: NamedValues) -> Pair:
    """Convert a database row to a replayed pair (one request answered with and without a skill);
    pairs of older versions have no answers.
    """
    without, with_ = json.loads(row["answers"]) if row["answers"] else ("", "")
    return replace(pair_from_json(json.loads(row["pair"])), answers=(without, with_))


REPLAY_ROWS: Final = MeasuredRows("replays", _pair)


def _fault(row: NamedValues) -> WritingFault:
    return WritingFault(
        id=row["id"],
        at=datetime.fromisoformat(row["at"]),
        client=row["client"],
        turns=tuple(json.loads(row["turns"])),
        evolver=row["evolver"],
        problem=row["problem"],
        answer=row["answer"],
        due=datetime.fromisoformat(row["due"]) if row["due"] else None,
    )


FAULT_ROWS: Final = MeasuredRows("writing_faults", _fault)


def decision_of(row: sqlite3.Row) -> UserDecision:
    """Return a row as a decision of the user about a proposed skill."""
    return UserDecision(
        number=row["number"],
        proposal=row["proposal"],
        what=ProposalStatus(row["what"]),
        before=ProposalStatus(row["before"]),
        generation=row["generation"],
    )
