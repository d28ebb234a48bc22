"""The digest on the Today page: sums up in sentences what happened since the beginning of
yesterday.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, time, timedelta
from types import MappingProxyType
from typing import Any, Final

from lull.contract.json_object import Json
from lull.desktop.language.words import count, counted, length, parsed, tr
from lull.desktop.shared.learning_feed import good_words

LEAST_USED_S: Final = 1.0
"""Seconds of background work below which the digest does not mention it."""


def start_of_yesterday(now: datetime) -> datetime:
    """Return the midnight at which yesterday began, in the time zone of `now`."""
    return datetime.combine(now.date() - timedelta(days=1), time(0), now.tzinfo)


def digest(
    learning: Json,
    windows: Sequence[Json],
    now: datetime,
    *,
    trash: Mapping[str, Any] = MappingProxyType({}),
) -> list[str]:
    """Return sentences about what happened since the beginning of yesterday: the scored answers,
    the background work, and the old conversations that were moved to the trash.

    `learning`, `windows` and `trash` are the service's data about learning, idle windows and the
    trash; `now` is the present time.
    """
    return [
        *_answers(learning.get("days") or (), now),
        *_work(windows, now),
        *_thrown(trash.get("days") or {}, now),
    ]


def _thrown(days: Mapping[str, int], here: datetime) -> Iterator[str]:
    first = start_of_yesterday(here).date().isoformat()
    thrown = sum(number for day, number in days.items() if day >= first)
    if thrown:
        yield counted(
            thrown,
            "%1 old conversation was moved to the trash; you can restore it on the "
            "Conversations page for a week.",
            "%1 old conversations were moved to the trash; you can restore them on the "
            "Conversations page for a week.",
        )


def _answers(days: Iterable[Json], here: datetime) -> Iterator[str]:
    first = start_of_yesterday(here).date().isoformat()
    recent = [day for day in days if day["n"] and day["day"] >= first]
    if not recent:
        return
    number = sum(day["n"] for day in recent)
    scored = counted(number, "%1 scored answer", "%1 scored answers")
    good = good_words(_mean(recent), number)
    # What was usual before is told once, beside today's share.
    if good == count(1):
        yield tr("1 of %1 was good.", scored)
    else:
        yield tr("%1 of %2 were good.", good, scored)


def _mean(days: Sequence[Json]) -> float:
    return float(sum(day["reward"] * day["n"] for day in days) / sum(day["n"] for day in days))


def _work(windows: Iterable[Json], here: datetime) -> Iterator[str]:
    first = start_of_yesterday(here)
    recent = [one for one in windows if (at := _end(one)) is not None and at >= first]
    for asked in (False, True):
        mine = [one for one in recent if bool(one.get("asked")) is asked]
        used_s = sum(one["used_s"] for one in mine)
        if used_s < LEAST_USED_S:
            continue
        what, time = ", ".join(_done_in(mine)), length(used_s)
        if asked and what:
            yield tr("At your request, Lull worked for %1: %2.", time, what)
        elif asked:
            yield tr("At your request, Lull worked for %1.", time)
        elif what:
            yield tr("While you were away, Lull worked for %1: %2.", time, what)
        else:
            yield tr("While you were away, Lull worked for %1.", time)


def _end(window: Json) -> datetime | None:
    return parsed(window["closed"] or window["seen"])


def _done_in(windows: Iterable[Json]) -> Iterator[str]:
    """Say what was done in these windows: first what was finished, in whichever of them, then what
    was only begun.
    """
    worked: dict[tuple[str, str], bool] = {}
    for window in windows:
        for one in window["done"]:
            key = one["kind"], one["text"]
            worked[key] = worked.get(key, False) or one.get("finished", True)
    yield from _done(Counter(kind for (kind, _), finished in worked.items() if finished))
    begun = Counter(kind for (kind, _), finished in worked.items() if not finished)
    if number := sum(begun[kind] for kind in ("proof", "exam", "step")):
        yield counted(number, "%1 task not finished yet", "%1 tasks not finished yet")


def _done(tasks: Mapping[str, int]) -> Iterator[str]:
    """Say how many tasks of each kind were worked on; kinds that only prepare others are left
    out.
    """
    if "proof" in tasks:
        yield counted(tasks["proof"], "%1 suggestion tested", "%1 suggestions tested")
    if "exam" in tasks:
        yield counted(
            tasks["exam"],
            "%1 chat model tested for its abilities",
            "%1 chat models tested for their abilities",
        )
    if "step" in tasks:
        yield counted(tasks["step"], "%1 training run", "%1 training runs")
