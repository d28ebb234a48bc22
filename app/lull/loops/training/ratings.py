"""Looks up the rated answers of a model: which of them a KTO run (training on single rated answers)
may use, and which are kept out, in pairs of a good and a bad one, to test what came of it.

Everything here blocks.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

from lull.core.errors import NotFound
from lull.core.feedback.reward import GREY, is_failure
from lull.core.training.ports import Curriculum
from lull.core.training.ratings import (
    RatedPair,
    RatedTurn,
    learnable_kinds,
    pair_ratings,
    rating_held_out,
)
from lull.core.training.record import Run, RunStatus
from lull.core.training.rollout import normalised_words
from lull.core.training.spec import RunKind
from lull.loops.chat.current_selection import CurrentSelection
from lull.loops.training.eligible import Eligible
from lull.loops.training.rewarding import RewardAnswers, may_train
from lull.loops.training.rollout import Prompt
from lull.store.adapters.adapters import Adapters
from lull.store.feedback.reward_rows import ServedTurn
from lull.store.feedback.rewards import Rewards
from lull.store.training.training import Training

SPENT = frozenset(RunStatus) - {RunStatus.SUPERSEDED, RunStatus.CANCELLED, RunStatus.FAILED}
"""Statuses in which a run's training material counts as used up."""

Labelled = tuple[Prompt, bool]
"""A recorded answer with its label: whether it was good."""


@dataclass(frozen=True)
class RatedAnswers:
    """The rated answers of one model, newest first."""

    train: tuple[Labelled, ...]
    """The rated answers that a training run may use."""
    pairs: tuple[RatedPair, ...]
    """Pairs about the same kinds of request that were kept out of training."""

    @cached_property
    def counts(self) -> tuple[int, int]:
        """How many of the answers to train on are good, and how many bad."""
        good = sum(good for _, good in self.train)
        return good, len(self.train) - good


@dataclass(frozen=True, slots=True, kw_only=True)
class Trained:
    """The data on which an adapter and its ancestors (the adapters that it was trained from) were
    trained.
    """

    ids: frozenset[str]
    """Ids of turns, and sha256 of skill texts."""
    seen: frozenset[str]
    """Normalised texts of the requests; the same text in another turn is not new to the model."""
    rated: tuple[ServedTurn, ...]
    """The turns with bad answers that it was trained on because they had been rated."""

    by_ratings: bool
    """Whether the adapter's own run was one on ratings (KTO)."""

    def fresh(self, one: ServedTurn) -> bool:
        """Whether the model was not trained on this request."""
        return one.turn.id not in self.ids and normalised_words(one.asked) not in self.seen


class Ratings:
    """Looks up which rated answers may be trained on, and which are kept out to test the result."""

    def __init__(
        self,
        *,
        adapters: Adapters,
        training: Training,
        rewards: Rewards,
        eligible: Eligible,
        rewarding: RewardAnswers,
        current_selection: CurrentSelection,
        curriculum: Curriculum,
    ) -> None:
        """The curriculum says what kind of request a model was asked."""
        self._adapters = adapters
        self._training = training
        self._rewards = rewards
        self._eligible = eligible
        self._rewarding = rewarding
        self._current_selection = current_selection
        self._curriculum = curriculum

    def of(self, model: str, recent: Sequence[ServedTurn]) -> RatedAnswers:
        """Return the rated answers among the model's recent turns: those that the next run may
        train on, and those on which its result would be tested.
        """
        known = self.labelled(model, recent)
        spent = self._training.trained_on(RunKind.KTO, SPENT)
        open_ = [
            (prompt, good)
            for prompt, good in known
            if prompt.turn not in spent and not rating_held_out(prompt.served.asked)
        ]
        kinds = learnable_kinds([self._rating(model, *one) for one in open_])
        return RatedAnswers(
            train=tuple(one for one in open_ if self._kind(model, one[0].served) in kinds),
            pairs=self._pairs(
                model, known, kinds, self.trained(self._adapters.in_force(model).active)
            ),
        )

    def pairs(
        self, model: str, recent: Sequence[ServedTurn], trained: Trained
    ) -> tuple[RatedPair, ...]:
        """Return the pairs of rated answers on which an adapter is tested that was trained on
        ratings.
        """
        kinds = self.kinds(model, trained)
        return self._pairs(model, self.labelled(model, recent), kinds, trained)

    def kinds(self, model: str, trained: Trained) -> frozenset[str]:
        """Return the kinds of request whose answers were to change by training on ratings; "" among
        them for requests of no known kind.
        """
        return frozenset(self._kind(model, one) for one in trained.rated)

    def trained(self, adapter: str | None) -> Trained:
        """Return what an adapter, its ancestors and their earlier runs were trained on."""
        ids: set[str] = set()
        rated: set[str] = set()
        own = self._adapters.get(adapter).run if adapter is not None else None
        by_ratings = False
        for run in self._runs_of(adapter):
            turns = {source.id for source in self._training.sources(run.id)}
            ids.update(turns, run.skills)
            if run.kind is RunKind.KTO:
                rated.update(turns)
                by_ratings |= run.id == own
        served = self._rewards.served(sorted(ids))
        return Trained(
            ids=frozenset(ids),
            seen=frozenset(normalised_words(one.asked) for one in served),
            # Good ones may have been replayed only, to be kept as they are.
            rated=tuple(one for one in served if one.turn.id in rated and _is_bad(one)),
            by_ratings=by_ratings,
        )

    def _runs_of(self, adapter: str | None) -> list[Run]:
        found: dict[str, Run] = {}
        for version in self._adapters.lineage(adapter):
            run = self._adapters.get(version).run
            while run is not None and run not in found:
                try:
                    found[run] = self._training.get(run)
                except NotFound:
                    break
                run = found[run].parent
        return [*found.values()]

    def _pairs(
        self, model: str, known: Sequence[Labelled], kinds: Collection[str], trained: Trained
    ) -> tuple[RatedPair, ...]:
        kept = [
            self._rating(model, prompt, good)
            for prompt, good in known
            if rating_held_out(prompt.served.asked) and trained.fresh(prompt.served)
        ]
        return tuple(pair_ratings(kept, kinds))

    def labelled(self, model: str, recent: Sequence[ServedTurn]) -> list[Labelled]:
        """Return the recent answers that are known to be good or bad and may train the weights,
        newest first, without those to requests whose skill the active adapter has learned.
        """
        trains = self._rewarding.judge_may_train()[0]
        judged = self._eligible.check_turns([one.turn.id for one in recent])
        learned = self._adapters.learned_by_active(model)
        found = []
        for one in recent:
            known, reward = judged.get(one.turn.id), one.reward.reward
            if known is None or known.why_not or reward is None:
                continue
            if not may_train(reward.source, judge_may_train=trains):
                continue
            if learned and self._is_learned(one, learned):
                continue
            prompt = Prompt(served=one, skills=self._current_selection.skills(one) or ())
            found.append((prompt, reward.p_good > GREY[1]))
        return found

    def _is_learned(self, one: ServedTurn, learned: Collection[str]) -> bool:
        """Whether the base model's prompt for this request would have a skill that the active
        adapter has learned: the base, which the trainer holds the answer against, would be asked
        for something else.
        """
        skills = self._current_selection.skills(one, by_base=True) or ()
        return any(skill.sha256 in learned for skill in skills)

    def _rating(self, model: str, prompt: Prompt, good: bool) -> RatedTurn:
        kind = self._kind(model, prompt.served)
        return RatedTurn(turn=prompt.turn, kind=kind, asked=prompt.served.asked, good=good)

    def _kind(self, model: str, served: ServedTurn) -> str:
        return self._curriculum.subject(model, served.asked)


def _is_bad(served: ServedTurn) -> bool:
    reward = served.reward.reward
    return reward is not None and is_failure(reward)
