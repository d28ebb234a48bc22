"""What the learning page draws: answers by what they were worth, day by day with and without skills
and adapter, the baseline, the held-out scores, and the marks of what changed when."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, datetime
from typing import Any, Final

from lull.core.skill import SkillGeneration
from lull.store.worth import HeldOut, Moved, Worth, Worths

Json = dict[str, Any]
MOST_POINTS: Final = 1_000
"""Beyond it, neighbours in time are drawn as their mean."""


def learning_view(
    worths: Worths, generations: Iterable[SkillGeneration], since: datetime | None
) -> Json:
    """`{"points": [{"at", "reward", "n"}], "days": [{"day", "n", "reward", "with_skills",
    "without_skills", "with_adapter", "without_adapter"}], "baseline": {"reward", "n"}, "held_out":
    [{"adapter", "at", "before", "after", "pairs"}], "generations": [{"generation", "at", "change",
    "detail"}], "moves": [{"at", "model", "move", "active", "shadow", "why"}]}`.

    Rewards are probabilities that an answer was good, 0 to 1. A day is one of this machine's zone;
    each of its four parts is `{"reward", "n"}`, with null and 0 where there was none. The baseline
    is of all answers that ever had neither skills nor an adapter. Oldest first. Blocks."""
    answers = worths.answers(since)
    reward, n = worths.baseline()
    return {
        "points": list(_points(answers)),
        "days": [_day(day, some) for day, some in _by_day(answers)],
        "baseline": {"reward": _rounded(reward), "n": n},
        "held_out": [_held_out(one) for one in worths.held_out() if not since or one.at >= since],
        "generations": [
            {
                "generation": one.number,
                "at": one.at.isoformat(),
                "change": one.change.value,
                "detail": one.detail,
            }
            for one in generations
            if since is None or one.at >= since
        ],
        "moves": [_move(one) for one in worths.moves(since)],
    }


def _points(answers: Sequence[Worth]) -> Iterator[Json]:
    size = max(1, -(-len(answers) // MOST_POINTS))
    for start in range(0, len(answers), size):
        some = answers[start : start + size]
        middle = some[len(some) // 2]
        yield {"at": middle.at.isoformat(), "reward": _mean(some), "n": len(some)}


def _by_day(answers: Sequence[Worth]) -> list[tuple[date, list[Worth]]]:
    days: defaultdict[date, list[Worth]] = defaultdict(list)
    for one in answers:
        days[one.at.astimezone().date()].append(one)
    return sorted(days.items())


def _day(day: date, answers: Sequence[Worth]) -> Json:
    def part(holds: Callable[[Worth], bool]) -> Json:
        some = [one for one in answers if holds(one)]
        return {"reward": _mean(some), "n": len(some)}

    return {
        "day": day.isoformat(),
        "n": len(answers),
        "reward": _mean(answers),
        "with_skills": part(lambda one: one.skills),
        "without_skills": part(lambda one: not one.skills),
        "with_adapter": part(lambda one: one.adapter),
        "without_adapter": part(lambda one: not one.adapter),
    }


def _held_out(one: HeldOut) -> Json:
    return {
        "adapter": one.adapter,
        "at": one.at.isoformat(),
        "before": _rounded(one.before),
        "after": _rounded(one.after),
        "pairs": one.pairs,
    }


def _move(one: Moved) -> Json:
    return {
        "at": one.at.isoformat(),
        "model": one.model,
        "move": one.move,
        "active": one.active,
        "shadow": one.shadow,
        "why": one.why,
    }


def _mean(answers: Sequence[Worth]) -> float | None:
    return _rounded(sum(one.p_good for one in answers) / len(answers)) if answers else None


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
