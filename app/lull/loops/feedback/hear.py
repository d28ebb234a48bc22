"""Has a small model read users' replies to answers for feedback, while no chat is going on, and
stores the feedback.

A message waits in the database until a reader model has read it, so nothing is lost while there is
no reader or a chat goes on. A message is read a second time only on request, and then the change is
reported.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from lull.core.errors import LullError
from lull.core.feedback.exchange import Exchange
from lull.core.feedback.feedback import DENIED_BY, UNSURE, Feedback, MessageFindings
from lull.core.feedback.ports import FeedbackReader
from lull.core.idle.ports import QuietRunner
from lull.core.ports import Clock
from lull.core.provenance.authorship import after_last_answer, typed_in
from lull.store.feedback.feedback import FeedbackRows, WaitingMessage
from lull.store.feedback.reward_rows import ServedTurn
from lull.store.feedback.rewards import Rewards

log = logging.getLogger(__name__)

CountsFeedback = Callable[[Sequence[Feedback]], Awaitable[None]]
"""Type of the function that updates the rewards of answers after new feedback on them was read."""

BATCH = 16
"""Number of messages read for feedback before checking again whether the user is back."""
TRIES = 3
"""Number of times the reader may fail on a message before it is marked as unsure and skipped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReReading:
    """The feedback found in a user's message that was read a second time (`now`), and the feedback
    that the first reading had found (`before`).
    """

    before: Feedback | None
    now: Feedback


class Hear:
    """Finds feedback in users' messages that wait for a model, while no chat is going on."""

    def __init__(
        self,
        rows: FeedbackRows,
        rewards: Rewards,
        *,
        reader: Callable[[], FeedbackReader | None],
        quiet: QuietRunner,
        clock: Clock,
    ) -> None:
        """The function `reader` returns the model that reads messages; None while there is none."""
        self._rows = rows
        self._rewards = rewards
        self._reader = reader
        self._quiet = quiet
        self._clock = clock
        self._failed: Counter[str] = Counter()
        """Failures by turn, counted only when the reader had just succeeded with other messages."""
        self._asked_for: Counter[str] = Counter()
        """Failures of messages by turn, including those where the reader was away."""
        self._works = True
        """Whether the reader's last call succeeded; a reader that is away fails with everything."""

    async def step(
        self, *, hurry: bool = False, limit: int = BATCH, count: CountsFeedback | None = None
    ) -> list[Feedback]:
        """Read a batch of waiting user messages for feedback, and return the feedback in them.

        `count` is called with that feedback before the messages are marked as read, so a crash
        makes them be read again instead of losing them. After a failure messages are read one by
        one, those with the fewest failures first, so that one message cannot hold up the others.

        Raises LullError when the reader model is away or fails; the messages keep waiting.
        """
        reader = self._reader()
        waiting = self._due(self._rows.waiting(limit=limit + len(self._asked_for)), limit)
        if reader is None or not waiting:
            return []
        turns = [one.turn for one in waiting]
        pairs = self._exchanges(waiting)
        exchanges = [exchange for _, exchange in pairs]

        async def asked() -> Sequence[MessageFindings | None]:
            return await reader.read(exchanges)

        try:
            findings = await self._quiet.run(asked, hurry=hurry or reader.light)
            _check_complete(reader, findings, exchanges)
        except LullError:
            self._asked_for.update(turns)
            if self._works:
                self._failed.update(turns)
            self._works = False
            raise
        self._works = True
        found = [
            # There is no other reader to ask, so what this one cannot tell is unsure.
            self._feedback(one.turn, one.before, reader.name, said or UNSURE)
            for (one, _), said in zip(pairs, findings, strict=True)
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

    def _due(self, waiting: Sequence[WaitingMessage], limit: int) -> list[WaitingMessage]:
        """Return the next messages to read: those that never failed, or else the one with the
        fewest failures.
        """
        untried = [one for one in waiting if not self._asked_for[one.turn]]
        return untried[:limit] or sorted(waiting, key=lambda one: self._asked_for[one.turn])[:1]

    def _put_aside(self, reader: str) -> list[Feedback]:
        """Set aside messages that the reader failed with too often.

        Called after another message was read, which shows that the reader itself works.
        """
        if max(self._failed.values(), default=0) < TRIES:
            return []
        waiting = self._rows.waiting(limit=len(self._asked_for) + BATCH)
        given_up = [one for one in waiting if self._failed[one.turn] >= TRIES]
        for one in given_up:
            log.warning("The reader fails with the message of turn %s: put aside.", one.turn)
        self._forget([one.turn for one in given_up])
        return [self._feedback(one.turn, one.before, reader, UNSURE) for one in given_up]

    async def read_again(self, feedbacks: Sequence[Feedback]) -> list[ReReading]:
        """Read user messages for feedback again with the current reader model, if a different model
        read them before; return the new and the old feedback of each.

        Raises LullError where there is no reader.
        """
        reader = self._reader()
        if reader is None:
            raise LullError(
                "The model that reads your messages is missing.",
                hint="`lull doctor` says what is missing.",
            )
        old = [one for one in feedbacks if one.read_by not in (reader.name, DENIED_BY)]
        pairs = self._exchanges([WaitingMessage(turn=one.turn, before=one.before) for one in old])
        out: list[ReReading] = []
        before = {one.turn: one for one in old}
        for start in range(0, len(pairs), BATCH):
            some = pairs[start : start + BATCH]
            findings = await self._quiet.run(
                lambda some=some: reader.read([exchange for _, exchange in some]),  # type: ignore[misc]
                hurry=True,
            )
            for (one, _), said in zip(some, findings, strict=True):
                if said is None:
                    continue
                now = self._feedback(one.turn, one.before, reader.name, said)
                out.append(ReReading(before=before[one.turn], now=now))
        await self._rows.save([one.now for one in out])
        return out

    def _forget(self, turns: Sequence[str]) -> None:
        for turn in turns:
            del self._failed[turn], self._asked_for[turn]

    def _exchanges(
        self, waiting: Sequence[WaitingMessage]
    ) -> list[tuple[WaitingMessage, Exchange]]:
        served = {
            one.turn.id: one
            for one in self._rewards.served_briefly(
                [t for w in waiting for t in (w.turn, w.before)]
            )
        }
        return [
            (one, _exchange(served[one.before], served[one.turn]))
            for one in waiting
            if one.turn in served and one.before in served
        ]

    def _feedback(self, turn: str, before: str, reader: str, findings: MessageFindings) -> Feedback:
        return Feedback(
            turn=turn, before=before, read_by=reader, read_at=self._clock.now(), findings=findings
        )


def _check_complete(
    reader: FeedbackReader,
    findings: Sequence[MessageFindings | None],
    exchanges: Sequence[Exchange],
) -> None:
    """Raise LullError if the reader returned fewer or more results than messages."""
    if len(findings) != len(exchanges):
        said = f"The reader {reader.name} answered {len(findings)} of {len(exchanges)} messages."
        raise LullError(said, hint="They wait; `lull doctor` says which reader is used.")


def _exchange(before: ServedTurn, after: ServedTurn) -> Exchange:
    """Build the exchange from turns with their whole requests."""
    said = typed_in(after_last_answer(after.turn.request))
    return Exchange(asked=before.asked, answer=before.turn.answer.text, said=said)
