"""Candidates, what taught them, how they were replayed, and what was decided about them.

The exact bytes of a candidate lie here until it is approved: nothing that is not approved stands
in a folder from which prompts are made.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from lull.core.errors import Conflict, NotFound, SkillError, StoreError
from lull.core.evidence import pair_from_json, pair_to_json
from lull.core.proof import Pair
from lull.core.proposal import OPEN, Proposal, ProposalStatus
from lull.core.skill import SkillKey
from lull.store.database import Database
from lull.store.proposal_rows import (
    Decision,
    WritingFault,
    decision_of,
    fault_of,
    fields_of,
    proposal_of,
    readable,
    write_decision,
    write_proposal,
)
from lull.store.shown_pairs import ShownPair, check_new, close_shown, shown_of, write_shown
from lull.store.skills import Also
from lull.store.support import support_marks, support_turns, write_support

__all__ = ["Decision", "Proposals", "WritingFault"]


class Proposals:
    """The tables `proposals`, `support`, `replays`, `shown_pairs`, `writing_faults`,
    `decisions`."""

    def __init__(self, database: Database) -> None:
        self._db = database

    # Reading

    def get(self, proposal: str) -> Proposal:
        """By its id, or by its skill's name where only one open proposal has it. Raises NotFound,
        Conflict, StoreError for a damaged one."""
        found = self._where("id = ?", (proposal,))
        if not found:
            found = [p for p in self.standing() if p.key.name == proposal]
        if len(found) > 1:
            raise Conflict(
                f"{len(found)} proposals are about '{proposal}'.",
                hint="Name one by its id: `lull review` lists them.",
            )
        if not found:
            self._check_not_damaged(proposal)
            raise NotFound(
                f"There is no proposal {proposal[:80]}.", hint="`lull review` lists them."
            )
        return found[0]

    def _check_not_damaged(self, proposal: str) -> None:
        row = self._db.read(
            lambda connection: connection.execute(
                "SELECT * FROM proposals WHERE id = ? OR name = ?", (proposal, proposal)
            ).fetchone()
        )
        try:
            if row is not None:
                proposal_of(row)
        except (SkillError, ValueError, KeyError) as error:
            raise StoreError(
                f"The proposal {row['id']} is damaged: {error}.",
                hint="Nothing of it is used. Say again what you want, and another is made.",
            ) from error

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
        return support_turns(self._db, turns)

    def support_marks(self) -> list[frozenset[str]]:
        """What the support turns asked (core/eligibility.py), removed ones too."""
        return support_marks(self._db)

    def faults(self, *, limit: int) -> list[WritingFault]:
        """Newest first."""
        rows = self._db.read(
            lambda connection: connection.execute(
                "SELECT * FROM writing_faults ORDER BY at DESC, id DESC LIMIT ?", (limit,)
            ).fetchall()
        )
        return [fault_of(row) for row in rows]

    def last_decision(self) -> Decision | None:
        """The newest one that was not taken back and still says how its proposal stands: what was
        put off, and has been edited or proved again since, is put off no more."""
        row = self._db.read(
            lambda connection: connection.execute(
                "SELECT d.* FROM decisions d JOIN proposals p ON p.id = d.proposal"
                " WHERE d.undone = 0 AND p.status = d.what ORDER BY d.number DESC LIMIT 1"
            ).fetchone()
        )
        return decision_of(row) if row else None

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
        return [found for row in rows if (found := readable(row)) is not None]

    # Writing

    async def add(self, proposal: Proposal, data: bytes, *, gone: Sequence[Proposal] = ()) -> None:
        """The candidate, the turns that taught it, and the open ones that give way to it, in one
        transaction. Raises Conflict when one of these was decided on meanwhile."""

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
        """Make of a proposal as it stands what `plan` says, in one transaction; how it stands then.

        The bytes change only where `data` is given; with `anew` its replays are gone, too. Where
        `plan` leaves it as it is, nothing is written. Raises NotFound, and what `plan` raises.
        """

        def work(connection: sqlite3.Connection) -> Proposal:
            now = _stands(connection, proposal)
            changed = plan(now)
            if changed != now:
                if anew:
                    _forget_replays(connection, proposal)
                write_proposal(connection, changed, data)
            return changed

        return await self._db.write(work)

    async def advance(
        self, proposal: Proposal, pair: Pair | None = None, *, anew: bool = False
    ) -> bool:
        """What a proof has found out: how the proposal stands, and one more pair, whose turn
        becomes support; with `anew` the pairs so far count no more. False, and nothing is written,
        where the user has decided or edited meanwhile: their word stands."""

        def work(connection: sqlite3.Connection) -> bool:
            row = connection.execute(
                "SELECT * FROM proposals WHERE id = ?", (proposal.id,)
            ).fetchone()
            now = readable(row) if row is not None else None
            if now is None or now.sha256 != proposal.sha256 or not now.comparable:
                return False
            if anew:
                _forget_replays(connection, proposal.id)
            if pair is not None:
                _add_pair(connection, proposal.id, pair)
            write_proposal(connection, proposal, None)
            return True

        return await self._db.write(work)

    async def show_pair(self, shown: ShownPair, check: Callable[[Proposal], object]) -> None:
        """What the user is asked to pick from; it takes the place of the pair shown before. Raises
        NotFound, and what `check` raises of the proposal as it stands."""

        def work(connection: sqlite3.Connection) -> None:
            check(_stands(connection, shown.proposal))
            write_shown(connection, shown)

        await self._db.write(work)

    def shown_pair(self, proposal: str) -> ShownPair | None:
        """What the user was shown of a proposal and has not picked from."""
        row = self._db.read(
            lambda connection: connection.execute(
                "SELECT * FROM shown_pairs WHERE proposal = ?", (proposal,)
            ).fetchone()
        )
        return shown_of(row) if row else None

    async def compared(
        self,
        proposal: str,
        pair: Pair,
        plan: Callable[[Proposal], Proposal],
        *,
        shown: ShownPair | None = None,
    ) -> Proposal:
        """One more pair, compared by the user, and what `plan` makes of the proposal as it stands;
        the pair `shown` is open no more. Raises Conflict when it is not the one that is open or its
        seed was replayed meanwhile, NotFound, and what `plan` raises."""

        def work(connection: sqlite3.Connection) -> Proposal:
            changed = plan(_stands(connection, proposal))
            if shown is not None:
                close_shown(connection, shown)
            check_new(connection, proposal, pair)
            _add_pair(connection, proposal, pair)
            write_proposal(connection, changed, None)
            return changed

        return await self._db.write(work)

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

    async def decided(self, proposal: str, plan: Callable[[Proposal], Proposal]) -> Proposal:
        """A decision that changes no skill (deferred, rejected), made of the proposal as it stands.
        Raises NotFound, and what `plan` raises."""

        def work(connection: sqlite3.Connection) -> Proposal:
            changed = plan(_stands(connection, proposal))
            write_decision(connection, changed)
            return changed

        return await self._db.write(work)

    async def undone(self, number: int, proposal: Proposal) -> None:
        """Take back a decision that changed no skill."""
        undo = self.undoing(number, proposal)
        await self._db.write(lambda connection: undo(connection, 0))

    # For the transaction of a skill change

    def deciding(self, proposal: Proposal) -> Also:
        """The decision that `proposal.status` says, with the generation that it makes. Raises
        Conflict when another was made meanwhile."""

        def write(connection: sqlite3.Connection, generation: int) -> None:
            now = _stands(connection, proposal.id)
            if not now.open or now.sha256 != proposal.sha256:
                raise _changed(now)
            write_decision(connection, replace(proposal, generation=generation))

        return write

    def undoing(self, number: int, proposal: Proposal) -> Also:
        """A decision taken back: the proposal stands again as it did. Raises Conflict when it was
        taken back meanwhile."""

        def write(connection: sqlite3.Connection, _: int) -> None:
            undone = connection.execute(
                "UPDATE decisions SET undone = 1 WHERE number = ? AND undone = 0", (number,)
            )
            if not undone.rowcount:
                raise _changed(_stands(connection, proposal.id))
            write_proposal(connection, proposal, None)

        return write


def _stands(connection: sqlite3.Connection, proposal: str) -> Proposal:
    """As it stands for whoever writes. Raises NotFound."""
    row = connection.execute("SELECT * FROM proposals WHERE id = ?", (proposal,)).fetchone()
    if row is None:
        raise NotFound(f"There is no proposal {proposal[:80]}.", hint="`lull review` lists them.")
    return proposal_of(row)


def _changed(now: Proposal) -> Conflict:
    return Conflict(f"{now.id} changed meanwhile: it is {now.status}.", hint="`lull review`.")


def _add_pair(connection: sqlite3.Connection, proposal: str, pair: Pair) -> None:
    """Behind those that there are; its turn becomes support."""
    connection.execute(
        "INSERT INTO replays VALUES (?, (SELECT coalesce(max(number), 0) + 1"
        " FROM replays WHERE proposal = ?), ?)",
        (proposal, proposal, json.dumps(pair_to_json(pair))),
    )
    write_support(connection, proposal, [(pair.request, pair.part.value)])


def _forget_replays(connection: sqlite3.Connection, proposal: str) -> None:
    """The text or the model is another one."""
    for table in ("replays", "shown_pairs"):
        connection.execute(f"DELETE FROM {table} WHERE proposal = ?", (proposal,))
