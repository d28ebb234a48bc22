"""Computes from a simulated year how much free time was used, and who was disturbed for how
long.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from bench.lulls.spans import Spans, both, by_length, total, union, without
from bench.lulls.world import World
from lull.core.calendars.event import Meaning

LEAST_S: Final = 300.0
"""Shortest free stretch that counts, in seconds: even a lull of five minutes should be used."""
WEEK_S: Final = 7 * 86400.0
CLASSES: Final = ((300.0, 900.0), (900.0, 1800.0), (1800.0, 3600.0), (3600.0, float("inf")))
SHORTEST_CLASS: Final = CLASSES[0]
"""Length range of the shortest stretches, reported separately: a policy with a long wait never uses
them, and long nights hide this in the totals.
"""
_DRAWS: Final = 2000


@dataclass(frozen=True, kw_only=True)
class Share:
    value: float
    low: float
    high: float
    n: int
    """Number of weeks, which are the unit of resampling."""


def share(parts: Sequence[tuple[float, float]], *, seed: int) -> Share:
    """Return the used share of the usable time, with a 95 % bootstrap interval over weeks."""
    drawn = random.Random(seed)
    draws = sorted(
        _ratio([parts[drawn.randrange(len(parts))] for _ in parts]) for _ in range(_DRAWS)
    )
    low, high = draws[int(0.025 * _DRAWS)], draws[int(0.975 * _DRAWS)]
    return Share(value=_ratio(parts), low=low, high=high, n=len(parts))


def _ratio(parts: Sequence[tuple[float, float]]) -> float:
    return sum(used for used, _ in parts) / max(1e-9, sum(whole for _, whole in parts))


def weekly(running: Spans, usable: Spans, length_s: float) -> list[tuple[float, float]]:
    """Return (used, usable) seconds for each week."""
    used, out, start = both(running, usable), [], 0.0
    while start < length_s:
        week = [(start, start + WEEK_S)]
        out.append((total(both(used, week)), total(both(usable, week))))
        start += WEEK_S
    return out


def row(policy: str, world: World, running: Spans, *, seed: int) -> dict[str, Any]:
    """Return the figures of one person's year under one policy as a table row."""
    usable = by_length(world.usable(), least=LEAST_S)
    of_all = share(weekly(running, usable, world.length_s), seed=seed)
    shown = world.shows_itself()
    overlaps = sorted(end - start for start, end in both(running, shown))
    lengths = _by_length(running, usable)
    beside = both(running, without(world.sessions, shown, until=world.length_s))
    machine = both(running, _machine_closed(world))
    disturbed = [span for span in world.reading if both(running, [span])]
    days = world.length_s / 86400
    return {
        "policy": policy,
        "person": world.person.name,
        "seed": seed,
        "days": round(days),
        "usable_h_per_day": total(usable) / 3600 / days,
        "used_share": of_all.value,
        "low": of_all.low,
        "high": of_all.high,
        "weeks": of_all.n,
        "short_used_share": lengths[0]["used_share"],
        "short_n": lengths[0]["n"],
        "short_h": lengths[0]["hours"],
        "used_by_length": lengths,
        "overlaps": len(overlaps),
        "overlap_p50_s": _quantile(overlaps, 0.5),
        "overlap_p99_s": _quantile(overlaps, 0.99),
        "overlap_most_s": overlaps[-1] if overlaps else 0.0,
        "overlap_total_h": sum(overlaps) / 3600,
        "beside_a_still_reader_h": total(beside) / 3600,
        "beside_a_still_reader_min_per_day": total(beside) / 60 / days,
        "answers_read": len(world.reading),
        "answers_begun_beside": len(disturbed),
        "beside_an_answer_min": total(both(running, world.reading)) / 60,
        "against_the_machine_h": total(machine) / 3600,
        "against_a_calendar_that_says_no_h": total(both(running, world.busy_spans(Meaning.BUSY)))
        / 3600,
    }


def _by_length(running: Spans, usable: Spans) -> list[dict[str, Any]]:
    """Return the used share by length of the free stretch; `after_wait` leaves out each stretch's
    first ten minutes, which are the user's wait.
    """
    out = []
    for least, most in CLASSES:
        spans = by_length(usable, least=least, most=most)
        behind = [(start + 600.0, end) for start, end in spans if end - start > 600.0]
        whole, rest = total(spans), total(behind)
        out.append(
            {
                "from_s": least,
                "to_s": most if most < float("inf") else None,
                "n": len(spans),
                "hours": whole / 3600,
                "used_share": total(both(running, spans)) / whole if whole else None,
                "after_wait_share": total(both(running, behind)) / rest if rest else None,
            }
        )
    return out


def short_of_all(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Combine the figures for short stretches from several rows of the same policy."""
    hours = sum(one["short_h"] for one in rows)
    used = sum(one["short_h"] * (one["short_used_share"] or 0.0) for one in rows)
    return {
        "short_used_share": used / hours if hours else None,
        "short_n": sum(one["short_n"] for one in rows),
        "short_h": hours,
    }


def _machine_closed(world: World) -> Spans:
    return union(world.battery, world.hot, world.short_of_memory)


def _quantile(values: Sequence[float], q: float) -> float:
    """Return a quantile of sorted values; 0 if there are none."""
    return values[min(len(values) - 1, int(q * len(values)))] if values else 0.0
