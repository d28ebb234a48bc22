"""Tests of the sentence under each chart: what its intervals say, and on how many answers."""

from __future__ import annotations

from lull.contract.json_object import Json
from lull.desktop.pages.learning import meaning
from lull.desktop.pages.learning.charts import ChartName, charts
from tests.desktop.pages.test_learning_page import LEARNED
from tests.desktop.pages.test_other_pages import run


def test_answers_get_better_worse_or_nobody_can_tell() -> None:
    bad, good = [(0.3, 1)] * 60, [(0.7, 1)] * 60
    assert meaning.trend_sentence(bad + good) == (
        "Answers got better: of all 120, 50% were good; 30% of the earlier half and 70% of the "
        "later half."
    )
    assert meaning.trend_sentence(good + bad).endswith("30% of the later half.")
    assert meaning.trend_sentence([(0.5, 1), (0.55, 1)] * 30).startswith("No clear change")
    few = "Too few answers to tell whether they are getting better: 19 of the 20 needed."
    assert meaning.trend_sentence([(0.1, 9), (0.9, 10)]) == few
    assert "0 of the 20" in meaning.trend_sentence([])


def test_a_steep_rise_of_few_answers_is_not_called_one() -> None:
    assert meaning.trend_sentence([(0.4, 10), (0.7, 10)]).startswith("No clear change")


def test_skills_and_adapters_are_compared_with_what_had_none() -> None:
    more = meaning.skills_sentence([(0.8, 50)], [(0.4, 50)])
    assert more.startswith("With skills, more answers were good: 80% of 50, without them 40% of 50")
    assert meaning.skills_sentence([(0.4, 50)], [(0.8, 50)]).startswith("With skills, fewer")
    assert meaning.adapter_sentence([(0.8, 50)], [(0.4, 50)]).startswith("With an adapter, more")
    assert meaning.adapter_sentence([(0.5, 50)], [(0.45, 50)]).startswith("No clear difference")
    few = "Too few answers to compare: 4 with and 90 without; 10 of each are needed."
    assert meaning.adapter_sentence([(1.0, 4)], [(0.1, 90)]) == few


def test_the_newest_adapter_is_held_against_the_version_before_it() -> None:
    def tested(before: float, after: float, pairs: int) -> str:
        old: Json = {"adapter": "adapter_1", "before": 0.9, "after": 0.1, "pairs": 90}
        new: Json = {"adapter": "adapter_2", "before": before, "after": after, "pairs": pairs}
        return meaning.held_out_sentence([old, new])

    assert tested(0.3, 0.7, 40).startswith(
        "adapter_2 is better than the version before it: on the same 40 requests, 70%"
    )
    assert tested(0.7, 0.3, 40).startswith("adapter_2 is worse")
    assert tested(0.5, 0.6, 40).startswith("No clear difference between adapter_2")
    few = "Too few requests to tell: adapter_2 answered 6 of the 10 needed."
    assert tested(0.0, 1.0, 6) == few


def test_runs_are_counted_and_luck_is_called_luck() -> None:
    assert meaning.runs_sentence([(0.4, 0.5)] * 9).startswith(
        "Training helps more often than not: after 9"
    )
    assert meaning.runs_sentence([(0.5, 0.4)] * 9).startswith(
        "Training seldom helps: the practice answers were better than before after only 0 of 9"
    )
    assert meaning.runs_sentence([(0.4, 0.5), (0.5, 0.4)]).startswith(
        "Too few runs to tell: after 1 of 2"
    )
    assert meaning.runs_sentence([(0.4, 0.5), (0.5, 0.4)] * 6).startswith(
        "No clear effect: after 6 of 12"
    )


def test_of_a_run_in_progress_the_time_left_and_the_loss_are_told() -> None:
    made = {**run(1, kind="kto", steps=30, of=120), "left_s": 720.0}
    falling = [2.0 - n / 30 + (n % 3) / 50 for n in range(30)]
    assert meaning.training_sentence(made, falling) == (
        "Step 30 of 120, about 12 min of training left."
        " The loss is falling: the model is getting closer to its examples."
    )
    assert "Too few steps" in meaning.training_sentence(made, falling[:8])
    assert "is rising" in meaning.training_sentence(made, falling[::-1])
    assert "may be chance" in meaning.training_sentence(made, [n % 2 for n in range(30)])
    assert "doesn't have to fall" in meaning.training_sentence(
        {**made, "kind": "grpo"}, falling[::-1]
    )
    assert meaning.training_sentence({**made, "left_s": 0.0}, falling).startswith(
        "Step 30 of 120. "
    )


def test_every_chart_with_something_to_show_has_a_sentence() -> None:
    made = charts(LEARNED, [run(1)])
    shown = {name: chart.meaning for name, chart in made.items() if not chart.empty}
    assert set(shown) >= {ChartName.ANSWERS, ChartName.SKILLS, ChartName.HELD_OUT, ChartName.RUNS}
    assert all(text.endswith(".") for text in shown.values())
    assert all(chart.about.endswith(".") for chart in made.values())
