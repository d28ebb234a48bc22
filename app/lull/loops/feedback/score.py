"""Scores answers by signals of how good they were: results of tools and checks, and what the user
did and said next.

When the next message arrives, signals are gathered at once: tool results, formats, checks and what
the user did. What the user said in the message is read later, while no chat is going on, and added
then. `reward_book` combines all sources into a reward; if no signal says anything, a judge model is
asked later (`ask_judge`).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace

from lull.core.chat.messages import Finish
from lull.core.feedback.feedback import DENIED_BY, Feedback
from lull.core.feedback.signals import (
    Signal,
    SignalKind,
    from_feedback,
    from_tools,
    regenerated,
)
from lull.core.provenance.authorship import after_last_answer, typed_in
from lull.loops.feedback.first_hearing import FirstHearing, exchange_of
from lull.loops.feedback.reward_book import NewSignals, RewardBook
from lull.loops.feedback.standing_wishes import StandingWishes, Withdrawn
from lull.loops.feedback.verify import Verifier, Wish, is_from_wish, wish_text
from lull.store.chat.turn_rows import TurnRow
from lull.store.feedback.reward_rows import RewardRow, ServedTurn, newest_words
from lull.store.feedback.rewards import Rewards
from lull.store.feedback.unscored_turns import UnscoredTurn

log = logging.getLogger(__name__)

TURNS_AT_ONCE = 16
"""Most turns read from the store at once."""
STUMBLES = 2
"""How many failed attempts to score a turn make the scoring skip it."""


class Score:
    """Gathers signals of how good each answer was (corrections, checks, retries, ratings) and keeps
    the rewards of turns up to date.
    """

    def __init__(
        self,
        rewards: Rewards,
        *,
        book: RewardBook,
        verifier: Verifier,
        wishes: StandingWishes,
        hearing: FirstHearing,
    ) -> None:
        self._rewards = rewards
        self._book = book
        self._verifier = verifier
        self.wishes = wishes
        self._hearing = hearing
        self._begun: dict[str, int] = {}
        """Unfinished tries by turn, so that one failing turn does not stop the rest."""

    # At once, without a model

    async def read_new(self) -> int:
        """Gather the signals of how good the answer was (such as checks and retries) for all turns
        not scored yet; return how many turns were read.
        """
        async with self._book.writing:
            withdrawn = await asyncio.to_thread(self.wishes.find_withdrawn)
            await self._follow(withdrawn)
            self.wishes.apply_withdrawn(withdrawn)
            count = 0
            while unread := self._rewards.unscored_turns(limit=TURNS_AT_ONCE):
                for one in unread:
                    heard = [] if self._stumbles(one.turn.id) else await self._read(one)
                    rows = self._book.rows(heard)
                    await self._book.save(rows, read=[one.turn.id])
                    await self._book.credit(rows)
                    del self._begun[one.turn.id]
                count += len(unread)
            return count

    def _stumbles(self, turn: str) -> bool:
        """Count a try to score a turn; return whether it has failed too often to be tried again."""
        tries = self._begun[turn] = self._begun.get(turn, 0) + 1
        if tries > STUMBLES:
            log.error("turn %s cannot be scored and is passed over", turn)
        return tries > STUMBLES

    async def _read(self, unread: UnscoredTurn) -> list[NewSignals]:
        """Gather what a turn says of its own answer, and of the turn before it or the one that it
        repeats; nothing if it was deleted meanwhile.
        """
        turn = unread.turn
        (served,) = self._rewards.served_briefly([turn.id]) or (None,)
        if served is None:
            return []
        wishes = await self.wishes.wishes_for(served)
        touched = [other.id for other in (turn, unread.before, unread.again) if other is not None]
        known = self._rewards.of(touched)
        found = [NewSignals(known.get(turn.id), turn, self._of_itself(served, wishes))]
        if unread.before is not None and unread.before.answered:
            row = known.get(unread.before.id)
            tools = _tool_results(unread.before, turn)
            row, said = await self._replied(served, unread.before, turn, row, tools)
            found.append(NewSignals(row, unread.before, said, due_now=True))
        if unread.again is not None and _rejects(unread.again):
            again = regenerated(newest_words(unread.again.request))
            found.append(NewSignals(known.get(unread.again.id), unread.again, (again,)))
        return found

    async def _replied(
        self,
        served: ServedTurn,
        before: TurnRow,
        turn: TurnRow,
        row: RewardRow | None,
        tools: tuple[Signal, ...],
    ) -> tuple[RewardRow | None, tuple[Signal, ...]]:
        """Return the signals that follow an answer: tool results, and the reply if it can be read
        now.
        """
        feedback = await self._hearing.feedback_without_model(before, turn)
        if feedback is None or any(one.kind is SignalKind.ENVIRONMENT for one in tools):
            return row, tools  # an environment fault is not the answer's, whatever was said
        row, said = await self._said(served, before, exchange_of(before, turn).said, feedback, row)
        return row, (*tools, *said)

    async def _said(
        self,
        served: ServedTurn,
        before: TurnRow,
        said: str,
        feedback: Feedback,
        row: RewardRow | None,
    ) -> tuple[RewardRow | None, tuple[Signal, ...]]:
        """Return the signals of a message that was read; a lasting wish is stored."""
        findings = feedback.findings
        signals = from_feedback(findings, said)
        if not before.complete:  # thanks for an answer that was stopped do not say that it was good
            signals = tuple(one for one in signals if one.kind is not SignalKind.THANKS)
        if not findings.lasts:
            await self.wishes.drop(served, feedback.turn)
            return row, signals
        wish = self._verifier.wish_of(feedback, about=newest_words(before.request))
        wishes = await self.wishes.add(served, wish)
        if feedback.read_by == DENIED_BY:  # the wish stands, and says nothing of this answer
            wishes = [one for one in wishes if one.said != feedback.turn]
        return self._wished_anew(wishes, before, row, signals)

    async def rescore_with_feedback(self, found: Sequence[Feedback]) -> None:
        """Update the scores of answers after users' replies to them were read for feedback.

        Replaces the scores from earlier readings of the same replies.
        """
        async with self._book.writing:
            rows: list[RewardRow] = []
            for one in found:
                both = self._rewards.served_briefly([one.before, one.turn])
                if len(both) == 2:
                    rows.append(await self._of_reading(both[0], both[1], one))
            await self._book.save(rows)
        await self._book.credit(rows)

    async def _of_reading(
        self, before: ServedTurn, after: ServedTurn, feedback: Feedback
    ) -> RewardRow:
        row = _without_words(before.reward)
        if any(one.kind is SignalKind.ENVIRONMENT for one in row.signals):
            return row
        said = typed_in(after_last_answer(after.turn.request))
        known, signals = await self._said(before, before.turn, said, feedback, row)
        return self._book.row(known, before.turn, signals, due_now=True)

    def _of_itself(self, served: ServedTurn, wishes: Sequence[Wish]) -> tuple[Signal, ...]:
        turn = served.turn
        if not turn.complete:
            return ()
        asked, answer = newest_words(turn.request), turn.answer.text
        shape = () if turn.answer.tool_calls else self._verifier.check_format(turn.format, answer)
        return (
            *shape,
            *self._verifier.run_skill_checks([skill.sha256 for skill in turn.skills], answer),
            *self._verifier.check_wish(turn.model, wishes=wishes, asked=asked, answer=answer),
        )

    # Standing wishes

    def _wished_anew(
        self,
        wishes: Sequence[Wish],
        before: TurnRow,
        row: RewardRow | None,
        said: tuple[Signal, ...],
    ) -> tuple[RewardRow | None, tuple[Signal, ...]]:
        """Check the answer against the new wishes, dropping verdicts of older wishes. An answer
        that the user stopped is not checked: its rest is not known.
        """
        if row is not None:
            kept = tuple(signal for signal in row.signals if not is_from_wish(signal))
            row = replace(row, signals=kept)
        if not before.complete:
            return row, said
        asked = newest_words(before.request)
        anew = self._verifier.check_wish(
            before.model, wishes=wishes, asked=asked, answer=before.answer.text
        )
        return row, (*said, *anew)

    async def _follow(self, withdrawn: Withdrawn) -> None:
        """Remove the verdicts of wishes that the user turned down.

        A wish that is wanted again applies only to later answers.
        """
        turns = [*withdrawn.verdicts]
        for start in range(0, len(turns), TURNS_AT_ONCE):
            some = await asyncio.to_thread(
                self._rewards.served, turns[start : start + TURNS_AT_ONCE]
            )
            rows = [self._book.row(_without(one, withdrawn), one.turn, ()) for one in some]
            await self._book.save(rows)


def _without(served: ServedTurn, withdrawn: Withdrawn) -> RewardRow:
    """Return the turn's row without the verdicts of withdrawn wishes."""
    lost = {wish_text(words) for words in withdrawn.verdicts[served.turn.id]}
    row = served.reward
    kept = tuple(one for one in row.signals if not (is_from_wish(one) and one.text in lost))
    return replace(row, signals=kept)


def _without_words(row: RewardRow) -> RewardRow:
    """Return the turn's row without what an earlier reader heard in the reply."""
    spoken = (SignalKind.CORRECTION, SignalKind.THANKS)
    return replace(row, signals=tuple(one for one in row.signals if one.kind not in spoken))


def _tool_results(before: TurnRow, turn: TurnRow) -> tuple[Signal, ...]:
    """Signals from the results of the answer's tool calls."""
    return from_tools(turn.request, answer=before.answer) if before.answer.tool_calls else ()


def _rejects(earlier: TurnRow) -> bool:
    """Whether asking again rejects the answer; only a complete answer can be rejected."""
    said = earlier.answer.text.strip() or earlier.answer.tool_calls
    return earlier.finish in (Finish.STOP, Finish.TOOL_CALLS) and bool(said)
