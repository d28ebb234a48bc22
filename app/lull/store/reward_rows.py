"""The score of a turn as it is stored, and a turn together with it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from lull.core.labelled import request_in
from lull.core.messages import Message, Role
from lull.core.policy import Client
from lull.core.reward import Reward, Source, Vote
from lull.core.signals import Signal, SignalKind
from lull.store.turn_rows import TurnRow


@dataclass(frozen=True, slots=True, kw_only=True)
class RewardRow:
    turn: str
    reward: Reward | None
    """None: nobody spoke yet."""
    signals: tuple[Signal, ...] = ()
    votes: tuple[Vote, ...] = ()
    judge: str = ""
    tries: int = 0
    due: datetime | None = None
    """When the judge is asked next; None: never, or not any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """A turn with the room it belongs to, for failure sets and replays."""

    turn: TurnRow
    """`turn.request` is the whole request."""
    known: int
    """The generation up to which skills were looked up for it."""
    client: str
    """As it asked."""
    apart: bool
    reward: RewardRow
    excluded: bool = False
    """From learning, with its conversation, by the user."""
    left_out: frozenset[str] = frozenset()
    """sha256 of the skills that chance kept out of its trajectory."""

    @property
    def room(self) -> str:
        """The client whose skills it may teach; "" is everybody's."""
        return self.client if self.apart else ""

    @property
    def identity(self) -> str:
        return Client(name=self.client, apart=self.apart).identity

    @property
    def asked(self) -> str:
        """The user's newest words in the request."""
        return newest_words(self.turn.request)


def whose(room: str) -> tuple[str, tuple[str, ...]]:
    """SQL for the trajectories `r` of a room, and its values."""
    return ("r.apart = 1 AND r.client = ?", (room,)) if room else ("r.apart = 0", ())


def newest_words(messages: Sequence[Message]) -> str:
    """The user's newest words among these messages, "" for none; without feedback on the answer
    before, which is no part of what was asked."""
    said = (m.text for m in reversed(messages) if m.role is Role.USER and m.text)
    return request_in(next(said, ""))


def reward_row(row: sqlite3.Row) -> RewardRow:
    votes = tuple(Vote(**vote) for vote in json.loads(row["votes"]))
    reward = None
    if row["source"] is not None:
        reward = Reward(
            value=row["value"], p_good=row["p_good"], source=Source(row["source"]), votes=votes
        )
    return RewardRow(
        turn=row["turn"] if "turn" in row.keys() else row["id"],  # noqa: SIM118  a row is no dict
        reward=reward,
        signals=tuple(
            Signal(
                kind=SignalKind(s["kind"]),
                source=Source(s["source"]),
                value=s["value"],
                text=s["text"],
            )
            for s in json.loads(row["signals"])
        ),
        votes=votes,
        judge=row["judge"],
        tries=row["tries"],
        due=datetime.fromisoformat(row["due"]) if row["due"] else None,
    )


def values_of(row: RewardRow, at: datetime) -> tuple[object, ...]:
    reward = row.reward
    return (
        row.turn,
        at.isoformat(),
        reward.source.value if reward else None,
        reward.value if reward else None,
        reward.p_good if reward else None,
        json.dumps([asdict(signal) for signal in row.signals], ensure_ascii=True),
        json.dumps([asdict(vote) for vote in row.votes], ensure_ascii=True),
        row.judge,
        row.tries,
        row.due.isoformat() if row.due else None,
        row.turn,
    )
