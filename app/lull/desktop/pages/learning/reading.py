"""Computes the texts of a chart of the Learning page: axis titles, legend, and the values at a
point.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from PySide6.QtCore import Qt

from lull.desktop.language.words import count, decimal, on_day, percent, tr
from lull.desktop.pages.learning.charts import Chart, Dot, Series
from lull.desktop.widgets.chart.axes import to_local_time
from lull.desktop.widgets.chart.legend import LegendEntry, SampleKind
from lull.desktop.widgets.tokens import Theme

MARK_NEAR_S: Final = 3 * 3600.0
"""Most seconds between a value and a mark that is described together with it."""


def axis_titles(chart: Chart) -> tuple[str, str]:
    """Return the titles of a chart's axes as (vertical, horizontal)."""
    if chart.steps:
        return tr("Loss"), tr("Step of the run")
    return tr("Good answers"), tr("Day")


# The legend


def entries(chart: Chart, theme: Theme, *, smoothed: bool) -> list[LegendEntry]:
    """Return the entries of a chart's legend: one for every curve, interval, line and mark that is
    drawn.
    """
    if chart.empty:
        return []
    return [*_of_curves(chart, theme, smoothed=smoothed), *_of_lines(chart, theme)]


def _of_curves(chart: Chart, theme: Theme, *, smoothed: bool) -> Iterator[LegendEntry]:
    curves = [series for series in chart.series if series.line]
    for series in curves:
        yield LegendEntry(
            kind=SampleKind.LINE,
            name=series.name,
            about=series.about or chart.about,
            colour=str(getattr(theme, series.colour)),
            style=Qt.PenStyle.DashLine if series.dash else Qt.PenStyle.SolidLine,
        )
    if means := [series for series in chart.series if not series.line and series.dots]:
        yield LegendEntry(
            kind=SampleKind.LINE,
            name=means[0].name,
            about=means[0].about,
            colour=theme.text,
        )
    if smoothed:
        yield LegendEntry(
            kind=SampleKind.DOTS,
            name=tr("before smoothing"),
            about=tr(
                "The values themselves. The bold line is their mean up to each point, in which "
                "newer answers count more."
            ),
            colour=str(getattr(theme, curves[0].colour)),
            alpha=120,
        )
    if any(dot.low is not None for series in chart.series for dot in series.dots):
        yield LegendEntry(
            kind=SampleKind.BAND,
            name=tr("95% interval"),
            about=tr(
                "With 95% certainty the true share lies within it: the fewer answers, the wider "
                "it is."
            ),
            colour=str(getattr(theme, curves[0].colour)),
            alpha=80,
        )


def _of_lines(chart: Chart, theme: Theme) -> Iterator[LegendEntry]:
    if chart.level is not None:
        yield LegendEntry(
            kind=SampleKind.LINE,
            name=tr("without skills and training: %1", percent(chart.level)),
            about=tr(
                "The share of good answers among all that had neither skills nor an "
                "adapter, since the beginning."
            ),
            colour=theme.muted,
            style=Qt.PenStyle.DashDotLine,
        )
    if any(not mark.adapter for mark in chart.marks):
        yield LegendEntry(
            kind=SampleKind.UPRIGHT,
            name=tr("your skills changed"),
            about=tr(
                "A skill was approved, changed, restored or removed. Each such change makes a "
                "new version of your library; point at the line to read what changed."
            ),
            colour=theme.edge,
        )
    if any(mark.adapter for mark in chart.marks):
        yield LegendEntry(
            kind=SampleKind.UPRIGHT,
            name=tr("the adapter changed"),
            about=tr(
                "Another adapter answers from here on, or none. An adapter is a small trained"
                " addition to the model."
            ),
            colour=theme.curve_c,
            style=Qt.PenStyle.DotLine,
        )


# Values


def near_words(chart: Chart, at_s: float) -> str:
    """Describe in one line a chart's values at the point nearest to `at_s`, and the marked changes
    of skills or adapter close to that point.

    `at_s` is a time in Unix seconds, or a step of a training run.
    """
    dots = [(series, dot) for series in chart.series for dot in series.dots]
    if not dots:
        return ""
    nearest = min((dot for _, dot in dots), key=lambda dot: abs(dot.at_s - at_s)).at_s
    if chart.steps:
        words = [tr("step %1", count(int(nearest)))]
        words += [f"{s.name} {decimal(dot.value, 3)}" for s, dot in dots if dot.at_s == nearest]
        return " · ".join(words)
    day = to_local_time(nearest).date()
    words = [on_day(to_local_time(nearest), tr("d MMM HH:mm"))]
    words += [
        _dot_words(series, dot)
        for series, dot in dots
        if dot.at_s == nearest or (not series.line and to_local_time(dot.at_s).date() == day)
    ]
    near = [mark for mark in chart.marks if abs(mark.at_s - nearest) < MARK_NEAR_S]
    return " · ".join([*words, *(mark.text for mark in near[-2:])])


def _dot_words(series: Series, dot: Dot) -> str:
    """Describe a point of a chart: its value, the number of answers behind it, and its interval."""
    words = f"{series.name} {percent(dot.value)}"
    if dot.n > 1:
        words = f"{words} {tr('%1 answers', count(dot.n))}"
    if dot.low is not None and dot.high is not None:
        return tr("%1, 95% interval %2 to %3", words, percent(dot.low), percent(dot.high))
    return words
