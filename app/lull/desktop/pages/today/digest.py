"""The digest on the Today page: sums up in sentences what happened since the beginning of
yesterday.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, time, timedelta
from types import MappingProxyType
from typing import Any, Final

from lull.contract.json_object import Json
from lull.desktop.language.words import count, counted, length, parsed, tr
from lull.desktop.pages.today.words import good_words

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
    used_s = 0.0
    tasks: dict[str, set[str]] = {}
    for window in windows:
        closed = parsed(window["closed"] or window["seen"])
        if closed is None or closed < start_of_yesterday(here):
            continue
        used_s += window["used_s"]
        for one in window["done"]:
            tasks.setdefault(one["kind"], set()).add(one["text"])
    if used_s < LEAST_USED_S:
        return
    what = ", ".join(_done({kind: len(texts) for kind, texts in tasks.items()}))
    if what:
        yield tr("While you were away, Lull worked for %1: %2.", length(used_s), what)
    else:
        yield tr("While you were away, Lull worked for %1.", length(used_s))


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
