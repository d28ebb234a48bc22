"""Measures what an approved skill does in use, by answering its past requests again without it.

A request that had the skill in its prompt is answered twice with the same seed, with and without
the skill, and both answers are scored. This module turns such pairs of answers into an effect and
into e-values. It also says whether a skill still needs replays, and whether replays can measure it
at all; if not, it must be left out of new conversations at random. How answers are made is not
known here.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import NormalDist

from lull.core.proof.evalue import e_value_from_log, log_e_value
from lull.core.proof.holdout import Effect
from lull.core.proof.pairs import Pair, distinct_pairs


class MeasuredBy(StrEnum):
    """The method by which the effect of an approved skill is measured: by answering past requests
    again without it, by leaving it out of some new conversations at random, or not at all.
    """

    REPLAY = "replay"
    """Past requests are answered again without the skill while the user is away; new conversations
    keep it.
    """
    COIN = "coin"
    """The skill is left out of a small share of new conversations, because replays cannot measure
    it.
    """
    NOTHING = "nothing"
    """No measurement: the user wrote, changed or pinned the skill, or the share of conversations to
    leave it out of is 0.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class UseRule:
    """Settings for measuring an approved skill by answering past requests again without it: how
    many requests it needs, and how many are answered again.
    """

    least_requests: int = 3
    """Fewest past requests, with answers that can be scored, that a skill needs for being measured
    by answering them again without it.
    """
    most_pairs: int = 60
    """Number of compared pairs of answers after which only a part of the past requests is still
    answered again.
    """
    later_part: float = 0.2
    """Share of past requests that is still answered again once the effect is certain or there are
    `most_pairs` pairs.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class UseCounts:
    """Counts of the replayed pairs of an approved skill (one past request answered with and without
    it).
    """

    pairs: int = 0
    better: int = 0
    """Number of pairs in which the answer with the skill was better than that without."""
    worse: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillMeasure:
    """How a skill's effect is measured (by replaying past requests without it, by leaving it out of
    some conversations at random, or not at all), with the counts so far, as shown to the user.
    """

    by: MeasuredBy
    counts: UseCounts = UseCounts()
    share: float = 0.0
    """Share of new conversations that the skill is left out of."""
    first_uses: int = 0
    """Number of each client's conversations after the approval that it is never left out of."""


def counts_of(pairs: Sequence[Pair]) -> UseCounts:
    """Count the pairs of answers that measured an approved skill, and those that were better with
    it.
    """
    kept = distinct_pairs(pairs)
    return UseCounts(
        pairs=len(kept),
        better=sum(pair.won for pair in kept),
        worse=sum(pair.lost for pair in kept),
    )


def replay_effect(pairs: Sequence[Pair], *, level: float = 0.95) -> Effect | None:
    """Estimate a skill's mean effect on the score of an answer, from past requests answered with
    and without it; None without such a pair.

    One pair for the skill and one against it are added, so that a few equal pairs do not look
    certain (Bonett & Price, J. Educ. Behav. Stat. 37(4), 2012, for paired proportions).
    """
    kept = distinct_pairs(pairs)
    if not kept:
        return None
    gains = [*(pair.with_ - pair.without for pair in kept), 1.0, -1.0]
    mean = sum(gains) / len(gains)
    variance = sum((gain - mean) ** 2 for gain in gains) / len(gains)
    half = NormalDist().inv_cdf((1.0 + level) / 2.0) * math.sqrt(variance / len(gains))
    return Effect(value=mean, low=max(-1.0, mean - half), high=min(1.0, mean + half), n=len(kept))


def replay_help_e(pairs: Sequence[Pair]) -> float:
    """Return the e-value against "an answer is no likelier to be better with the skill than worse",
    from past requests answered with and without the skill. A high value shows that the skill helps.
    """
    counts = counts_of(pairs)
    return e_value_from_log(log_e_value(counts.better, counts.worse))


def replay_harm_e(pairs: Sequence[Pair]) -> float:
    """Return the e-value against "an answer is no likelier to be worse with the skill than better",
    from past requests answered with and without the skill. A high value shows that the skill does
    harm.
    """
    counts = counts_of(pairs)
    return e_value_from_log(log_e_value(counts.worse, counts.better))


def combined_e_value(one: float, other: float) -> float:
    """Combine the e-values (strengths of evidence) of two separate measurements of a skill, such as
    answering past requests without it and leaving it out of conversations at random.

    Each bet is fair given all that came before it, so their product is an e-value again (testing by
    betting: Waudby-Smith & Ramdas, arXiv 2010.09686).
    """
    return e_value_from_log(math.log(one) + math.log(other)) if one > 0.0 and other > 0.0 else 0.0


def replays_can_measure(scorable: int, rule: UseRule) -> bool:
    """Whether a skill's effect can be measured by answering its past requests again without it.
    `scorable` is the number of its past requests with answers that can be scored; the rule sets how
    many are needed.
    """
    return scorable >= rule.least_requests


def should_replay(request: str, pairs: Sequence[Pair], rule: UseRule, *, sure_e: float) -> bool:
    """Whether to answer a past request once more, without an approved skill that it had in its
    prompt, to measure the skill's effect. `pairs` are the replays of other requests so far.

    Every request is answered again until the effect is certain or there are many pairs of answers.
    From then on only a fixed share of the requests is, so that a later change of the effect is
    still noticed.
    """
    sure = max(replay_help_e(pairs), replay_harm_e(pairs)) >= sure_e
    if not sure and len(pairs) < rule.most_pairs:
        return True
    digest = hashlib.sha256(request.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:6], "big") / 2**48 < rule.later_part
