"""Tests of the pages Today, Learning, Schedule and Logs."""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QPushButton

from lull.contract import routes
from lull.contract.json_object import Json
from lull.desktop.pages.learning.charts import MOST_POINTS, Dot, running_mean, thinned
from lull.desktop.pages.learning.page import LearningPage
from lull.desktop.pages.learning.words import csv_text
from lull.desktop.pages.logs import LogsPage
from lull.desktop.pages.schedule.page import SchedulePage
from lull.desktop.pages.today.conditions import CONDITIONS_OPEN
from lull.desktop.pages.today.page import TodayPage
from lull.desktop.pages.today.words import reward_words, work_lines
from lull.desktop.widgets.page import PageName
from tests.desktop.conftest import Shown
from tests.desktop.scripted import Scripted, learning, status


def run(number: int, **more: Any) -> Json:
    return {
        "id": f"run_{number}",
        "kind": "grpo",
        "status": "promoted",
        "why": "8 telling requests",
        "made": f"2026-11-{10 + number}T02:00:00+00:00",
        "steps": 40,
        "of": 40,
        "reward_before": 0.4,
        "reward_after": 0.5,
        "kl": 0.02,
        "tokens": 120_000,
        "took_s": 840.0,
        "left_s": 0.0,
        "turns": 30,
        "verdict": "accepted",
        "reasons": [],
        **more,
    }


def adapter(number: int, status_: str, *, accepted: bool | None = True) -> Json:
    return {
        "id": f"adapter_{number}",
        "parent": None,
        "base": "qwen3:4b",
        "sha256": "a" * 64,
        "status": status_,
        "made": f"2026-11-{10 + number}T03:00:00+00:00",
        "accepted": accepted,
        "reasons": [],
    }


# Today


def today(shown: Shown, scripted: Scripted, **more: Any) -> TodayPage:
    scripted.answers[routes.STATUS] = status(**more)
    scripted.tell("lull")
    page = shown.go(PageName.TODAY)
    assert isinstance(page, TodayPage)
    shown.until(lambda: shown.desktop.state.status == scripted.answers[routes.STATUS])
    shown.until(lambda: page.showing_body)
    return page


def test_today_says_what_runs_and_why_it_waits(on_script: Shown, scripted: Scripted) -> None:
    page = today(on_script, scripted)
    assert page.line.text() == "Waiting: You are here"
    facts = [fact.text() for fact in page.facts]
    assert facts[0] == "http://127.0.0.1:11435"
    assert facts[2:] == ["qwen3:4b", "adapter_4", "9"]
    assert not page.checklist.isVisible()


def test_today_says_two_reasons_against_and_the_rest_on_demand(
    on_script: Shown, scripted: Scripted
) -> None:
    page = today(on_script, scripted)
    conditions = page.conditions

    def said() -> list[str]:
        return [one.text() for one in conditions.findChildren(QLabel) if one.isVisible()]

    on_script.until(lambda: len([text for text in said() if text]) == 2 * 2)
    assert said()[1:3] == ["You", "You are here: last input less than 1 min ago."]
    assert conditions.fold.text() == "Show all 15 conditions"
    conditions.fold.click()
    on_script.until(lambda: len([text for text in said() if text]) == 2 * 15)
    assert "No calendar event needs this computer now." in said()
    # What was chosen is kept, also by the next window.
    assert page.kit.preferences.value(CONDITIONS_OPEN, type=bool)
    conditions.fold.click()
    on_script.until(lambda: len([text for text in said() if text]) == 2 * 2)


def test_today_has_three_steps_for_who_begins(on_script: Shown, scripted: Scripted) -> None:
    page = today(
        on_script, scripted, turns=0, conversations=0, skills={"active": 0, "proposals": 0}
    )
    assert page.checklist.isVisible()
    assert [step.text()[0] for step in page.steps] == ["○", "✓", "○"]
    assert page.steps[0].text().startswith("○  Chat here")
    wrong = "If an answer is wrong, say so in your next message."
    assert page.steps[2].text().startswith(f"○  {wrong}")
    buttons = [one for one in page.checklist.findChildren(QPushButton) if one.isVisible()]
    assert [one.text() for one in buttons] == ["Chat here", "Copy address", "Look at skills"]
    places = [one.mapTo(page, QPoint(0, 0)).y() for one in (*page.steps, *buttons)]
    first, second, third, chat_y, copy_y, skills_y = places
    assert first < chat_y == copy_y < second < third < skills_y, "each below the step it is for"
    chat = buttons[0]
    chat.click()
    assert on_script.desktop.window.windowTitle() == "Lull: Chat"


def test_today_shows_what_needs_the_user(on_script: Shown, scripted: Scripted) -> None:
    problem = {"title": "The disk is full", "detail": "1 MB is left.", "hint": "Free some."}
    page = today(on_script, scripted, problems=[problem])
    assert page.problems.isVisible()


def test_today_asks_about_one_answer(on_script: Shown, scripted: Scripted) -> None:
    scripted.answers[routes.TURN.format(id="turn_5")] = {
        "id": "turn_5",
        "request": "A menu?",
        "answer": "apple | river",
    }
    scripted.answers[routes.RATE.format(id="turn_5")] = {}
    page = today(on_script, scripted, question="turn_5")
    on_script.until(page.question.isVisible)
    page._rate("good")
    on_script.until(lambda: scripted.posts(routes.RATE.format(id="turn_5")) == [{"label": "good"}])


def test_today_offers_to_resume_a_pause(on_script: Shown, scripted: Scripted) -> None:
    scripted.answers[routes.RESUME] = learning()
    page = today(
        on_script, scripted, learning=learning("paused", until="9999-01-01T00:00:00+00:00")
    )
    assert page.resume.isVisible()
    assert not page.pause.isVisible()
    page.resume.click()
    on_script.until(lambda: scripted.posts(routes.RESUME))


def test_today_holds_its_answers_against_the_weeks_before_and_says_what_changed(
    on_script: Shown, scripted: Scripted
) -> None:
    from PySide6.QtWidgets import QLabel

    day = datetime.now().astimezone().date()
    at = (datetime.now().astimezone() - timedelta(hours=3)).isoformat()
    scripted.answers[routes.LEARNING] = {
        "points": [],
        "days": [
            {"day": (day - timedelta(days=2)).isoformat(), "n": 4, "reward": 0.25},
            # Midnight may pass before the page is shown: then today is the second of these.
            {"day": day.isoformat(), "n": 3, "reward": 0.9},
            {"day": (day + timedelta(days=1)).isoformat(), "n": 3, "reward": 0.9},
        ],
        "generations": [
            {"generation": 3, "at": at, "change": "approve", "detail": "approve menu-style"}
        ],
        "moves": [{"at": at, "move": "promote", "active": "adapter_2", "shadow": None}],
    }
    page = today(on_script, scripted)
    page.feed.set_days(14)  # and not in a quarter of a minute
    on_script.until(lambda: page.figures["reward"].text() == "3")
    assert page.titles["reward"].text() == "good answers today"
    assert page.notes["reward"].text() == "of 3 scored; 53% in the two weeks before"
    on_script.until(page.changes.isVisible)
    said = [one.text() for one in page.changes.findChildren(QLabel)]
    assert {"“Menu style” was approved", "adapter_2 in use"} <= set(said)


def test_one_good_answer_is_told_in_the_singular(on_script: Shown, scripted: Scripted) -> None:
    day = datetime.now().astimezone().date()
    days = [
        {"day": (day + timedelta(days=more)).isoformat(), "n": 3, "reward": 0.3} for more in (0, 1)
    ]
    scripted.answers[routes.LEARNING] = {"points": [], "days": days}
    page = today(on_script, scripted)
    page.feed.set_days(14)  # and not in a quarter of a minute
    on_script.until(lambda: page.figures["reward"].text() == "1")
    assert page.titles["reward"].text() == "good answer today"


def test_a_day_without_a_score_says_so() -> None:
    assert reward_words([], "2026-11-21") == ("–", "none scored yet")
    assert reward_words([{"day": "2026-11-20", "n": 2, "reward": 0.5}], "2026-11-21") == (
        "–",
        "50% in the two weeks before",
    )


NOBODY = {"setting": "auto", "model": None, "why": "tiny:1b did not pass its test."}


def test_today_says_why_nobody_judges(on_script: Shown, scripted: Scripted) -> None:
    page = today(on_script, scripted, helpers={"judge": NOBODY})
    assert (
        page.judge.text() == f"No model was chosen automatically to judge answers: {NOBODY['why']}"
    )
    page = today(on_script, scripted, helpers={"judge": {**NOBODY, "model": "good:8b"}})
    assert page.judge.text() == "" and not page.judge.isVisible()


# Learning


def learned(shown: Shown, scripted: Scripted) -> LearningPage:
    scripted.answers[routes.TRAIN] = {"runs": [run(1), run(2), run(3, status="training")]}
    scripted.answers[routes.ADAPTERS] = {
        "model": "qwen3:4b",
        "active": "adapter_2",
        "adapters": [
            adapter(2, "active"),
            adapter(1, "retired"),
            adapter(3, "rejected", accepted=False),
        ],
    }
    page = shown.go(PageName.LEARNING)
    assert isinstance(page, LearningPage)
    shown.until(lambda: page.showing_body and page.adapters.rowCount() == 3)
    shown.until(lambda: page.runs.rowCount() == 3)
    return page


def test_learning_without_a_run_says_what_it_needs(on_script: Shown) -> None:
    page = on_script.go(PageName.LEARNING)
    on_script.until(lambda: page.nothing.head.text() == "Too little to tell yet")
    words = page.nothing.words
    assert "once 20 of them have been scored: rate some" in words.text()
    assert len(re.findall(r"\d+", words.text())) == 1
    (more,) = [one for one in page.findChildren(QPushButton) if one.text() == "Show more"]
    page.refresh()
    assert [more] == [one for one in page.findChildren(QPushButton) if one.text() == "Show more"]
    more.click()
    on_script.until(lambda: "good and bad answers to 6 more requests" in words.text())


def test_learning_shows_runs_and_adapters_beside_the_curve(
    on_script: Shown, scripted: Scripted
) -> None:
    page = learned(on_script, scripted)
    assert page.runs.rowCount() == 3
    assert "120,000 tokens" in page.run_text.text()
    item = page.runs.item(0, 3)
    assert item is not None
    assert item.text() == "40% → 50%"


def test_an_adapter_is_adopted_and_rolled_back(on_script: Shown, scripted: Scripted) -> None:
    page = learned(on_script, scripted)
    for path in (routes.ADAPTERS_PROMOTE, routes.ADAPTERS_ROLLBACK):
        scripted.answers[path] = scripted.answers[routes.ADAPTERS]
    page.adapters.setCurrentCell(0, 0)
    assert not page.adopt.isEnabled()  # it is in force
    page.adapters.setCurrentCell(1, 0)
    page.back.click()
    on_script.until(lambda: scripted.posts(routes.ADAPTERS_ROLLBACK) == [{"to": "adapter_1"}])

    def chosen() -> bool:
        page.adapters.setCurrentCell(2, 0)  # once more where the answer fills the table anew
        return page.adopt.text() == "Adopt anyway"

    on_script.until(chosen)
    page.adopt.click()
    wanted = [{"adapter": "adapter_3", "anyway": True}]
    on_script.until(lambda: scripted.posts(routes.ADAPTERS_PROMOTE) == wanted)


@pytest.mark.parametrize(
    ("active", "words"),
    [("adapter_1", "Rolled back to adapter_1."), (None, "Rolled back to the original model.")],
)
def test_rolling_back_names_what_answers_again(
    on_script: Shown, scripted: Scripted, active: str | None, words: str
) -> None:
    page = learned(on_script, scripted)
    scripted.answers[routes.ADAPTERS_ROLLBACK] = {"active": active, "adapters": []}
    page.back.click()
    on_script.until(lambda: words in on_script.told)


def test_a_run_is_cancelled(on_script: Shown, scripted: Scripted) -> None:
    page = learned(on_script, scripted)
    path = routes.TRAIN_CANCEL.format(id="run_3")
    scripted.answers[path] = {"runs": []}
    page.runs.setCurrentCell(0, 0)
    assert not page.cancel.isEnabled()
    page.runs.setCurrentCell(2, 0)
    page.cancel.click()
    on_script.until(lambda: scripted.posts(path))


def test_the_curve_goes_out_as_csv_and_png(
    on_script: Shown, scripted: Scripted, tmp_path: Path
) -> None:
    page = learned(on_script, scripted)
    page.export_to(tmp_path / "a.csv")
    lines = (tmp_path / "a.csv").read_text().splitlines()
    assert lines[0].startswith("id,made,kind")
    assert len(lines) == 4
    page.export_to(tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    page.export_to(tmp_path / "none" / "a.csv")
    assert "Not exported" in on_script.told[-1]


def test_a_cell_is_never_a_formula() -> None:
    assert "'=1+1" in csv_text([run(1, verdict="=1+1")])


def test_a_running_mean_counts_newer_answers_more_and_days_by_their_answers() -> None:
    def dots(*found: tuple[float, int]) -> list[Dot]:
        return [Dot(at_s=float(at), value=value, n=n) for at, (value, n) in enumerate(found)]

    of_answers = running_mean(dots((1.0, 1), (0.0, 1), (0.0, 1)), 0.5)
    assert of_answers == pytest.approx([1.0, 1 / 3, 1 / 7])
    assert running_mean(dots((1.0, 1), (0.0, 9)), 0.0) == pytest.approx([1.0, 0.1])


def test_a_curve_has_at_most_two_thousand_points() -> None:
    dots = [Dot(at_s=float(n), value=0.0) for n in range(50_000)]
    few = thinned(dots)
    assert len(few) == MOST_POINTS
    assert (few[0], few[-1]) == (dots[0], dots[-1])


# Today: what is done, and what only comes next


@pytest.mark.parametrize(
    ("state", "words"),
    [("working", ["A.", "Next: B.", "Then: C."]), ("open", ["Next: A.", "Then: B.", "Then: C."])],
)
def test_work_that_only_comes_next_is_not_told_as_if_it_ran(state: str, words: list[str]) -> None:
    assert work_lines({"state": state, "work": [{"text": one} for one in "ABC"]}) == words


def test_a_test_that_runs_is_not_told_as_what_comes_next() -> None:
    work = [
        {"text": "A.", "code": "work-proof", "values": [{"skill": "menu-style"}]},
        {"text": "B.", "code": "", "values": []},
    ]
    assert len(work_lines({"state": "closed", "work": work})) == 2
    (only,) = work_lines({"state": "closed", "work": work}, "menu-style")
    assert only.startswith("Next: B.")


UNKNOWN_REASON = "there is no desktop session; /run/user/1/bus: No such file or directory"


def nobody_sees_the_user() -> Json:
    """Return why Lull does not work where nothing on the machine reports input."""
    said = f"Can't tell whether you are here ({UNKNOWN_REASON}), so Lull assumes that you are."
    coded = {"code": "input-unknown", "values": [{"sentence": UNKNOWN_REASON}]}
    gates = [gate for gate in learning()["gates"] if gate["name"] != "input"]
    gates = [{**gate, "state": "open"} if gate["name"] == "wait" else gate for gate in gates]
    return learning(
        because=said,
        because_code="input-unknown",
        because_values=[{"sentence": UNKNOWN_REASON}],
        gates=[*gates, {"name": "input", "state": "unknown", "text": said, **coded}],
    )


def test_where_nobody_sees_the_user_a_row_says_so(on_script: Shown, scripted: Scripted) -> None:
    page = today(on_script, scripted, learning=nobody_sees_the_user())
    on_script.until(lambda: page.line.text() == "Waiting: Can't tell whether you are here")

    def said() -> list[str]:
        rows = page.conditions.findChildren(QLabel)
        return [one.text() for one in rows if one.isVisible()]

    on_script.until(lambda: any("Can't tell whether you are here" in one for one in said()))


# Schedule


def test_the_schedules_headline_has_no_words_of_the_system(
    on_script: Shown, scripted: Scripted
) -> None:
    scripted.answers[routes.STATUS] = status(learning=nobody_sees_the_user())
    page = scheduled(on_script, scripted)
    plainly = "Can't tell whether you are here, so Lull assumes that you are."
    on_script.until(lambda: page.why.text() == plainly)
    assert UNKNOWN_REASON in page.reasons.text()


def scheduled(shown: Shown, scripted: Scripted, **more: Any) -> SchedulePage:
    scripted.answers[routes.WINDOWS] = {
        "windows": [],
        "events": [],
        "hours": {"sleep": ["23:00-07:00"], "allowed": [], "blocked": []},
        **more,
    }
    page = shown.go(PageName.SCHEDULE)
    assert isinstance(page, SchedulePage)
    shown.until(lambda: page.showing_body and page.hours["sleep_hours"].text())
    return page


def test_the_schedule_says_why_not_now(on_script: Shown, scripted: Scripted) -> None:
    page = scheduled(on_script, scripted)
    assert page.why.text() == "You are here: last input less than 1 min ago."
    assert "10 min without you" in page.reasons.text()


def test_hours_are_edited_in_place_and_checked_before(on_script: Shown, scripted: Scripted) -> None:
    page = scheduled(on_script, scripted)
    scripted.answers[routes.SETTINGS] = {"key": "idle.sleep_hours", "restart_needed": False}
    field = page.hours["sleep_hours"]
    assert field.text() == "23:00-07:00"
    for wrong, right in (("tea time", False), ("mon-fri 22:00-06:00, sat-sun 23:00-09:00", True)):
        field.setText(wrong)
        field.setModified(True)
        field.editingFinished.emit()
        if not right:
            assert "can't read" in on_script.told[-1]
            assert scripted.posts(routes.SETTINGS) == []
    on_script.until(lambda: scripted.posts(routes.SETTINGS))
    assert scripted.posts(routes.SETTINGS)[0]["value"] == (
        "mon-fri 22:00-06:00, sat-sun 23:00-09:00"
    )


def test_without_a_calendar_the_schedule_says_what_it_goes_by(
    on_script: Shown, scripted: Scripted
) -> None:
    from PySide6.QtWidgets import QLabel

    page = scheduled(on_script, scripted)
    on_script.until(lambda: any("No calendar" in one.text() for one in page.findChildren(QLabel)))


def test_chats_that_failed_are_listed_with_the_reason(on_script: Shown, scripted: Scripted) -> None:
    one = {
        "at": "2026-11-21T12:00:00+00:00",
        "client": "open-webui",
        "path": "/api/chat",
        "status": 400,
        "why": "The prompt is longer than the window. `lull logs` says more.",
    }
    page = today(on_script, scripted, failed=[])
    assert not page.failed.isVisible()
    page = today(on_script, scripted, failed=[one] * 5)
    on_script.until(page.failed.isVisible)
    assert page.failed.lines.rowCount() >= 3
    said = [label.text() for label in page.failed.findChildren(QLabel)]
    (words,) = {text for text in said if "open-webui" in text}
    assert "longer than the window" in words and "400" in words
    assert "`" not in words and "Logs page" in words


def test_a_chat_app_that_no_longer_asks_lull_is_said_with_a_way_to_connect(
    on_script: Shown, scripted: Scripted
) -> None:
    page = today(on_script, scripted, drifted=[])
    assert not page.drifted.isVisible()
    zed, aider = {"name": "zed", "title": "Zed"}, {"name": "aider", "title": "aider"}
    page = today(on_script, scripted, drifted=[zed])
    on_script.until(page.drifted.isVisible)
    assert page.drifted.words.text().startswith("Zed no longer goes through Lull")
    page = today(on_script, scripted, drifted=[zed, aider])
    on_script.until(lambda: page.drifted.words.text().startswith("Zed, aider no longer go"))
    page.drifted.go.click()
    on_script.until(on_script.desktop.window.page(PageName.CONNECT).isVisible)


# Logs


def log(home: Path, level: str, text: str) -> None:
    line = {"at": "2026-11-21T12:00:00.000+00:00", "level": level, "part": "x", "text": text}
    with (home / "logs" / "service.log").open("a") as file:
        file.write(json.dumps(line) + "\n")


@pytest.mark.usefixtures("scripted")
def test_logs_are_followed_filtered_and_kept_to_a_level(on_script: Shown, home: Path) -> None:
    log(home, "info", "It began.")
    log(home, "debug", "A small thing.")
    page = on_script.go(PageName.LOGS)
    assert isinstance(page, LogsPage)
    assert "It began." in page.text.toPlainText()
    assert "A small thing." not in page.text.toPlainText()
    log(home, "error", "It broke.")
    on_script.until(lambda: "It broke." in page.text.toPlainText())
    page.level.setCurrentIndex(3)
    page._redraw()
    assert "It began." not in page.text.toPlainText()


def test_ids_in_the_log_are_shown_by_name_and_copied_whole(
    on_script: Shown, scripted: Scripted, home: Path
) -> None:
    proposal, turn = "prop_00d24vjnr30001c498kt", "turn_00d24vjnr30001c4zzkx"
    scripted.answers[routes.PROPOSALS] = {"proposals": [{"id": proposal, "name": "menu-style"}]}
    log(home, "info", f"proposal {proposal} is proved")
    log(home, "error", f"turn {turn} cannot be scored, adapter_4 neither")
    page = on_script.go(PageName.LOGS)
    assert isinstance(page, LogsPage)
    on_script.until(lambda: "proposal “Menu style” is proved" in page.text.toPlainText())
    assert "turn …zzkx cannot be scored, adapter_4 neither" in page.text.toPlainText()
    assert proposal not in page.text.toPlainText()
    for words in ("Menu sty", proposal):
        page.search.setText(words)
        assert page.text.toPlainText().endswith("proposal “Menu style” is proved")
    page.copy.click()
    assert QGuiApplication.clipboard().text().endswith(f"proposal {proposal} is proved")


def test_the_doctor_is_asked_from_here(on_script: Shown, scripted: Scripted) -> None:
    scripted.answers[routes.DOCTOR] = {
        "checks": [
            {"name": "disk", "ok": False, "serious": True, "text": "Full.", "hint": "Free some."}
        ]
    }
    page = on_script.go(PageName.LOGS)
    assert isinstance(page, LogsPage)
    page.look.click()
    on_script.until(page.health.isVisible)


def test_what_a_condition_says_stands_once_on_today(on_script: Shown, scripted: Scripted) -> None:
    page = today(on_script, scripted)
    words = "You are here: last input less than 1 min ago."
    shown = [one for one in page.findChildren(QLabel) if one.text() == words and one.isVisible()]
    assert len(shown) == 1
    scripted.answers[routes.STATUS] = status(learning=learning(because="Learning rests a while."))
    scripted.tell("lull")
    on_script.until(lambda: page.because.text() == "Learning rests a while.")


def test_a_long_log_line_is_wrapped(on_script: Shown, home: Path) -> None:
    log(home, "info", "/a/path/without/a/space" * 40)
    page = on_script.go(PageName.LOGS)
    assert isinstance(page, LogsPage)
    on_script.until(lambda: page.text.blockCount() >= 1 and page.text.toPlainText())
    on_script.until(lambda: page.text.document().lastBlock().layout().lineCount() > 3)
    assert page.text.horizontalScrollBar().maximum() == 0
