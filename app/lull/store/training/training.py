"""Stores groups of sampled answers, training runs, and each run's sources (the turns and skills it
was made of).

A group is deleted with its turn. A run's sources outlive their conversation, because the weights
trained on it do too; `lull forget` follows them.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from lull.core.errors import Conflict, NotFound, StoreError
from lull.core.training.lesson import GraduationCourse
from lull.core.training.record import Run, RunProgress, RunSource, RunStatus
from lull.core.training.rollout import GroupState, RolloutGroup, SampledPolicy
from lull.core.training.spec import RunKind
from lull.store.rows.readable_rows import (
    DamagedRow,
    NamedValues,
    ReadableRows,
    readable,
)
from lull.store.rows.sealed_rows import changing, sealed_rows, written_anew
from lull.store.rows.sealed_tables import TRAINED_ADAPTERS
from lull.store.sqlite.database import Database
from lull.store.training.group_rows import GROUP_ROWS


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOrigin:
    """What is known of a training run even where the rest of its row is damaged: its id and kind,
    the hash of the adapter that it started from, the run that it continues, and the id of the
    adapter made from it.
    """

    id: str
    kind: str
    root: str | None
    parent: str | None
    adapter: str | None


class Training:
    """Reads and writes the tables of sampled answers, of training runs, and of the turns and skills
    that runs were made of.
    """

    def __init__(self, database: Database) -> None:
        self._db = database

    # Rollouts

    async def add_group(self, group: RolloutGroup) -> bool:
        """Store a group of sampled answers to one request; return False, with nothing stored, if
        the request's turn was deleted.
        """
        values = (
            group.id,
            group.turn,
            group.at.isoformat(),
            group.policy.base,
            group.policy.adapter,
            json.dumps(group.skills),
            group.number,
            group.state.value,
            group.reward,
            group.scored_by,
            json.dumps(group.prompt_ids),
            json.dumps([asdict(drawn) for drawn in group.samples]),
            group.run,
            group.wish,
        )

        def work(connection: sqlite3.Connection) -> bool:
            done = connection.execute(
                f"INSERT INTO rollouts SELECT {', '.join('?' * len(values))}"
                " WHERE EXISTS (SELECT 1 FROM turns WHERE id = ?)",
                (*values, group.turn),
            )
            return done.rowcount > 0

        return await self._db.write(work)

    def group_states(
        self, policy: SampledPolicy
    ) -> dict[str, list[tuple[tuple[str, ...], str, GroupState]]]:
        """Return, by turn, the state of each group of answers sampled from this policy (base model
        and adapter), such as whether the group can be trained on.

        Each group is (skills in the prompt, turn with the wish that it was scored by, state).
        """
        rows = self._db.read(
            lambda connection: connection.execute(
                "SELECT turn, skills, wish, state FROM rollouts WHERE base = ? AND adapter = ?"
                " ORDER BY turn, number",
                (policy.base, policy.adapter),
            ).fetchall()
        )
        found: dict[str, list[tuple[tuple[str, ...], str, GroupState]]] = {}
        for row in rows:
            state = (readable(row["skills"], tuple, ()), row["wish"], GroupState(row["state"]))
            found.setdefault(row["turn"], []).append(state)
        return found

    def groups(
        self, policy: SampledPolicy, *, states: Iterable[GroupState], unused: bool = True
    ) -> list[RolloutGroup]:
        """List the groups of answers sampled from this policy (base and adapter) that are in one of
        these states, oldest first.

        `unused` leaves out groups already used by a training run.
        """
        wanted = sorted(state.value for state in states)
        only = " AND run IS NULL" if unused else ""
        rows = self._db.read(
            lambda connection: connection.execute(
                "SELECT r.*, t.trajectory FROM rollouts r JOIN turns t ON t.id = r.turn"
                f" WHERE r.base = ? AND r.adapter = ? AND state IN ({_marks(wanted)}){only}"
                " ORDER BY r.id",
                (policy.base, policy.adapter, *wanted),
            ).fetchall()
        )
        return GROUP_ROWS.all(rows)

    # Runs

    async def add_run(
        self,
        run: Run,
        sources: Iterable[RunSource],
        *,
        groups: Iterable[str] = (),
        goes_on: Callable[[Run], Run] | None = None,
    ) -> None:
        """Store a training run with its sources (the turns and skills it was made of) and the
        groups of sampled answers that it uses, in one transaction.

        If the run continues an earlier one, the callback `goes_on` gets the earlier run and
        returns it changed, to be stored too. Raises Conflict if one of the run's turns is gone, and
        what the callback raises.
        """
        sources = tuple(sources)
        rows = [(run.id, one.kind, one.id, one.trajectory) for one in sources]
        used = [(run.id, group) for group in groups]

        def work(connection: sqlite3.Connection) -> None:
            _all_there(connection, {one.id for one in sources if one.kind != "skill"})
            if goes_on is not None and run.parent is not None:
                _put(connection, goes_on(_stands(connection, run.parent)))
            connection.execute(
                "INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", _values(run)
            )
            connection.executemany("INSERT OR IGNORE INTO run_sources VALUES (?, ?, ?, ?)", rows)
            connection.executemany("UPDATE rollouts SET run = ? WHERE id = ?", used)

        await self._db.write(work)

    async def change(
        self,
        run: str,
        plan: Callable[[Run], Run],
        *,
        free: bool = False,
        wrote: str | None = None,
    ) -> Run:
        """Change a training run by the function `plan` in one transaction, and return the result.

        `wrote` is the hash of the adapter that the trainer has just finished; `free` lets the
        groups of sampled answers that were used by the run, and by the runs it
        continues, be used again. Raises NotFound, and what `plan` raises.
        """

        def work(connection: sqlite3.Connection) -> Run:
            changed = plan(_stands(connection, run))
            _put(connection, changed)
            if wrote is not None:
                with changing(connection, TRAINED_ADAPTERS):
                    written_anew(connection, TRAINED_ADAPTERS, run)
                    connection.execute(
                        "INSERT OR REPLACE INTO trained_adapters VALUES (?, ?)", (run, wrote)
                    )
            if free:
                connection.execute(
                    "WITH RECURSIVE line (id) AS (SELECT ? UNION"
                    " SELECT r.parent FROM runs r JOIN line l ON r.id = l.id)"
                    " UPDATE rollouts SET run = NULL WHERE run IN (SELECT id FROM line)",
                    (run,),
                )
            return changed

        return await self._db.write(work)

    def get(self, run: str) -> Run:
        """Return one training run by its id. Raises NotFound."""
        return self._db.read(lambda connection: _stands(connection, run))

    def written_adapter(self, run: str) -> str | None:
        """Return the hash of the adapter that the trainer reported to have written in this run,
        from the sealed record; "" for a run from before hashes were recorded, None if there is no
        valid record.
        """
        sealed = self._db.read(lambda connection: sealed_rows(connection, TRAINED_ADAPTERS, [run]))
        return next((str(row["sha256"]) for row in sealed.group(run)), None)

    def runs(self, statuses: Iterable[RunStatus] | None = None) -> list[Run]:
        """List training runs, newest first; damaged rows are left out."""
        wanted = sorted(status.value for status in (RunStatus if statuses is None else statuses))
        rows = self._db.read(
            lambda connection: connection.execute(
                f"SELECT * FROM runs WHERE status IN ({_marks(wanted)})"
                " ORDER BY made_at DESC, id DESC",
                wanted,
            ).fetchall()
        )
        return _ROWS.all(rows)

    def origins(self) -> list[RunOrigin]:
        """List what each training run started from (adapter, earlier run), also for runs whose rows
        are damaged.
        """
        return _origins(
            self._db.read(lambda connection: connection.execute("SELECT * FROM runs").fetchall())
        )

    def damage_error(self) -> StoreError | None:
        """Return an error about training runs whose rows are damaged; None if there are none."""
        return _ROWS.damage_error(
            self._db.read(lambda connection: connection.execute("SELECT * FROM runs").fetchall())
        )

    def sources(self, run: str) -> list[RunSource]:
        """Return what a training run was made of: turns, users' wishes and skills. Blocking."""
        rows = self._db.read(
            lambda connection: connection.execute(
                "SELECT * FROM run_sources WHERE run = ? ORDER BY kind, source", (run,)
            ).fetchall()
        )
        return [RunSource(kind=r["kind"], id=r["source"], trajectory=r["trajectory"]) for r in rows]

    def trained_on(self, kind: RunKind, statuses: Iterable[RunStatus]) -> set[str]:
        """Return the ids of the turns used by training runs of this kind with these statuses."""
        wanted = sorted(status.value for status in statuses)
        rows = self._db.read(
            lambda connection: connection.execute(
                "SELECT DISTINCT s.source FROM run_sources s JOIN runs r ON r.id = s.run"
                f" WHERE s.kind = 'turn' AND r.kind = ? AND r.status IN ({_marks(wanted)})",
                (kind.value, *wanted),
            ).fetchall()
        )
        return {row["source"] for row in rows}

    def made_of(
        self, *, trajectory: str, skills: Sequence[str], turns: Sequence[str] = ()
    ) -> list[RunOrigin]:
        """List the training runs that used this conversation, these skill texts or these turns, and
        the runs continued from them; runs with damaged rows are included.

        Newest first.
        """
        rows = self._db.read(
            lambda connection: connection.execute(
                "WITH RECURSIVE tainted (id) AS ("
                " SELECT run FROM run_sources WHERE trajectory = ?"
                f" OR (kind = 'skill' AND source IN ({_marks(skills)}))"
                f" OR (kind = 'turn' AND source IN ({_marks(turns)}))"
                " UNION SELECT r.id FROM runs r JOIN tainted t ON r.parent = t.id)"
                " SELECT * FROM runs WHERE id IN (SELECT id FROM tainted)"
                " ORDER BY made_at DESC, id DESC",
                (trajectory, *skills, *turns),
            ).fetchall()
        )
        return _origins(rows)


def remove_runs(connection: sqlite3.Connection, runs: Sequence[str]) -> None:
    """Delete these training runs; the sampled answers that they used may be used again. Call it
    within `changing`.
    """
    for run in runs:
        connection.execute("UPDATE rollouts SET run = NULL WHERE run = ?", (run,))
        connection.execute("DELETE FROM runs WHERE id = ?", (run,))
        connection.execute("DELETE FROM trained_adapters WHERE run = ?", (run,))


def _marks(values: Sequence[object]) -> str:
    return ",".join("?" * len(values))


def _stands(connection: sqlite3.Connection, run: str) -> Run:
    row = connection.execute("SELECT * FROM runs WHERE id = ?", (run,)).fetchone()
    if row is None:
        raise NotFound(f"There is no run {run[:80]}.", hint="`lull train list` shows them.")
    return _ROWS.one(row)


def _all_there(connection: sqlite3.Connection, turns: set[str]) -> None:
    """Raise Conflict if a turn is gone: it may be forgotten while a run is being prepared."""
    (known,) = connection.execute(
        "SELECT count(*) FROM turns WHERE id IN (SELECT value FROM json_each(?))",
        (json.dumps(sorted(turns)),),
    ).fetchone()
    if known < len(turns):
        raise Conflict("A conversation used for the run has since been deleted.")


def _put(connection: sqlite3.Connection, run: Run) -> None:
    connection.execute(
        "UPDATE runs SET kind = ?, status = ?, why = ?, made_at = ?, changed_at = ?,"
        " model = ?, base = ?, root = ?, parent = ?, adapter = ?, fields = ? WHERE id = ?",
        (*_values(run)[1:], run.id),
    )


def _values(run: Run) -> tuple[object, ...]:
    fields = {
        "round": run.round,
        "graduates": run.graduates,
        "skills": run.skills,
        "verdict": run.verdict,
        "reasons": run.reasons,
        "progress": asdict(run.progress),
        "course": asdict(run.course),
        "next_course": asdict(run.next_course) if run.next_course is not None else None,
    }
    return (
        run.id,
        run.kind.value,
        run.status.value,
        run.why,
        run.made_at.isoformat(),
        run.changed_at.isoformat(),
        run.model,
        run.base,
        run.root,
        run.parent,
        run.adapter,
        json.dumps(fields),
    )


def _run(row: NamedValues) -> Run:
    fields = json.loads(row["fields"])
    return Run(
        id=row["id"],
        kind=RunKind(row["kind"]),
        status=RunStatus(row["status"]),
        why=row["why"],
        made_at=datetime.fromisoformat(row["made_at"]),
        changed_at=datetime.fromisoformat(row["changed_at"]),
        model=row["model"],
        base=row["base"],
        root=row["root"],
        parent=row["parent"],
        adapter=row["adapter"],
        round=fields["round"],
        graduates=fields["graduates"],
        skills={turn: tuple(skills) for turn, skills in fields["skills"].items()},
        verdict=fields["verdict"],
        reasons=tuple(fields["reasons"]),
        progress=RunProgress(**fields["progress"]),
        course=GraduationCourse(**fields.get("course", {})),
        next_course=_next_course(row["status"], fields),
    )


def _origins(rows: Iterable[sqlite3.Row]) -> list[RunOrigin]:
    return [
        RunOrigin(
            id=row["id"],
            kind=str(row["kind"]),
            root=row["root"],
            parent=row["parent"],
            adapter=row["adapter"],
        )
        for row in rows
    ]


def _damaged(run: str) -> DamagedRow:
    return DamagedRow(
        f"What is recorded of the training run {run} is damaged.",
        hint="It does not go on, and its folder is kept. A backup may have the record.",
    )


_ROWS = ReadableRows(_run, _damaged)


def _next_course(status: str, fields: dict[str, Any]) -> GraduationCourse | None:
    """Read the course of the next try. A graduation that an older Lull rejected had another
    objective, so its skill is tried anew."""
    if "next_course" not in fields:
        old = status == RunStatus.REJECTED and fields["graduates"]
        return GraduationCourse() if old else None
    next_ = fields["next_course"]
    return GraduationCourse(**next_) if next_ is not None else None
