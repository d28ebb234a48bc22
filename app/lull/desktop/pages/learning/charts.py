"""Computes the data of the Learning page's five charts and their tables, without drawing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from enum import StrEnum
from typing import Any, Final

from lull.desktop.pages.skills.changes import change_words, move_words
from lull.desktop.words import count, parsed, percent, plain, short_date, short_day, tr

Json = dict[str, Any]
MOST_POINTS: Final = 2_000


class ChartName(StrEnum):
    ANSWERS = "answers"
    SKILLS = "skills"
    ADAPTER = "adapter"
    HELD_OUT = "held out"
    RUNS = "runs"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dot:
    """One point of a chart: a value at a time (Unix seconds)."""

    at_s: float
    value: float
    n: int = 1
    """Number of answers whose mean this point is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """One curve of a chart: its name, colour and points."""

    name: str
    colour: str
    """Name of the theme's colour for the curve."""
    dots: tuple[Dot, ...]
    dash: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartMark:
    """A vertical line in a chart that marks a change of skills or adapters."""

    at_s: float
    text: str
    name: str = ""
    """Short text for the mark in the chart."""
    adapter: bool = False
    """Whether the mark is a change of adapters, else a new generation of skills."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """The data of one chart: curves, marks and table."""

    name: ChartName
    series: tuple[Series, ...] = ()
    marks: tuple[ChartMark, ...] = ()
    level: float | None = None
    """The value at which the chart's horizontal baseline is drawn."""
    heads: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    """Rows of the chart's table, newest first."""
    none: str = ""
    """Text to show when a chart has nothing to draw."""

    @property
    def empty(self) -> bool:
        return not any(series.dots for series in self.series)


def titles() -> Mapping[ChartName, str]:
    return {
        ChartName.ANSWERS: tr("What answers were worth"),
        ChartName.SKILLS: tr("With and without skills"),
        ChartName.ADAPTER: tr("With and without an adapter"),
        ChartName.HELD_OUT: tr("Requests kept apart"),
        ChartName.RUNS: tr("Training runs"),
    }


def charts(learning: Json, runs: Sequence[Json]) -> dict[ChartName, Chart]:
    marks = tuple(sorted(_marks(learning), key=lambda mark: mark.at_s))
    baseline = (learning.get("baseline") or {}).get("reward")
    return {
        ChartName.ANSWERS: _answers(learning, marks, baseline),
        ChartName.SKILLS: _parted(learning, marks, baseline, ChartName.SKILLS, "skills"),
        ChartName.ADAPTER: _parted(learning, marks, baseline, ChartName.ADAPTER, "adapter"),
        ChartName.HELD_OUT: _held_out(learning, marks),
        ChartName.RUNS: _runs(runs, marks),
    }


def thinned(dots: Sequence[Dot], most: int = MOST_POINTS) -> tuple[Dot, ...]:
    """Return at most `most` of a curve's points, evenly spaced, keeping the first and the last."""
    if len(dots) <= most:
        return tuple(dots)
    step = (len(dots) - 1) / (most - 1)
    return tuple(dots[round(n * step)] for n in range(most))


def running_mean(values: Sequence[float], weight: float) -> list[float]:
    """Return the exponential moving average of values; `weight` is that of each new value."""
    out: list[float] = []
    for value in values:
        out.append(value if not out else weight * value + (1 - weight) * out[-1])
    return out


# The five charts


def _answers(learning: Json, marks: tuple[ChartMark, ...], baseline: float | None) -> Chart:
    days = list(learning.get("days") or ())
    dots = _dots((p.get("at"), p.get("reward"), p.get("n", 1)) for p in learning.get("points", ()))
    return Chart(
        name=ChartName.ANSWERS,
        series=(Series(name=tr("an answer was good"), colour="curve_a", dots=dots),),
        marks=marks,
        level=baseline,
        heads=(tr("Day"), tr("Answers"), tr("Good")),
        rows=tuple(
            (short_day(day["day"]), count(day["n"]), _share(day["reward"]))
            for day in reversed(days)
        ),
        none=tr("No answer was scored yet. Rate a few, or go on: your next words tell, too."),
    )


def _parted(
    learning: Json, marks: tuple[ChartMark, ...], baseline: float | None, name: ChartName, what: str
) -> Chart:
    days = list(learning.get("days") or ())
    own, other = f"with_{what}", f"without_{what}"
    with_, without = (
        _dots((_noon(day["day"]), day[part]["reward"], day[part]["n"]) for day in days)
        for part in (own, other)
    )
    rows = ((short_day(day["day"]), _cell(day[own]), _cell(day[other])) for day in reversed(days))
    none = tr("No answer with skills was scored yet.")
    if name is ChartName.ADAPTER:
        none = tr("No adapter has answered yet.")
    return Chart(
        name=name,
        series=(
            Series(name=tr("with"), colour="curve_a", dots=with_),
            Series(name=tr("without"), colour="curve_b", dots=without, dash=True),
        )
        if with_
        else (),
        marks=marks,
        level=baseline,
        heads=(tr("Day"), tr("With"), tr("Without")),
        rows=tuple(rows),
        none=none,
    )


def _held_out(learning: Json, marks: tuple[ChartMark, ...]) -> Chart:
    found = list(learning.get("held_out") or ())
    before, after = (
        _dots((one["at"], one[part], one["pairs"]) for one in found) for part in ("before", "after")
    )
    rows = (
        (plain(one["adapter"]), tr("%1 → %2", _share(one["before"]), _share(one["after"])),
         count(one["pairs"]))
        for one in reversed(found)
    )  # fmt: skip
    return Chart(
        name=ChartName.HELD_OUT,
        series=(
            Series(name=tr("the new adapter"), colour="curve_a", dots=after),
            Series(name=tr("what was in force"), colour="curve_b", dots=before, dash=True),
        ),
        marks=marks,
        heads=(tr("Adapter"), tr("Good"), tr("Pairs")),
        rows=tuple(rows),
        none=tr("The gate has compared no adapter on requests kept apart yet."),
    )


def _runs(runs: Sequence[Json], marks: tuple[ChartMark, ...]) -> Chart:
    measured = sorted(
        (
            r
            for r in runs
            if r.get("reward_before") is not None and r.get("reward_after") is not None
        ),
        key=lambda run: str(run.get("made")),
    )
    before, after = (
        _dots((run.get("made"), run[f"reward_{part}"], 1) for run in measured)
        for part in ("before", "after")
    )
    rows = (
        (short_date(run.get("made")),
         tr("%1 → %2", _share(run["reward_before"]), _share(run["reward_after"])))
        for run in reversed(measured)
    )  # fmt: skip
    return Chart(
        name=ChartName.RUNS,
        series=(
            Series(name=tr("after the run"), colour="curve_a", dots=after),
            Series(name=tr("before the run"), colour="curve_b", dots=before, dash=True),
        ),
        marks=marks,
        heads=(tr("Run"), tr("Good")),
        rows=tuple(rows),
        none=tr("No run was measured yet."),
    )


# Parts


def _dots(found: Any) -> tuple[Dot, ...]:
    dots = []
    for at, value, n in found:
        moment = parsed(at) if isinstance(at, str) else at
        if moment is not None and value is not None:
            dots.append(Dot(at_s=moment.timestamp(), value=float(value), n=int(n)))
    return thinned(sorted(dots, key=lambda dot: dot.at_s))


def _noon(day: str) -> datetime:
    return datetime.combine(date.fromisoformat(day), time(12)).astimezone()


def _marks(learning: Json) -> Iterator[ChartMark]:
    for one in learning.get("generations") or ():
        at = parsed(one.get("at"))
        if at is not None:
            words = tr("generation %1: %2", one["generation"], change_words(one))
            yield ChartMark(at_s=at.timestamp(), text=words)
    for one in learning.get("moves") or ():
        at = parsed(one.get("at"))
        if at is not None:
            name = plain(str(one.get("shadow") or one.get("active") or tr("base")))
            yield ChartMark(at_s=at.timestamp(), text=move_words(one), name=name, adapter=True)


def _cell(part: Json) -> str:
    if not part["n"]:
        return "–"
    return tr("%1  (%2)", _share(part["reward"]), count(part["n"]))


def _share(value: float | None) -> str:
    return "–" if value is None else percent(value)
