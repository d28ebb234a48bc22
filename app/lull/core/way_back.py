"""Whether an adapter harms in life, and how sure that is.

While it is on trial a coin decides which conversations it answers, so the difference between the
two kinds is its doing (`guard.live_harm_e`). Once it answers all of them there is no such coin any
more: then its conversations are held against what the one before reached, less a margin. That bet
is right about what it says (the mean is below that mark) and cannot tell an adapter from harder
days; it errs towards the way back, which is harmless and can be taken back.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final

from lull.core.adapter import flip_key
from lull.core.evalue import from_log
from lull.core.gate_odds import gain_log_e
from lull.core.guard import Outcome, live_harm_e

HARM_E: Final = 20.0
MARGIN: Final = 0.05
"""Below what was reached before; smaller differences are left to the next gate."""
LEAST_BEFORE: Final = 20
"""Scored conversations of the one before; from fewer no mark is set."""
MOST_BEFORE: Final = 400


def mark_of(before: Sequence[float]) -> float | None:
    """What conversations under the one before reached (0 to 1), less the margin and twice the
    standard error of that mean; None where too few are known. Newest first."""
    values = list(before)[:MOST_BEFORE]
    if len(values) < LEAST_BEFORE:
        return None
    mean = math.fsum(values) / len(values)
    spread = math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)
    mark = mean - MARGIN - 2.0 * math.sqrt(spread / len(values))
    return mark if mark > 0.0 else None


def harm_e(
    adapter: str, trial: Iterable[Outcome], since: Sequence[float], before: Sequence[float]
) -> float:
    """The e-value against "the adapter does not harm".

    `trial` are the trajectories whose coin was tossed, `since` how good those were that it has
    answered since it is in force, in their order. The mean of two e-values is one (Vovk & Wang,
    Annals of Statistics 2021): either may speak, and the chance of a false alarm stays 1 in 20.
    """
    found = [live_harm_e(trial, flip_key(adapter))]
    mark = mark_of(before)
    if mark is not None and since:
        worse = [(1.0 - value) - (1.0 - mark) for value in since]
        found.append(from_log(gain_log_e(worse)))
    return sum(found) / len(found)
