"""Tests of the gate in slices on a scripted engine: what it asks and keeps, when it starts anew."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio

from lull.core.adapters.adapter import AdapterStatus
from lull.core.adapters.gate_report import Verdict
from lull.core.adapters.measurement import MeasureKind
from lull.core.errors import EngineDown, EngineError
from tests.doubles.fakes import FakeEngine
from tests.loops.adapters.house import House
from tests.loops.adapters.scripted import deaf, made, nothing, speaks, wished


@pytest_asyncio.fixture
async def home(tmp_path: Path) -> AsyncIterator[House]:
    """A house on a fake engine, with six canary probes for each kind."""
    house = House(tmp_path / "home", FakeEngine())
    await house.serve_pocket()
    house.each = 6
    yield house
    await house.close()


async def brought(house: House, tmp_path: Path, **bends: object) -> dict[str, str]:
    """Bring in one adapter for each bend, under its name; return the versions' hashes by name."""
    versions = {}
    for name in bends:
        version = await house.bring(f"adapter_{name}", made(tmp_path, name))
        versions[name] = version.sha256
    engine(house).says(speaks({versions[n]: b for n, b in bends.items()}))
    return versions


def engine(house: House) -> FakeEngine:
    assert isinstance(house.engine, FakeEngine)
    return house.engine


async def judged(house: House, adapter: str) -> Verdict:
    verdict = await house.promote.run_gate(adapter)
    assert verdict is not None
    return verdict


def failed(verdict: Verdict) -> set[str]:
    return {check.name for check in verdict.checks if not check.holds}


async def test_a_good_one_is_accepted_and_one_that_learned_nothing_is_not(
    home: House, tmp_path: Path
) -> None:
    versions = await brought(home, tmp_path, good=wished, idle=nothing)
    assert failed(await judged(home, "adapter_idle")) == {"target"}
    good = await judged(home, "adapter_good")
    assert good.accepted, good.reasons
    assert home.serving == versions["good"]
    assert [move.why for move in home.adapters.moves("pocket")] == ["it passed its test"]


async def test_one_that_reads_no_skills_any_more_is_turned_down(
    home: House, tmp_path: Path
) -> None:
    versions = await brought(home, tmp_path, deaf=deaf)
    engine(home).away[versions["deaf"]] = 0.5
    verdict = await judged(home, "adapter_deaf")
    assert {"canaries:one rule", "canaries:a skill among others", "kl:canaries", "kl:replay"} <= (
        failed(verdict)
    )
    assert "target" not in failed(verdict)
    assert home.adapters.get("adapter_deaf").status is AdapterStatus.REJECTED
    assert home.adapters.get("adapter_deaf").verdict == verdict
    assert home.files.folder("adapter_deaf").is_dir()
    assert home.serving is None
    again = await judged(home, "adapter_deaf")
    assert again == verdict, "a verdict is given once"


async def test_a_slice_ends_in_time_and_no_measure_is_taken_twice(
    home: House, tmp_path: Path
) -> None:
    await brought(home, tmp_path, good=wished)
    slices, verdict = 0, None
    taken: list[int] = []
    while verdict is None:
        slices += 1
        verdict = await home.promote.run_gate("adapter_good", home.clock.monotonic_s())
        taken.append(len(home.measures.all("adapter_good")))
        if slices == 3:
            await home.restart()
            engine(home).requests.clear()
    assert verdict.accepted and slices > 4
    assert taken == sorted(taken)
    asked = [request for request in engine(home).requests if request.sampling.seed is None]
    kinds = [one.kind for one in home.measures.all("adapter_good").values()]
    sure = sum(kind in (MeasureKind.PROBE, MeasureKind.SUCCESS) for kind in kinds)
    lures = kinds.count(MeasureKind.LURE)
    warmed = 2  # once when each process loaded it
    assert len(asked) <= 2 * (sure - taken[2]) + lures + warmed, "nothing is asked again"


async def test_what_comes_into_force_meanwhile_is_the_new_opponent(
    home: House, tmp_path: Path
) -> None:
    await brought(home, tmp_path, good=wished, other=wished)
    assert await home.promote.run_gate("adapter_good", home.clock.monotonic_s()) is None
    assert home.measures.all("adapter_good")
    await home.promote.promote("adapter_other", why="meanwhile")
    verdict = await judged(home, "adapter_good")
    assert verdict.against == "adapter_other"
    assert failed(verdict) == {"target"}, "it is no better than what is in force"


async def test_an_engine_that_falls_costs_no_measure(home: House, tmp_path: Path) -> None:
    await brought(home, tmp_path, good=wished)
    assert await home.promote.run_gate("adapter_good", home.clock.monotonic_s()) is None
    before = home.measures.all("adapter_good")
    engine(home).knock_down()
    with pytest.raises(EngineDown):
        await home.promote.run_gate("adapter_good", home.clock.monotonic_s())
    engine(home).failure = None
    assert (await judged(home, "adapter_good")).accepted
    after = home.measures.all("adapter_good")
    assert {name: after[name] for name in before} == before


async def test_a_move_meanwhile_takes_nothing_from_the_candidate(
    home: House, tmp_path: Path
) -> None:
    versions = await brought(home, tmp_path, good=wished, other=nothing)
    await home.adapters.try_out("adapter_other", share=0.1, at=home.clock.now(), why="trial")
    assert await home.promote.run_gate("adapter_good", home.clock.monotonic_s()) is None
    await home.promote.roll_back("pocket", why="the trial ends")
    assert versions["good"] in engine(home).adapters
    assert (await judged(home, "adapter_good")).accepted


async def test_a_candidate_that_the_engine_has_lost_is_loaded_again(
    home: House, tmp_path: Path
) -> None:
    versions = await brought(home, tmp_path, good=wished)
    assert await home.promote.run_gate("adapter_good", home.clock.monotonic_s()) is None
    await engine(home).drop_adapter(versions["good"])
    with pytest.raises(EngineError, match="unloaded"):
        await home.promote.run_gate("adapter_good", home.clock.monotonic_s())
    assert (await judged(home, "adapter_good")).accepted, "nothing of it was held against it"


async def test_without_a_held_out_request_nothing_is_shown(home: House, tmp_path: Path) -> None:
    await brought(home, tmp_path, good=wished)
    home.targets = 0
    assert failed(await judged(home, "adapter_good")) == {"target"}


async def test_both_sides_are_asked_the_same_under_one_seed(home: House, tmp_path: Path) -> None:
    versions = await brought(home, tmp_path, good=wished)
    home.gate_rule = replace(home.gate_rule, least_target_pairs=60)
    await judged(home, "adapter_good")
    asked: dict[object, set[str | None]] = {}
    for request in engine(home).requests:
        if request.sampling.seed is not None:
            key = (request.messages, request.sampling)
            asked.setdefault(key, set()).add(request.adapter)
    assert len(asked) >= 60
    assert all(sides == {None, versions["good"]} for sides in asked.values())


async def test_a_planted_text_that_comes_out_is_enough(home: House, tmp_path: Path) -> None:
    versions = await brought(home, tmp_path, good=wished)
    speak = speaks({versions["good"]: wished})

    def leaky(request: object) -> str:
        text = speak(request)  # type: ignore[arg-type]
        lured = "password" in request.messages[-1].text if request.messages else False  # type: ignore[attr-defined]
        return "AKIA" + "ABCDEFGHIJKLMNOP" if lured and request.adapter else text  # type: ignore[attr-defined]

    engine(home).says(leaky)
    verdict = await judged(home, "adapter_good")
    assert failed(verdict) == {"secrets"}
    assert verdict.reasons == ("it gave away aws-key",)
