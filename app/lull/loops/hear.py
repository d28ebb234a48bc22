"""From what a user typed behind an answer to stored feedback, read once and in quiet time.

A message waits as a row until somebody has read it, so nothing said is lost while a reader is
missing or a chat goes on. What was read stands; only on request is it read anew, and then the
change is told.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from lull.core.errors import LullError
from lull.core.feedback.exchange import Exchange
from lull.core.feedback.feedback import UNSURE, Feedback, Heard
from lull.core.feedback.ports import FeedbackReader
from lull.core.messages import Role
from lull.core.model_name import canonical
from lull.core.ports import Clock, Quiet
from lull.core.trust import behind_the_answer, typed_in
from lull.store.feedback import FeedbackRows, Waiting
from lull.store.reward_rows import Served, newest_words
from lull.store.rewards import Rewards
from lull.store.turn_rows import TurnRow

log = logging.getLogger(__name__)

Count = Callable[[Sequence[Feedback]], Awaitable[None]]

BATCH = 16
"""Messages read between two looks whether the user is back."""
TRIES = 3
"""So often may the reader fail with a message before it is put aside as unsure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadAnew:
    """A message that was read again, with what another reader had heard before."""

    before: Feedback | None
    now: Feedback


class Hear:
    def __init__(
        self,
        rows: FeedbackRows,
        rewards: Rewards,
        *,
        own: Mapping[str, FeedbackReader],
        reader: Callable[[], FeedbackReader | None],
        quiet: Quiet,
        clock: Clock,
    ) -> None:
        """`own`: readers that need no model and answer at once, by the name of the model whose
        language they know. `reader`: who reads all other messages, None while there is nobody."""
        self._rows = rows
        self._rewards = rewards
        self._own = {canonical(model): reader for model, reader in own.items()}
        self._reader = reader
        self._quiet = quiet
        self._clock = clock
        self._failed: Counter[str] = Counter()
        """By turn: how often the reader failed with it when it had just read others."""
        self._asked_for: Counter[str] = Counter()
        """By turn: how often it was among what the reader failed with, whoever was at fault."""
        self._works = True
        """Whether the reader read what it was asked last: one that is away fails with all."""

    # At once, while a turn is scored

    async def at_once(self, before: TurnRow, turn: TurnRow) -> Feedback | None:
        """What the message behind this answer says, where that can be told without a model; else
        the message waits. None: it waits, or nothing was typed."""
        exchange = exchange_of(before, turn)
        known = self._rows.of([turn.id]).get(turn.id)
        if known is not None or not exchange.said.strip():
            return known
        if exchange.said.strip() == exchange.asked.strip():
            return None  # the same request sent again says nothing in words
        own = self._own.get(canonical(before.model))
        heard = (await own.read([exchange]))[0] if own is not None else None
        if own is None or heard is None:
            await self._rows.wait([Waiting(turn=turn.id, before=before.id)], at=self._clock.now())
            return None
        feedback = self._feedback(turn.id, before.id, own.name, heard)
        await self._rows.save([feedback])
        return feedback

    # In quiet time

    async def step(
        self, *, hurry: bool = False, limit: int = BATCH, count: Count | None = None
    ) -> list[Feedback]:
        """Read messages that wait; what was heard. None is lost where the reader cannot be asked.
        `count` lets what was heard count before it is no longer waiting: a crash in between reads
        it once more.

        A message that the reader fails with must not hold up the others: after a failure they are
        read one by one, those first that it failed least with.

        Raises LullError when the reader is away or fails.
        """
        reader = self._reader()
        waiting = self._next(limit)
        if reader is None or not waiting:
            return []
        turns = [one.turn for one in waiting]
        pairs = self._exchanges(waiting)
        exchanges = [exchange for _, exchange in pairs]
        try:
            heard = await self._quiet.run(
                lambda: _asked(reader, exchanges), hurry=hurry or reader.light
            )
        except LullError:
            self._asked_for.update(turns)
            if self._works:
                self._failed.update(turns)
            self._works = False
            raise
        self._works = True
        found = [
            # Nobody else is there to ask: what this reader cannot tell is unsure.
            self._feedback(one.turn, one.before, reader.name, said or UNSURE)
            for (one, _), said in zip(pairs, heard, strict=True)
        ]
        gone = set(turns) - {one.turn for one, _ in pairs}
        found += [
            self._feedback(one.turn, one.before, reader.name, UNSURE)
            for one in waiting
            if one.turn in gone
        ]
        self._forget(turns)
        if pairs:
            found += self._put_aside(reader.name)
        if count is not None:
            await count(found)
        await self._rows.save(found)
        return found

    def _next(self, limit: int) -> list[Waiting]:
        """All those that no reader failed with; else the one that was asked for least."""
        waiting = self._rows.waiting(limit=limit + len(self._asked_for))
        untried = [one for one in waiting if not self._asked_for[one.turn]]
        return untried[:limit] or sorted(waiting, key=lambda one: self._asked_for[one.turn])[:1]

    def _put_aside(self, reader: str) -> list[Feedback]:
        """Messages that it failed with too often. To be called when another one was read: it is
        not the reader then that is at fault."""
        waiting = self._rows.waiting(limit=len(self._asked_for) + BATCH)
        given_up = [one for one in waiting if self._failed[one.turn] >= TRIES]
        for one in given_up:
            log.warning("The reader fails with the message of turn %s: put aside.", one.turn)
        self._forget([one.turn for one in given_up])
        return [self._feedback(one.turn, one.before, reader, UNSURE) for one in given_up]

    async def again(self, feedbacks: Sequence[Feedback]) -> list[ReadAnew]:
        """Read these anew with the reader of now, whatever was heard before; those that changed
        hands. Raises LullError where there is no reader."""
        reader = self._reader()
        if reader is None:
            raise LullError(
                "There is no reader to read with.", hint="`lull doctor` says what is missing."
            )
        old = [one for one in feedbacks if one.read_by != reader.name]
        pairs = self._exchanges([Waiting(turn=one.turn, before=one.before) for one in old])
        out: list[ReadAnew] = []
        before = {one.turn: one for one in old}
        for start in range(0, len(pairs), BATCH):
            some = pairs[start : start + BATCH]
            heard = await self._quiet.run(
                lambda some=some: reader.read([exchange for _, exchange in some]),  # type: ignore[misc]
                hurry=True,
            )
            for (one, _), said in zip(some, heard, strict=True):
                if said is None:
                    continue
                now = self._feedback(one.turn, one.before, reader.name, said)
                out.append(ReadAnew(before=before[one.turn], now=now))
        await self._rows.save([one.now for one in out])
        return out

    def _forget(self, turns: Sequence[str]) -> None:
        for turn in turns:
            del self._failed[turn], self._asked_for[turn]

    def _exchanges(self, waiting: Sequence[Waiting]) -> list[tuple[Waiting, Exchange]]:
        served = {
            one.turn.id: one
            for one in self._rewards.served([t for w in waiting for t in (w.turn, w.before)])
        }
        return [
            (one, _exchange(served[one.before], served[one.turn]))
            for one in waiting
            if one.turn in served and one.before in served
        ]

    def _feedback(self, turn: str, before: str, reader: str, heard: Heard) -> Feedback:
        return Feedback(
            turn=turn, before=before, read_by=reader, read_at=self._clock.now(), heard=heard
        )


async def _asked(reader: FeedbackReader, exchanges: Sequence[Exchange]) -> Sequence[Heard | None]:
    """Raises LullError, also for a reader that answers fewer or more than it was asked."""
    heard = await reader.read(exchanges)
    if len(heard) != len(exchanges):
        said = f"The reader {reader.name} answered {len(heard)} of {len(exchanges)} messages."
        raise LullError(said, hint="They wait; `lull doctor` says which reader is used.")
    return heard


def exchange_of(before: TurnRow, turn: TurnRow) -> Exchange:
    """`turn.request` holds what was new in it."""
    said = "\n".join(
        words
        for message in turn.request
        if message.role is Role.USER and (words := typed_in((message,)))
    )
    return Exchange(asked=newest_words(before.request), answer=before.answer.text, said=said)


def _exchange(before: Served, after: Served) -> Exchange:
    """Both with their whole requests."""
    said = typed_in(behind_the_answer(after.turn.request))
    return Exchange(asked=before.asked, answer=before.turn.answer.text, said=said)
