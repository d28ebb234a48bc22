"""Combines all verdicts on an answer (the user's rating, checks by programs, what the user did
next, a judge model's votes) into a reward (how good it was), and stores it.

The most trusted source that has an opinion decides, calibrated on the user's ratings. A turn on
which no source has one stays unscored; it is never scored zero.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from lull.core.feedback.calibration import Calibration, Prior
from lull.core.feedback.reward import Reward, Source, Vote, combined, majority
from lull.core.feedback.rules import ScoreRule
from lull.core.feedback.signals import Signal, SignalKind
from lull.core.ports import Clock
from lull.loops.feedback.credit_wins import CreditWins, FindsSaved
from lull.store.chat.turn_rows import Label, TurnRow
from lull.store.feedback.reward_rows import RewardRow
from lull.store.feedback.rewards import Rewards


@dataclass(frozen=True, slots=True)
class NewSignals:
    """Signals that were gathered of a turn's answer, beside what is stored of that answer."""

    known: RewardRow | None
    turn: TurnRow
    signals: tuple[Signal, ...]
    due_now: bool = False
    """Whether the judge may be asked about the answer now."""


class RewardBook:
    """Combines the verdicts on each answer (the user's rating, checks, what the user did next, a
    judge model's votes) into a reward and stores it; recalibrates all rewards when the user rates
    an answer.
    """

    def __init__(
        self,
        rewards: Rewards,
        *,
        crediting: CreditWins,
        clock: Clock,
        coin: Callable[[], float],
        rule: ScoreRule,
        judge_belief: Callable[[], Prior | None] = lambda: None,
    ) -> None:
        """The argument `judge_belief` returns how reliable the judge model is assumed to be (a
        prior) before the user has rated anything; None if nothing is known of it. `coin` gives
        random numbers that decide which answers the judge model is also asked about, to measure its
        accuracy.
        """
        self._rewards = rewards
        self._crediting = crediting
        self._clock = clock
        self._coin = coin
        self._rule = rule
        self._judge_belief = judge_belief
        self.writing = asyncio.Lock()
        """Lock that is held from reading a turn's reward row to writing it back.

        So signals, votes and ratings do not overwrite each other.
        """
        self._calibrating = asyncio.Lock()
        self.calibration = Calibration()

    async def save(self, rows: Sequence[RewardRow], *, read: Collection[str] = ()) -> None:
        """Store rewards of answers in the database, and mark the turns in `read` as turns whose
        signals of a good or bad answer, such as checks and retries, have been gathered.
        """
        await self._rewards.save(rows, read=read, at=self._clock.now())

    async def credit(self, rows: Sequence[RewardRow]) -> None:
        """Store requests that were answered well as exemplars (past successes) of the skills that
        helped with them.
        """
        await self._crediting.credit(rows)

    async def credit_earlier(self, stored: FindsSaved) -> None:
        """Store what was answered well before this start and could not be stored then; `stored`
        tells which turns are stored.
        """
        await self._crediting.credit_earlier(stored)

    def rows(self, gathered: Sequence[NewSignals]) -> list[RewardRow]:
        """Return the reward records of these turns with the signals that were gathered of them."""
        return [self.row(one.known, one.turn, one.signals, due_now=one.due_now) for one in gathered]

    def row(
        self,
        known: RewardRow | None,
        turn: TurnRow,
        new: Iterable[Signal],
        *,
        due_now: bool = False,
    ) -> RewardRow:
        """Return a turn's reward record `known` with the signals `new` (verdicts on its answer,
        such as from checks), the reward computed again, and when to ask the judge, if at all.

        `due_now` makes that time now.
        """
        row = known or RewardRow(turn=turn.id, reward=None)
        signals = tuple(dict.fromkeys((*row.signals, *new)))
        reward = self.reward(signals, turn.label, row.votes)
        due = row.due
        if reward is not None and not self._audited(reward, row):
            due = None
        elif turn.complete and not row.votes and row.tries < self._rule.tries:
            wait_s = 0.0 if due_now else self._rule.settle_s
            due = self._clock.now() + timedelta(seconds=wait_s)
        return replace(row, signals=signals, reward=reward, due=due)

    def _audited(self, reward: Reward, row: RewardRow) -> bool:
        """Whether to ask the judge although the reward is known, to measure its accuracy."""
        if reward.source is not Source.VERIFIABLE or row.votes:
            return False
        return self._coin() < self._rule.audit_share

    def reward(
        self, signals: Sequence[Signal], label: Label | None, votes: Sequence[Vote]
    ) -> Reward | None:
        """Return a turn's reward (how good its answer was), as the most trusted source of verdicts
        says: the user's rating, then checks by programs, then what the user did next, then the
        judge model. The reward is calibrated on the user's ratings.

        None if no source has an opinion.
        """
        spoken = [
            self._calibrated(signal.value, signal.source)
            for signal in signals
            if signal.kind is not SignalKind.ENVIRONMENT and signal.value
        ]
        if label is not None:
            spoken.append(self._calibrated(1.0 if label is Label.GOOD else -1.0, Source.EXPLICIT))
        verdict = majority(votes)
        if verdict is not None:
            spoken.append(
                replace(self._calibrated(float(verdict), Source.JUDGE), votes=tuple(votes))
            )
        return combined(spoken)

    def _calibrated(self, value: float, source: Source) -> Reward:
        return Reward(value=value, p_good=self.calibration.p_good(value, source), source=source)

    # The user's ratings

    async def on_rating(self, turn: str) -> None:
        """Compute a turn's reward again after the user rated it or changed the rating, and
        recalibrate all other sources of rewards, such as checks and the judge model.
        """
        rows = await self._rescore([turn])
        await self.recalibrate()
        await self.credit(rows)

    async def _rescore(self, turns: Sequence[str]) -> list[RewardRow]:
        async with self.writing:
            rows = [
                self.row(one.reward, one.turn, ()) for one in self._rewards.served_briefly(turns)
            ]
            await self.save(rows)
            return rows

    async def recalibrate(self) -> None:
        """Recalibrate every source of rewards (checks by programs, what users did next, the judge
        model) by how often it agrees with the user's ratings.

        Ratings that were stored but not scored before the service ended are scored now.
        """
        async with self._calibrating:  # one at a time, so that the newest reading wins
            unheard = await asyncio.to_thread(self._rewards.scores_out_of_step)
            if unheard:
                await self._rescore(unheard)
            labelled = await asyncio.to_thread(self._rewards.labelled)
            belief = self._judge_belief()
            self.calibration = Calibration.of(
                ((label is Label.GOOD, verdicts(row)) for label, row in labelled),
                {} if belief is None else {Source.JUDGE: belief},
            )
            changed = {
                (source, value): self.calibration.p_good(value, Source(source))
                for source, value in await asyncio.to_thread(self._rewards.sources_and_values)
            }
            await self._rewards.recalibrate(changed)


def verdicts(row: RewardRow) -> dict[Source, float]:
    """Return each source's verdict (-1 to 1) on a turn's answer; of several signals of one source,
    the lowest. Sources are, for example, checks or the judge model; the user's rating is left out.
    """
    said: dict[Source, float] = {}
    for signal in row.signals:
        if signal.kind is not SignalKind.ENVIRONMENT and signal.value:
            said[signal.source] = min(signal.value, said.get(signal.source, 1.0))
    verdict = majority(row.votes)
    if verdict is not None:
        said[Source.JUDGE] = float(verdict)
    return said
