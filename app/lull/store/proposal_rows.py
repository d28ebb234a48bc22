"""Rows of the proposal tables as values, and back; and the writes of one row that a transaction is
put together from."""

from __future__ import annotations

import hashlib
import json
import logging
import sqlite3
from dataclasses import asdict, dataclass
from datetime import datetime

from lull.core.errors import SkillError
from lull.core.feedback.feedback import Scope
from lull.core.proposal import (
    Ground,
    Origin,
    Proposal,
    ProposalKind,
    ProposalStatus,
    Trace,
)
from lull.core.skill import SkillKey
from lull.store.skill_md import parse

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class WritingFault:
    """An answer of a skill writer that could not be used. Nothing is lost: it is asked again."""

    id: str
    at: datetime
    client: str
    turns: tuple[str, ...]
    evolver: str
    problem: str
    answer: str
    due: datetime | None
    """When the same failures may be tried again; None: not by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    number: int
    proposal: str
    what: ProposalStatus
    before: ProposalStatus
    generation: int | None


def write_decision(connection: sqlite3.Connection, proposal: Proposal) -> None:
    """The decision that `proposal.status` says, to be undone later; for the transaction of a
    skill change, too."""
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
            "flags": [dict(flag) for flag in proposal.flags],
            "traces": [asdict(trace) for trace in proposal.traces],
            "mixed": proposal.mixed,
        }
    )


def readable(row: sqlite3.Row) -> Proposal | None:
    """One damaged row must not hide the others."""
    try:
        return proposal_of(row)
    except (SkillError, ValueError, KeyError) as error:
        log.info("proposal %s cannot be read: %s", row["id"], error)
        return None


def proposal_of(row: sqlite3.Row) -> Proposal:
    """Raises SkillError, ValueError, KeyError for what is damaged: bytes that are not those that
    their hash names, too, because it is by the hash that they are approved."""
    fields = json.loads(row["fields"])
    data = bytes(row["bytes"])
    if hashlib.sha256(data).hexdigest() != row["sha256"]:
        raise ValueError("its text is not the one that its sha256 names")
    return Proposal(
        id=row["id"],
        kind=ProposalKind(row["kind"]),
        key=SkillKey(row["client"], row["name"]),
        base_sha256=row["base_sha256"],
        sha256=row["sha256"],
        text=parse(data, where=f"proposal {row['id']}"),
        status=ProposalStatus(row["status"]),
        origin=Origin(row["origin"]),
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
        ground=Ground(**fields["ground"]) if fields["ground"] else None,
        replayable=fields["replayable"],
        needs_picks=fields.get("needs_picks", False),
        flags=tuple(fields["flags"]),
        traces=tuple(Trace(**trace) for trace in fields["traces"]),
        # Rows from before this was looked at are the user's to decide.
        mixed=fields.get("mixed", True),
        reason=row["reason"],
        before=ProposalStatus(row["before"]) if row["before"] else None,
        generation=row["generation"],
    )


def fault_of(row: sqlite3.Row) -> WritingFault:
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


def decision_of(row: sqlite3.Row) -> Decision:
    return Decision(
        number=row["number"],
        proposal=row["proposal"],
        what=ProposalStatus(row["what"]),
        before=ProposalStatus(row["before"]),
        generation=row["generation"],
    )
