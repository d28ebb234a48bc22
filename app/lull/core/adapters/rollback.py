"""Whether an active adapter does harm in use, and how certain that is.

During the trial a coin flip decides which conversations it answers, so the difference between the
two groups is its effect. Once it answers all of them there is no coin flip: then its conversations
are compared with the mean under the previous adapter, less a margin. That second bet is valid for
its claim (the mean is below that mark) but cannot tell a worse adapter from harder requests. It
errs towards a rollback, which is harmless and can be undone.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final

from lull.core.adapters.adapter import flip_key
from lull.core.adapters.gate_statistics import gain_log_e
from lull.core.proof.evalue import from_log
from lull.core.proof.holdout import HoldoutOutcome, live_harm_e

HARM_E: Final = 20.0
HARM_MARGIN: Final = 0.05
"""Loss of mean score that counts as harm; smaller losses are left to the next gate."""
FEWEST_EARLIER_SCORES: Final = 20
"""Fewest scored conversations of the previous adapter from which a harm threshold is computed."""
MOST_EARLIER_SCORES: Final = 400


def mark_of(before: Sequence[float]) -> float | None:
    """Return the mean score (0 to 1) below which an adapter does harm: the mean under the previous
    adapter, less the margin and twice its standard error.

    `before` is newest first. None if too few scores are known, or if the mark is not above 0.
    """
    values = list(before)[:MOST_EARLIER_SCORES]
    if len(values) < FEWEST_EARLIER_SCORES:
        return None
    mean = math.fsum(values) / len(values)
    spread = math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)
    mark = mean - HARM_MARGIN - 2.0 * math.sqrt(spread / len(values))
    return mark if mark > 0.0 else None


def harm_e(
    adapter: str, trial: Iterable[HoldoutOutcome], since: Sequence[float], before: Sequence[float]
) -> float:
    """Return the e-value against "the adapter does no harm".

    `trial` holds the trajectories with a coin flip; `since` the scores of those answered since it
    became active, in order. The mean of two e-values is an e-value (Vovk & Wang, Annals of
    Statistics 2021): either can raise the alarm, and the chance of a false alarm stays at 1 in 20.
    """
    found = [live_harm_e(trial, flip_key(adapter))]
    mark = mark_of(before)
    if mark is not None and since:
        worse = [(1.0 - value) - (1.0 - mark) for value in since]
        found.append(from_log(gain_log_e(worse)))
    return sum(found) / len(found)
