"""Tests of the gate for adapters that were trained on ratings alone, on a scripted engine."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from lull.core.adapters.gate import GateRule
from lull.core.adapters.gate_report import Verdict
from lull.core.adapters.measurement import MeasureKind
from lull.core.chat.messages import Role
from lull.core.models.engine import GenerateRequest
from lull.loops.adapters.gate_questions import RatedAnswer, RatedQuestion
from tests.doubles.fakes import FakeEngine
from tests.loops.adapters.house import House, asks
from tests.loops.adapters.scripted import made, speaks, wished

PAIRS = GateRule().least_target_pairs


class EndingEngine(FakeEngine):
    """A fake engine whose chat template ends each answer with the token that ends one."""

    def _checked_prompt(self, request: GenerateRequest) -> tuple[int, ...]:
        ids: list[int] = []
        for message in request.messages:
            ids += super()._checked_prompt(GenerateRequest(prompt=message.text))
            ids += [0] * (message.role is Role.ASSISTANT)
        return tuple(ids) or super()._checked_prompt(request)


@pytest_asyncio.fixture
async def home(tmp_path: Path) -> AsyncIterator[House]:
    house = House(tmp_path / "home", EndingEngine())
    await house.serve_pocket()
    house.each = 6
    house.rated = rated(PAIRS)
    yield house
    await house.close()


def rated(count: int) -> tuple[RatedQuestion, ...]:
    return tuple(
        RatedQuestion(
            id=f"turn_{number}",
            good=RatedAnswer(messages=asks(f"write a menu for good{number}"), text="good"),
            bad=RatedAnswer(messages=asks(f"write a menu for bad{number}"), text="bad"),
        )
        for number in range(count)
    )


async def verdict_on(house: House, tmp_path: Path, *, likes: list[tuple[float, float]]) -> Verdict:
    """The verdict on an adapter that adds these nats to the good and the bad answer of each pair;
    its own answers are as they were to be.
    """
    version = await house.bring("adapter_new", made(tmp_path, "new"))
    engine = house.engine
    assert isinstance(engine, EndingEngine)
    engine.says(speaks({version.sha256: wished}))
    more = {}
    for pair, (good, bad) in zip(house.rated, likes, strict=True):
        for one, nats in ((pair.good, good), (pair.bad, bad)):
            more[await engine.tokenize(GenerateRequest(messages=one.messages))] = nats

    def likely(adapter: str | None, prompt: tuple[int, ...], answer: tuple[int, ...]) -> float:
        assert answer[-1] == 0, "up to the end of the answer"
        return -9.0 + (more[prompt] if adapter == version.sha256 else 0.0)

    engine.likes = likely
    found = await house.promote.run_gate(version.id)
    assert found is not None
    return found


def failed(verdict: Verdict) -> set[str]:
    return {check.name for check in verdict.checks if not check.holds}


async def test_one_that_prefers_what_was_rated_good_is_accepted(
    home: House, tmp_path: Path
) -> None:
    verdict = await verdict_on(home, tmp_path, likes=[(2.0, -2.0)] * PAIRS)
    assert verdict.accepted, verdict.reasons
    (target,) = [check for check in verdict.checks if check.name == "target"]
    assert f"gained on the bad one in {PAIRS} and lost in 0 of {PAIRS} pairs" in target.text
    kept = home.measures.all("adapter_new")
    assert sum(one.kind is MeasureKind.RATED for one in kept.values()) == PAIRS
    assert not any(one.kind is MeasureKind.TARGET for one in kept.values())


@pytest.mark.parametrize(
    "likes",
    [
        pytest.param([(0.0, 0.0)] * PAIRS, id="nothing learned"),
        pytest.param([(3.0, 3.0)] * PAIRS, id="all answers likelier"),
        pytest.param([(-5.0, -5.0)] * PAIRS, id="all answers less likely"),
        pytest.param([(1.0, 0.0), (0.0, 1.0)] * (PAIRS // 2), id="one as often as the other"),
        pytest.param([(0.0, 2.0)] * PAIRS, id="the bad ones"),
        pytest.param([(0.05, 0.0)] * PAIRS, id="less than a user would notice"),
    ],
)
async def test_one_that_did_not_learn_the_ratings_is_turned_down(
    home: House, tmp_path: Path, likes: list[tuple[float, float]]
) -> None:
    verdict = await verdict_on(home, tmp_path, likes=likes)
    assert failed(verdict) == {"target"}
    assert home.serving is None


async def test_few_pairs_show_nothing_however_clear_they_are(home: House, tmp_path: Path) -> None:
    home.rated = rated(PAIRS - 1)
    verdict = await verdict_on(home, tmp_path, likes=[(9.0, -9.0)] * (PAIRS - 1))
    assert failed(verdict) == {"target"}


async def test_likelier_good_answers_do_not_make_up_for_lost_ones(
    home: House, tmp_path: Path
) -> None:
    """What the adapter says is weighed as ever: here it no longer follows any rule."""
    version = await home.bring("adapter_deaf", made(tmp_path, "deaf"))
    engine = home.engine
    assert isinstance(engine, EndingEngine)
    engine.says(speaks({version.sha256: lambda kind, _: wished(kind, type(_)())}))
    good = {
        await engine.tokenize(GenerateRequest(messages=one.good.messages)) for one in home.rated
    }
    engine.likes = lambda adapter, prompt, _: (
        -9.0 + 4.0 * (adapter == version.sha256 and prompt in good)
    )
    verdict = await home.promote.run_gate(version.id)
    assert verdict is not None and "target" not in failed(verdict)
    assert "canaries:one rule" in failed(verdict)
