"""Builds the data of the learning page: rewards (estimates of how good answers were) over time,
with and without skills and adapters, and when these were changed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, datetime
from typing import Final

from lull.contract.json_object import Json
from lull.core.proof.placing import NOT_MEASURED, PlacingResult
from lull.core.skills.skill import SkillGeneration
from lull.store.feedback.answer_scores import (
    EVERY_ANSWER,
    AdapterMove,
    AnswerChoice,
    AnswerScores,
    HeldOutMeans,
    ScoredAnswer,
)

MOST_POINTS: Final = 1_000
"""Most points in the reward chart; with more answers, adjacent ones are averaged."""


def learning_view(
    worths: AnswerScores,
    generations: Iterable[SkillGeneration],
    since: datetime | None,
    placings: Iterable[PlacingResult] = (),
    wanted: AnswerChoice = EVERY_ANSWER,
) -> Json:
    """Return the JSON of the learning page since the time `since` (None: all): rewards of answers
    over time, scores of LoRA adapters on held-out requests, and changes of skills and adapters.

    `wanted` chooses the answers: points, days and baseline are of this client and model only. If it
    names a skill, points and each day's `n`, `reward` and adapter parts are of answers that had the
    skill in their prompts, and the day's skill parts compare answers with the skill and without it.

    `{"points": [{"at", "reward", "n"}], "days": [{"day", "n", "reward", "with_skills",
    "without_skills", "with_adapter", "without_adapter"}], "baseline": {"reward", "n"}, "held_out":
    [{"adapter", "at", "before", "after", "pairs"}], "generations": [{"generation", "at", "change",
    "detail"}], "moves": [{"at", "model", "move", "active", "shadow", "why"}], "placings":
    [{"model", "place", "why"}]}`.

    Rewards are probabilities that an answer was good, 0 to 1; `n` counts answers. Days are in this
    machine's time zone; each of a day's four parts is `{"reward", "n"}`, null and 0 where there was
    no answer. The baseline covers all answers ever given with neither skills nor an adapter.
    `held_out` has the mean scores of an adapter (`after`) and of the model that it is compared with
    (`before`) on requests held out for testing, `generations` are changes of the skill library,
    `moves` changes of the adapters that answer. A placing says where a model's prompts hold skills;
    `place` is null while it is being measured. All lists are oldest first. Blocking.
    """
    answers = worths.answers(since, wanted)
    shown = [one for one in answers if one.skills] if wanted.skill else answers
    by_day = dict(_by_day(shown))
    reward, n = worths.baseline(wanted)
    return {
        "points": list(_points(shown)),
        "days": [_day(day, by_day.get(day, []), some) for day, some in _by_day(answers)],
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
        "placings": [placing_view(one) for one in placings],
    }


def placing_view(one: PlacingResult) -> Json:
    """Return the JSON of the place in a model's prompts where skills are put, and why there."""
    place = None if one.place is None else one.place.value
    return {"model": one.model, "place": place, "why": one.why or NOT_MEASURED}


def _points(answers: Sequence[ScoredAnswer]) -> Iterator[Json]:
    size = max(1, -(-len(answers) // MOST_POINTS))
    for start in range(0, len(answers), size):
        some = answers[start : start + size]
        middle = some[len(some) // 2]
        yield {"at": middle.at.isoformat(), "reward": _mean(some), "n": len(some)}


def _by_day(answers: Sequence[ScoredAnswer]) -> list[tuple[date, list[ScoredAnswer]]]:
    days: defaultdict[date, list[ScoredAnswer]] = defaultdict(list)
    for one in answers:
        days[one.at.astimezone().date()].append(one)
    return sorted(days.items())


def _day(day: date, answers: Sequence[ScoredAnswer], others: Sequence[ScoredAnswer]) -> Json:
    """Describe a day by its answers; `others` holds those without the wanted skill, too."""

    def part(holds: Callable[[ScoredAnswer], bool], of: Sequence[ScoredAnswer] = answers) -> Json:
        some = [one for one in of if holds(one)]
        return {"reward": _mean(some), "n": len(some)}

    return {
        "day": day.isoformat(),
        "n": len(answers),
        "reward": _mean(answers),
        "with_skills": part(lambda one: one.skills, others),
        "without_skills": part(lambda one: not one.skills, others),
        "with_adapter": part(lambda one: one.adapter),
        "without_adapter": part(lambda one: not one.adapter),
    }


def _held_out(one: HeldOutMeans) -> Json:
    return {
        "adapter": one.adapter,
        "at": one.at.isoformat(),
        "before": _rounded(one.before),
        "after": _rounded(one.after),
        "pairs": one.pairs,
    }


def _move(one: AdapterMove) -> Json:
    return {
        "at": one.at.isoformat(),
        "model": one.model,
        "move": one.move,
        "active": one.active,
        "shadow": one.shadow,
        "why": one.why,
    }


def _mean(answers: Sequence[ScoredAnswer]) -> float | None:
    return _rounded(sum(one.p_good for one in answers) / len(answers)) if answers else None


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
