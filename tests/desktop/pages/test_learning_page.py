"""Tests of the learning page: curves and their tables, values by mouse and key, comparing runs."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from lull.contract import routes
from lull.contract.json_object import Json
from lull.desktop.pages.learning.adapters_dialog import AdaptersDialog
from lull.desktop.pages.learning.charts import Chart, ChartName, Dot, Series, charts
from lull.desktop.pages.learning.curves import Curves
from lull.desktop.pages.learning.page import LearningPage
from lull.desktop.pages.learning.runs_dialog import RunsDialog
from lull.desktop.pages.learning.side_by_side import check_words
from lull.desktop.pages.learning.words import chart_csv, facts_of
from lull.desktop.widgets.page import PageName
from lull.desktop.widgets.style import ThemeInForce
from lull.desktop.widgets.tokens import LIGHT
from tests.desktop.conftest import Shown
from tests.desktop.pages.test_other_pages import adapter, run
from tests.desktop.scripted import Scripted, learning, status


def day(number: int, with_: float | None, without: float | None) -> Json:
    parts = [{"reward": v, "n": 0 if v is None else 4} for v in (with_, without)]
    return {
        "day": f"2026-11-{number:02}",
        "n": 8,
        "reward": 0.5,
        "with_skills": parts[0],
        "without_skills": parts[1],
        "with_adapter": {"reward": None, "n": 0},
        "without_adapter": parts[1],
    }


LEARNED: Json = {
    "points": [
        {"at": f"2026-11-{10 + n}T12:00:00+00:00", "reward": n / 10, "n": 1} for n in range(5)
    ],
    "days": [day(10, None, 0.2), day(11, 0.6, 0.4)],
    "baseline": {"reward": 0.25, "n": 40},
    "held_out": [
        {"adapter": "adapter_1", "at": "2026-11-12T02:00:00+00:00", "before": 0.5, "after": 0.7,
         "pairs": 40}
    ],
    "generations": [
        {"generation": 3, "at": "2026-11-11T11:30:00+00:00", "change": "approve",
         "detail": "approve menu"}
    ],
    "moves": [
        {"at": "2026-11-12T03:00:00+00:00", "model": "m", "move": "promote",
         "active": "adapter_1", "shadow": None, "why": ""}
    ],
}  # fmt: skip


def opened(shown: Shown, scripted: Scripted, learned: Json = LEARNED) -> LearningPage:
    scripted.answers[routes.LEARNING] = learned
    scripted.answers[routes.TRAIN] = {"runs": [run(2, reward_after=0.6), run(1)]}
    scripted.answers[routes.ADAPTERS] = {"active": None, "adapters": [adapter(1, "candidate")]}
    page = shown.go(PageName.LEARNING)
    assert isinstance(page, LearningPage)
    shown.until(lambda: page.showing_body and page.feed.answered and page.runs.rowCount() == 2)
    return page


def choose(page: LearningPage, name: ChartName) -> None:
    page.chart.setCurrentIndex(page.chart.findData(name))
    page._choose()


# Charts


def test_each_curve_has_its_table_and_the_marks_of_what_changed() -> None:
    made = charts(LEARNED, [run(1)])
    skills = made[ChartName.SKILLS]
    with_, without = skills.series
    assert [dot.value for dot in with_.dots] == [0.6]
    assert [dot.value for dot in without.dots] == [0.2, 0.4]
    assert skills.rows[0] == ("11 Nov", "60%  (4)", "40%  (4)")
    assert skills.rows[1] == ("10 Nov", "–", "20%  (4)")
    assert skills.level == 0.25
    few = [row[1:] for row in made[ChartName.ANSWERS].rows]
    assert few == [("8", "4"), ("8", "4")], "as Today says it: a share of 8 answers tells little"
    assert [(mark.text, mark.adapter) for mark in skills.marks] == [
        ("skills version 3: “Menu” was approved", False),
        ("adapter_1 in use", True),
    ]
    assert made[ChartName.HELD_OUT].rows == (("adapter_1", "50% → 70%", "40"),)
    assert made[ChartName.ADAPTER].empty


def test_without_anything_every_chart_says_why() -> None:
    assert all(chart.empty and chart.none for chart in charts({}, []).values())


def test_a_curve_goes_out_value_by_value() -> None:
    lines = chart_csv(charts(LEARNED, [])[ChartName.HELD_OUT]).splitlines()
    assert lines[0] == "at,curve,value,n"
    assert lines[1:] == [
        "2026-11-12T02:00:00+00:00,the new adapter,0.7,40",
        "2026-11-12T02:00:00+00:00,the version before it,0.5,40",
    ]


# The page


def test_the_first_curve_that_has_something_is_shown(on_script: Shown, scripted: Scripted) -> None:
    page = opened(on_script, scripted)
    assert page.chart.currentData() == ChartName.ANSWERS
    assert page.values.rowCount() == 2
    choose(page, ChartName.ADAPTER)
    assert page.none.text() == "No adapter has answered yet."
    assert not page.beside.isVisible()


PLACED: Json = {
    "model": "llama3.2",
    "place": "tail",
    "why": "Skills are put after your message: there the model clearly follows rules more often.",
}


def test_what_is_next_is_not_told_as_what_is_done_now(on_script: Shown, scripted: Scripted) -> None:
    next_ = {"doing": "sample", "text": "Generating answers"}
    page = opened(on_script, scripted)
    scripted.answers[routes.TRAIN] = {**scripted.answers[routes.TRAIN], **next_}
    scripted.tell("training")
    on_script.until(lambda: page.doing.text() == "Next, when you're away: Generating answers.")
    scripted.answers[routes.STATUS] = status(learning=learning("working"))
    scripted.tell("training")
    on_script.until(lambda: page.doing.text() == "Generating answers")


def test_it_says_where_skills_stand_also_before_any_run(
    on_script: Shown, scripted: Scripted
) -> None:
    scripted.answers[routes.LEARNING] = {"placings": [PLACED]}
    scripted.answers[routes.TRAIN] = {"runs": []}
    page = on_script.go(PageName.LEARNING)
    assert isinstance(page, LearningPage)
    on_script.until(lambda: page.feed.answered)
    folded = page.empty()
    assert folded is not None
    (name, unfold) = folded.offers[-1]
    assert name == "Show more"
    unfold()
    nothing = page.empty()
    assert nothing is not None and "llama3.2: Skills are put after your message" in nothing.text
    opened(on_script, scripted, {**LEARNED, "placings": [PLACED]})
    on_script.until(lambda: page.placings.text().startswith("llama3.2: Skills are put after"))


def test_how_far_back_is_asked_of_the_service(on_script: Shown, scripted: Scripted) -> None:
    page = opened(on_script, scripted)
    page.period.setCurrentIndex(page.period.findData(0))
    page.period.activated.emit(page.period.currentIndex())
    asked = [body for _, path, body in scripted.asked if path == routes.LEARNING]
    assert "from" in asked[0]
    on_script.until(
        lambda: [b for _, path, b in scripted.asked if path == routes.LEARNING][-1] == {}
    )


def test_values_are_told_under_the_mouse_and_by_the_arrow_keys(
    on_script: Shown, scripted: Scripted
) -> None:
    page = opened(on_script, scripted)
    choose(page, ChartName.SKILLS)
    curves = page.curves
    at_s = curves._chart.series[1].dots[1].at_s
    words = curves.values_at(at_s + 60)
    assert "with 60% 4 answers" in words
    assert "without 40% 4 answers" in words
    on_script.bot.keyClick(curves, Qt.Key.Key_Left)
    assert "with 60%" in curves.said.text()
    on_script.bot.keyClick(curves, Qt.Key.Key_Left)
    assert "without 20%" in curves.said.text()
    assert curves.accessibleDescription() == curves.said.text()
    on_script.bot.keyClick(curves, Qt.Key.Key_Right)
    assert "with 60%" in curves.said.text()


def test_smoothing_and_the_logarithmic_scale_change_what_is_drawn(
    on_script: Shown, scripted: Scripted
) -> None:
    page = opened(on_script, scripted)

    def drawn(curves: Curves) -> int:
        return len(curves.drawing.curves())

    smoothed = drawn(page.curves)
    page.smooth.setCurrentIndex(0)
    page.smooth.activated.emit(0)
    assert drawn(page.curves) == smoothed - 1  # the raw values are the curve
    page.log.setChecked(True)
    assert page.curves.drawing.log
    assert page.curves.drawing.y(0.1) == -1.0


def test_two_runs_are_compared_with_what_the_gate_said(
    on_script: Shown, scripted: Scripted
) -> None:
    page = opened(on_script, scripted)
    runs = [run(1, adapter="adapter_1"), run(2, tokens=7)]
    scripted.answers[routes.ADAPTER.format(id="adapter_1")] = {
        "verdict": {"checks": [{"name": "target", "holds": False, "text": "it is worse"}]}
    }
    page.runs.selectAll()
    assert page.details.text() == "Compare…"
    dialog = RunsDialog(page.kit, runs, page)
    last = len(facts_of(runs[0]))
    on_script.until(lambda: dialog.table.rowCount() == last + 1)
    cells = [dialog.table.item(last, column) for column in range(3)]
    assert [cell.text() if cell else "" for cell in cells] == [
        "Test: better where it should be",
        "✗ it is worse",
        "–",
    ]


def test_rows_of_two_runs_are_as_high_as_their_words(on_script: Shown, scripted: Scripted) -> None:
    page = opened(on_script, scripted)
    dialog = RunsDialog(page.kit, [run(1), run(2)], page)
    dialog.show()
    one_line = 2.5 * dialog.table.fontMetrics().height()
    on_script.until(lambda: all(dialog.table.rowHeight(row) < one_line for row in range(8)))


def test_two_adapters_are_compared_and_neither_is_adopted_meanwhile(
    on_script: Shown, scripted: Scripted
) -> None:
    page = opened(on_script, scripted)
    adapters = [adapter(2, "active"), adapter(1, "retired", accepted=False)]
    scripted.answers[routes.ADAPTERS] = {"active": "adapter_2", "adapters": adapters}
    scripted.answers[routes.ADAPTER.format(id="adapter_2")] = {
        **adapters[0],
        "learned": [{"client": "", "name": "menu-style", "sha256": "b" * 64}],
        "share": 0.9,
        "moves": [{"at": "2026-11-12T03:00:00+00:00", "move": "promote", "active": "adapter_2"}],
        "verdict": {"checks": [{"name": "target", "holds": True, "text": "it is better"}]},
    }
    scripted.answers[routes.ADAPTER.format(id="adapter_1")] = {**adapters[1], "verdict": None}
    scripted.tell("adapter")
    on_script.until(lambda: page.adapters.rowCount() == 2)
    page.adapters.selectAll()
    assert page.whole.text() == "Compare…"
    assert not page.adopt.isEnabled()
    page.whole.click()
    (dialog,) = page.findChildren(AdaptersDialog)
    on_script.until(lambda: "Test: better where it should be" in _lines(dialog))
    lines = _lines(dialog)
    assert lines["Skills trained in"] == ("Menu style", "–")
    assert lines["Answers"] == ("90% of new conversations", "–")
    assert lines["Test before use"] == ("passed", "not passed")
    assert lines["When it was in use"][0].endswith("adapter_2 in use")
    assert lines["Test: better where it should be"] == ("✓ it is better", "–")
    dialog.close()


def _lines(dialog: AdaptersDialog) -> dict[str, tuple[str, str]]:
    table = dialog.table
    cells = [
        [item.text() if (item := table.item(line, column)) else "" for column in range(3)]
        for line in range(table.rowCount())
    ]
    return {what: (one, two) for what, one, two in cells}


def test_every_family_of_canaries_has_words() -> None:
    assert check_words("canaries:arithmetic") == "forgets nothing: arithmetic"


def test_what_is_shown_is_what_is_exported(
    on_script: Shown, scripted: Scripted, tmp_path: Path
) -> None:
    page = opened(on_script, scripted)
    choose(page, ChartName.SKILLS)
    page.export_to(tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text().splitlines()[1].endswith("without,0.2,4")


def test_what_comes_in_meanwhile_is_drawn(on_script: Shown, scripted: Scripted) -> None:
    page = opened(on_script, scripted)
    page.feed._rest.setInterval(1)
    page.feed._rest.stop()
    scripted.answers[routes.LEARNING] = {**LEARNED, "days": [day(10, 0.9, 0.1)]}
    scripted.tell("label", turn="turn_1")
    on_script.until(lambda: page.values.rowCount() == 1)


def test_two_near_values_span_a_day_and_the_legend_lies_over_no_value(
    qapp: QApplication, qtbot: QtBot
) -> None:
    curves = Curves(ThemeInForce(qapp, LIGHT))
    qtbot.addWidget(curves)
    curves.resize(700, 320)
    curves.show()
    dots = (Dot(at_s=1_764_000_000.0, value=1.0), Dot(at_s=1_764_000_002.0, value=0.9))
    series = Series(name="with skills", colour="curve_a", dots=dots)
    curves.show_chart(Chart(name=ChartName.SKILLS, series=(series,), level=0.5))
    qapp.processEvents()
    frame = curves.plot.frame
    assert frame is not None and frame.last - frame.first >= 24 * 3600
    assert frame.low < 0.0 and 1.0 < frame.high < 1.1
    assert curves.legend.isVisible()
    assert curves.legend.geometry().bottom() < curves.plot.geometry().top()
