"""Reads proposals (candidate skills) from the database, with their replays (past requests answered
with and without the skill), the turns they were made from and the user's decisions.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence, Set

from lull.core.errors import Conflict, NotFound, StoreError
from lull.core.proof.pairs import Pair
from lull.core.proof.proposal import OPEN_STATUSES, Proposal, ProposalStatus
from lull.core.skills.skill import SkillKey
from lull.store.proof.proposal_rows import (
    FAULT_ROWS,
    REPLAY_ROWS,
    UserDecision,
    WritingFault,
    damage_of,
    decision_of,
    proposal_or_none,
)
from lull.store.proof.shown_pairs import SHOWN_ROWS, ShownPair
from lull.store.proof.support import support_subject_words, support_turns
from lull.store.proof.tested_texts import tested_texts
from lull.store.sqlite.database import Database


class ProposalReader:
    """Reads the database tables of proposals (candidate skills); the subclass `Proposals` also
    writes them.
    """

    def __init__(self, database: Database) -> None:
        self._db = database

    def get(self, proposal: str) -> Proposal:
        """Find a proposal (a candidate skill) by its id, or by its skill's name if only one
        undecided proposal has it.

        Raises NotFound, Conflict; StoreError if it is damaged.
        """
        found = self._where("id = ?", (proposal,))
        if not found:
            found = [p for p in self.undecided() if p.key.name == proposal]
        if len(found) > 1:
            raise Conflict(
                f"{len(found)} suggestions are about '{proposal}'.",
                hint="Name one by its id: `lull review` lists them.",
            )
        if not found:
            self._check_not_damaged(proposal)
            raise no_proposal(proposal)
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
            f"{len(errors)} suggestions are damaged, such as this one. {errors[0].detail}",
            hint=errors[0].hint,
        )

    def undecided(self, *, everything: bool = False) -> list[Proposal]:
        """List undecided proposed skills (with `everything` decided ones too), newest first."""
        if everything:
            return self._where("1 ORDER BY made_at DESC, id DESC", ())
        return self._with(OPEN_STATUSES)

    def with_status(self, statuses: Iterable[ProposalStatus]) -> list[Proposal]:
        """Return the proposals with one of these statuses. Blocking."""
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
        """Return the exact bytes of a proposed skill's text (a SKILL.md file). Raises NotFound."""
        for row in self._select("id = ?", (proposal,)):
            return bytes(row["bytes"])
        raise no_proposal(proposal)

    def pairs(self, proposal: str) -> list[Pair]:
        """List a proposed skill's test results: past requests answered with and without it."""
        rows = self._db.read(
            lambda connection: connection.execute(
                "SELECT pair, answers FROM replays WHERE proposal = ? ORDER BY number",
                (proposal,),
            ).fetchall()
        )
        return REPLAY_ROWS.all(rows)

    def support(self, turns: Sequence[str] | None = None) -> set[str]:
        """Return the ids of turns from which a skill was made or which were answered again to test
        one: all, or those among `turns`.

        Turns of rejected proposals do not count.
        """
        return support_turns(self._db, turns)

    def support_subject_words(self) -> list[frozenset[str]]:
        """Return, for each past request from which a skill was made or with which one was tested,
        the set of its subject words (those that say what it is about).
        """
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
        return FAULT_ROWS.all(rows)

    def last_decision(self, proposal: str | None = None) -> UserDecision | None:
        """Return the user's newest decision about a proposed skill (about this one if named) that
        can still be undone.
        """
        row = self._db.read(
            lambda connection: connection.execute(
                "SELECT d.* FROM decisions d JOIN proposals p ON p.id = d.proposal"
                " WHERE d.undone = 0 AND p.status = d.what AND p.id = coalesce(?, p.id)"
                " ORDER BY d.number DESC LIMIT 1",
                (proposal,),
            ).fetchone()
        )
        return decision_of(row) if row else None

    def shown_pair(self, proposal: str) -> ShownPair | None:
        """Return the pair of answers that the user is asked to compare for a proposed skill; None
        after the pick.
        """
        row = self._db.read(
            lambda connection: connection.execute(
                "SELECT * FROM shown_pairs WHERE proposal = ?", (proposal,)
            ).fetchone()
        )
        return next(iter(SHOWN_ROWS.maybe(row)), None)

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


def no_proposal(proposal: str) -> NotFound:
    """Return the error that there is no proposal of this id or name."""
    return NotFound(f"There is no suggestion {proposal[:80]}.", hint="`lull review` lists them.")
