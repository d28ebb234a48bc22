"""Tests of the learning page's charts: titles, intervals, legend, zoom, filters, current run."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QImage, QWheelEvent
from PySide6.QtWidgets import QApplication, QLabel

from lull.contract import routes
from lull.contract.json_object import Json
from lull.core.feedback.calibration import wilson
from lull.desktop.pages.learning.charts import ChartName, charts
from lull.desktop.pages.learning.curves import Curves
from lull.desktop.pages.learning.drawing import ChartDrawing, within
from lull.desktop.pages.learning.page import LearningPage
from lull.desktop.pages.learning.reading import axis_titles, entries
from lull.desktop.widgets.chart.axes import day_label, day_ticks, step_ticks, value_ticks
from lull.desktop.widgets.tokens import LIGHT
from tests.desktop.conftest import Shown
from tests.desktop.pages.test_learning_page import LEARNED, choose, day, opened
from tests.desktop.pages.test_other_pages import run
from tests.desktop.scripted import Scripted

ENOUGH: Json = {
    **LEARNED,
    "days": [
        {**day(10, None, 0.2), "n": 8, "reward": 0.5},
        {**day(11, 0.6, 0.4), "with_skills": {"reward": 0.5, "n": 8}, "n": 3, "reward": 0.5},
    ],
}


# What is drawn is named


def test_each_axis_says_what_it_counts(on_script: Shown, scripted: Scripted) -> None:
    page = opened(on_script, scripted)
    for name in (ChartName.ANSWERS, ChartName.SKILLS, ChartName.HELD_OUT, ChartName.RUNS):
        choose(page, name)
        assert axis_titles(page.curves._chart) == ("Good answers", "Day")
        area = page.curves.plot.frame.area
        image = page.curves.plot.grab().toImage()
        left, below = round(area.left()) - 1, round(area.bottom()) + 2
        assert inked(image.copy(0, 0, 14, image.height())), "the title beside the axis"
        assert inked(image.copy(14, 0, left - 14, below)), "the shares"
        assert inked(image.copy(0, below, image.width(), 18)), "the days"
        assert inked(image.copy(0, below + 18, image.width(), 18)), "the title below"


def inked(image: QImage) -> bool:
    """Whether anything is drawn in an image."""
    colours = {image.pixel(x, y) for x in range(image.width()) for y in range(image.height())}
    return len(colours) > 1


def test_an_interval_is_shown_also_of_few_answers_and_is_wider() -> None:
    _, by_day = charts(ENOUGH, [])[ChartName.ANSWERS].series
    known = wilson(4.0, 8)
    assert (by_day.dots[0].low, by_day.dots[0].high) == (known.low, known.high)
    few = by_day.dots[1]
    assert few.n == 3 and few.low is not None and few.high is not None
    assert few.high - few.low > known.high - known.low
    with_, without = charts(ENOUGH, [])[ChartName.SKILLS].series
    assert with_.dots[0].low == known.low
    assert all(dot.low is not None for dot in without.dots)
    assert with_.box_days[1] <= without.box_days[0], "one would hide the other"


def on_one_day(answers: int) -> Json:
    points = [{"at": f"2026-11-11T20:0{n}:00+00:00", "reward": 1.0, "n": 1} for n in range(answers)]
    days = [{**day(11, None, 1.0), "n": answers, "reward": 1.0}] if answers else []
    return {**LEARNED, "points": points, "days": days}


def test_of_one_day_no_interval_is_drawn_before_its_first_answer() -> None:
    chart = charts(on_one_day(8), [])[ChartName.ANSWERS]
    dots, by_day = chart.series
    assert len(dots.dots) == 8 and by_day.dots == ()
    assert len(charts(ENOUGH, [])[ChartName.ANSWERS].series[1].dots) == 2


def test_one_answer_is_told_in_words_and_not_drawn(on_script: Shown, scripted: Scripted) -> None:
    page = opened(on_script, scripted, on_one_day(1))
    choose(page, ChartName.ANSWERS)
    on_script.until(page.none.isVisible)
    assert "1 of the 20 needed. Rate a few" in page.none.text()
    assert not page.curves.isVisible()
    assert charts(on_one_day(0), [])[ChartName.ANSWERS].none.startswith("Too few answers")


def test_what_a_chart_means_stands_above_it(on_script: Shown, scripted: Scripted) -> None:
    page = opened(on_script, scripted, on_one_day(3))
    choose(page, ChartName.ANSWERS)
    on_script.until(page.means.isVisible)
    assert "3 of the 20 needed" in page.means.text()
    on_script.until(lambda: page.means.geometry().bottom() < page.beside.geometry().top())


def test_beside_a_value_stand_its_interval_and_the_number_of_answers(
    on_script: Shown, scripted: Scripted
) -> None:
    page = opened(on_script, scripted, ENOUGH)
    choose(page, ChartName.SKILLS)
    on_script.bot.keyClick(page.curves, Qt.Key.Key_Left)
    known = wilson(4.0, 8)
    interval = f"95% interval {known.low:.0%} to {known.high:.0%}"
    assert f"with 50% 8 answers, {interval}" in page.curves.said.text()
    few = wilson(1.6, 4)
    interval = f"95% interval {few.low:.0%} to {few.high:.0%}"
    assert f"without 40% 4 answers, {interval}" in page.curves.said.text()


def of_scores(days: Mapping[int, list[float]]) -> Json:
    """What the service tells of these scores of single answers, by the day of November."""
    points = [
        {"at": f"2026-11-{at:02}T20:{n:02}:00+00:00", "reward": score, "n": 1}
        for at, scores in days.items()
        for n, score in enumerate(scores)
    ]
    means = [
        {**day(at, None, 1.0), "n": len(scores), "reward": sum(scores) / len(scores)}
        for at, scores in days.items()
    ]
    return {**LEARNED, "points": points, "days": means}


@pytest.mark.parametrize("weight", [0.3, 0.08])
def test_the_line_agrees_with_the_table_and_the_sentence(weight: float) -> None:
    bad, good = [0.1, 0.0, 0.2, 0.1, 0.0], [0.9, 1.0, 1.0, 0.9, 1.0]
    told = of_scores({11: bad, 12: bad, 13: good, 14: good, 15: good, 16: good})
    chart = charts(told, [])[ChartName.ANSWERS]
    drawing = ChartDrawing(chart=chart, theme=LIGHT, weight=weight, log=False)
    _, line = drawing.curves()
    all_of_it = 10 * 0.08 / 30 + 20 * 0.96 / 30
    assert all_of_it < line.points[-1][1] < 0.96
    flat = charts(of_scores({11: good, 12: good}), [])[ChartName.ANSWERS]
    _, line = ChartDrawing(chart=flat, theme=LIGHT, weight=weight, log=False).curves()
    assert all(0.93 < value < 0.98 for _, value in line.points)


def test_the_first_answer_counts_no_more_than_the_next_ones() -> None:
    told = of_scores({11: [0.0], 12: [1.0] * 9})
    drawing = ChartDrawing(
        chart=charts(told, [])[ChartName.ANSWERS], theme=LIGHT, weight=0.3, log=False
    )
    _, line = drawing.curves()
    assert line.points[-1][1] > 0.9  # 9 of 10 were good
    assert line.points[0][1] > 0.7, "the mean of so few answers is not drawn"


def test_the_legend_names_curves_intervals_baseline_and_marks(
    on_script: Shown, scripted: Scripted
) -> None:
    page = opened(on_script, scripted, ENOUGH)
    choose(page, ChartName.SKILLS)
    legend = page.curves.legend

    def seen() -> list[QLabel]:
        return [one for one in legend.findChildren(QLabel) if one.isVisible()]

    wanted = ["with", "without", "95% interval", "without skills and training: 25%",
              "your skills changed", "the adapter changed"]  # fmt: skip
    on_script.until(lambda: [one.text() for one in seen()] == wanted)  # once it is laid out
    keys = seen()
    assert all(one.toolTip().endswith(".") for one in keys)
    assert all(one.width() >= one.sizeHint().width() for one in keys)
    assert legend.geometry().bottom() < page.curves.plot.geometry().top()
    nothing = {**ENOUGH, "generations": [], "moves": [], "baseline": {}}
    left = entries(charts(nothing, [])[ChartName.SKILLS], LIGHT, smoothed=True)
    assert [one.name for one in left] == ["with", "without", "before smoothing", "95% interval"]


def test_the_days_below_a_chart_are_in_the_users_language(
    german: None, on_script: Shown, scripted: Scripted
) -> None:
    page = opened(on_script, scripted)
    at_s = charts(LEARNED, [])[ChartName.HELD_OUT].series[0].dots[0].at_s
    summer = at_s + 190 * 86_400
    assert "Mai" in day_label(summer, 7 * 86_400.0)
    first, last = page.curves._range()
    ticks = day_ticks(first, last, most=6.0)
    assert ticks and len({words for _, words in ticks}) == len(ticks) <= 8


def test_however_narrow_an_axis_two_days_say_how_long_it_is() -> None:
    first = datetime(2026, 11, 24, 9).astimezone().timestamp()
    for days in (3, 6.3, 9, 20, 40):
        for most in (2.0, 2.5, 3.05, 4.0):
            ticks = day_ticks(first, first + days * 86_400, most=most)
            assert 2 <= len(ticks) <= most + 1, (days, most, ticks)


def test_the_sentence_stands_below_the_chart_and_is_told_with_it(
    on_script: Shown, scripted: Scripted
) -> None:
    page = opened(on_script, scripted)
    assert page.means.isVisible()
    assert page.means.text().startswith(
        "Too few answers to tell whether they are getting better: 5 of"
    )
    assert page.means.text() in page.curves.accessibleName()
    choose(page, ChartName.ADAPTER)
    assert not page.means.isVisible()


# Zoom


def test_what_is_zoomed_into_stays_and_keys_and_button_lead_back(
    on_script: Shown, scripted: Scripted
) -> None:
    page = opened(on_script, scripted)
    curves, key = page.curves, on_script.bot.keyClick
    whole = _span(curves)
    assert not page.whole_chart.isEnabled()
    key(curves, Qt.Key.Key_Plus)
    assert _span(curves) < 0.6 * whole
    key(curves, Qt.Key.Key_0)
    assert (_span(curves), curves.zoomed) == (whole, False)
    page.nearer.click()
    page.nearer.click()
    near = _span(curves)
    assert near < 0.3 * whole and page.whole_chart.isEnabled()
    _again(on_script, scripted, page)
    assert abs(_span(curves) - near) < 1.0, "new data threw the user out"
    page.whole_chart.click()
    assert _span(curves) > 0.9 * whole and not page.whole_chart.isEnabled()
    assert QApplication.focusWidget() is curves or not on_script.desktop.window.isActiveWindow()


def test_out_of_the_whole_nothing_zooms_and_a_value_out_of_sight_is_brought(
    on_script: Shown, scripted: Scripted
) -> None:
    page = opened(on_script, scripted)
    curves, key = page.curves, on_script.bot.keyClick
    whole = _span(curves)
    key(curves, Qt.Key.Key_Minus)
    assert (_span(curves), curves.zoomed) == (whole, False)
    key(curves, Qt.Key.Key_Right)
    for _ in range(3):
        key(curves, Qt.Key.Key_Plus)
    first_seen = curves._range()
    for _ in range(9):
        key(curves, Qt.Key.Key_Right)
    left, right = curves._range()
    assert curves._at_s is not None and left <= curves._at_s <= right
    assert left > first_seen[0]


def test_the_wheel_scrolls_the_page_and_zooms_only_with_ctrl(
    on_script: Shown, scripted: Scripted
) -> None:
    page = opened(on_script, scripted)
    _wheel(page.curves, Qt.KeyboardModifier.NoModifier)
    assert not page.curves.zoomed
    whole = _span(page.curves)
    _wheel(page.curves, Qt.KeyboardModifier.ControlModifier)
    assert page.curves.zoomed and _span(page.curves) < whole
    assert page.whole_chart.isEnabled()


def _span(curves: Curves) -> float:
    first, last = curves._range()
    return last - first


def _wheel(curves: Curves, keys: Qt.KeyboardModifier) -> None:
    area = curves.plot
    middle = QPointF(area.rect().center())
    turned = QWheelEvent(
        middle,
        QPointF(area.mapToGlobal(middle.toPoint())),
        QPoint(0, 0),
        QPoint(0, 240),
        Qt.MouseButton.NoButton,
        keys,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(area, turned)


def _again(shown: Shown, scripted: Scripted, page: LearningPage) -> None:
    """Let the service have other data, and wait until they are drawn."""
    page.feed._rest.setInterval(1)
    page.feed._rest.stop()
    scripted.answers[routes.LEARNING] = {**LEARNED, "baseline": {"reward": 0.3, "n": 41}}
    scripted.tell("label", turn="turn_1")
    shown.until(lambda: page.curves._chart.level == 0.3)


# Whose answers


def test_answers_of_one_client_model_or_skill_are_asked_of_the_service(
    on_script: Shown, scripted: Scripted
) -> None:
    scripted.answers[routes.CONVERSATION_KINDS] = {"clients": ["editor"], "models": ["m", "n"]}
    scripted.answers[routes.SKILLS] = {"generation": 9, "skills": [{"name": "menu-style"}]}
    page = opened(on_script, scripted)
    of = page.answers_of
    on_script.until(lambda: of.client.count() == 2 and of.skill.count() == 2)
    asked: list[Json] = []

    def answer(query: Json) -> Json:
        asked.append(query)
        return {"points": [], "days": [], "held_out": [], "baseline": {}}

    scripted.answers[routes.LEARNING] = answer
    for box, value in ((of.client, "editor"), (of.model, "n"), (of.skill, "menu-style")):
        box.setCurrentIndex(box.findData(value))
        box.activated.emit(box.currentIndex())
    on_script.until(lambda: len(asked) == 3)
    wanted = {"client": "editor", "model": "n", "skill": "menu-style"}
    # Two threads ask, so the last question may be heard before the one before it.
    assert wanted in [{name: one.get(name) for name in wanted} for one in asked]
    on_script.until(
        lambda: page.none.text() == ("No answer that matches this filter has been scored yet.")
    )
    assert page.showing_body and of.client.isVisible(), "there must be a way back"
    choose(page, ChartName.HELD_OUT)
    assert not of.isVisible()


# The run in progress


def test_a_run_in_progress_is_drawn_step_by_step_with_the_time_left(
    on_script: Shown, scripted: Scripted
) -> None:
    going = run(3, kind="kto", status="training", steps=20, of=80, left_s=600.0)
    scripted.answers[routes.TRAIN_RUN.format(id="run_3")] = {"runs": [going], "curve": _steps(20)}
    page = opened(on_script, scripted)
    choose(page, ChartName.TRAINING)
    assert page.none.text().startswith("No run is in progress")
    page.run_feed._timer.setInterval(1)
    scripted.answers[routes.TRAIN] = {"runs": [going, run(2), run(1)]}
    scripted.tell("training", run="run_3")
    on_script.until(lambda: page.values.rowCount() == 20)
    assert page.means.text().startswith("Step 20 of 80, about 10 min of training left.")
    assert page.curves._range() == (0.0, 80 * 1.02)
    assert page.curves.values_at(7.2) == "step 7 · loss 1.300"
    assert axis_titles(page.curves._chart) == ("Loss", "Step of the run")
    assert step_ticks(0.0, 81.6, most=5) == [
        (0.0, "0"), (20.0, "20"), (40.0, "40"), (60.0, "60"), (80.0, "80"),
    ]  # fmt: skip
    assert [words for _, words in step_ticks(18.2, 21.0, most=40)] == ["19", "20", "21"]
    further = {**going, "steps": 30}
    scripted.answers[routes.TRAIN_RUN.format(id="run_3")] = {"runs": [further], "curve": _steps(30)}
    on_script.until(lambda: page.values.rowCount() == 30)
    scripted.answers[routes.TRAIN] = {"runs": [run(3), run(2), run(1)]}
    scripted.tell("training", run="run_3")
    on_script.until(lambda: not page.beside.isVisible())
    assert not page.run_feed._timer.isActive()


def _steps(many: int) -> list[Json]:
    return [{"step": n + 1, "loss": 2.0 - (n + 1) / 10} for n in range(many)]


# Drawing


def test_a_line_is_cut_where_the_view_ends() -> None:
    points = [(0.0, 0.0), (10.0, 1.0), (20.0, 0.0), (30.0, 1.0)]
    assert within(points, 5.0, 15.0) == [(5.0, 0.5), (10.0, 1.0), (15.0, 0.5)]
    assert within(points, -5.0, 40.0) == points
    assert within(points, 12.0, 14.0) == [(12.0, 0.8), (14.0, 0.6)]
    assert within(points, 31.0, 40.0) == [] == within(points[:1], 0.0, 1.0)


def test_values_are_labelled_by_round_numbers() -> None:
    halves = ["0.0", "0.5", "1.0", "1.5", "2.0"]
    assert [words for _, words in value_ticks(0.0, 2.1, most=5)] == halves
    assert [words for _, words in value_ticks(-3.0, 12.0, most=5)] == ["0", "5", "10"]


def test_the_chart_moves_with_the_mouse_that_drags_it_and_no_further_than_it_goes(
    on_script: Shown, scripted: Scripted
) -> None:
    page = opened(on_script, scripted)
    curves = page.curves
    for _ in range(2):
        curves.zoom(0.5)
    plot, before = curves.plot, curves._range()
    assert plot.frame is not None
    middle = plot.frame.area.center().toPoint()
    on_script.bot.mousePress(plot, Qt.MouseButton.LeftButton, pos=middle)
    on_script.bot.mouseMove(plot, middle + QPoint(40, 0))
    on_script.until(lambda: curves._range()[0] < before[0])
    assert abs(_span(curves) - (before[1] - before[0])) < 1.0
    for _ in range(30):
        on_script.bot.mouseMove(plot, middle + QPoint(60, 0))
        on_script.bot.mouseMove(plot, middle)
    on_script.bot.mouseRelease(plot, Qt.MouseButton.LeftButton, pos=middle)
    left, right = curves._whole()
    assert left <= curves._range()[0] and curves._range()[1] <= right
    at_rest = curves._range()
    on_script.bot.mouseMove(plot, middle - QPoint(30, 0))
    on_script.until(lambda: bool(curves.said.text()))
    assert curves._range() == at_rest
