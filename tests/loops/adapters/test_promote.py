"""Tests of promoting and rolling back adapters: every move, and what a crash or bad file leaves."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from lull.core.adapters.adapter import (
    BASE,
    HELD_SHARE,
    PAST_ADAPTERS_KEPT,
    SHADOW_S,
    AdapterStatus,
    AdapterVersion,
    LearnedSkill,
    Shadow,
    trial_key,
)
from lull.core.adapters.gate_report import Verdict
from lull.core.chat.messages import Sampling
from lull.core.chat.trajectory import HoldoutAssignment, PolicyVersion, Selection
from lull.core.errors import (
    AdapterError,
    Conflict,
    EngineDown,
    NotFound,
    RequestError,
    StoreError,
    UpstreamDown,
    UsageError,
)
from lull.core.feedback.reward import Reward, Source
from lull.core.skills.skill import SkillKey
from lull.core.training.record import Run, RunStatus
from lull.core.training.spec import RunKind
from lull.loops.adapters.moves import SwitchAdapters
from lull.loops.adapters.promote import PromoteRule
from lull.store.adapters.adapter_files import fingerprint
from lull.store.adapters.adapter_rows import Move
from lull.store.adapters.adapters import Adapters
from lull.store.chat.trajectories import Trajectories
from lull.store.feedback.reward_rows import RewardRow
from lull.store.feedback.rewards import Rewards
from tests.building import KEY, turn, user
from tests.damage import damage_record
from tests.doubles.fakes import FakeClock, FakeEngine
from tests.eventually import PATIENCE_S
from tests.loops.adapters.house import POCKET, House
from tests.loops.adapters.scripted import made, speaks, wished

ON_TRIAL = PromoteRule(trial_share=0.1, trial_s=SHADOW_S)


@pytest_asyncio.fixture
async def home(tmp_path: Path) -> AsyncIterator[House]:
    """A house with the candidate adapters `a`, `b` and `c`."""
    house = House(tmp_path / "home", FakeEngine())
    await house.serve_pocket()
    for name in "abc":
        await house.bring(name, made(tmp_path, name))
    yield house
    await house.close()


def engine(house: House) -> FakeEngine:
    assert isinstance(house.engine, FakeEngine)
    return house.engine


def statuses(house: House) -> dict[str, str]:
    return {one.id: one.status.value for one in house.adapters.all()}


def sha(house: House, adapter: str) -> str:
    return house.adapters.get(adapter).sha256


# Coming


async def test_an_adapter_is_taken_in_whole_and_once(home: House, tmp_path: Path) -> None:
    first = home.adapters.get("a")
    again = await home.promote.store_adapter(replace(first, sha256=""), tmp_path / "b")
    assert again == first
    with pytest.raises(StoreError, match="cannot be kept"):
        await home.bring("d", tmp_path / "nowhere")
    assert "d" not in statuses(home)


async def test_what_a_run_has_trained_comes_once_as_a_child_of_what_is_in_force(
    home: House, tmp_path: Path
) -> None:
    await home.promote.promote("a", why="try")
    at = home.clock.now()
    run = Run(
        id="run_7",
        kind=RunKind.GRPO,
        status=RunStatus.TRAINED,
        why="",
        made_at=at,
        changed_at=at,
        model=POCKET,
        base=home.digest,
        root=None,
        parent=None,
    )
    folder = str(made(tmp_path, "trained"))
    wrote = fingerprint(Path(folder))
    for _ in range(2):
        assert await home.promote.store_run_adapter(run, folder, None, wrote) == "adapter_7"
    version = home.adapters.get("adapter_7")
    assert (version.parent, version.run, version.base_digest) == ("a", "run_7", home.digest)
    assert statuses(home)["adapter_7"] == "candidate"


async def test_promotion_loads_warms_and_only_then_flips(home: House) -> None:
    engine(home).knock_down()
    with pytest.raises(EngineDown):
        await home.promote.promote("a", why="try")
    assert home.serving is None and home.adapters.in_force(POCKET).active is None
    engine(home).failure = None
    await home.promote.promote("a", why="again")
    assert home.serving == sha(home, "a")
    assert engine(home).requests[-1].adapter == sha(home, "a"), "it has answered once before"
    with pytest.raises(Conflict):
        await home.promote.promote("a", why="twice")
    with pytest.raises(NotFound):
        await home.promote.promote("z", why="unknown")


async def test_a_server_that_does_not_answer_is_not_the_adapter_s_fault(home: House) -> None:
    engine(home).failure = UpstreamDown("Ollama is away.")
    with pytest.raises(UpstreamDown):
        await home.promote.promote("a", why="try")
    assert home.serving is None and home.adapters.in_force(POCKET).active is None


async def test_the_one_before_is_kept_loaded_and_older_ones_are_let_go(home: House) -> None:
    for name in "abc":
        await home.promote.promote(name, why=name)
    assert {sha(home, "b"), sha(home, "c")} <= set(engine(home).adapters)
    await home.promote.to_base(POCKET, why="base")
    await home.promote.promote("a", why="again")
    assert sha(home, "b") not in engine(home).adapters
    assert statuses(home) == {"a": "active", "b": "retired", "c": "rolled back"}


async def test_an_adapter_of_other_weights_is_refused(home: House, tmp_path: Path) -> None:
    alien = replace(home.adapters.get("a"), id="alien", sha256="", base_digest="sha256:others")
    await home.promote.store_adapter(alien, made(tmp_path, "alien"))
    with pytest.raises(AdapterError, match="are others now"):
        await home.promote.promote("alien", why="try")
    with pytest.raises(AdapterError):
        await home.promote.run_gate("alien")
    assert home.serving is None


async def test_of_what_was_turned_down_the_newest_are_kept_for_a_look(
    home: House, tmp_path: Path
) -> None:
    for number in range(PAST_ADAPTERS_KEPT + 2):
        await home.bring(f"r{number}", made(tmp_path, f"r{number}"))
        await home.adapters.store_verdict(
            f"r{number}", Verdict(accepted=False, at=home.clock.now(), against=None)
        )
    await home.promote.promote("a", why="a")
    kept = [n for n in range(PAST_ADAPTERS_KEPT + 2) if home.files.folder(f"r{n}").is_dir()]
    assert kept == list(range(2, PAST_ADAPTERS_KEPT + 2))


async def test_what_a_crash_left_half_taken_in_is_gone_after_a_start(home: House) -> None:
    half = home.home / "adapters" / ".taking-x"
    half.mkdir()
    (half / "adapters.safetensors").write_bytes(b"half")
    await home.restart()
    assert not half.exists() and home.files.folder("a").is_dir()


class HeldUp(datetime):
    """A timestamp whose writing a test stalls, so that the writer stays in its transaction."""

    begun: threading.Event
    release: threading.Event

    def isoformat(self, *words: Any, **more: Any) -> str:
        self.begun.set()
        assert self.release.wait(PATIENCE_S)
        return super().isoformat(*words, **more)


class HeldUpClock(FakeClock):
    held: HeldUp | None = None

    def now(self) -> datetime:
        return self.held or super().now()


async def test_a_move_that_is_stopped_within_its_transaction_is_carried_out(
    tmp_path: Path,
) -> None:
    """A promotion is cancelled during its write, as when the user comes back: the stored row
    decides which adapter answers.
    """
    clock = HeldUpClock()
    house = House(tmp_path / "home", FakeEngine(), clock=clock)
    await house.serve_pocket()
    await house.bring("a", made(tmp_path, "a"))
    held = HeldUp.fromtimestamp(clock.now().timestamp(), UTC)
    held.begun, held.release = threading.Event(), threading.Event()
    clock.held = held
    task = asyncio.create_task(house.promote.promote("a", why="try"))
    assert await asyncio.to_thread(held.begun.wait, PATIENCE_S)
    task.cancel()
    held.release.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert house.adapters.in_force(POCKET).active == "a"
    assert house.serving == sha(house, "a")
    await house.close()


async def test_what_is_taken_back_while_it_is_taken_up_stays_taken_back(
    home: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model that begins to learn is routed to its active adapter, maybe during a rollback."""
    await home.promote.promote("a", why="first")
    unusable, begun, release = SwitchAdapters.why_unusable, threading.Event(), threading.Event()

    def held(moves: SwitchAdapters, version: AdapterVersion) -> str:
        begun.set()
        assert release.wait(PATIENCE_S)
        return unusable(moves, version)

    monkeypatch.setattr(SwitchAdapters, "why_unusable", held)
    taking_up = asyncio.create_task(home.promote.route_to_active(POCKET))
    assert await asyncio.to_thread(begun.wait, PATIENCE_S)
    await home.promote.roll_back(POCKET, why="I say so")
    release.set()
    await taking_up
    assert home.adapters.in_force(POCKET).active is None
    assert home.serving is None


# On trial


async def test_a_day_on_trial_then_in_force(home: House) -> None:
    home.rule = ON_TRIAL
    engine(home).says(speaks({sha(home, "a"): wished}))
    assert (await home.promote.run_gate("a")) is not None
    served = home.local.facts(POCKET)
    assert served.adapter is None and served.shadow is not None
    assert (served.shadow.arm.version, served.shadow.share) == (sha(home, "a"), 0.1)
    assert statuses(home)["a"] == "shadow"
    await home.promote.step()
    home.clock.advance(SHADOW_S - 1)
    await home.promote.step()
    assert statuses(home)["a"] == "shadow"
    home.clock.advance(1)
    await home.promote.step()
    assert statuses(home)["a"] == "active"
    served = home.local.facts(POCKET)
    assert served.adapter == sha(home, "a")
    assert served.shadow == Shadow(id="a", arm=BASE, share=HELD_SHARE, over=sha(home, "a"))
    assert [move.move for move in home.adapters.moves(POCKET)] == [Move.PROMOTE, Move.TRIAL]


@pytest.mark.parametrize("starts", [0, 1])
async def test_no_clock_that_is_set_ahead_ends_a_trial(home: House, starts: int) -> None:
    home.rule = ON_TRIAL
    await home.adapters.try_out("a", share=0.1, at=home.clock.now(), why="trial")
    await home.promote.step()
    for _ in range(starts):
        await home.restart()
    home.clock.at += timedelta(days=400)
    await home.promote.step()
    assert statuses(home)["a"] == "shadow"
    home.clock.advance(SHADOW_S)
    await home.promote.step()
    assert statuses(home)["a"] == "active"


async def test_a_trial_that_began_under_a_clock_set_ahead_ends_after_its_day(home: House) -> None:
    home.rule, right = ON_TRIAL, home.clock.at
    home.clock.at += timedelta(days=400)
    await home.adapters.try_out("a", share=0.1, at=home.clock.now(), why="trial")
    home.clock.at = right
    await home.promote.step()
    home.clock.advance(SHADOW_S - 1)
    await home.promote.step()
    assert statuses(home)["a"] == "shadow"
    home.clock.advance(1)
    await home.promote.step()
    assert statuses(home)["a"] == "active"


async def test_what_the_user_takes_back_is_not_promoted_by_a_step_under_way(home: House) -> None:
    await home.promote.promote("a", why="first")
    await home.adapters.try_out("b", share=0.1, at=home.clock.now(), why="trial")
    home.clock.advance(SHADOW_S + 1)
    step = asyncio.create_task(home.promote.step())
    await home.promote.roll_back(POCKET, why="I say so")
    await step
    assert home.serving == sha(home, "a")
    assert home.adapters.in_force(POCKET).active == "a"
    assert home.adapters.get("b").status is AdapterStatus.ROLLED_BACK


async def test_a_trial_outlives_a_restart_and_the_user_ends_it(home: House) -> None:
    await home.promote.promote("a", why="first")
    await home.adapters.try_out("b", share=0.1, at=home.clock.now(), why="trial")
    await home.restart()
    served = home.local.facts(POCKET)
    assert served.adapter == sha(home, "a")
    assert served.shadow is not None and served.shadow.arm.version == sha(home, "b")
    assert set(engine(home).adapters) >= {sha(home, "a"), sha(home, "b")}
    await home.promote.roll_back(POCKET, why="enough")
    assert home.local.facts(POCKET).shadow is None
    assert statuses(home) | {"c": ""} == {"a": "active", "b": "rolled back", "c": ""}


async def test_after_a_trial_the_one_before_answers_a_few_until_another_is_tried(
    home: House,
) -> None:
    await home.promote.promote("a", why="a")
    await home.promote.promote("b", why="its day has passed", held_share=0.05)
    for _ in range(2):
        served = home.local.facts(POCKET)
        assert served.adapter == sha(home, "b") and served.shadow is not None
        assert served.shadow.arm.version == sha(home, "a") and served.shadow.over == served.adapter
        assert {sha(home, "a"), sha(home, "b")} <= set(engine(home).adapters)
        await home.restart()
    home.rule = ON_TRIAL
    await home.promote.start_trial(home.adapters.get("c"))
    force = home.adapters.in_force(POCKET)
    assert (force.active, force.shadow, force.held_share) == ("b", "c", 0.0)
    await home.promote.roll_back(POCKET, why="enough")
    assert home.local.facts(POCKET).shadow is None


async def test_a_damaged_one_that_was_held_back_is_let_go_and_the_active_one_stays(
    home: House,
) -> None:
    await home.promote.promote("a", why="a")
    await home.promote.promote("b", why="b", held_share=0.05)
    (home.files.folder("a") / "adapters.safetensors").write_bytes(b"half")
    await home.restart()
    assert home.serving == sha(home, "b") and home.local.facts(POCKET).shadow is None
    assert statuses(home)["b"] == "active" and home.problems[POCKET]


async def test_another_trial_takes_the_place_of_the_first(home: House) -> None:
    for name in "ab":
        await home.adapters.try_out(name, share=0.1, at=home.clock.now(), why=name)
    assert statuses(home) == {"a": "rolled back", "b": "shadow", "c": "candidate"}


# The way back


async def test_back_to_the_one_before_and_then_to_the_base(home: House) -> None:
    for name in "ab":
        await home.promote.promote(name, why=name)
    await home.promote.roll_back(POCKET, why="one")
    assert home.serving == sha(home, "a")
    await home.promote.roll_back(POCKET, why="two")
    assert home.serving is None
    assert statuses(home) == {"a": "rolled back", "b": "rolled back", "c": "candidate"}
    with pytest.raises(Conflict, match="No adapter of pocket is in use"):
        await home.promote.roll_back(POCKET, why="three")
    with pytest.raises(Conflict, match="never in use"):
        await home.promote.roll_back(POCKET, "c", why="unseen")
    await home.promote.roll_back(POCKET, "b", why="and again")
    assert home.serving == sha(home, "b")


async def test_what_was_taken_out_is_not_gone_back_to_by_itself(home: House) -> None:
    await home.promote.promote("a", why="a")
    await home.promote.roll_back(POCKET, why="bad")
    await home.promote.promote("b", why="b")
    await home.promote.roll_back(POCKET, why="bad as well")
    assert home.serving is None


async def test_the_last_five_stay_and_each_can_come_back(home: House, tmp_path: Path) -> None:
    names = [f"n{i}" for i in range(PAST_ADAPTERS_KEPT + 3)]
    for name in names:
        await home.bring(name, made(tmp_path, name))
        await home.promote.promote(name, why=name)
    kept = {name for name in names if home.files.folder(name).is_dir()}
    assert kept == set(names[-PAST_ADAPTERS_KEPT - 1 :])
    assert home.files.folder("c").is_dir(), "a candidate waits for the gate"
    for name in names[-PAST_ADAPTERS_KEPT - 1 : -1]:
        await home.promote.roll_back(POCKET, name, why="look")
        assert home.serving == sha(home, name)
    with pytest.raises(AdapterError, match="readable"):
        await home.promote.roll_back(POCKET, names[0], why="too old")
    assert home.serving == sha(home, names[-2])


@pytest.mark.parametrize("moves", ["promote", "roll back", "trial"])
async def test_a_crash_leaves_the_old_one_or_the_new_one(home: House, moves: str) -> None:
    """The move is cancelled at each moment at which it may wait for the engine or the writer."""
    await home.promote.promote("a", why="a")
    await home.promote.promote("b", why="b")
    old = home.adapters.in_force(POCKET)
    for patience in range(41):
        match moves:
            case "promote":
                work = home.promote.promote("c", why="c")
            case "roll back":
                work = home.promote.roll_back(POCKET, "a", why="back")
            case _:
                home.rule = ON_TRIAL
                work = home.promote.start_trial(home.adapters.get("c"))
        task = asyncio.ensure_future(work)
        for _ in range(patience):
            await asyncio.sleep(0)
        # A move also waits for threads, which take as long as they like on a busy machine.
        await asyncio.wait({task}, timeout=None if patience == 40 else 0.001 * patience)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await home.restart()
        force = home.adapters.in_force(POCKET)
        served = home.local.facts(POCKET)
        assert served.adapter == (sha(home, force.active) if force.active else None)
        assert (served.shadow is None) == (force.shadow is None)
        states = [one.status for one in home.adapters.all()]
        assert states.count(AdapterStatus.ACTIVE) == 1
        if (force.active, force.shadow) != (old.active, old.shadow):
            return
    pytest.fail("the move never came to its end")


async def test_a_damaged_one_falls_back_past_other_damaged_ones(home: House) -> None:
    for name in "abc":
        await home.promote.promote(name, why=name)
    for name in "bc":
        (home.files.folder(name) / "adapters.safetensors").write_bytes(b"half")
    await home.restart()
    assert home.serving == sha(home, "a")
    assert home.problems[POCKET].title == "The adapter cannot be used"
    assert "a answers instead" in home.problems[POCKET].hint
    (home.files.folder("a") / "adapter_config.json").unlink()
    await home.restart()
    assert home.serving is None
    assert "The base answers instead" in home.problems[POCKET].hint


async def test_one_that_the_engine_refuses_after_a_restart_falls_back(home: House) -> None:
    for name in "ab":
        await home.promote.promote(name, why=name)
    await home.promote.on_load_failure(
        sha(home, "b"), RequestError("its shapes are others", status=400)
    )
    assert home.serving == sha(home, "a")
    assert "its shapes are others" in home.problems[POCKET].detail
    await home.promote.on_load_failure("unknown", RequestError("whatever", status=400))
    assert home.serving == sha(home, "a")


@pytest.mark.parametrize("while_running", [False, True])
async def test_a_damaged_one_is_replaced_by_the_copy_of_its_run(
    home: House, while_running: bool
) -> None:
    await home.bring("d", made(home.home / "runs", "run_d"), run="run_d")
    for name in "ad":
        await home.promote.promote(name, why=name)
    (home.files.folder("d") / "adapters.safetensors").write_bytes(b"half")
    if while_running:
        await home.promote.on_load_failure(sha(home, "d"), RequestError("it is half", status=503))
    else:
        await home.restart()
    assert home.serving == sha(home, "d") and statuses(home)["d"] == "active"
    assert home.problems == {} and home.files.damage("d", sha(home, "d")) == ""
    # One whose run has other files falls back as before.
    (home.home / "runs" / "run_d" / "adapters.safetensors").write_bytes(b"others")
    (home.files.folder("d") / "adapters.safetensors").write_bytes(b"half")
    await home.restart()
    assert home.serving == sha(home, "a")


@pytest.mark.parametrize("leads", ["to a fault of the disk", "round", "to a disk that is away"])
@pytest.mark.parametrize("while_running", [False, True])
async def test_one_that_cannot_be_read_for_a_while_stays_in_force(
    home: House, while_running: bool, leads: str
) -> None:
    for name in "ab":
        await home.promote.promote(name, why=name)
    weights = home.files.folder("b") / "adapters.safetensors"
    kept = weights.rename(weights.with_suffix(".kept"))
    if leads == "to a fault of the disk":
        if not Path("/proc/self/mem").exists():
            pytest.skip("needs a file that gives EIO")
        weights.symlink_to("/proc/self/mem")
    else:
        weights.symlink_to(weights if leads == "round" else home.home / "disk" / "weights")
    if while_running:
        await home.promote.on_load_failure(sha(home, "b"), RequestError("an error", status=503))
    else:
        await home.restart()
    assert home.serving is None and home.adapters.in_force(POCKET).active == "b"
    assert "cannot be read now" in home.problems[POCKET].detail
    await home.promote.step()
    assert home.serving is None and home.problems
    kept.replace(weights)
    await home.promote.step()
    assert home.serving == sha(home, "b") and home.problems == {}


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file that gives EIO")
async def test_one_beside_the_active_one_that_cannot_be_read_costs_only_itself(
    home: House,
) -> None:
    await home.promote.promote("a", why="a")
    await home.promote.promote("b", why="b", held_share=0.05)
    weights = home.files.folder("a") / "adapters.safetensors"
    kept = weights.rename(weights.with_suffix(".kept"))
    weights.symlink_to("/proc/self/mem")
    await home.restart()
    served = home.local.facts(POCKET)
    assert home.serving == sha(home, "b") and served.shadow is None
    assert "cannot be read now" in home.problems[POCKET].detail
    kept.replace(weights)
    await home.promote.step()
    served = home.local.facts(POCKET)
    assert served.shadow is not None and served.shadow.arm.version == sha(home, "a")
    assert home.serving == sha(home, "b") and home.problems == {}


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file that gives EIO")
async def test_one_that_can_be_read_again_and_is_damaged_is_told(home: House) -> None:
    for name in "ab":
        await home.promote.promote(name, why=name)
    weights = home.files.folder("b") / "adapters.safetensors"
    weights.unlink()
    weights.symlink_to("/proc/self/mem")
    await home.restart()
    weights.unlink()
    weights.write_bytes(b"half")
    await home.promote.step()
    assert home.serving == sha(home, "a") and statuses(home)["b"] == "rolled back"
    assert "b cannot be used any more" in home.problems[POCKET].detail


async def test_a_database_that_fails_is_not_taken_for_a_damaged_row(
    home: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    await home.promote.promote("a", why="a")

    def full(adapters: Adapters, adapter: str) -> AdapterVersion:
        raise StoreError("The disk is full.")

    monkeypatch.setattr(Adapters, "get", full)
    with pytest.raises(StoreError, match="disk is full"):
        await home.promote.step()


async def test_a_damaged_row_in_force_keeps_nobody_from_the_rest(home: House) -> None:
    for name in "ab":
        await home.promote.promote(name, why=name)
    await home.database.write(lambda c: damage_record(c, "adapters", "b"))
    await home.restart()
    assert home.serving is None and home.control.in_force() == (None, None)
    await home.promote.step()
    await home.promote.roll_back(POCKET, "a", why="the other is damaged")
    assert home.serving == sha(home, "a")


async def test_a_damaged_row_stops_no_start_and_loses_no_file(home: House) -> None:
    await home.promote.promote("a", why="a")
    await home.database.write(lambda c: damage_record(c, "adapters", "a"))
    whole = sha(home, "b")
    await home.restart()
    assert home.serving is None and "adapter a is damaged" in home.problems[POCKET].detail
    assert home.files.folder("a").is_dir()
    await home.promote.promote("b", why="b")
    assert home.serving == whole


# Harm


def lived(
    house: House,
    count: int,
    *,
    adapter: str | None,
    good: float,
    assignment: HoldoutAssignment | None = None,
) -> list[str]:
    """Record conversations of one turn each, as the recorder would; return the turns' ids."""
    store = Trajectories(house.database, key=KEY)
    ids = []
    for number in range(count):
        house.clock.advance(1)
        name = f"{adapter}_{good}_{house.clock.passed_s:09.0f}_{number}"
        one = turn(user(name), turn_id=f"turn_{name}", trajectory=f"conv_{name}", clock=house.clock)
        policy = PolicyVersion(model=house.digest, adapter=adapter, generation=0)
        one = replace(one, stamp=replace(one.stamp, policy=policy, sampling=Sampling()))
        assignments = (assignment,) if assignment is not None else ()
        store.record(one, session="", selection=Selection(assignments=assignments))
        ids.append(one.stamp.turn)
    house.database.flush()
    return ids


async def score(house: House, turns: list[str], p_good: float) -> None:
    reward = Reward(value=2 * p_good - 1, p_good=p_good, source=Source.EXPLICIT, votes=())
    rows = [RewardRow(turn=one, reward=reward) for one in turns]
    await Rewards(house.database).save(rows, read=turns, at=house.clock.now())


def assigned(house: House, adapter: str, *, answered_by_it: bool) -> HoldoutAssignment:
    return HoldoutAssignment(
        client="",
        name=f"adapter:{adapter}",
        sha256=sha(house, adapter),
        left_out=not answered_by_it,
        share=0.9,
    )


@pytest.mark.parametrize(("good", "stays"), [(0.05, False), (0.95, True)])
async def test_a_trial_that_harms_ends_by_itself(home: House, good: float, stays: bool) -> None:
    await home.adapters.try_out("a", share=0.1, at=home.clock.now(), why="trial")
    version = sha(home, "a")
    for _ in range(12):
        old = lived(
            home, 9, adapter=None, good=0.9, assignment=assigned(home, "a", answered_by_it=False)
        )
        new = lived(
            home, 1, adapter=version, good=good, assignment=assigned(home, "a", answered_by_it=True)
        )
        await score(home, old, 0.9)
        await score(home, new, good)
    await home.promote.step()
    assert statuses(home)["a"] == ("shadow" if stays else "rolled back")
    if not stays:
        assert "conversations go worse with it" in home.problems[POCKET].detail
        assert home.local.facts(POCKET).shadow is None


@pytest.mark.parametrize(("good", "stays"), [(0.2, False), (0.85, True)])
async def test_one_in_force_that_harms_gives_way_to_the_one_before(
    home: House, good: float, stays: bool
) -> None:
    await home.promote.promote("a", why="a")
    await score(home, lived(home, 60, adapter=sha(home, "a"), good=0.9), 0.9)
    await home.promote.promote("b", why="b")
    await score(home, lived(home, 40, adapter=sha(home, "b"), good=good), good)
    await home.promote.step()
    assert home.serving == sha(home, "b" if stays else "a")
    assert ("pocket" in home.problems) is not stays


@pytest.mark.full
@pytest.mark.slow
@pytest.mark.parametrize(("good", "stays"), [(0.05, False), (0.4, True)])
async def test_after_its_trial_a_worse_adapter_is_told_from_harder_days(
    home: House, good: float, stays: bool
) -> None:
    """Scores fall for everybody; only an adapter worse than the one before is rolled back."""
    await home.promote.promote("a", why="a")
    await score(home, lived(home, 60, adapter=sha(home, "a"), good=0.9), 0.9)
    await home.promote.promote("b", why="its day has passed", held_share=0.05)
    key, version = trial_key("b"), sha(home, "b")
    for _ in range(30):
        for adapter, worth, count in ((version, good, 19), (sha(home, "a"), 0.4, 1)):
            assignment = HoldoutAssignment(
                client=key.client,
                name=key.name,
                sha256=version,
                left_out=adapter != version,
                share=0.05,
            )
            turns = lived(home, count, adapter=adapter, good=worth, assignment=assignment)
            await score(home, turns, worth)
    await home.promote.step()
    assert home.serving == sha(home, "b" if stays else "a")


async def test_one_in_force_that_harms_goes_also_while_another_is_on_trial(home: House) -> None:
    await home.promote.promote("a", why="a")
    await score(home, lived(home, 60, adapter=sha(home, "a"), good=0.9), 0.9)
    await home.promote.promote("b", why="b")
    await home.adapters.try_out("c", share=0.1, at=home.clock.now(), why="trial")
    await score(home, lived(home, 60, adapter=sha(home, "b"), good=0.1), 0.1)
    await home.promote.step()
    assert home.serving == sha(home, "a")
    assert statuses(home) == {"a": "active", "b": "rolled back", "c": "rolled back"}


# What was learned


async def test_what_an_adapter_has_learned_holds_for_those_trained_on_it(
    home: House, tmp_path: Path
) -> None:
    skill = LearnedSkill(skill=SkillKey("", "menu-style"), sha256="of the text")
    await home.bring("p", made(tmp_path, "p"), learned=(skill,))
    await home.bring("q", made(tmp_path, "q"), parent="p")
    await home.promote.promote("q", why="q")
    assert home.local.facts(POCKET).learned == {"of the text"}
    assert home.adapters.lineage("q") == ("q", "p")
    await home.promote.roll_back(POCKET, why="back")
    assert home.local.facts(POCKET).learned == frozenset()


# The user's word


async def test_only_what_the_gate_accepted_goes_into_force_unless_it_is_asked_for(
    home: House,
) -> None:
    with pytest.raises(AdapterError, match="has not been tested"):
        await home.control.promote({"adapter": "a"})
    said = await home.control.promote({"adapter": "a", "anyway": True})
    assert said["active"] == "a"
    assert home.control.in_force() == (sha(home, "a"), "a")
    back = await home.control.roll_back({"to": "base"})
    assert back["active"] is None and home.control.in_force() == (None, None)
    for wrong in ({}, {"adapter": 3}):
        with pytest.raises(UsageError):
            await home.control.promote(wrong)
    with pytest.raises(NotFound):
        await home.control.roll_back({"to": "nothing"})
    with pytest.raises(UsageError):
        await home.control.roll_back({"to": 3})


async def test_what_is_in_force_cannot_be_removed(home: House) -> None:
    await home.promote.promote("a", why="a")
    with pytest.raises(Conflict, match="in use"):
        await home.adapters.remove("a")
    await home.adapters.remove("b")
    with pytest.raises(NotFound):
        home.adapters.get("b")
    assert [isinstance(one, AdapterVersion) for one in home.adapters.all()] == [True, True]
