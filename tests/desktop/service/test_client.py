"""Tests of what the window learns of its requests: done, refused, not done, or not known."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from lull.contract import routes
from lull.desktop.service.client import ControlClient, Reply, ReplyOutcome
from tests.desktop.conftest import WAIT_MS
from tests.desktop.scripted import Scripted


@pytest.fixture
def client(scripted: Scripted) -> Iterator[ControlClient]:
    made = ControlClient(scripted.socket)
    yield made
    made.close()


def heard(bot: QtBot, answers: list[Reply], number: int = 1) -> Reply:
    bot.waitUntil(lambda: len(answers) >= number, timeout=WAIT_MS)
    return answers[-1]


def test_what_the_service_answers_is_done(client: ControlClient, qtbot: QtBot) -> None:
    answers: list[Reply] = []
    client.get(routes.STATUS, answers.append)
    assert answers == []  # it never waits
    answer = heard(qtbot, answers)
    assert answer.ok
    assert answer.value["version"] == "0.1.0"


def test_what_the_service_turns_down_is_refused_in_its_words(
    client: ControlClient, scripted: Scripted, qtbot: QtBot
) -> None:
    scripted.refusing[routes.PAUSE] = {"title": "Conflict", "detail": "No.", "hint": ""}
    answers: list[Reply] = []
    client.act(routes.PAUSE, {"for": "1h"}, answers.append)
    answer = heard(qtbot, answers)
    assert answer.outcome is ReplyOutcome.REFUSED
    assert answer.error["detail"] == "No."


def test_where_nobody_listens_nothing_was_done(home: Path, qtbot: QtBot) -> None:
    client = ControlClient(home / "no.sock")
    answers: list[Reply] = []
    client.act(routes.PAUSE, {}, answers.append)
    assert heard(qtbot, answers).outcome is ReplyOutcome.NOT_DONE
    client.close()


def test_a_break_after_it_was_sent_is_not_known(
    client: ControlClient, scripted: Scripted, qtbot: QtBot
) -> None:
    scripted.dropping.add(routes.PAUSE)
    answers: list[Reply] = []
    client.act(routes.PAUSE, {}, answers.append)
    assert heard(qtbot, answers).outcome is ReplyOutcome.UNSURE
    assert len(scripted.posts(routes.PAUSE)) == 1  # and it was not sent again behind one's back


def test_actions_go_in_the_order_in_which_they_were_clicked(
    client: ControlClient, scripted: Scripted, qtbot: QtBot
) -> None:
    scripted.answers[routes.RESUME] = {}
    answers: list[Reply] = []
    for number in range(20):
        client.act(routes.RESUME, {"n": number}, answers.append)
    heard(qtbot, answers, 20)
    assert [body["n"] for body in scripted.posts(routes.RESUME)] == list(range(20))


def test_after_close_nobody_is_called(
    client: ControlClient, scripted: Scripted, qtbot: QtBot
) -> None:
    answers: list[Reply] = []
    client.get(routes.STATUS, answers.append)
    client.close()
    qtbot.waitUntil(lambda: not client.busy, timeout=WAIT_MS)
    assert answers == []


def test_what_was_begun_before_close_is_still_sent(
    client: ControlClient, scripted: Scripted, qtbot: QtBot
) -> None:
    scripted.answers[routes.RESUME] = {}
    answers: list[Reply] = []
    for number in range(5):
        client.act(routes.RESUME, {"n": number}, answers.append)
    client.close()
    qtbot.waitUntil(lambda: len(scripted.posts(routes.RESUME)) == 5, timeout=WAIT_MS)
    assert answers == []
