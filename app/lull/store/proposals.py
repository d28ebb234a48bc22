"""Candidates, what taught them, how they were replayed, and what was decided about them.

The exact bytes of a candidate lie here until it is approved: nothing that is not approved stands
in a folder from which prompts are made.
"""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime

from lull.core.errors import Conflict, NotFound, SkillError
from lull.core.evidence import pair_from_json, pair_to_json
from lull.core.proof import Pair
from lull.core.proposal import (
    OPEN,
    TO_PROVE,
    Ground,
    Origin,
    Proposal,
    ProposalKind,
    ProposalStatus,
    Trace,
)
from lull.core.skill import SkillKey
from lull.store.database import Database
from lull.store.skill_md import parse
from lull.store.skills import Also

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


class Proposals:
    """The tables `proposals`, `support`, `replays`, `writing_faults`, `decisions`."""

    def __init__(self, database: Database) -> None:
        self._db = database

    # Reading

    def get(self, proposal: str) -> Proposal:
        """By its id, or by its skill's name where only one open proposal has it. Raises NotFound,
        Conflict."""
        found = self._where("id = ?", (proposal,))
        if not found:
            found = [p for p in self.standing() if p.key.name == proposal]
        if len(found) > 1:
            raise Conflict(
                f"{len(found)} proposals are about '{proposal}'.",
                hint="Name one by its id: `lull review` lists them.",
            )
        if not found:
            raise NotFound(
                f"There is no proposal {proposal[:80]}.", hint="`lull review` lists them."
            )
        return found[0]

    def standing(self, *, everything: bool = False) -> list[Proposal]:
        """Open ones, or all there ever were; newest first."""
        if everything:
            return self._where("1 ORDER BY made_at DESC, id DESC", ())
        return self._with(OPEN)

    def with_status(self, statuses: Iterable[ProposalStatus]) -> list[Proposal]:
        return self._with(frozenset(statuses))

    def of_skill(self, key: SkillKey) -> list[Proposal]:
        """Every proposal about a skill, newest first."""
        return self._where(
            "client = ? AND name = ? ORDER BY made_at DESC, id DESC", (key.client, key.name)
        )

    def rejected(self, client: str) -> list[Proposal]:
        """What was turned down in a room, newest first."""
        return self._where(
            "client = ? AND status = ? ORDER BY changed_at DESC, id DESC",
            (client, ProposalStatus.REJECTED.value),
        )

    def data(self, proposal: str) -> bytes:
        row = self._db.read(
            lambda connection: connection.execute(
                "SELECT bytes FROM proposals WHERE id = ?", (proposal,)
            ).fetchone()
        )
        return bytes(row["bytes"])

    def pairs(self, proposal: str) -> list[Pair]:
        """The replays so far, in order."""
        rows = self._db.read(
            lambda connection: connection.execute(
                "SELECT pair FROM replays WHERE proposal = ? ORDER BY number", (proposal,)
            ).fetchall()
        )
        return [pair_from_json(json.loads(row["pair"])) for row in rows]

    def support(self, turns: Sequence[str] | None = None) -> set[str]:
        """Turns that taught a skill or stood in its proof, of these or of all.

        What was rejected taught nothing, and its turns are free again.
        """
        marks = f"AND s.turn IN ({','.join('?' * len(turns))})" if turns is not None else ""
        rows = self._db.read(
            lambda connection: connection.execute(
                "SELECT DISTINCT s.turn FROM support s JOIN proposals p ON p.id = s.proposal"
                f" WHERE p.status <> 'rejected' {marks}",
                tuple(turns or ()),
            ).fetchall()
        )
        return {row["turn"] for row in rows}

    def faults(self, *, limit: int) -> list[WritingFault]:
        """Newest first."""
        rows = self._db.read(
            lambda connection: connection.execute(
                "SELECT * FROM writing_faults ORDER BY at DESC, id DESC LIMIT ?", (limit,)
            ).fetchall()
        )
        return [_fault(row) for row in rows]

    def last_decision(self) -> Decision | None:
        """The newest one that was not taken back."""
        row = self._db.read(
            lambda connection: connection.execute(
                "SELECT * FROM decisions WHERE undone = 0 ORDER BY number DESC LIMIT 1"
            ).fetchone()
        )
        return _decision(row) if row else None

    def _with(self, statuses: frozenset[ProposalStatus]) -> list[Proposal]:
        marks = ",".join("?" * len(statuses))
        values = tuple(status.value for status in sorted(statuses))
        return self._where(f"status IN ({marks}) ORDER BY made_at DESC, id DESC", values)

    def _where(self, where: str, values: tuple[object, ...]) -> list[Proposal]:
        rows = self._db.read(
            lambda connection: connection.execute(
                f"SELECT * FROM proposals WHERE {where}", values
            ).fetchall()
        )
        return [found for row in rows if (found := _readable(row)) is not None]

    # Writing

    async def add(self, proposal: Proposal, data: bytes) -> None:
        """The candidate and the turns that taught it, in one transaction."""

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(
                "INSERT INTO proposals VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    proposal.id,
                    proposal.kind.value,
                    proposal.key.client,
                    proposal.key.name,
                    proposal.base_sha256,
                    proposal.sha256,
                    data,
                    proposal.status.value,
                    proposal.origin.value,
                    proposal.made_at.isoformat(),
                    proposal.changed_at.isoformat(),
                    _fields(proposal),
                    proposal.reason,
                    proposal.before.value if proposal.before else None,
                    proposal.generation,
                ),
            )
            parts = {"failure": proposal.failures, "wish": proposal.wish_turns}
            write_support(
                connection,
                proposal.id,
                [(turn, part) for part, turns in parts.items() for turn in turns],
            )

        await self._db.write(work)

    async def update(self, proposal: Proposal, data: bytes | None = None) -> None:
        """Status, reason and what else may change; the bytes only where they are given."""
        await self._db.write(lambda connection: write_proposal(connection, proposal, data))

    async def advance(self, proposal: Proposal, pair: Pair | None = None) -> bool:
        """What a proof has found out: how the proposal stands, and one more pair, whose turn
        becomes support. False, and nothing is written, where the user has decided or edited
        meanwhile: their word stands."""

        def work(connection: sqlite3.Connection) -> bool:
            row = connection.execute(
                "SELECT status, sha256 FROM proposals WHERE id = ?", (proposal.id,)
            ).fetchone()
            if row is None or row["sha256"] != proposal.sha256 or row["status"] not in TO_PROVE:
                return False
            if pair is not None:
                connection.execute(
                    "INSERT INTO replays VALUES (?, (SELECT coalesce(max(number), 0) + 1"
                    " FROM replays WHERE proposal = ?), ?)",
                    (proposal.id, proposal.id, json.dumps(pair_to_json(pair))),
                )
                write_support(connection, proposal.id, [(pair.request, pair.part.value)])
            write_proposal(connection, proposal, None)
            return True

        return await self._db.write(work)

    async def clear_replays(self, proposal: str) -> None:
        """Begin the proof anew: the text or the model is another one."""
        await self._db.write(
            lambda connection: connection.execute(
                "DELETE FROM replays WHERE proposal = ?", (proposal,)
            )
        )

    async def fault(self, fault: WritingFault) -> None:
        values = (
            fault.id,
            fault.at.isoformat(),
            fault.client,
            json.dumps(fault.turns),
            fault.evolver,
            fault.problem,
            fault.answer,
            fault.due.isoformat() if fault.due else None,
        )
        await self._db.write(
            lambda connection: connection.execute(
                "INSERT INTO writing_faults VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values
            )
        )

    async def decided(self, proposal: Proposal, *, data: bytes | None = None) -> None:
        """A decision that changes no skill: deferred, rejected."""
        await self._db.write(lambda connection: write_decision(connection, proposal, data))

    async def undone(self, number: int, proposal: Proposal) -> None:
        """Take back a decision that changed no skill."""
        undo = self.undoing(number, proposal)
        await self._db.write(lambda connection: undo(connection, 0))

    # For the transaction of a skill change

    def deciding(self, proposal: Proposal) -> Also:
        """The decision that `proposal.status` says, with the generation that it makes."""
        return lambda connection, generation: write_decision(
            connection, replace(proposal, generation=generation), None
        )

    def undoing(self, number: int, proposal: Proposal) -> Also:
        """A decision taken back: the proposal stands again as it did."""

        def write(connection: sqlite3.Connection, _: int) -> None:
            connection.execute("UPDATE decisions SET undone = 1 WHERE number = ?", (number,))
            write_proposal(connection, proposal, None)

        return write


def write_decision(connection: sqlite3.Connection, proposal: Proposal, data: bytes | None) -> None:
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
    write_proposal(connection, proposal, data)


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
            _fields(proposal),
            data,
            proposal.id,
        ),
    )


def write_support(
    connection: sqlite3.Connection, proposal: str, turns: Iterable[tuple[str, str]]
) -> None:
    connection.executemany(
        "INSERT OR IGNORE INTO support VALUES (?, ?, ?)",
        [(turn, proposal, part) for turn, part in turns],
    )


def _fields(proposal: Proposal) -> str:
    return json.dumps(
        {
            "failures": proposal.failures,
            "siblings": proposal.siblings,
            "successes": proposal.successes,
            "wish": proposal.wish,
            "wish_turns": proposal.wish_turns,
            "model": proposal.model,
            "silent": proposal.silent,
            "ground": asdict(proposal.ground) if proposal.ground else None,
            "replayable": proposal.replayable,
            "flags": [dict(flag) for flag in proposal.flags],
            "traces": [asdict(trace) for trace in proposal.traces],
        }
    )


def _readable(row: sqlite3.Row) -> Proposal | None:
    """One damaged row must not hide the others."""
    try:
        return _proposal(row)
    except (SkillError, ValueError, KeyError) as error:
        log.info("proposal %s cannot be read: %s", row["id"], error)
        return None


def _proposal(row: sqlite3.Row) -> Proposal:
    fields = json.loads(row["fields"])
    return Proposal(
        id=row["id"],
        kind=ProposalKind(row["kind"]),
        key=SkillKey(row["client"], row["name"]),
        base_sha256=row["base_sha256"],
        sha256=row["sha256"],
        text=parse(bytes(row["bytes"]), where=f"proposal {row['id']}"),
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
        silent=tuple(fields["silent"]),
        ground=Ground(**fields["ground"]) if fields["ground"] else None,
        replayable=fields["replayable"],
        flags=tuple(fields["flags"]),
        traces=tuple(Trace(**trace) for trace in fields["traces"]),
        reason=row["reason"],
        before=ProposalStatus(row["before"]) if row["before"] else None,
        generation=row["generation"],
    )


def _fault(row: sqlite3.Row) -> WritingFault:
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


def _decision(row: sqlite3.Row) -> Decision:
    return Decision(
        number=row["number"],
        proposal=row["proposal"],
        what=ProposalStatus(row["what"]),
        before=ProposalStatus(row["before"]),
        generation=row["generation"],
    )
