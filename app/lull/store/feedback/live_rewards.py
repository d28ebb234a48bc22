"""Reads how conversations were scored with a LoRA adapter and before it, for deciding whether to
roll the adapter back.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from lull.core.adapters.adapter import AdaptersInForce, AdapterVersion, trial_key
from lull.core.adapters.rollback import MOST_EARLIER_SCORES
from lull.core.proof.holdout import HoldoutOutcome
from lull.store.chat.holdout_assignments import HoldoutAssignments
from lull.store.sqlite.database import Database

MOST_SINCE = 2000
"""Most conversations since the adapter became the active one that are evaluated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveOutcomes:
    """Scores of conversations before an adapter became active, during its trial (canary) on a share
    of new conversations, and since it became active.
    """

    trial: tuple[HoldoutOutcome, ...]
    """Scores of the conversations for which it was drawn at random whether the adapter on trial
    answers, oldest first.
    """
    since: tuple[float, ...]
    """Mean p_good (probability of a good answer) of each conversation that the adapter has answered
    since it became the active one, oldest first.
    """
    before: tuple[float, ...]
    """Mean p_good of each earlier conversation that the base model or another adapter answered,
    newest first.
    """


class LiveRewards:
    """Reads from the database how conversations with and without an adapter were scored, to decide
    whether the adapter is rolled back.
    """

    def __init__(self, database: Database) -> None:
        self._db = database
        self._assignments = HoldoutAssignments(database)

    def of(self, version: AdapterVersion, force: AdaptersInForce) -> LiveOutcomes:
        """Return the scores of conversations during an adapter's trial (canary), since it became
        active, and before that.

        `force` says which adapter is active and since when; if it is not this one, only the scores
        of the trial are returned. Blocking.
        """
        trial = self._assignments.outcomes({trial_key(version.id): version.sha256})
        if force.active != version.id or force.since is None:
            return LiveOutcomes(trial=tuple(trial), since=(), before=())
        at = force.since.isoformat()
        model, sha256 = version.base_digest, version.sha256
        return LiveOutcomes(
            trial=tuple(trial),
            since=self._means(
                "t.adapter = ? AND t.at >= ?", (model, sha256, at), "ASC", MOST_SINCE
            ),
            before=self._means(
                "t.adapter IS NOT ? AND t.at < ?", (model, sha256, at), "DESC", MOST_EARLIER_SCORES
            ),
        )

    def _means(
        self, where: str, values: tuple[object, ...], order: str, most: int
    ) -> tuple[float, ...]:
        def work(connection: sqlite3.Connection) -> tuple[float, ...]:
            rows = connection.execute(
                "SELECT avg(w.p_good) AS good FROM turns t JOIN rewards w ON w.turn = t.id"
                f" WHERE w.p_good IS NOT NULL AND t.base = ? AND {where}"
                f" GROUP BY t.trajectory ORDER BY min(t.at) {order} LIMIT ?",
                (*values, most),
            ).fetchall()
            return tuple(row["good"] for row in rows)

        return self._db.read(work)
