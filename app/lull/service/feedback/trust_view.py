"""Builds the JSON of how reliable each source of rewards (user, checks, judge model …) is, and
picks the answer that the user is asked to rate.
"""

from __future__ import annotations

from collections.abc import Callable

from lull.contract.json_object import Json
from lull.core.feedback.calibration import (
    Calibration,
    Counts,
    Estimate,
    RatingCandidate,
    may_train_on_judge,
    question_of_the_day,
    was_today,
)
from lull.core.feedback.reward import Source
from lull.core.ports import Clock
from lull.loops.feedback.reward_book import verdicts
from lull.loops.training.rewarding import MOST_JUDGED, judge_agreement
from lull.store.feedback.reward_rows import RewardRow
from lull.store.feedback.rewards import Rewards


class TrustView:
    """Shows how reliable each source of rewards (user, checks, judge model …) is, and picks the
    answer that the user is asked to rate.

    Blocking: call it from a thread.
    """

    def __init__(
        self, rewards: Rewards, *, calibration: Callable[[], Calibration], clock: Clock
    ) -> None:
        self._rewards = rewards
        self._calibration = calibration
        self._clock = clock

    def sources(self) -> list[Json]:
        """Return each source of rewards (user, checks, judge model …) with its sensitivity,
        specificity and estimated share of good answers.
        """
        calibration = self._calibration()
        said = self._rewards.verdict_counts()
        views = []
        for source in Source:
            counts = calibration.counts.get(source, Counts())
            found = calibration.rates(source)
            good, n = said.get(source.value, (0, 0))
            views.append(
                {
                    "source": source.value,
                    "sensitivity": round(found.sensitivity, 4),
                    "specificity": round(found.specificity, 4),
                    "labels": counts.tp + counts.fn + counts.fp + counts.tn,
                    "good": _estimate(calibration.true_rate(source, good=good, n=n)),
                }
            )
        return views

    def judge(self) -> Json:
        """Return how often the judge model agrees with programs that check the same answers, and
        whether its verdicts may be used for training.
        """
        found = judge_agreement(self._rewards)
        trains, why = may_train_on_judge(found)
        return {"agreement": _estimate(found), "trains": trains, "why": why}

    def question(self) -> tuple[str | None, bool]:
        """Return the id of the turn (a recorded answer) that the user is asked to rate today, or
        None; and whether this call has chosen it (False: it was chosen earlier).

        The question stays the same until the turn is rated or a day has passed.
        """
        asked, at = self._rewards.asked_last()
        if at is not None and was_today(at, self._clock.now()):
            return asked, False
        doubts = [
            self._doubt(row) for row in self._rewards.judged(limit=MOST_JUDGED, unlabelled=True)
        ]
        turn = question_of_the_day(doubts, asked_last=at, now=self._clock.now())
        return turn, turn is not None

    def _doubt(self, row: RewardRow) -> RatingCandidate:
        said, calibration = verdicts(row), self._calibration()
        judge = said.pop(Source.JUDGE, None)
        most = min(said, key=lambda source: source.trust, default=None)
        return RatingCandidate(
            turn=row.turn,
            judge=None if judge is None else calibration.p_good(judge, Source.JUDGE),
            signals=None if most is None else calibration.p_good(said[most], most),
        )


def _estimate(found: Estimate) -> Json:
    return {
        "value": round(found.value, 4),
        "low": round(found.low, 4),
        "high": round(found.high, 4),
        "n": found.n,
    }
