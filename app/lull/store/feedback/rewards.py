"""Stores each turn's reward (the score of its answer), with the signals (such as a test result or a
correction by the user) and judge votes that it results from.

Unscored turns are found by the mark `turns.read_by_score` instead of a queue, so a crash loses
none.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime

from lull.core.feedback.signals import YOU_SAID
from lull.store.chat.turn_rows import Label, TurnRow, turn_row
from lull.store.feedback.reward_rows import (
    RewardRow,
    ServedTurn,
    owner_condition,
    reward_row,
    values_of,
)
from lull.store.feedback.unscored_turns import (
    NEWEST_MESSAGES,
    UnscoredTurn,
    link_before,
    unscored_turn,
)
from lull.store.rows.readable_rows import readable
from lull.store.sqlite.database import Database
from lull.store.sqlite.value_lists import value_list


class Rewards:
    """Reads and writes the table `rewards` (scores of answers), and lists the turns still to be
    scored.
    """

    def __init__(self, database: Database) -> None:
        self._db = database

    # Reading

    def unscored_turns(self, *, limit: int) -> list[UnscoredTurn]:
        """List the turns that were not scored yet, oldest first."""

        def work(connection: sqlite3.Connection) -> list[UnscoredTurn]:
            rows = connection.execute(
                "SELECT * FROM turns WHERE read_by_score = 0 ORDER BY id LIMIT ?", (limit,)
            ).fetchall()
            return [unscored_turn(connection, row) for row in rows]

        return self._db.read(work)

    def of(self, turns: Sequence[str]) -> dict[str, RewardRow]:
        """Return the stored rewards of these turns, by turn id."""
        marks, values = value_list(turns)
        rows = self._db.read(
            lambda connection: connection.execute(
                f"SELECT * FROM rewards WHERE turn IN ({marks})", values
            ).fetchall()
        )
        return {row["turn"]: reward_row(row) for row in rows}

    def due_for_judging(self, now: datetime, *, limit: int) -> list[ServedTurn]:
        """List turns that are due to be scored by the judge model, longest waiting first."""
        return self._served(
            "w.due IS NOT NULL AND w.due <= ? ORDER BY w.due LIMIT ?", (now.isoformat(), limit)
        )

    def failures(self, *, below: float, limit: int) -> list[ServedTurn]:
        """List complete turns with p_good (probability of a good answer) below `below` from which
        no skill (an instruction text) was proposed yet, newest first.

        Two kinds of proposals do not count as such: those that a model wrote and the safety
        screening quarantined, and those that are neither decided nor proved and not based on a wish
        of the user, who may still state one.
        """
        return self._served(
            "r.excluded_at IS NULL AND w.p_good < ? AND t.finish NOT IN ('hangup', 'error')"
            " AND NOT EXISTS (SELECT 1 FROM support s JOIN proposals p ON p.id = s.proposal"
            " WHERE s.turn = t.id AND s.part = 'failure'"
            " AND NOT (p.status = 'quarantined' AND p.origin = 'model')"
            " AND NOT (p.status IN ('screened', 'proving', 'unproved', 'deferred')"
            " AND CASE WHEN json_valid(p.fields) THEN json_extract(p.fields, '$.wish') = '' END))"
            " ORDER BY t.id DESC LIMIT ?",
            (below, limit),
        )

    def successes(self, *, owner: str, model: str, above: float, limit: int) -> list[ServedTurn]:
        """List complete turns of one client and model with p_good (probability of a good answer)
        above `above`, newest first.
        """
        mine, values = _may_teach(owner)
        return self._served(
            f"w.p_good > ? AND t.model = ? AND t.finish = 'stop' AND {mine}"
            " ORDER BY t.id DESC LIMIT ?",
            (above, model, *values, limit),
        )

    def answered_well(self, *, above: float, limit: int) -> list[str]:
        """List the ids of the turns whose p_good (probability of a good answer) is above `above`,
        the one scored last first, without conversations that are excluded from learning. Blocking.
        """
        rows = self._db.read(
            lambda connection: connection.execute(
                "SELECT w.turn FROM rewards w JOIN turns t ON t.id = w.turn"
                " JOIN trajectories r ON r.id = t.trajectory"
                " WHERE w.p_good > ? AND r.excluded_at IS NULL"
                " ORDER BY w.at DESC, w.turn DESC LIMIT ?",
                (above, limit),
            ).fetchall()
        )
        return [row["turn"] for row in rows]

    def recent(self, *, owner: str, model: str, limit: int) -> list[ServedTurn]:
        """List complete turns of one client and model, newest first, scored or not."""
        mine, values = _may_teach(owner)
        return self._served(
            f"t.model = ? AND t.finish = 'stop' AND {mine} ORDER BY t.id DESC LIMIT ?",
            (model, *values, limit),
        )

    def scored_by_wishes(
        self, wishes: Collection[str], *, owner: str, model: str | None = None
    ) -> dict[str, frozenset[str]]:
        """Return the turns whose answers were scored by whether they follow any of these wishes of
        the user, each turn with the wishes by which it was scored.

        `wishes` are in the user's words; `owner` is the client, "" for all that share skills;
        `model` limits the result to that model's turns. Includes turns excluded from learning.
        """
        texts = {f"{YOU_SAID}{words}": words for words in wishes if words}
        if not texts:
            return {}
        mine, values = owner_condition(owner)
        rows = self._db.read(
            lambda connection: connection.execute(
                "SELECT w.turn, w.signals FROM rewards w JOIN turns t ON t.id = w.turn"
                " JOIN trajectories r ON r.id = t.trajectory"
                f" WHERE {mine} AND t.model = coalesce(?, t.model) AND instr(w.signals, ?) > 0"
                " ORDER BY w.turn",
                (*values, model, YOU_SAID),
            ).fetchall()
        )

        # Compared here, because SQL parameters cannot hold a client's lone surrogates.
        def known(signals: list[dict[str, str]]) -> frozenset[str]:
            return frozenset(texts[one["text"]] for one in signals if one["text"] in texts)

        none = frozenset[str]()
        found = {row["turn"]: readable(row["signals"], known, none) for row in rows}
        return {turn: words for turn, words in found.items() if words}

    def models(self) -> list[str]:
        """List every model that answered a turn, as clients spelled it."""
        rows = self._db.read(
            lambda connection: connection.execute("SELECT DISTINCT model FROM turns").fetchall()
        )
        return sorted(row["model"] for row in rows)

    def served(self, turns: Sequence[str]) -> list[ServedTurn]:
        """Return the turns with these ids, each with its client and reward, in the given order;
        deleted ones are left out.
        """
        return self._in_order(turns, most=None)

    def served_briefly(self, turns: Sequence[str]) -> list[ServedTurn]:
        """Return the turns as `served` does, each with only the newest messages of its request."""
        return self._in_order(turns, most=NEWEST_MESSAGES)

    def _in_order(self, turns: Sequence[str], *, most: int | None) -> list[ServedTurn]:
        if not turns:
            return []
        marks, values = value_list(turns)
        found = {s.turn.id: s for s in self._served(f"t.id IN ({marks})", values, most=most)}
        return [found[turn] for turn in turns if turn in found]

    def following(self, turn: TurnRow) -> TurnRow | None:
        """Return the turn that continued the conversation after this turn, with only its new
        messages; None if there is none.
        """

        def work(connection: sqlite3.Connection) -> TurnRow | None:
            rows = connection.execute(
                "SELECT * FROM turns WHERE trajectory = ? AND id > ? ORDER BY id LIMIT 64",
                (turn.trajectory, turn.id),
            ).fetchall()
            own = connection.execute(
                "SELECT answer_link, request_link FROM turns WHERE id = ?", (turn.id,)
            ).fetchone()
            for row in rows if own else ():
                known = {own["answer_link"], own["request_link"]} - {row["request_link"]}
                found = turn_row(connection, row, known, most=NEWEST_MESSAGES)
                behind = link_before(connection, row["request_link"], len(found.request))
                if behind in (own["answer_link"], own["request_link"]):
                    return found
            return None

        return self._db.read(work)

    def labelled(self) -> list[tuple[Label, RewardRow]]:
        """List the turns that the user rated: each rating with the turn's stored reward, signals
        (such as a test result or a correction) and judge votes.
        """
        rows = self._db.read(
            lambda connection: connection.execute(
                "SELECT w.*, t.label AS label FROM rewards w JOIN turns t ON t.id = w.turn"
                " WHERE t.label IS NOT NULL ORDER BY t.labelled_at"
            ).fetchall()
        )
        return [(Label(row["label"]), reward_row(row)) for row in rows]

    def scores_out_of_step(self) -> list[str]:
        """List the ids of turns whose stored score does not agree with the user's rating (thumbs up
        or down): the rating was given, changed or withdrawn after scoring.
        """
        rows = self._db.read(
            lambda connection: connection.execute(
                "SELECT t.id FROM turns t LEFT JOIN rewards w ON w.turn = t.id WHERE CASE"
                " WHEN t.label IS NULL THEN w.source = 'explicit'"
                " WHEN w.source = 'explicit' THEN (w.value > 0) <> (t.label = 'good')"
                " ELSE 1 END"
            ).fetchall()
        )
        return [row["id"] for row in rows]

    def judged(self, *, limit: int, unlabelled: bool = False) -> list[RewardRow]:
        """List the stored rewards of turns that have votes of a judge model, newest first;
        `unlabelled` limits them to turns that the user has not rated.
        """
        only = "AND t.label IS NULL" if unlabelled else ""
        rows = self._db.read(
            lambda connection: connection.execute(
                "SELECT w.* FROM rewards w JOIN turns t ON t.id = w.turn WHERE w.votes <> '[]'"
                f" {only} ORDER BY w.turn DESC LIMIT ?",
                (limit,),
            ).fetchall()
        )
        return [reward_row(row) for row in rows]

    def verdict_counts(self) -> dict[str, tuple[int, int]]:
        """Return for each reward source (such as the user's rating or the judge) how many turns it
        called good, and how many it called good or bad.
        """
        rows = self._db.read(
            lambda connection: connection.execute(
                "SELECT source, sum(value > 0) AS good, count(*) AS n FROM rewards"
                " WHERE source IS NOT NULL AND value <> 0 GROUP BY source"
            ).fetchall()
        )
        return {row["source"]: (int(row["good"]), int(row["n"])) for row in rows}

    def tools(self, mark: str) -> str:
        """Return the JSON text of the tool definitions that a client sent with a request, by their
        hash; "" if none are stored.
        """
        if not mark:
            return ""
        row = self._db.read(
            lambda connection: connection.execute(
                "SELECT text FROM tool_sets WHERE sha256 = ?", (mark,)
            ).fetchone()
        )
        return str(row["text"]) if row else ""

    def asked_last(self) -> tuple[str | None, datetime | None]:
        """Return which turn the user was last asked to rate (its id; None if it is rated by now),
        and when (None if the user was never asked).
        """
        row = self._db.read(
            lambda connection: connection.execute(
                "SELECT w.turn, w.asked_at, t.label FROM rewards w JOIN turns t ON t.id = w.turn"
                " WHERE w.asked_at IS NOT NULL ORDER BY w.asked_at DESC LIMIT 1"
            ).fetchone()
        )
        if row is None:
            return None, None
        return row["turn"] if row["label"] is None else None, datetime.fromisoformat(
            row["asked_at"]
        )

    def _served(
        self, where: str, values: tuple[object, ...], *, most: int | None = None
    ) -> list[ServedTurn]:
        def work(connection: sqlite3.Connection) -> list[ServedTurn]:
            rows = connection.execute(
                "SELECT t.*, coalesce(t.known, r.generation) AS looked_up, r.client, r.apart,"
                " r.excluded_at, w.turn AS scored, w.source, w.value, w.p_good, w.signals,"
                " w.votes, w.judge, w.tries, w.due,"
                " (SELECT group_concat(sha256) FROM coin_flips c WHERE c.trajectory = t.trajectory"
                " AND c.left_out) AS left_out, r.selection"
                " FROM turns t JOIN trajectories r ON r.id = t.trajectory"
                f" LEFT JOIN rewards w ON w.turn = t.id WHERE {where}",
                values,
            ).fetchall()
            return [
                ServedTurn(
                    turn=turn_row(connection, row, set(), most=most),
                    known=row["looked_up"],
                    client=row["client"],
                    apart=bool(row["apart"]),
                    excluded=row["excluded_at"] is not None,
                    reward=reward_row(row)
                    if row["scored"]
                    else RewardRow(turn=row["id"], reward=None),
                    left_out=frozenset((row["left_out"] or "").split(",")) - {""},
                    learned=readable(
                        row["selection"],
                        lambda said: frozenset(map(str, said.get("learned", ()))),
                        frozenset(),
                    ),
                )
                for row in rows
            ]

        return self._db.read(work)

    # Writing

    async def save(self, rows: Iterable[RewardRow], *, read: Iterable[str], at: datetime) -> None:
        """Store rewards (scores of answers) and mark turns as scored, in one transaction.

        `read` are the ids of the turns to mark; a scored turn need not have got a reward.
        """
        values = [values_of(row, at) for row in rows]
        seen = [(turn,) for turn in read]

        def work(connection: sqlite3.Connection) -> None:
            # The turn may have been deleted meanwhile.
            connection.executemany(
                "INSERT INTO rewards (turn, at, source, value, p_good, signals, votes, judge,"
                " tries, due) SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?"
                " WHERE EXISTS (SELECT 1 FROM turns WHERE id = ?)"
                " ON CONFLICT (turn) DO UPDATE SET at = excluded.at, source = excluded.source,"
                " value = excluded.value, p_good = excluded.p_good, signals = excluded.signals,"
                " votes = excluded.votes, judge = excluded.judge, tries = excluded.tries,"
                " due = excluded.due",
                values,
            )
            connection.executemany("UPDATE turns SET read_by_score = 1 WHERE id = ?", seen)

        await self._db.write(work)

    async def recalibrate(self, p_good: dict[tuple[str, float], float]) -> None:
        """Replace p_good (the probability that the answer is good) in all stored rewards by newly
        calibrated values.

        The argument `p_good` gives the new value for each pair of a reward's source (such as the
        judge) and its raw value.
        """
        values = [(p, source, value) for (source, value), p in p_good.items()]
        await self._db.write(
            lambda connection: connection.executemany(
                "UPDATE rewards SET p_good = ? WHERE source = ? AND value = ?", values
            )
        )

    def sources_and_values(self) -> list[tuple[str, float]]:
        """List, for calibration, the different pairs of reward source (such as the judge) and raw
        value, from -1 (bad) to 1 (good), that occur in the stored rewards.
        """
        rows = self._db.read(
            lambda connection: connection.execute(
                "SELECT DISTINCT source, value FROM rewards WHERE source IS NOT NULL"
            ).fetchall()
        )
        return [(row["source"], row["value"]) for row in rows]

    async def save_rating_request(self, turn: str, *, at: datetime) -> None:
        """Record that the user was asked, at this time, to rate a turn."""
        await self._db.write(
            lambda connection: connection.execute(
                "UPDATE rewards SET asked_at = ? WHERE turn = ?", (at.isoformat(), turn)
            )
        )


def _may_teach(owner: str) -> tuple[str, tuple[str, ...]]:
    """Return an SQL condition that selects the trajectories that may be learned from, of one client
    or of all that share skills.
    """
    mine, values = owner_condition(owner)
    return f"r.excluded_at IS NULL AND {mine}", values
