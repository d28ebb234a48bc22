"""Stores replays of approved skills: past requests answered with and without the skill, and the
scores.

Finds also which stored requests had a skill in their prompt. The answers themselves are not stored.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, NamedTuple

from lull.core.chat.client import Client
from lull.core.proof.evidence import pair_from_json, pair_to_json
from lull.core.proof.pairs import Pair
from lull.core.skills.skill import Skill, SkillKey
from lull.store.rows.measured_rows import MeasuredRows
from lull.store.rows.readable_rows import NamedValues
from lull.store.sqlite.database import Database

NEWEST_TURNS = 4000
"""Number of newest turns that are searched for uses of skills."""

_USES = (
    "SELECT t.id, t.trajectory, t.skills, t.finish, t.generation, r.client, r.apart, r.excluded_at"
    " FROM turns t JOIN trajectories r ON r.id = t.trajectory ORDER BY t.id DESC LIMIT ?"
)


class UseKey(NamedTuple):
    """Key under which the replays of a skill in use are stored: client, skill name and the text's
    hash.
    """

    client: str
    name: str
    sha256: str


def use_key(skill: Skill) -> UseKey:
    """Return the key under which the measured effect of a skill is stored."""
    return UseKey(skill.client, skill.name, skill.sha256)


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillUses:
    """The stored conversations that had a skill's text in the prompt since its approval."""

    conversations: dict[str, int] = field(default_factory=dict)
    """Number of conversations by the identity of the client that asked."""
    requests: list[str] = field(default_factory=list)
    """Ids of turns that may be replayed, newest first: each conversation's newest one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UseReplayResults:
    """The results so far of answering past requests again with and without an approved skill: pairs
    of scores, and the turns whose new answers could not be scored.
    """

    pairs: list[Pair] = field(default_factory=list)
    silent: set[str] = field(default_factory=set)
    """Ids of turns whose replay nothing could score."""

    @property
    def measured_turns(self) -> set[str]:
        """Ids of the turns whose requests were answered again to measure the skill, whether or not
        the answers could be scored.
        """
        return {*(pair.request for pair in self.pairs), *self.silent}


class UseReplays:
    """Reads and writes the table `use_replays` (requests replayed with and without approved
    skills), and finds uses of skills in `turns`.
    """

    def __init__(self, database: Database) -> None:
        self._db = database

    def uses(self, skills: Sequence[Skill]) -> dict[UseKey, SkillUses]:
        """Find, for each of these skill texts, the conversations that had it in their prompt, among
        the newest turns.
        """

        def work(connection: sqlite3.Connection) -> dict[UseKey, SkillUses]:
            found = {use_key(skill): SkillUses() for skill in skills}
            seen: set[tuple[UseKey, str]] = set()
            rows = connection.execute(_USES, (NEWEST_TURNS,)) if skills else ()
            for row in rows:
                client = Client(name=row["client"], apart=bool(row["apart"]))
                for skill in _had(row, skills, client):
                    key = use_key(skill)
                    if (key, row["trajectory"]) in seen:
                        continue
                    seen.add((key, row["trajectory"]))
                    counts = found[key].conversations
                    counts[client.identity] = counts.get(client.identity, 0) + 1
                    if row["excluded_at"] is None and row["finish"] not in ("hangup", "error"):
                        found[key].requests.append(row["id"])
            return found

        return self._db.read(work)

    def replayed(self) -> dict[UseKey, UseReplayResults]:
        """Return, by skill text, all results of answering past requests again with and without
        approved skills, oldest first.
        """
        rows = self._db.read(
            lambda connection: connection.execute(
                "SELECT client, name, sha256, turn, pair FROM use_replays ORDER BY number"
            ).fetchall()
        )
        found: dict[UseKey, UseReplayResults] = {}
        for row in rows:
            own = found.setdefault(
                UseKey(row["client"], row["name"], row["sha256"]), UseReplayResults()
            )
            if row["pair"] is None:
                own.silent.add(row["turn"])
            else:
                own.pairs.extend(USE_REPLAY_ROWS.maybe(row))
        return found

    def pairs(self, texts: Mapping[SkillKey, str]) -> dict[SkillKey, list[Pair]]:
        """Return the replayed pairs (one request answered with and without the skill) of these
        skill texts (sha256).
        """
        replayed = self.replayed()
        return {
            key: replayed.get(UseKey(*key, sha256), UseReplayResults()).pairs
            for key, sha256 in texts.items()
        }

    async def add(
        self, skill: UseKey, turn: str, pair: Pair | None, *, model: str, at: datetime
    ) -> None:
        """Store the result of answering a past request with and without an approved skill: both
        scores, or None where nothing could score the answers.

        Nothing is stored if the turn was deleted meanwhile. `model` is the digest of the answering
        model.
        """
        text = None if pair is None else json.dumps(pair_to_json(pair))

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(
                "INSERT INTO use_replays (client, name, sha256, turn, at, model, pair)"
                " SELECT ?, ?, ?, id, ?, ?, ? FROM turns WHERE id = ?",
                (*skill, at.isoformat(), model, text, turn),
            )

        await self._db.write(work)


def _had(row: sqlite3.Row, skills: Sequence[Skill], client: Client) -> Iterator[Skill]:
    """The skills, of those given, that were in a stored turn's prompt since their approval."""
    text = row["skills"]
    owner = client.name if client.apart else ""
    for skill in skills:
        if skill.client == owner and row["generation"] >= skill.since and skill.sha256 in text:
            yield skill


def _pair(row: NamedValues) -> Pair:
    return pair_from_json(json.loads(row["pair"]))


USE_REPLAY_ROWS: Final = MeasuredRows("use_replays", _pair, where="pair IS NOT NULL")
