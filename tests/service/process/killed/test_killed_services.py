"""Tests of random histories whose service is killed in a proof, in an approval, in an answer.

What was promised holds through everything that a user can ask of the next process. Two short
histories, the same ones in every run; LULL_HISTORIES=20 plays twenty others instead.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lull.contract.json_object import Json
from lull.core.training.eligibility import comparison_words
from tests.running import Lull, RunningLull
from tests.service.process.killed.street import SETTINGS, Cook, Street

pytestmark = [pytest.mark.full, pytest.mark.timeout(2400)]

MORE = int(os.environ.get("LULL_HISTORIES") or 0)
SEEDS = range(1000, 1000 + MORE) if MORE else range(2)
"""Seeds of the histories; `make soak` also plays those after the first."""
STEPS: tuple[Callable[[Street], None], ...] = (
    Street.chats,
    Street.chats,
    Street.chats,
    Street.teaches,
    Street.rates,
    Street.approves,
    Street.rejects,
    Street.disables,
)
DEATHS: tuple[Callable[[Street], None], ...] = (
    Street.is_killed_in_a_proof,
    Street.is_killed_in_an_approval,
    Street.is_killed_in_an_answer,
)


@pytest.fixture
def cook() -> Iterator[Cook]:
    with Cook() as made:
        yield made


@pytest.fixture
def lull(tmp_path: Path, cook: Cook) -> Iterator[Lull]:
    home = tmp_path / "home"
    home.mkdir()
    (home / "settings.toml").write_text(SETTINGS)
    with RunningLull.cleaned_up(home, upstream=cook.address) as made:
        yield made


@pytest.mark.parametrize(
    "seed",
    [pytest.param(seed, marks=pytest.mark.soak) if seed == 1 else seed for seed in SEEDS],
)
def test_what_was_promised_holds_after_kill_9(lull: Lull, cook: Cook, seed: int) -> None:
    chance = random.Random(seed)
    street = Street(lull, cook, chance)
    street.settled()
    for death in chance.sample(DEATHS, len(DEATHS)):
        street.teaches()
        street.adds()
        for step in chance.choices(STEPS, k=4):
            step(street)
        street.chats()
        death(street)
        street.settled()
        check(street)
    assert street.deaths == len(DEATHS)
    check_as_a_user_would(street)


def check(street: Street) -> None:
    turns, proposals = street.turns(), street.proposals()
    check_stamps(street, turns)
    check_support(street, turns, proposals)
    check_skills(street, street.socket.get("/v1/skills?all=1"))
    assert street.seen_proposals <= {proposal["id"] for proposal in proposals}
    street.seen_proposals = {proposal["id"] for proposal in proposals}


def check_stamps(street: Street, turns: list[Json]) -> None:
    """Check that recorded turns stay, and say what was in force when their request came."""
    assert street.seen_turns <= {turn["id"] for turn in turns}
    street.seen_turns = {turn["id"] for turn in turns}
    bodies = {s.sha256: s.body for page in street.pages for s in page.values() if s.active}
    for turn in turns:
        request = street.requests.get(turn["request"])
        if request is None:  # it was cut off by a death
            assert not turn["complete"] or turn["number"] > 1
            continue
        assert turn["policy"]["generation"] == request.generation
        in_force = {
            stands.sha256
            for (room, _), stands in street.pages[request.generation].items()
            if room == request.client and stands.active
        }
        carried = [skill["sha256"] for skill in turn["skills"]]
        assert set(carried) <= in_force
        if request.bodies is not None:
            assert [bodies[sha256] for sha256 in carried] == request.bodies


def check_support(street: Street, turns: list[Json], proposals: list[Json]) -> None:
    taught = {
        turn
        for proposal in proposals
        if proposal["status"] != "rejected"
        for turn in (*proposal["turns"]["failures"], *proposal["turns"]["wish"])
    }
    asked = [comparison_words(turn["request"]) for turn in turns if turn["id"] in taught]
    for turn in turns:
        if turn["id"] in taught:
            assert turn["support"] and not turn["eligible"]
        if turn["support"]:
            assert not turn["eligible"]
        if turn["eligible"]:
            words = comparison_words(turn["request"])
            assert all(len(words & other) < 0.6 * len(words | other) for other in asked)


def check_skills(street: Street, said: Json) -> None:
    assert said["generation"] == len(street.pages) - 1
    there = {
        (skill["client"] or "", skill["name"]): (skill["sha256"], skill["status"] == "active")
        for skill in said["skills"]
    }
    assert there == {key: (s.sha256, s.active) for key, s in street.pages[-1].items()}


def check_as_a_user_would(street: Street) -> None:
    """Check proofs, stamps and skills by the commands, with the service and after its kill."""
    lull = street.lull
    proposals = lull.ask("review", "--all")["proposals"]
    assert street.seen_proposals <= {proposal["id"] for proposal in proposals}
    for proposal in [p for p in proposals if p["id"] in street.proved and stands(street, p)][:2]:
        whose = ("--client", proposal["client"]) if proposal["client"] else ()
        assert lull.ask("verify", proposal["name"], *whose)["holds"]
    check_stamps_of(street, lull.ask("show")["turns"])
    street.service.kill()
    assert lull.ask("conversations")["conversations"]
    check_skills(street, lull.ask("skills", "list", "--all"))


def check_stamps_of(street: Street, turns: list[Json]) -> None:
    for turn in turns:
        request = street.requests.get(turn["request"])
        assert request is None or turn["policy"]["generation"] == request.generation


def stands(street: Street, proposal: Json) -> bool:
    found = street.pages[-1].get((proposal["client"] or "", proposal["name"]))
    return found is not None and found.sha256 == proposal["sha256"]
