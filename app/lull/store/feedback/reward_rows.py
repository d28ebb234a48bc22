"""Defines the data classes for stored rewards (scores of answers), alone or together with their
turn (request and answer).
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from lull.core.chat.client import Client
from lull.core.chat.messages import Message, Role
from lull.core.feedback.feedback_label import request_in
from lull.core.feedback.reward import Reward, Source, Vote
from lull.core.feedback.signals import Signal, SignalKind
from lull.store.chat.turn_rows import TurnRow
from lull.store.rows.readable_rows import readable


@dataclass(frozen=True, slots=True, kw_only=True)
class RewardRow:
    """The stored score of a turn (request and answer)."""

    turn: str
    reward: Reward | None
    """The turn's reward; None until a source, such as the user or the judge, has rated it."""
    signals: tuple[Signal, ...] = ()
    votes: tuple[Vote, ...] = ()
    judge: str = ""
    tries: int = 0
    due: datetime | None = None
    """When the judge is next asked about the turn; None if it will not be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedTurn:
    """A turn (request and answer) with its client and reward, from which skills and training data
    are made.
    """

    turn: TurnRow
    """The stored turn; unlike elsewhere, its `request` holds all messages of the request."""
    known: int
    """Skill generation (version of the set of active skills) in which skills for the turn were last
    looked up.
    """
    client: str
    """The client's name as the client sent it."""
    apart: bool
    """Whether the client is kept apart (isolated): it sees only its own skills, not the shared
    ones.
    """
    reward: RewardRow
    excluded: bool = False
    """Whether the user excluded the turn's conversation from learning."""
    left_out: frozenset[str] = frozenset()
    """sha256 of the skills randomly left out of the turn's conversation to measure their effect."""
    learned: frozenset[str] = frozenset()
    """sha256 of the skills that the conversation's first adapter had learned, so that its prompts
    were without them.
    """

    @property
    def owner(self) -> str:
        """Name of the client if it has skills of its own, apart from those of other clients; "" if
        the client shares skills.
        """
        return self.client if self.apart else ""

    @property
    def identity(self) -> str:
        """The name under which the conversations of the turn's client are stored."""
        return Client(name=self.client, apart=self.apart).identity

    @property
    def asked(self) -> str:
        """The user's newest message in the turn's request, without the part that is feedback on an
        earlier answer; "" if there is none.
        """
        return newest_words(self.turn.request)

    @property
    def may_be_an_example(self) -> bool:
        """Whether the request may be stored as an example of what skills are useful for: it has
        text, and the user did not exclude its conversation.
        """
        return bool(self.asked) and not self.excluded


def owner_condition(owner: str) -> tuple[str, tuple[str, ...]]:
    """Return an SQL condition, with its values, that selects the conversations of one client, or of
    all clients that share skills if `owner` is "".

    The conversations' table must be named `r` in the query.
    """
    return ("r.apart = 1 AND r.client = ?", (owner,)) if owner else ("r.apart = 0", ())


def newest_words(messages: Sequence[Message]) -> str:
    """Return the text of the newest user message, without the part that is feedback on the answer
    before; "" if there is none.
    """
    said = (m.text for m in reversed(messages) if m.role is Role.USER and m.text)
    return request_in(next(said, ""))


def reward_row(row: sqlite3.Row) -> RewardRow:
    """Return a row of the table of rewards (scores of answers) as a value."""
    votes: tuple[Vote, ...] = readable(row["votes"], _votes, ())
    reward = None
    if row["source"] is not None:
        reward = Reward(
            value=row["value"], p_good=row["p_good"], source=Source(row["source"]), votes=votes
        )
    return RewardRow(
        turn=row["turn"] if "turn" in row.keys() else row["id"],  # noqa: SIM118  a row is no dict
        reward=reward,
        signals=readable(row["signals"], _signals, ()),
        votes=votes,
        judge=row["judge"],
        tries=row["tries"],
        due=datetime.fromisoformat(row["due"]) if row["due"] else None,
    )


def _votes(values: list[dict[str, Any]]) -> tuple[Vote, ...]:
    return tuple(Vote(**vote) for vote in values)


def _signals(values: list[dict[str, Any]]) -> tuple[Signal, ...]:
    return tuple(
        Signal(
            kind=SignalKind(s["kind"]), source=Source(s["source"]), value=s["value"], text=s["text"]
        )
        for s in values
    )


def values_of(row: RewardRow, at: datetime) -> tuple[object, ...]:
    """Return the values to store for a reward (the score of an answer), in the order of the
    columns.
    """
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
