"""Computes what the charts of the Learning page show (curves, a table and a sentence for each),
without drawing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from enum import StrEnum
from typing import Any, Final

from lull.contract.json_object import Json
from lull.core.feedback.trend import mean_of
from lull.desktop.language.words import (
    count,
    decimal,
    parsed,
    percent,
    plain,
    short_date,
    short_day,
    tr,
)
from lull.desktop.pages.learning import meaning
from lull.desktop.shared.changes import change_words, move_words
from lull.desktop.shared.learning_feed import good_words

MOST_POINTS: Final = 2_000
LEAST_DOTS: Final = 2
"""Fewest scored answers that make a curve."""
LEAST_DAYS: Final = 2
"""Fewest days whose means are drawn."""


class ChartName(StrEnum):
    """The charts among which the user can choose on the Learning page."""

    ANSWERS = "answers"
    SKILLS = "skills"
    ADAPTER = "adapter"
    HELD_OUT = "held out"
    RUNS = "runs"
    TRAINING = "training"


OF_ANSWERS: Final = frozenset({ChartName.ANSWERS, ChartName.SKILLS, ChartName.ADAPTER})
"""Charts of answers in chats, which can be shown for one client, model or skill."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dot:
    """One point of a chart: a value at a time (Unix seconds), or at a step of a training run, with
    the 95% interval if it is the mean of a group of answers.
    """

    at_s: float
    value: float
    n: int = 1
    """Number of answers of which the point's value is the mean."""
    low: float | None = None
    """Lower end of the mean's 95% interval; None for a point that has none."""
    high: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """One curve of a chart: its name, colour and points."""

    name: str
    colour: str
    """Name of the theme's colour for the curve."""
    dots: tuple[Dot, ...]
    dash: bool = False
    line: bool = True
    """Whether it is drawn as a curve; else each point is drawn as a stroke in its interval."""
    box_days: tuple[float, float] = (-0.4, 0.4)
    """Left and right end of a point's interval box, in days from the point.

    Boxes of two curves are placed side by side.
    """
    about: str = ""
    """What the curve shows, in a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartMark:
    """A vertical line in a chart at the time when the set of active skills or the LoRA adapter in
    use changed.
    """

    at_s: float
    text: str
    name: str = ""
    """Short text for the mark in the chart."""
    adapter: bool = False
    """Whether the mark is a change of adapters, else a new generation of skills."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """The data of one chart: its curves, the marked changes of skills or adapters, and the values
    as a table.
    """

    name: ChartName
    series: tuple[Series, ...] = ()
    marks: tuple[ChartMark, ...] = ()
    level: float | None = None
    """The value at which the chart's horizontal baseline is drawn."""
    heads: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    """Rows of the chart's table, newest first."""
    none: str = ""
    """Text shown in place of a chart that has no data."""
    meaning: str = ""
    """What the chart means, in a sentence computed from its data."""
    about: str = ""
    """What the chart shows, in a sentence."""
    steps: int = 0
    """Steps of the training run whose loss it shows; 0 for a chart of shares over days."""

    @property
    def empty(self) -> bool:
        """Whether the chart has no dot to draw."""
        return not any(series.dots for series in self.series)


def titles() -> Mapping[ChartName, str]:
    """Return the titles of the charts in the user's language."""
    return {
        ChartName.ANSWERS: tr("Answer quality over time"),
        ChartName.SKILLS: tr("With and without skills"),
        ChartName.ADAPTER: tr("With and without an adapter"),
        ChartName.HELD_OUT: tr("Test on unseen requests"),
        ChartName.RUNS: tr("Training runs"),
        ChartName.TRAINING: tr("Run in progress"),
    }


def charts(
    learning: Json, runs: Sequence[Json], training: Json | None = None
) -> dict[ChartName, Chart]:
    """Compute the data of all charts of the Learning page, by their names.

    `learning` and `runs` are the service's JSON about answers and training runs. `training` is the
    run in progress; its field `curve` has the steps so far.
    """
    marks = tuple(sorted(_marks(learning), key=lambda mark: mark.at_s))
    baseline = (learning.get("baseline") or {}).get("reward")
    return {
        ChartName.ANSWERS: _answers(learning, marks, baseline),
        ChartName.SKILLS: _parted(learning, marks, baseline, ChartName.SKILLS, "skills"),
        ChartName.ADAPTER: _parted(learning, marks, baseline, ChartName.ADAPTER, "adapter"),
        ChartName.HELD_OUT: _held_out(learning, marks),
        ChartName.RUNS: _runs(runs, marks),
        ChartName.TRAINING: _training(training or {}),
    }


def thinned(dots: Sequence[Dot], most: int = MOST_POINTS) -> tuple[Dot, ...]:
    """Return a curve's points reduced to at most `most`, evenly spaced; the first and the last are
    kept.
    """
    if len(dots) <= most:
        return tuple(dots)
    step = (len(dots) - 1) / (most - 1)
    return tuple(dots[round(n * step)] for n in range(most))


def running_mean(dots: Sequence[Dot], weight: float) -> list[float]:
    """Return for each point the mean of all answers up to it, in which those of each earlier point
    count `1 - weight` times as much as those of the next one.

    The weights are divided by their sum, so that the first answers do not count more than those
    after them.
    """
    out: list[float] = []
    good = answers = 0.0
    for dot in dots:
        good = good * (1 - weight) + dot.value * dot.n
        answers = answers * (1 - weight) + dot.n
        out.append(good / answers)
    return out


# The charts


def _answers(learning: Json, marks: tuple[ChartMark, ...], baseline: float | None) -> Chart:
    days = list(learning.get("days") or ())
    found = [p for p in learning.get("points") or () if p.get("reward") is not None]
    dots = _dots((p.get("at"), p["reward"], p.get("n", 1)) for p in found)
    by_day = _dots(((_noon(day["day"]), day["reward"], day["n"]) for day in days), sure=True)
    if len(by_day) < LEAST_DAYS:
        by_day = ()  # its interval spans the day, also before the first answer
    told = meaning.trend_sentence([(float(p["reward"]), int(p.get("n", 1))) for p in found])
    more = tr("Rate a few, or just keep chatting: what you say next counts too.")
    return Chart(
        name=ChartName.ANSWERS,
        series=()
        if len(dots) < LEAST_DOTS
        else (
            Series(
                name=tr("share of good answers"),
                colour="curve_a",
                dots=dots,
                about=tr(
                    "How likely it is that answers were good, judging by your ratings, what you "
                    "said next and automatic checks."
                ),
            ),
            Series(
                name=tr("the day's mean"),
                colour="curve_a",
                dots=by_day,
                line=False,
                about=tr("The short stroke in each day's box; the table gives the same figure."),
            ),
        ),
        marks=marks,
        level=baseline,
        heads=(tr("Day"), tr("Answers"), tr("Good")),
        rows=tuple(
            (short_day(day["day"]), count(day["n"]), good_words(day["reward"], day["n"]))
            for day in reversed(days)
            if day["n"]
        ),
        none=f"{told} {more}",
        meaning=told,
        about=tr("How likely the answers in your chats were to be good, and the mean of each day."),
    )


def _parted(
    learning: Json, marks: tuple[ChartMark, ...], baseline: float | None, name: ChartName, what: str
) -> Chart:
    days = list(learning.get("days") or ())
    own, other = f"with_{what}", f"without_{what}"
    with_, without = (
        _dots(((_noon(day["day"]), day[part]["reward"], day[part]["n"]) for day in days), sure=True)
        for part in (own, other)
    )
    rows = ((short_day(day["day"]), _cell(day[own]), _cell(day[other])) for day in reversed(days))
    skills = name is ChartName.SKILLS
    compare = meaning.skills_sentence if skills else meaning.adapter_sentence
    sides = [[(dot.value, dot.n) for dot in dots] for dots in (with_, without)]
    return Chart(
        name=name,
        series=(
            Series(name=tr("with"), colour="curve_a", dots=with_, box_days=(-0.4, 0.0)),
            Series(
                name=tr("without"), colour="curve_b", dots=without, dash=True, box_days=(0.0, 0.4)
            ),
        )
        if with_
        else (),
        marks=marks,
        level=baseline,
        heads=(tr("Day"), tr("With"), tr("Without")),
        rows=tuple(rows),
        none=compare(*sides) if skills else tr("No adapter has answered yet."),
        meaning=compare(*sides),
        about=tr("Each day's answers that had skills in their prompts, and those that had none.")
        if skills
        else tr(
            "Each day's answers of an adapter (a small trained addition to the model), and those"
            " of the model without one."
        ),
    )


def _held_out(learning: Json, marks: tuple[ChartMark, ...]) -> Chart:
    found = list(learning.get("held_out") or ())
    before, after = (
        _dots(((one["at"], one[part], one["pairs"]) for one in found), sure=True)
        for part in ("before", "after")
    )
    rows = (
        (plain(one["adapter"]), tr("%1 → %2", _share(one["before"]), _share(one["after"])),
         count(one["pairs"]))
        for one in reversed(found)
    )  # fmt: skip
    return Chart(
        name=ChartName.HELD_OUT,
        series=(
            Series(name=tr("the new adapter"), colour="curve_a", dots=after, box_days=(-0.25, 0.0)),
            Series(
                name=tr("the version before it"),
                colour="curve_b",
                dots=before,
                dash=True,
                box_days=(0.0, 0.25),
            ),
        ),
        marks=marks,
        heads=(tr("Adapter"), tr("Good"), tr("Tests")),
        rows=tuple(rows),
        none=tr("No adapter has been tested on unseen requests yet."),
        meaning=meaning.held_out_sentence(found),
        about=tr(
            "Requests that no training ever sees, answered by each new adapter and by the version"
            " before it."
        ),
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
        none=tr("No run measured yet."),
        meaning=meaning.runs_sentence((r["reward_before"], r["reward_after"]) for r in measured),
        about=tr(
            "Answers to practice requests before and after each training run. The number of "
            "answers behind each value isn't stored, so no uncertainty intervals are shown."
        ),
    )


def _training(run: Json) -> Chart:
    steps = [one for one in run.get("curve") or () if one.get("loss") is not None]
    dots = tuple(Dot(at_s=float(one["step"]), value=float(one["loss"])) for one in steps)
    return Chart(
        name=ChartName.TRAINING,
        series=(
            Series(
                name=tr("loss"),
                colour="curve_a",
                dots=thinned(dots),
                about=tr("How far the model is from what its examples ask for: lower is closer."),
            ),
        ),
        heads=(tr("Step"), tr("Loss")),
        rows=tuple(
            (count(int(one["step"])), decimal(float(one["loss"]), 3)) for one in reversed(steps)
        ),
        none=tr("No run is in progress, or it has made no step yet."),
        meaning=meaning.training_sentence(run, [dot.value for dot in dots]) if dots else "",
        about=tr("The loss of the training run in progress, step by step."),
        steps=max(1, int(run.get("of") or 0)),
    )


# Parts


def _dots(found: Any, *, sure: bool = False) -> tuple[Dot, ...]:
    """Make a curve's points; with `sure` each point gets the interval of its mean, which is wide
    where there are few answers.
    """
    dots = []
    for at, value, n in found:
        moment = parsed(at) if isinstance(at, str) else at
        if moment is not None and value is not None:
            dot = Dot(at_s=moment.timestamp(), value=float(value), n=int(n))
            if sure and dot.n > 0:
                known = mean_of([(dot.value, dot.n)])
                dot = replace(dot, low=known.low, high=known.high)
            dots.append(dot)
    return thinned(sorted(dots, key=lambda dot: dot.at_s))


def _noon(day: str) -> datetime:
    return datetime.combine(date.fromisoformat(day), time(12)).astimezone()


def _marks(learning: Json) -> Iterator[ChartMark]:
    for one in learning.get("generations") or ():
        at = parsed(one.get("at"))
        if at is not None:
            words = tr("skills version %1: %2", one["generation"], change_words(one))
            yield ChartMark(at_s=at.timestamp(), text=words)
    for one in learning.get("moves") or ():
        at = parsed(one.get("at"))
        if at is not None:
            name = plain(str(one.get("shadow") or one.get("active") or tr("the original model")))
            yield ChartMark(at_s=at.timestamp(), text=move_words(one), name=name, adapter=True)


def _cell(part: Json) -> str:
    if not part["n"]:
        return "–"
    return tr("%1  (%2)", _share(part["reward"]), count(part["n"]))


def _share(value: float | None) -> str:
    return "–" if value is None else percent(value)
