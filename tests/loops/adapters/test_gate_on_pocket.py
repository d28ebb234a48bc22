"""Tests of the gate on the built-in model, with its real engine and trained adapters."""

from __future__ import annotations

from pathlib import Path

import pytest

from lull.core.adapters.adapter import AdapterStatus
from tests.loops.adapters.house import House

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
