"""Computes how certain it is (as an e-value) that the adapter now in use makes answers worse, so
that Lull can return to the previous one.

During an adapter's trial a coin flip decides which conversations it answers, so the difference
between the two groups is its effect. Once it answers all conversations there is no coin flip any
more: then their scores are compared with the mean score under the previous adapter, less a margin.
That second test is valid for its claim (the mean is below that threshold), but it cannot tell a
worse adapter from harder requests. It errs towards a rollback (a return to the previous adapter),
which is harmless and can be undone.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final

from lull.core.adapters.adapter import trial_key
from lull.core.adapters.gate_statistics import gain_log_e
from lull.core.proof.evalue import e_value_from_log
from lull.core.proof.holdout import HoldoutOutcome, live_harm_e

HARM_E: Final = 20.0
HARM_MARGIN: Final = 0.05
"""Loss of mean score, on a scale of 0 to 1, that counts as harm. A smaller loss is left to the
tests that the next adapter must pass before use.
"""
FEWEST_EARLIER_SCORES: Final = 20
"""Fewest scored conversations of the previous adapter from which a harm threshold is computed."""
MOST_EARLIER_SCORES: Final = 400


def harm_threshold(before: Sequence[float]) -> float | None:
    """Return the mean score (0 to 1) below which the active adapter counts as harmful: the mean
    under the previous adapter, less a margin and twice its standard error.

    `before` holds the previous adapter's scores, newest first. None if there are too few of them,
    or if the threshold is not above 0.
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
    """Return the e-value against "the adapter does no harm"; a high value calls for a rollback to
    the previous adapter.

    `trial` holds the conversations that were assigned at random to the new or the old adapter;
    `since` the scores of conversations answered since the adapter became active, in order; `before`
    the previous adapter's scores, newest first. The mean of two e-values is an e-value (Vovk &
    Wang, Annals of Statistics 2021): either can raise the alarm, and the chance of a false alarm
    stays at 1 in 20.
    """
    found = [live_harm_e(trial, trial_key(adapter))]
    mark = harm_threshold(before)
    if mark is not None and since:
        worse = [(1.0 - value) - (1.0 - mark) for value in since]
        found.append(e_value_from_log(gain_log_e(worse)))
    return sum(found) / len(found)
