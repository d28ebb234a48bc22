"""Tests of the judge, of quiet times and of calibration, with real processes.

They show who is asked when, and who is believed. The judge is a model on the user's own Ollama
here, as it is for most.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.doubles.scripted_endpoint import BAD_GATEWAY, EMPTY, Answer, Says, hangs
from tests.e2e.scripted.three_models import (
    OF_A_USER,
    PLAIN,
    REFEREE,
    RIGHT,
    Models,
    Talk,
    at_home,
    blocks,
    cooks,
    in_turn,
    problems,
    prove,
    rate,
    status,
    turn_of,
    vote,
    wants_bars,
)
from tests.eventually import PATIENCE_S, eventually
from tests.running import Lull
from tests.service.scripted_upstream import Asked

pytestmark = [pytest.mark.full, pytest.mark.timeout(2400)]

ASKED, AND_THEN = "what is a lull", "and what is a gale"
MENU = "Please write a menu for Sunday with soup and bread"
TOOLS = [{"type": "function", "function": {"name": "shell", "parameters": {"type": "object"}}}]
NEVER_QUIET, SOON_QUIET = 3600, 0.2


@pytest.fixture
def models() -> Iterator[Models]:
    with Models() as made:
        yield made


@pytest.fixture
def lull(tmp_path: Path, models: Models) -> Iterator[Lull]:
    """A Lull that asks its models nothing but what a test pushes."""
    with at_home(tmp_path / "home", models, _settings(NEVER_QUIET)) as made:
        yield made


@pytest.fixture
def eager(tmp_path: Path, models: Models) -> Iterator[Lull]:
    """A Lull that asks its models by itself, soon after each chat."""
    with at_home(tmp_path / "eager", models, _settings(SOON_QUIET)) as made:
        yield made


def _settings(quiet_s: float) -> str:
    """Return settings under which other work on this machine is no reason to wait."""
    judge = f'[judge]\nmodel = "{REFEREE}"\n\n[learning]\nquiet_s = {quiet_s}\n'
    return f"{judge}\n[idle]\nload_share = 1\nmemory_share = 0\nmemory_pressure = 1\n"


def two_turns(talk: Talk) -> None:
    """Have a turn, and a next message that says nothing about its answer."""
    talk.says(ASKED)
    talk.says(AND_THEN)


def of_the_first(votes: Answer) -> Answer:
    """Return a judge that gives `votes` on the first of `two_turns` and calls the other good."""

    def judge(asked: Asked) -> None:
        behind = blocks(asked.json)["the user's next message"]
        (votes if behind == AND_THEN else vote(1))(asked)

    return judge


# Votes


def test_votes_that_cannot_be_counted_are_no_verdict_and_are_asked_for_again(
    lull: Lull, models: Models
) -> None:
    service = lull.serve()
    two_turns(Talk(service))
    prose = Says(text="I would say it is good.")
    for what, votes in {
        "malformed": (prose, EMPTY, Says(text='{"score": 7, "reason": "x"}')),
        "one of three": (prose, vote(1), EMPTY),
        "a tie": (vote(1), vote(-1), vote(0)),
        "a server that fails": (BAD_GATEWAY,),
    }.items():
        models.judge = of_the_first(in_turn(*votes))
        before = len(models.bodies(REFEREE))
        prove(lull)
        assert len(models.bodies(REFEREE)) > before, what
        assert turn_of(lull, ASKED)["reward"] is None, what
    assert "has failed (HTTP 502)" in problems(lull)

    models.judge = of_the_first(in_turn(vote(-1), prose, vote(-1)))
    prove(lull)
    reward = turn_of(lull, ASKED)["reward"]
    assert (reward["source"], reward["value"]) == ("judge", -1.0)
    assert [one["score"] for one in reward["votes"]] == [-1, -1]
    assert problems(lull) == ""


def test_a_judge_that_is_not_there_is_told_in_words(lull: Lull) -> None:
    lull.ask("settings", "set", "judge.address", "http://127.0.0.1:9/v1")
    service = lull.serve()
    two_turns(Talk(service))
    prove(lull)
    told = lull.ask("status")["problems"]
    assert [p["title"] for p in told] == ["A model's server does not answer"]
    assert "cannot be reached" in told[0]["detail"]
    assert told[0]["hint"]
    prove(lull)
    assert turn_of(lull, ASKED)["reward"] is None
    lull.ask("settings", "set", "judge.model", "")
    prove(lull)
    assert problems(lull) == ""


def test_a_judge_on_another_machine_is_not_asked_without_a_word_from_the_user(
    lull: Lull, models: Models
) -> None:
    lull.ask("settings", "set", "judge.address", "http://192.0.2.1:9/v1")
    service = lull.serve()
    two_turns(Talk(service))
    prove(lull)
    assert "another machine" in problems(lull)
    lull.ask("settings", "set", "judge.address", "")
    prove(lull)
    assert turn_of(lull, ASKED)["reward"]["source"] == "judge"
    assert problems(lull) == ""


# Quiet


def waiting(models: Models) -> list[Asked]:
    """Return the requests to the judge that nobody has hung up on yet."""
    return [asked for asked in models.asked_of(REFEREE) if not asked.left.is_set()]


def test_a_chat_stops_the_judge_at_once_and_it_is_asked_again(eager: Lull, models: Models) -> None:
    models.judge = hangs
    service = eager.serve()
    two_turns(Talk(service))
    # A question that began between the two turns was stopped for the second.
    first = eventually(lambda: next(iter(waiting(models)), None))
    assert Talk(service).says(MENU) == PLAIN  # while the judge says nothing
    assert first.left.wait(PATIENCE_S)
    again = eventually(lambda: next(iter(waiting(models)), None))
    models.judge = wants_bars
    assert Talk(service).says("what else is there") == PLAIN
    assert again.left.wait(PATIENCE_S)
    reward = eventually(lambda: turn_of(eager, ASKED)["reward"])
    assert (reward["source"], reward["value"]) == ("judge", 1.0)


def test_a_chat_stops_a_replay_at_once_and_the_proof_goes_on(eager: Lull, models: Models) -> None:
    """While an answer for a user is being made, no request of Lull's own runs beside it."""
    replays_hang = threading.Event()
    replays_hang.set()
    beside: list[str] = []

    def cook(asked: Asked) -> None:
        if asked.json.get("keep_alive") == OF_A_USER["keep_alive"]:
            running = [one for one in ours() if one is not asked]
            eventually(lambda: all(one.left.is_set() for one in running))
            beside.append(asked.json["messages"][-1]["content"])
            cooks(asked)
        elif replays_hang.is_set():
            hanging.append(asked)
            hangs(asked)
        else:
            cooks(asked)

    hanging: list[Asked] = []

    def ours() -> list[Asked]:
        return list(hanging)

    models.cook = cook
    service = eager.serve()
    talk = Talk(service)
    assert talk.says(MENU) == PLAIN
    talk.says("no, when a menu is asked for, join the dishes with bars")
    (proposal,) = eventually(lambda: eager.ask("review")["proposals"])
    eager.ask("prove", proposal["id"])
    eventually(ours)
    assert Talk(service).says("what is a gale") == PLAIN
    assert beside[-1] == "what is a gale"  # answered behind the replay's end, and not by waiting
    (proposal,) = eager.ask("review")["proposals"]
    assert proposal["evidence"]["pairs"] == 0
    replays_hang.clear()
    Talk(service).says("what is a breeze")  # whatever hangs still is stopped

    def proved() -> bool:
        (now,) = eager.ask("review")["proposals"]
        return bool(now["status"] == "proved")

    eventually(proved)
    eager.ask("review", "approve", proposal["id"], "--yes")
    assert Talk(service).says(MENU) == RIGHT


# How far it is believed


def test_a_judge_that_checks_contradict_is_not_learned_from_and_the_reason_is_shown(
    lull: Lull, models: Models
) -> None:
    service = lull.serve()
    talks = [Talk(service, tools=TOOLS) for _ in range(2)]
    for number, talk in enumerate(talks):
        talk.says(f"run the tests of part {number}")
    prove(lull)  # the judge has seen no result yet and calls the calls good
    assert status(lull)["judge"]["trains"] is True
    for talk in talks:
        result = {"role": "tool", "tool_name": "shell", "tool_call_id": "call_0"}
        talk.says("3 failed, 1 passed in 0.2s\nexit code: 1", **result)
    prove(lull)
    judged = [turn_of(lull, f"run the tests of part {number}") for number in range(2)]
    for turn in judged:
        assert (turn["reward"]["source"], turn["reward"]["value"]) == ("verifiable", -1.0)

    told = lull.ask("status")
    assert told["judge"]["agreement"]["n"] == 2
    assert told["judge"]["agreement"]["value"] < 0.7
    assert told["judge"]["trains"] is False
    assert "At least 70% of them are needed" in told["judge"]["why"]
    assert told["judge"]["why"] in lull.run("status").out

    # The user is asked about one of them, once a day.
    question = told["question"]
    assert question in {turn["id"] for turn in judged}
    assert status(lull)["question"] == question
    rate(lull, question, "bad")
    assert status(lull)["question"] is None
    (source,) = [one for one in status(lull)["sources"] if one["source"] == "judge"]
    assert source["labels"] == 1
