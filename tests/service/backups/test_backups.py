"""Tests of when a running service makes backups: in quiet moments, not in a chat or a forgetting.

No old backup is deleted while something of the home is missing.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from lull.config.paths import Paths
from lull.config.settings import BackupSettings
from lull.core.adapters.adapter import AdapterStatus, AdapterVersion
from lull.core.chat.trajectory import Selection
from lull.core.errors import Busy, StoreError, UsageError
from lull.service.backups.backups import KEPT_PROBLEM, PROBLEM, RETRY_S, Backups
from lull.service.backups.checks import check_backups
from lull.service.idle.quiet import Activity
from lull.service.process.bus import EventBus
from lull.service.process.problems import Problems
from lull.service.wiring.base.stores import Stores, open_stores
from lull.store.adapters.adapter_files import AdapterFiles
from lull.store.adapters.adapters import Adapters
from lull.store.backups import reading as backup_reading
from lull.store.backups.backup import COPYING
from lull.store.backups.reading import manifest_of
from lull.store.chat.event_log import EventLog
from tests.building import turn, user
from tests.doubles.fakes import FakeClock
from tests.eventually import until
from tests.loops.adapters.scripted import made


class WatchedActivity(Activity):
    """Counts how often somebody asked whether a chat is going on."""

    looks = 0

    @property
    def busy(self) -> bool:
        self.looks += 1
        return super().busy


class House:
    def __init__(self, home: Path, stores: Stores) -> None:
        self.home = home
        self.stores = stores
        self.clock = FakeClock()
        self.settings = BackupSettings(every_days=7, keep=2)
        self.problems = Problems(EventBus(EventLog(stores.database), self.clock))
        self.activity = WatchedActivity(self.clock)
        self.backups = Backups(
            home,
            stores.database,
            self.problems,
            self.clock,
            self.activity,
            settings=lambda: self.settings,
            quiet_s=self._quiet_s,
        )
        self.chatting = ExitStack()
        self.chat_begins = False
        """Whether a chat begins at the next look, just after the service was found quiet."""
        self.clock.advance(60.0)

    def _quiet_s(self) -> float:
        if self.chat_begins:
            self.chatting.enter_context(self.activity.chat())
        return 20.0

    @asynccontextmanager
    async def standing_still(self) -> AsyncIterator[asyncio.Task[None]]:
        """Yield the task of a backup that has paused for a chat which has just begun."""
        self.chat_begins = True
        looking = asyncio.create_task(self.backups.make_if_due())
        await until(
            lambda: (self.backups.view()["under_way"] or {"part": COPYING})["part"] != COPYING
        )
        with self.chatting:
            yield looking

    def say(self, name: str) -> None:
        one = turn(user(name), turn_id=f"t-{name}", trajectory=f"c-{name}")
        self.stores.trajectories.record(one, session="", selection=Selection())
        self.stores.database.flush()

    def made(self) -> list[str]:
        return sorted(file.name[:14] for file in (self.home / "backups").glob("*.zip"))

    async def after(self, days: float) -> None:
        self.clock.advance(days * 86_400.0)
        await self.backups.make_if_due()


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    stores = open_stores(Paths(home=tmp_path, temporary=tmp_path))
    with closing(stores.database):
        house = House(tmp_path, stores)
        house.say("apple")
        yield house


async def test_one_is_made_when_it_is_due_and_the_oldest_go(house: House) -> None:
    await house.backups.make_if_due()
    assert house.made() == ["lull-auto-0001"]
    await house.after(6)
    assert house.made() == ["lull-auto-0001"]
    for _ in range(3):
        await house.after(7.1)
    assert house.made() == ["lull-auto-0003", "lull-auto-0004"]


async def test_none_is_made_unless_the_user_wants_it(house: House) -> None:
    house.settings = replace(house.settings, every_days=0)
    await house.after(400)
    assert house.made() == []


async def test_a_clock_that_jumps_costs_no_old_one(house: House) -> None:
    house.settings = replace(house.settings, keep=3)
    for days in (0, 3650, -3650, -20_000, 20_000):
        house.clock.at += timedelta(days=days)
        await house.after(0.01)
    assert house.made() == ["lull-auto-0003", "lull-auto-0004", "lull-auto-0005"]


async def test_it_waits_until_the_user_has_stopped_to_chat(house: House) -> None:
    with house.activity.chat():
        await house.backups.make_if_due()
    house.clock.advance(19.0)
    await house.backups.make_if_due()
    assert house.made() == []
    house.clock.advance(2.0)
    await house.backups.make_if_due()
    assert house.made() == ["lull-auto-0001"]


async def test_it_stands_still_while_a_chat_is_answered(house: House) -> None:
    async with house.standing_still() as looking:
        before, looked = house.backups.view()["under_way"], house.activity.looks
        await until(lambda: house.activity.looks >= looked + 3)
        assert house.backups.view()["under_way"] == before
        assert house.made() == []
    await looking
    assert house.made() == ["lull-auto-0001"]
    assert house.backups.view()["under_way"] is None


async def test_it_stands_still_also_where_skills_are_searched_for_secrets(house: House) -> None:
    env = house.home / "library/skills/everybody/menu/env"
    env.parent.mkdir(parents=True)
    env.write_text("token = sk-proj-Zq8vT2mKp4Xw7Lr9Nc3Hb6Jd1Fs5Gy0A\n")
    async with house.standing_still() as looking:
        env.write_text("a = 1\n")  # it has not been looked at yet
    await looking
    (made,) = house.backups.existing()
    assert "library/skills/everybody/menu/env" in manifest_of(made).entries


async def test_a_forgetting_ends_one_that_is_being_made(house: House) -> None:
    async with house.standing_still() as looking:
        async with house.backups.paused():
            assert house.backups.existing() == []
        await looking
    assert house.made() == []
    assert not [file for file in house.home.iterdir() if file.name.endswith(".tmp")]


async def test_what_is_forgotten_meanwhile_is_not_in_one_that_is_asked_for(house: House) -> None:
    async with house.backups.paused():
        asked = asyncio.create_task(house.backups.make({"file": ""}))
        await asyncio.sleep(0)  # it goes as far as it can: to where it waits for its turn
        delete = "DELETE FROM trajectories WHERE id = 'c-apple'"
        await house.stores.database.write(lambda connection: connection.execute(delete))
    assert (await asked)["holds"]["turns"] == 0


async def test_one_that_was_asked_for_begins_again_after_a_forgetting(house: House) -> None:
    (house.home / "adapters/a1").mkdir(parents=True)
    (house.home / "adapters/a1/x").write_bytes(bytes(100_000_000))
    asked = asyncio.create_task(house.backups.make({"file": ""}))
    while house.backups.view()["under_way"] is None and not asked.done():  # noqa: ASYNC110
        await asyncio.sleep(0)
    async with house.backups.paused():
        finished = house.backups.existing()
    assert (await asked)["holds"]["turns"] == 1
    assert len(house.backups.existing()) == 1
    assert finished in ([], house.backups.existing())


async def test_a_service_that_stops_does_not_wait_for_it(house: House) -> None:
    async with house.standing_still() as looking:
        looking.cancel()
        await asyncio.gather(looking, return_exceptions=True)
        assert house.made() == []
    assert not [file for file in house.home.iterdir() if file.name.endswith(".tmp")]


async def test_while_something_is_missing_no_old_one_goes(house: House) -> None:
    house.stores.database.worries.append(StoreError("It has gone back to 1 turns."))
    for _ in range(4):
        await house.after(7.1)
    assert len(house.made()) == 4


@pytest.mark.logs("The backup cannot be used")
@pytest.mark.parametrize("harm", ["changed", "cut", "gone"])
async def test_while_an_adapter_is_damaged_no_old_one_goes(house: House, harm: str) -> None:
    adapters, files = Adapters(house.stores.database), AdapterFiles(house.home / "adapters")
    version = AdapterVersion(
        id="adapter_1",
        parent=None,
        base_model="pocket",
        base_digest="sha256:base",
        sha256=files.take_in("adapter_1", made(house.home / "made", "a")),
        run=None,
        status=AdapterStatus.CANDIDATE,
        made=house.clock.now(),
    )
    await adapters.add(version)
    # Of one that is not needed any more the row stays alone.
    await adapters.add(replace(version, id="adapter_0", status=AdapterStatus.REJECTED))
    await adapters.promote("adapter_1", at=house.clock.now(), why="better")
    # What another program says of it does not count.
    await house.stores.database.write(lambda c: c.execute("UPDATE adapters SET sha256 = 'mine'"))
    for _ in range(3):
        await house.after(7.1)
    assert house.made() == ["lull-auto-0002", "lull-auto-0003"]
    assert house.problems.get(KEPT_PROBLEM) is None
    weights = files.folder("adapter_1") / "adapters.safetensors"
    if harm == "changed":
        weights.write_bytes(b"others")
    elif harm == "cut":
        weights.unlink()
    else:
        files.remove("adapter_1")
    for _ in range(2):
        await house.after(7.1)
    assert house.made() == [f"lull-auto-000{number}" for number in range(2, 6)]
    told = house.problems.get(KEPT_PROBLEM)
    assert told is not None and told["detail"].startswith(
        "Damaged or gone, also in the newest backup: adapters/adapter_1. "
    )
    assert (await house.backups.make({}))["damaged"] == ["adapters/adapter_1"]
    files.take_in("adapter_1", house.home / "made" / "a")
    await house.after(7.1)
    assert house.made()[-2:] == ["lull-auto-0005", "lull-auto-0006"]
    assert house.problems.get(KEPT_PROBLEM) is None


@pytest.mark.logs("The backup cannot be used")
async def test_of_many_that_are_damaged_the_rest_is_counted(house: House) -> None:
    sha256 = [f"{number:064}" for number in range(5)]
    await house.stores.database.write(
        lambda c: (
            c.execute("INSERT INTO generations VALUES (1, '', 'add', '')"),
            *(
                c.execute(
                    "INSERT INTO skill_states VALUES ('', ?, 1, 1, ?, 'active', 0)", (one, one)
                )
                for one in sha256
            ),
        )
    )
    await house.after(7.1)
    told = house.problems.get(KEPT_PROBLEM)
    assert told is not None
    named = ", ".join(f"library/versions/00/{one}.md" for one in sha256[:3])
    assert f"newest backup: {named}, and 2 more. No old" in told["detail"]


@pytest.mark.logs("The backup cannot be used")
@pytest.mark.parametrize("harm", ["changed", "gone"])
async def test_while_a_text_of_a_skill_is_damaged_no_old_one_goes(house: House, harm: str) -> None:
    sha256 = house.stores.skills.folders.keep_bytes(b"text")
    await house.stores.database.write(
        lambda c: (
            c.execute("INSERT INTO generations VALUES (1, '', 'add', '')"),
            c.execute(
                "INSERT INTO skill_states VALUES ('', 'menu', 1, 1, ?, 'active', 0)", (sha256,)
            ),
        )
    )
    assert (await house.backups.make({}))["damaged"] == []
    if harm == "changed":
        (house.home / "library" / "versions" / sha256[:2] / f"{sha256}.md").write_bytes(b"others")
    else:
        shutil.rmtree(house.home / "library" / "versions")
    for _ in range(4):
        await house.after(7.1)
    assert len(house.made()) == 5


@pytest.mark.logs("The backup cannot be used")
async def test_one_that_fails_is_told_until_one_is_made(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.settings = replace(house.settings, folder=str(house.home / "not-there"))
    await house.backups.make_if_due()
    told = house.problems.get(PROBLEM)
    assert told is not None and "not-there is not there" in told["detail"] and told["hint"]
    house.settings = replace(house.settings, folder="")
    await house.backups.make_if_due()
    assert house.made() == []  # it is not tried all the time
    house.clock.advance(RETRY_S + 1)
    with monkeypatch.context() as short:
        short.setattr(backup_reading, "_SPARE", 1 << 60)
        await house.backups.make_if_due()
    told = house.problems.get(PROBLEM)
    assert told is not None and "MB are free" in told["detail"]
    assert house.made() == []
    house.clock.advance(RETRY_S + 1)
    await house.backups.make_if_due()
    assert house.problems.get(PROBLEM) is None
    assert house.made() == ["lull-auto-0001"]


async def test_one_at_a_time_and_only_with_a_whole_path(house: House) -> None:
    async with house.standing_still() as looking:
        with pytest.raises(Busy):
            await house.backups.make({})
    await looking
    made = await house.backups.make({})
    assert manifest_of(Path(made["file"])).counts.turns == 1
    for wrong in ({"file": 3}, {"file": "x.zip"}):
        with pytest.raises(UsageError):
            await house.backups.make(wrong)


async def test_the_doctor_says_when_the_last_was_made_and_when_it_is_late(house: House) -> None:
    def said() -> str:
        check = check_backups(house.home, house.settings, house.clock.now())
        assert not check["serious"]
        return f"{check['ok']} {check['text']}"

    assert said().startswith("True There is no backup.")
    await house.backups.make_if_due()
    assert "The newest of 1 is from" in said() and said().startswith("True")
    house.clock.advance(15 * 86_400.0)
    assert said().startswith("False") and "No automatic backup was made for 14 days" in said()
    house.settings = replace(house.settings, every_days=0)
    assert said().startswith("True")
