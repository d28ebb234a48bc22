"""Stores proposals (candidate skills) with the turns behind them, their replays and the user's
decisions.

A proposal's exact bytes are kept here until it is approved: folders that prompts are built from
hold only approved skills.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import replace

from lull.core.errors import Conflict, NotFound, StoreError
from lull.core.proof.proof import Pair, PairPart
from lull.core.proof.proposal import OPEN_STATUSES, Proposal, ProposalStatus
from lull.core.skills.skill import SkillKey
from lull.store.database import Database
from lull.store.proof.proposal_rows import (
    UserDecision,
    WritingFault,
    damage_of,
    decision_of,
    fault_of,
    fields_of,
    pair_of,
    proposal_of,
    proposal_or_none,
    write_decision,
    write_proposal,
)
from lull.store.proof.replay_rows import add_pair, forget_replays
from lull.store.proof.shown_pairs import ShownPair, check_new, close_shown, shown_of, write_shown
from lull.store.proof.support import support_subject_words, support_turns, write_support
from lull.store.proof.tested_texts import tested_texts
from lull.store.skills.skills import Also

__all__ = ["Proposals", "UserDecision", "WritingFault"]


class Proposals:
    """Reads and writes the tables of proposals (candidate skills), their replays, the turns behind
    them and the user's decisions.
    """

    def __init__(self, database: Database) -> None:
        self._db = database

    # Reading

    def get(self, proposal: str) -> Proposal:
        """Find a proposal (a candidate skill) by its id, or by its skill's name if only one open
        proposal has it.

        Raises NotFound, Conflict; StoreError if it is damaged.
        """
        found = self._where("id = ?", (proposal,))
        if not found:
            found = [p for p in self.undecided() if p.key.name == proposal]
        if len(found) > 1:
            raise Conflict(
                f"{len(found)} proposals are about '{proposal}'.",
                hint="Name one by its id: `lull review` lists them.",
            )
        if not found:
            self._check_not_damaged(proposal)
            raise _no_proposal(proposal)
        return found[0]

    def _check_not_damaged(self, proposal: str) -> None:
        for row in self._select("id = ? OR name = ?", (proposal, proposal)):
            if (error := damage_of(row)) is not None:
                raise error

    def damage_error(self) -> StoreError | None:
        """Return an error about undecided proposals (candidate skills) whose rows are damaged, so
        that no list shows them; None if there are none.
        """
        errors = [error for row in self._rows(OPEN_STATUSES) if (error := damage_of(row))]
        if len(errors) < 2:
            return errors[0] if errors else None
        return StoreError(
            f"{len(errors)} proposals are damaged, such as this one. {errors[0].detail}",
            hint=errors[0].hint,
        )

    def undecided(self, *, everything: bool = False) -> list[Proposal]:
        """List undecided proposed skills (with `everything` decided ones too), newest first."""
        if everything:
            return self._where("1 ORDER BY made_at DESC, id DESC", ())
        return self._with(OPEN_STATUSES)

    def with_status(self, statuses: Iterable[ProposalStatus]) -> list[Proposal]:
        return self._with(frozenset(statuses))

    def of_skill(self, key: SkillKey) -> list[Proposal]:
        """List every proposal to add, change or retire a skill, newest first."""
        return self._where(
            "client = ? AND name = ? ORDER BY made_at DESC, id DESC", (key.client, key.name)
        )

    def of_text(self, name: str, sha256: str) -> list[Proposal]:
        """List all clients' proposed skills with exactly this text (sha256), newest first."""
        return self._where("name = ? AND sha256 = ? ORDER BY made_at DESC, id DESC", (name, sha256))

    def rejected(self, client: str) -> list[Proposal]:
        """List the proposed skills of one client that were rejected, newest first."""
        return self._where(
            "client = ? AND status = ? ORDER BY changed_at DESC, id DESC",
            (client, ProposalStatus.REJECTED.value),
        )

    def data(self, proposal: str) -> bytes:
        """Return the exact bytes of a proposed skill. Raises NotFound."""
        for row in self._select("id = ?", (proposal,)):
            return bytes(row["bytes"])
        raise _no_proposal(proposal)

    def pairs(self, proposal: str) -> list[Pair]:
        """List a proposed skill's test results: past requests answered with and without it."""
        rows = self._db.read(
            lambda connection: connection.execute(
                "SELECT pair, answers FROM replays WHERE proposal = ? ORDER BY number",
                (proposal,),
            ).fetchall()
        )
        return [pair_of(row["pair"], row["answers"]) for row in rows]

    def support(self, turns: Sequence[str] | None = None) -> set[str]:
        """Return the ids of turns from which a skill was made or which were answered again to test
        one: all, or those among `turns`.

        Turns of rejected proposals do not count.
        """
        return support_turns(self._db, turns)

    def support_subject_words(self) -> list[frozenset[str]]:
        """Return the set of subject words of each past request that taught or tested a skill."""
        return support_subject_words(self._db)

    def tested(self) -> Mapping[SkillKey, Set[str]]:
        """Return, by skill, the sha256 of each approved text that was tested on past requests."""
        return tested_texts(self._db)

    def faults(self, *, limit: int) -> list[WritingFault]:
        """List unusable answers of the models that draft skills, newest first."""
        rows = self._db.read(
            lambda connection: connection.execute(
                "SELECT * FROM writing_faults ORDER BY at DESC, id DESC LIMIT ?", (limit,)
            ).fetchall()
        )
        return [fault_of(row) for row in rows]

    def last_decision(self, proposal: str | None = None) -> UserDecision | None:
        """Return the newest user decision that can be undone (on one proposed skill if named)."""
        row = self._db.read(
            lambda connection: connection.execute(
                "SELECT d.* FROM decisions d JOIN proposals p ON p.id = d.proposal"
                " WHERE d.undone = 0 AND p.status = d.what AND p.id = coalesce(?, p.id)"
                " ORDER BY d.number DESC LIMIT 1",
                (proposal,),
            ).fetchone()
        )
        return decision_of(row) if row else None

    def _with(self, statuses: frozenset[ProposalStatus]) -> list[Proposal]:
        return [found for row in self._rows(statuses) if (found := proposal_or_none(row))]

    def _where(self, where: str, values: tuple[object, ...]) -> list[Proposal]:
        rows = self._select(where, values)
        return [found for row in rows if (found := proposal_or_none(row)) is not None]

    def _rows(self, statuses: frozenset[ProposalStatus]) -> list[sqlite3.Row]:
        marks = ",".join("?" * len(statuses))
        values = tuple(status.value for status in sorted(statuses))
        return self._select(f"status IN ({marks}) ORDER BY made_at DESC, id DESC", values)

    def _select(self, where: str, values: tuple[object, ...]) -> list[sqlite3.Row]:
        sql = f"SELECT * FROM proposals WHERE {where}"
        return self._db.read(lambda connection: connection.execute(sql, values).fetchall())

    # Writing

    async def add(self, proposal: Proposal, data: bytes, *, gone: Sequence[Proposal] = ()) -> None:
        """Add a proposed skill with the turns behind it; close those it replaces (`gone`).

        One transaction. Raises Conflict if a replaced proposal was decided or changed meanwhile.
        """

        def work(connection: sqlite3.Connection) -> None:
            for other in gone:
                now = _stands(connection, other.id)
                if not now.open or now.sha256 != other.sha256:
                    raise _changed(now)
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
        user decided or edited the proposal meanwhile, or if the final randomised test is already
        done, after which no more pairs may be added to measure the skill's benefit.
        """

        def work(connection: sqlite3.Connection) -> bool:
            row = connection.execute(
                "SELECT * FROM proposals WHERE id = ?", (proposal.id,)
            ).fetchone()
            now = proposal_or_none(row) if row is not None else None
            if now is None or now.sha256 != proposal.sha256 or not now.comparable:
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

    def shown_pair(self, proposal: str) -> ShownPair | None:
        """Return the pair of answers that the user is asked to compare for a proposed skill; None
        after the pick.
        """
        row = self._db.read(
            lambda connection: connection.execute(
                "SELECT * FROM shown_pairs WHERE proposal = ?", (proposal,)
            ).fetchone()
        )
        return shown_of(row) if row else None

    async def save_comparison(
        self,
        proposal: str,
        pair: Pair,
        plan: Callable[[Proposal], Proposal],
        *,
        shown: ShownPair | None = None,
    ) -> Proposal:
        """Store which of two answers, with and without a proposed skill, was better, apply `plan`
        to the proposal, and close the comparison `shown`.

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

    # For the transaction of a skill change

    def decision_writer(self, proposal: Proposal) -> Also:
        """Return a callback that stores the user's decision (`proposal.status`) within the
        transaction that changes the skill.

        The callback raises Conflict if another decision was made meanwhile.
        """

        def write(connection: sqlite3.Connection, generation: int) -> None:
            now = _stands(connection, proposal.id)
            if not now.open or now.sha256 != proposal.sha256:
                raise _changed(now)
            write_decision(connection, replace(proposal, generation=generation))

        return write

    def undo_writer(self, number: int, proposal: Proposal) -> Also:
        """Return a callback that undoes user decision `number` and stores the reopened `proposal`.

        It runs in the transaction that undoes the skill's change. Raises Conflict if already
        undone.
        """

        def write(connection: sqlite3.Connection, _: int) -> None:
            undone = connection.execute(
                "UPDATE decisions SET undone = 1 WHERE number = ? AND undone = 0", (number,)
            )
            if not undone.rowcount:
                raise _changed(_stands(connection, proposal.id))
            write_proposal(connection, proposal, None)

        return write


def _stands(connection: sqlite3.Connection, proposal: str) -> Proposal:
    """Return the current proposal inside a write. Raises NotFound."""
    row = connection.execute("SELECT * FROM proposals WHERE id = ?", (proposal,)).fetchone()
    if row is None:
        raise _no_proposal(proposal)
    return proposal_of(row)


def _no_proposal(proposal: str) -> NotFound:
    return NotFound(f"There is no proposal {proposal[:80]}.", hint="`lull review` lists them.")


def _changed(now: Proposal) -> Conflict:
    return Conflict(f"{now.id} changed meanwhile: it is {now.status}.", hint="`lull review`.")


def _counts_for_benefit(pair: Pair | None) -> bool:
    return pair is not None and pair.part is not PairPart.SUCCESS
