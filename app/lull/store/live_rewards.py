"""How conversations went under an adapter and under what was there before, for the way back."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from lull.core.adapter import AdapterVersion, InForce, flip_key
from lull.core.guard import Outcome
from lull.core.way_back import MOST_BEFORE
from lull.store.database import Database
from lull.store.flips import Flips

MOST_SINCE = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Lived:
    trial: tuple[Outcome, ...]
    """Scored trajectories whose coin was tossed, oldest first."""
    since: tuple[float, ...]
    """How good (0 to 1) those were that it has answered since it is in force, oldest first."""
    before: tuple[float, ...]
    """The same of those before that others answered, newest first."""


class LiveRewards:
    """Reads `turns`, `rewards` and `coin_flips`."""

    def __init__(self, database: Database) -> None:
        self._db = database
        self._flips = Flips(database)

    def of(self, version: AdapterVersion, force: InForce) -> Lived:
        """Blocks."""
        trial = self._flips.outcomes({flip_key(version.id): version.sha256})
        if force.active != version.id or force.since is None:
            return Lived(trial=tuple(trial), since=(), before=())
        at = force.since.isoformat()
        model, sha256 = version.base_digest, version.sha256
        return Lived(
            trial=tuple(trial),
            since=self._means(
                "t.adapter = ? AND t.at >= ?", (model, sha256, at), "ASC", MOST_SINCE
            ),
            before=self._means(
                "t.adapter IS NOT ? AND t.at < ?", (model, sha256, at), "DESC", MOST_BEFORE
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
