"""Stores proposals (candidate skills) with the turns they were made from, their replays (past
requests answered with and without the skill) and the user's decisions.

A proposal's exact bytes are kept here until it is approved: folders that prompts are built from
hold only approved skills.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import replace

from lull.core.proof.pairs import Pair, PairPart
from lull.core.proof.proposal import Proposal, changed_meanwhile
from lull.store.proof.proposal_reader import ProposalReader, no_proposal
from lull.store.proof.proposal_rows import (
    UserDecision,
    WritingFault,
    fields_of,
    proposal_of,
    proposal_or_none,
    write_decision,
    write_proposal,
)
from lull.store.proof.replay_rows import add_pair, forget_replays
from lull.store.proof.shown_pairs import ShownPair, check_new, close_shown, write_shown
from lull.store.proof.support import write_support
from lull.store.rows.facts import set_fact
from lull.store.skills.skills import Also

__all__ = ["Proposals", "UserDecision", "WritingFault"]

_EXAMPLES_DUE = "examples-due:"
"""Beginning of the names of the facts that name approved proposals whose examples are not stored
yet."""


class Proposals(ProposalReader):
    """Reads and writes the tables of proposals (candidate skills), of their replays (past requests
    answered with and without the skill), the turns they were made from and the user's decisions.
    """

    async def add(self, proposal: Proposal, data: bytes, *, gone: Sequence[Proposal] = ()) -> None:
        """Add a proposed skill with the turns it was made from; close the proposals that it
        replaces (`gone`).

        One transaction. Raises Conflict if a replaced proposal was decided or changed meanwhile.
        """

        def work(connection: sqlite3.Connection) -> None:
            for other in gone:
                now = _stands(connection, other.id)
                if not now.open or now.sha256 != other.sha256:
                    raise changed_meanwhile(now)
                write_proposal(connection, other, None)
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
                    fields_of(proposal),
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

    async def change(
        self,
        proposal: str,
        plan: Callable[[Proposal], Proposal],
        *,
        data: bytes | None = None,
        anew: bool = False,
    ) -> Proposal:
        """Change a proposed skill by the function `plan` in one transaction, and return the result.

        The bytes change only if `data` is given; `anew` deletes its replays. Nothing is written if
        `plan` changes nothing. Raises NotFound, and what `plan` raises.
        """

        def work(connection: sqlite3.Connection) -> Proposal:
            now = _stands(connection, proposal)
            changed = plan(now)
            if changed != now:
                if anew:
                    forget_replays(connection, proposal)
                write_proposal(connection, changed, data)
            return changed

        return await self._db.write(work)

    async def advance(
        self, proposal: Proposal, pair: Pair | None = None, *, anew: bool = False
    ) -> bool:
        """Store how far the test of a proposed skill has come: its status, and one more past
        request answered with and without it.

        `anew` discards the pairs of answers so far. Returns False, with nothing written, if the
        user decided, edited or stopped the proposal meanwhile, or if the final randomised test is
        already done, after which no more pairs may be added to measure the skill's benefit.
        """

        def work(connection: sqlite3.Connection) -> bool:
            row = connection.execute(
                "SELECT * FROM proposals WHERE id = ?", (proposal.id,)
            ).fetchone()
            now = proposal_or_none(row) if row is not None else None
            if now is None or now.sha256 != proposal.sha256 or not now.comparable:
                return False
            if now.stopped and not proposal.stopped:
                return False
            closed = now.last_look_taken and not anew
            if closed and (not proposal.last_look_taken or _counts_for_benefit(pair)):
                return False
            if anew:
                forget_replays(connection, proposal.id)
            if pair is not None:
                add_pair(connection, proposal.id, pair)
            write_proposal(connection, proposal, None)
            return True

        return await self._db.write(work)

    async def show_pair(self, shown: ShownPair, check: Callable[[Proposal], object]) -> None:
        """Store the pair of answers, with and without a proposed skill, that the user is now shown;
        it replaces the pair shown before.

        Raises NotFound, and what `check` raises for the current proposal.
        """

        def work(connection: sqlite3.Connection) -> None:
            check(_stands(connection, shown.proposal))
            write_shown(connection, shown)

        await self._db.write(work)

    async def save_comparison(
        self,
        proposal: str,
        pair: Pair,
        plan: Callable[[Proposal], Proposal],
        *,
        shown: ShownPair | None = None,
    ) -> Proposal:
        """Store which of two answers to a request, with and without a proposed skill, was better,
        and change the proposal by the function `plan`; if the user picked it from the pair `shown`,
        close that pair.

        Raises NotFound; Conflict if `shown` is not open or its request was already answered with
        this seed; what `plan` raises.
        """

        def work(connection: sqlite3.Connection) -> Proposal:
            changed = plan(_stands(connection, proposal))
            if shown is not None:
                close_shown(connection, shown)
            check_new(connection, proposal, pair)
            add_pair(connection, proposal, pair)
            write_proposal(connection, changed, None)
            return changed

        return await self._db.write_synced(work)

    async def fault(self, fault: WritingFault) -> None:
        """Store what went wrong when a model was to write a skill."""
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

    async def save_decision(self, proposal: str, plan: Callable[[Proposal], Proposal]) -> Proposal:
        """Store a user's decision that changes no skill, such as deferring or rejecting a proposal.

        `plan` returns the decided proposal. Raises NotFound, and what `plan` raises.
        """

        def work(connection: sqlite3.Connection) -> Proposal:
            changed = plan(_stands(connection, proposal))
            write_decision(connection, changed)
            return changed

        return await self._db.write_synced(work)

    async def undo_decision(self, number: int, proposal: Proposal) -> None:
        """Undo the user's decision `number`, which changed no skill; store the reopened
        proposal.
        """
        undo = self.undo_writer(number, proposal)
        await self._db.write_synced(lambda connection: undo(connection, 0))

    # Examples of approved skills

    def examples_due(self) -> list[str]:
        """List the ids of the approved proposals whose examples (past requests that the skill is
        for) are not stored yet. Blocking.
        """
        rows = self._db.read(
            lambda connection: connection.execute(
                "SELECT name FROM facts WHERE name LIKE ?", (f"{_EXAMPLES_DUE}%",)
            ).fetchall()
        )
        return [str(row["name"]).removeprefix(_EXAMPLES_DUE) for row in rows]

    async def examples_stored(self, proposal: str) -> None:
        """Note that the examples of an approved proposal are stored, or that none are to be."""
        await self._db.write(
            lambda connection: connection.execute(
                "DELETE FROM facts WHERE name = ?", (f"{_EXAMPLES_DUE}{proposal}",)
            )
        )

    # For the transaction of a skill change

    def decision_writer(self, proposal: Proposal) -> Also:
        """Return a callback that stores the user's decision (`proposal.status`) within the
        transaction that changes the skill.

        The callback raises Conflict if another decision was made meanwhile.
        """

        def write(connection: sqlite3.Connection, generation: int) -> None:
            now = _stands(connection, proposal.id)
            if not now.open or now.sha256 != proposal.sha256:
                raise changed_meanwhile(now)
            write_decision(connection, replace(proposal, generation=generation))

        return write

    def approval_writer(self, proposal: Proposal) -> Also:
        """Return a callback like `decision_writer` for an approval, which also notes that examples
        of what the skill is for are still to be stored.

        So neither a kill nor a memory that is not open yet leaves the skill without them.
        """
        decided = self.decision_writer(proposal)

        def write(connection: sqlite3.Connection, generation: int) -> None:
            decided(connection, generation)
            set_fact(connection, f"{_EXAMPLES_DUE}{proposal.id}", b"")

        return write

    def undo_writer(self, number: int, proposal: Proposal) -> Also:
        """Return a callback that undoes the user's decision `number` about a proposed skill and
        stores the reopened `proposal`.

        It runs in the transaction that undoes the skill's change. Raises Conflict if already
        undone.
        """

        def write(connection: sqlite3.Connection, _: int) -> None:
            undone = connection.execute(
                "UPDATE decisions SET undone = 1 WHERE number = ? AND undone = 0", (number,)
            )
            if not undone.rowcount:
                raise changed_meanwhile(_stands(connection, proposal.id))
            write_proposal(connection, proposal, None)

        return write


def _stands(connection: sqlite3.Connection, proposal: str) -> Proposal:
    """Return the current proposal inside a write. Raises NotFound."""
    row = connection.execute("SELECT * FROM proposals WHERE id = ?", (proposal,)).fetchone()
    if row is None:
        raise no_proposal(proposal)
    return proposal_of(row)


def _counts_for_benefit(pair: Pair | None) -> bool:
    return pair is not None and pair.part is not PairPart.SUCCESS
