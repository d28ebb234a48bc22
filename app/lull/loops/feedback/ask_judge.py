"""Has a judge model score, while no chat is going on, the answers on which there is no other
verdict (from the user, from a check by a program, or from what the user did next).
"""

from __future__ import annotations

import logging
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from lull.core.chat.messages import Role
from lull.core.errors import LullError
from lull.core.feedback.judge import ChosenJudge, Judge, JudgeQuestion, QuestionKind
from lull.core.feedback.reward import Vote, majority
from lull.core.feedback.rules import ScoreRule
from lull.core.idle.ports import QuietRunner
from lull.core.ports import Clock
from lull.loops.feedback.reward_book import RewardBook
from lull.store.feedback.reward_rows import RewardRow, ServedTurn
from lull.store.feedback.rewards import Rewards

log = logging.getLogger(__name__)

ANY_TIME = datetime.max.replace(tzinfo=UTC)
"""Latest possible time.

Passed when the user is waiting, so that judge questions due at any time are asked now.
"""


class AskJudge:
    """Has a judge model score stored answers, and stores its votes."""

    def __init__(
        self,
        rewards: Rewards,
        *,
        book: RewardBook,
        judges: ChosenJudge,
        quiet: QuietRunner,
        clock: Clock,
        rule: ScoreRule,
    ) -> None:
        self._rewards = rewards
        self._book = book
        self._judges = judges
        self._quiet = quiet
        self._clock = clock
        self._rule = rule
        self._away: LullError | None = None
        """Error of the judge's last call, if it could not be asked."""

    async def step(self, *, hurry: bool = False, limit: int = 8) -> int:
        """Have the judge model score at most `limit` stored answers that are due to be judged;
        return how many answers it was asked about.

        With `hurry` it also scores turns that still wait for the user's next message, or for
        another try after a failure. Raises LullError when the judge cannot be asked; later calls
        raise it too, as long as failed turns wait for another try.
        """
        judge = self._judges.judge()
        if judge is None:
            self._away = None
            return 0
        until = ANY_TIME if hurry else self._clock.now()
        due = self._rewards.due_for_judging(until, limit=limit)
        for served in due:
            await self._ask(judge, served, hurry=hurry)
        if not due and self._away is not None and self._rewards.due_for_judging(ANY_TIME, limit=1):
            raise self._away
        return len(due)

    async def _ask(self, judge: Judge, served: ServedTurn, *, hurry: bool) -> None:
        try:
            # Build the question only when it is quiet: the user may have gone on by then.
            votes = await self._quiet.run(lambda: judge.votes(self._question(served)), hurry=hurry)
        except LullError as error:
            log.info("the judge could not be asked: %s", error)
            self._away = error
            await self._not_asked(served.turn.id)
            raise
        self._away = None
        await self._judged(served.turn.id, votes, judge.version)

    def _question(self, served: ServedTurn) -> JudgeQuestion:
        turn = served.turn
        next_turn = self._rewards.following(turn)
        following = next_turn.request if next_turn is not None else ()
        return JudgeQuestion(
            asks=QuestionKind.TURN,
            messages=turn.request,
            answer=turn.answer,
            results=tuple(m for m in following if m.role is Role.TOOL),
            followup="\n\n".join(m.text for m in following if m.role is Role.USER and m.text),
        )

    async def _judged(self, turn: str, votes: tuple[Vote, ...], version: str) -> None:
        async with self._book.writing:
            # Read the row again: the user may have said something in the meantime.
            rows = [
                self._voted(one, votes, version) for one in self._rewards.served_briefly([turn])
            ]
            await self._book.save(rows)
        await self._book.credit(rows)

    def _voted(self, served: ServedTurn, votes: tuple[Vote, ...], version: str) -> RewardRow:
        """Return the turn's row with the judge's votes; without a majority the judge is asked
        again, a few times.
        """
        row = served.reward
        if majority(votes) is None:
            tries = row.tries + 1
            again = self._clock.now() + self._back_off(row.tries)
            return replace(row, tries=tries, due=again if tries < self._rule.tries else None)
        reward = self._book.reward(row.signals, served.turn.label, votes)
        return replace(row, reward=reward, votes=votes, judge=version, due=None)

    async def _not_asked(self, turn: str) -> None:
        """Store a later time to ask the judge about this turn. A judge that could not be asked does
        not use up a try.
        """
        async with self._book.writing:
            rows = [
                replace(served.reward, due=self._clock.now() + self._back_off(served.reward.tries))
                for served in self._rewards.served_briefly([turn])
            ]
            await self._book.save(rows)

    def _back_off(self, tries: int) -> timedelta:
        return timedelta(seconds=self._rule.retry_s * 2**tries)
