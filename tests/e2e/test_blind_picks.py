"""Tests of the user as scorer, with real processes: six picks prove what nothing else can score."""

from __future__ import annotations

import asyncio
import hashlib
import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lull.backends.system.clock import SystemClock, TimeSortedIds
from lull.config.paths import Paths
from lull.contract.json_object import Json
from lull.core.proof.proposal import Proposal, ProposalKind, ProposalOrigin, ProposalStatus
from lull.core.skills.skill import SkillKey, SkillText
from lull.service.wiring.base.stores import open_stores
from lull.store.skills.skill_md import parse, render
from tests.cli.terminal import at_a_terminal
from tests.eventually import eventually
from tests.plugins.made_once import made_once
from tests.running import Lull, RunningLull

pytestmark = [pytest.mark.full, pytest.mark.timeout(1800)]

ASKED = "write a menu for apple river stone"
RULE = SkillText(
    name="menu-style",
    description="When a menu is asked for.",
    body="When you write a menu, join with bars.",
)


@pytest.fixture(scope="session")
def waiting_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a proposal that no check and no judge can score, as its service left it.

    What was said is no rule that the built-in model's verifier reads. It must stay as it is.
    """
    return made_once(tmp_path_factory, "waits_for_picks", _wait_for_picks)


def _wait_for_picks(home: Path) -> None:
    with RunningLull.cleaned_up(home) as lull:
        service = lull.serve()
        messages = [{"role": "user", "content": ASKED}]
        body = {"model": "pocket", "stream": False, "messages": messages}
        assert service.post("/api/chat", body).status == 200
        assert service.stop() == 0
        stores = open_stores(Paths.from_environment(os.environ, "linux", home=str(home)))
        try:
            (turn,) = [t.id for t in _turns(stores)]
            asyncio.run(_propose(stores, turn))
        finally:
            stores.database.close()
        service = lull.serve()
        lull.ask("prove", "--wait")
        (proposal,) = lull.ask("review")["proposals"]
        assert (proposal["status"], proposal["needs"]) == ("unproved", "picks")
        assert proposal["reason"].startswith("only you can tell: compare 6 pairs of answers")
        assert service.stop() == 0


@pytest.fixture
def waiting(lull: Lull, waiting_home: Path) -> tuple[RunningLull, str]:
    """A service whose home is a copy of `waiting_home`, and the proposal's id."""
    shutil.copytree(waiting_home, lull.home)
    service = lull.serve()
    (proposal,) = lull.ask("review")["proposals"]
    return service, str(proposal["id"])


def _turns(stores: Any) -> list[Any]:
    rows = stores.database.read(lambda c: c.execute("SELECT id FROM turns").fetchall())
    return [served.turn for served in stores.rewards.served([row["id"] for row in rows])]


async def _propose(stores: Any, turn: str) -> None:
    data, now = render(RULE), SystemClock().now()
    proposal = Proposal(
        id=TimeSortedIds().new("prop"),
        kind=ProposalKind.NEW,
        key=SkillKey("", RULE.name),
        base_sha256="",
        sha256=hashlib.sha256(data).hexdigest(),
        text=parse(data, where="a test"),
        status=ProposalStatus.SCREENED,
        origin=ProposalOrigin.EXTRACTIVE,
        made_at=now,
        changed_at=now,
        failures=(turn,),
        wish="I would like it prettier",
        model="pocket",
    )
    await stores.proposals.add(replace(proposal), data)


def pair(lull: Lull, proposal: str) -> Json:
    """Return two answers to choose from; ask again while they are being made."""
    shown: Json = eventually(
        lambda: next(
            (said for said in [lull.ask("review", "compare", proposal)] if said["pair"]), None
        )
    )
    return shown


def letter(shown: Json, *, for_it: bool = True) -> str:
    """Return the letter that somebody picks who likes bars; the other one if not `for_it`."""
    bars = "a" if "|" in shown["a"] else "b"
    return bars if for_it else {"a": "b", "b": "a"}[bars]


def picked(lull: Lull, proposal: str, shown: Json, pick: str) -> Json:
    return lull.ask("review", "compare", proposal, "--pick", shown["pair"], pick)


def test_picks_one_way_prove_it_and_the_proof_holds(
    lull: Lull, waiting: tuple[RunningLull, str]
) -> None:
    service, proposal = waiting
    sides = []
    for number in range(7):
        shown = pair(lull, proposal)
        assert (shown["request"], shown["picks"]) == (ASKED, number)
        assert shown["a"] != shown["b"]
        sides.append(letter(shown))
        if number == 2:  # between pair and pick
            service.kill()
            service = lull.serve()
        done = picked(lull, proposal, shown, letter(shown))
        assert (done["picks"], done["wins"], done["losses"]) == (number + 1, number + 1, 0)
        if not done["open"]:
            break
    assert (done["status"], done["wanted"]) == ("proved", 0), sides
    (shown,) = lull.ask("review")["proposals"]
    assert shown["evidence"]["scored_by"] == {"user": done["picks"]}
    assert "Scored by you (" in lull.run("review", "show", proposal).out
    lull.ask("review", "approve", proposal, "--sha256", shown["sha256"])
    assert service.chat("write a menu for green mouse") == "green | mouse"
    assert lull.ask("verify", RULE.name)["holds"] is True
    assert service.stop() == 0
    assert lull.ask("verify", RULE.name)["holds"] is True  # from the files alone


def test_picks_for_the_losing_side_end_as_not_better(
    lull: Lull, waiting: tuple[RunningLull, str]
) -> None:
    _, proposal = waiting
    for _ in range(6):
        shown = pair(lull, proposal)
        done = picked(lull, proposal, shown, letter(shown, for_it=False))
    assert done["status"] == "unproved" and done["reason"].startswith("not better: it lost 6")
    refused = lull.run("review", "compare", proposal)
    assert refused.code == 1 and "nothing to compare" in refused.err


def test_a_sitting_of_single_keys_on_a_terminal(
    lull: Lull, waiting: tuple[RunningLull, str]
) -> None:
    _, proposal = waiting
    plain = lull.environment({"NO_COLOR": "1"})
    with at_a_terminal("review", "compare", proposal, env=plain) as terminal:
        shown = terminal.until("q quit: ")
        assert "1 of at most 12" in shown and ASKED in shown
        first = shown.split("\nA\n", 1)[1].split("\nB\n")[0]
        terminal.type("a" if "|" in first else "b")
        shown = terminal.until("q quit: ")
        assert "2 of at most 12" in shown
        terminal.type("s")
        terminal.until("q quit: ")
        terminal.type("q")
        code, shown = terminal.end()
    assert code == 0 and "5 more picks the same way would prove it" in shown


def test_scope_and_check_are_edited_from_the_command_line(
    lull: Lull, waiting: tuple[RunningLull, str]
) -> None:
    _, proposal = waiting
    done = lull.ask("review", "compare", proposal, "--picks", "a,b")
    assert done["picks"] == 2
    edited = lull.ask("review", "edit", proposal, "--scope", "all")["proposal"]
    assert (edited["scope"], edited["needs"]) == ("all", "picks")
    assert edited["evidence"]["scored_by"] == {"user": 2}
    check = '{"kind": "contains", "value": "|"}'
    edited = lull.ask("review", "edit", proposal, "--check", check)["proposal"]
    assert edited["check"] == "The answer must have the text “|” in it."
    edited = lull.ask("review", "edit", proposal, "--check", "none")["proposal"]
    assert edited["check"] is None
