"""Tests of the window's state: fed by a snapshot and events, it says what is old or was done."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from lull.contract import routes
from lull.desktop.service.client import Reply
from lull.desktop.service.state import OutcomeCheck, Phase, Subject
from tests.desktop.conftest import Shown, live
from tests.desktop.scripted import Scripted, status

SETTLING = OutcomeCheck(route=routes.WHY, done=lambda answer: answer.value["state"] == "paused")


def test_an_event_brings_the_new_value(on_script: Shown, scripted: Scripted) -> None:
    state = on_script.desktop.state
    scripted.answers[routes.PROPOSALS] = {"proposals": [], "generation": 33}
    scripted.tell("proposal", proposal="prop_1")  # no clock has them read, as it has the status
    on_script.until(lambda: state.value(Subject.PROPOSALS).get("generation") == 33)


def test_how_far_a_test_has_come_is_read_while_it_runs(
    on_script: Shown, scripted: Scripted
) -> None:
    state = on_script.desktop.state
    one = {"id": "prop_1", "name": "menu-style", "status": "proving", "testing": True}
    scripted.answers[routes.PROPOSALS] = {"proposals": [one], "generation": 10}
    scripted.tell("proposal", proposal="prop_1")
    on_script.until(lambda: state.proposals == [one])
    further = {**one, "testing": False, "status": "proved"}
    scripted.answers[routes.PROPOSALS] = {"proposals": [further], "generation": 10}
    on_script.until(lambda: state.proposals == [further])  # no event tells of it


def test_many_events_together_are_one_reading(on_script: Shown, scripted: Scripted) -> None:
    state = on_script.desktop.state
    before = sum(path == routes.PROPOSALS for _, path, _ in scripted.asked)
    events: list[object] = []
    state.happened.connect(events.append)
    for number in range(200):
        scripted.tell("proposal", proposal=f"prop_{number}")
    on_script.until(lambda: len(events) == 200)
    scripted.answers[routes.PROPOSALS] = {"proposals": [], "generation": 10}
    scripted.tell("proposal", proposal="prop_last")
    on_script.until(lambda: state.value(Subject.PROPOSALS).get("generation") == 10)
    readings = sum(path == routes.PROPOSALS for _, path, _ in scripted.asked) - before
    assert 1 <= readings < 50


def test_a_service_that_falls_is_noticed_and_found_again(
    on_script: Shown, scripted: Scripted
) -> None:
    state = on_script.desktop.state
    scripted.down()
    on_script.until(lambda: state.phase is Phase.DOWN)
    assert state.held(Subject.STATUS).stale
    assert state.status["version"] == "0.1.0"  # what was known is still shown
    scripted.answers[routes.STATUS] = status(turns=5)
    scripted.up()
    on_script.until(lambda: state.phase is Phase.LIVE)
    on_script.until(lambda: state.status["turns"] == 5)
    assert not state.held(Subject.STATUS).stale


def test_events_go_on_behind_the_last_one_that_was_seen(
    on_script: Shown, scripted: Scripted
) -> None:
    events: list[dict[str, object]] = []
    on_script.desktop.state.happened.connect(events.append)
    scripted.tell("lull", state="open")
    on_script.until(lambda: len(events) == 1)
    scripted.down()
    on_script.until(lambda: on_script.desktop.state.phase is Phase.DOWN)
    scripted.up()
    on_script.until(lambda: on_script.desktop.state.phase is Phase.LIVE)
    scripted.tell("lull", state="closed")
    on_script.until(lambda: len(events) == 2)
    assert [event["seq"] for event in events] == [1, 2]


def test_an_action_without_a_service_is_plainly_not_done(
    on_script: Shown, scripted: Scripted
) -> None:
    scripted.down()
    on_script.until(lambda: on_script.desktop.state.phase is Phase.DOWN)
    heard: list[bool] = []
    on_script.desktop.state.act(routes.PAUSE, {}, words="Pausing", then=heard.append)
    assert heard == [False]
    assert "not done" in on_script.told[-1]
    scripted.up()
    on_script.until(lambda: on_script.desktop.state.phase is Phase.LIVE)
    assert scripted.posts(routes.PAUSE) == []  # nor was it kept to be done behind one's back


def test_an_action_that_broke_off_is_looked_up_when_the_service_is_back(
    on_script: Shown, scripted: Scripted
) -> None:
    for state, done in (("paused", True), ("closed", False)):
        scripted.dropping.add(routes.PAUSE)
        heard: list[bool] = []
        on_script.desktop.state.act(
            routes.PAUSE, {}, words="Pausing", outcome_check=SETTLING, then=heard.append
        )
        on_script.until(lambda: any("checks whether" in text for text in on_script.told))
        on_script.told.clear()
        assert heard == []
        scripted.down()
        on_script.until(lambda: on_script.desktop.state.phase is Phase.DOWN)
        scripted.answers[routes.WHY] = {"state": state}
        scripted.up()
        on_script.until(lambda: heard)  # noqa: B023
        assert heard == [done]
        assert on_script.told[-1].endswith(": done." if done else "not done.")
        on_script.told.clear()
        scripted.dropping.clear()


def test_a_refusal_is_told_in_the_service_s_words(on_script: Shown, scripted: Scripted) -> None:
    scripted.refusing[routes.PAUSE] = {"title": "Conflict", "detail": "Not now.", "hint": "Later."}
    heard: list[bool] = []
    on_script.desktop.state.act(routes.PAUSE, {}, words="Pausing", then=heard.append)
    on_script.until(lambda: heard)
    assert heard == [False]
    assert on_script.told == ["Pausing: not done. Not now. Later."]


def test_a_subject_that_cannot_be_read_says_why_and_keeps_what_was_known(
    on_script: Shown, scripted: Scripted
) -> None:
    state = on_script.desktop.state
    state.subscribe(Subject.RUNS)
    on_script.until(lambda: state.held(Subject.RUNS).value is not None)
    scripted.refusing[routes.TRAIN] = {"title": "Broken", "detail": "The store.", "hint": ""}
    scripted.tell("training", run=None)
    on_script.until(lambda: state.held(Subject.RUNS).error)
    assert state.held(Subject.RUNS).stale
    assert state.value(Subject.RUNS)["wanted_groups"] == 8


def test_a_question_of_one_page_is_answered_later(on_script: Shown, scripted: Scripted) -> None:
    answers: list[Reply] = []
    on_script.desktop.state.get(routes.DOCTOR, answers.append)
    on_script.until(lambda: answers)
    assert answers[0].value == {"checks": []}


def test_what_is_snoozed_and_can_be_undone_is_known_from_the_start(
    scripted: Scripted, home: Path, show: Callable[..., Shown]
) -> None:
    more = {"snoozed": [{"id": "prop_1"}], "undo": {"name": "menu-style", "what": "approved"}}
    scripted.answers[routes.PROPOSALS] = {"proposals": [], "generation": 9, **more}
    state = live(show(home)).desktop.state
    known = state.value(Subject.PROPOSALS)
    assert {part: known.get(part) for part in more} == more


def test_a_restart_that_is_refused_is_forgotten(on_script: Shown, scripted: Scripted) -> None:
    scripted.refusing[routes.STOP] = {"title": "Conflict", "detail": "Not now.", "hint": ""}
    process = on_script.desktop.process
    on_script.desktop.actions.restart()
    assert process.is_restarting
    on_script.until(lambda: "Restarting Lull: not done. Not now." in on_script.told)
    assert not process.is_restarting


def test_a_restart_without_a_service_starts_one(on_script: Shown, scripted: Scripted) -> None:
    scripted.down()
    on_script.until(lambda: on_script.desktop.state.phase is Phase.DOWN)
    started: list[bool] = []
    on_script.desktop.process.started.connect(lambda: started.append(True))
    on_script.desktop.actions.restart()
    assert started == [True]
    assert not on_script.desktop.process.is_restarting
    assert on_script.told == []


def test_an_event_that_arrives_after_the_end_reaches_nobody(
    on_script: Shown, scripted: Scripted
) -> None:
    state = on_script.desktop.state
    heard: list[object] = []
    state.happened.connect(heard.append)
    state.changed.connect(heard.append)
    late = threading.Thread(target=state._stream.happened.emit, args=({"kind": "adapter"},))
    late.start()
    late.join()  # the event now waits for the window's thread
    state.close()
    heard.clear()
    on_script.bot.wait(50)
    assert heard == []
