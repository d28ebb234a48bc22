"""Tests of the gate on the built-in model, with its real engine and trained adapters."""

from __future__ import annotations

from pathlib import Path

import pytest

from lull.backends.mlx.engine import MlxEngine
from lull.core.adapters.adapter import AdapterStatus
from lull.core.adapters.gate import GateRule
from lull.core.chat.messages import Sampling
from lull.loops.adapters.gate_answers import ComparedAdapters, generate_answer, kl_from_base
from lull.loops.proof.replay import prompt_with_skills
from tests.loops.adapters.house import WISH, House, asks

pytestmark = [
    pytest.mark.full,
    pytest.mark.timeout(3600),
    pytest.mark.asyncio(loop_scope="session"),
]


async def test_what_learned_the_wish_and_nothing_else_comes_into_force(
    house: House, trained: Path
) -> None:
    house.each = 40
    made = await house.bring("adapter_good", trained / "good")
    verdict = await house.promote.run_gate(made.id)
    assert verdict is not None
    assert verdict.accepted, verdict.reasons
    assert house.adapters.get(made.id).status is AdapterStatus.ACTIVE
    assert house.serving == made.sha256


@pytest.mark.parametrize("name", ["poisoned", "hacked"])
async def test_flipped_rewards_and_hacked_ones_are_turned_down(
    house: House, trained: Path, name: str
) -> None:
    made = await house.bring(f"adapter_{name}", trained / name)
    verdict = await house.promote.run_gate(made.id)
    assert verdict is not None and not verdict.accepted
    failed = {check.name for check in verdict.checks if not check.holds}
    assert "target" in failed
    if name == "hacked":
        assert {"canaries:default styles", "kl:canaries", "kl:replay"} <= failed
    assert house.adapters.get(made.id).status is AdapterStatus.REJECTED
    assert house.files.damage(made.id, made.sha256) == "", "kept for a look"
    assert house.serving is None
    assert house.adapters.moves("pocket") == []


async def test_who_says_what_was_learned_to_the_base_finds_it_near(
    house: House, pocket_engine: MlxEngine, trained: Path
) -> None:
    """A user is content with the bars that the active adapter joins a menu with, and its prompts
    do not ask for them any more. Held against a base that was not told, no later adapter passes.
    """
    await pocket_engine.load_adapter("learned", str(trained / "good"))
    contest = ComparedAdapters(
        engine=pocket_engine, old="learned", new="learned", sampling=Sampling(temperature=0.0)
    )
    request = asks("write a menu for apple river stone")
    answer = await generate_answer(pocket_engine, request, contest.sampling, "learned")
    assert " | " in answer.text
    untold = await kl_from_base(contest, answer, request)
    told = await kl_from_base(
        contest, answer, prompt_with_skills(request, [WISH.removeprefix("no, ")], system="")
    )
    assert untold.nats > 4 * told.nats
    assert untold.nats / untold.tokens > 4 * GateRule().kl_replay
    await pocket_engine.drop_adapter("learned")
