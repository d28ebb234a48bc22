"""Tests that the parts of a wired service work on one another: what one changes, the others see."""

from __future__ import annotations

import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import cast

import pytest

import lull
from lull.config.paths import Paths
from lull.config.settings import Settings
from lull.core.errors import StoreError
from lull.core.events import EventKind
from lull.core.idle.policy import WindowState
from lull.core.skills.skill import SkillKey
from lull.service.entry.started import started
from lull.service.proxy.auth import AccessRules
from lull.service.wiring.service import Service
from lull.store.chat.event_log import EventLog
from tests.building import ANYBODY

pytestmark = pytest.mark.slow
SOUP = SkillKey("", "soup")
ADD = {
    "do": "add",
    "name": "soup",
    "description": "When a menu is asked for",
    "body": "Begin each menu with the soup.",
}
LAST_TO_FIRST = [
    "service/proxy/data_plane",
    "service/models/exams",
    "loops/training/training_job",
    "service/models/learning_model",
    "service/process/keep_watch",
    "service/models/built_in",
]
"""Files whose parts are closed at the end, what lets requests in first. The
database comes after all of them.
"""


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    made = Paths.from_environment({"LULL_HOME": str(tmp_path)}, "linux")
    made.prepare()
    return made


@pytest.fixture
async def service(paths: Paths) -> AsyncIterator[Service]:
    async with started(Settings(), paths, AccessRules(port=0)) as made:
        made.skills.memory.asked.set()  # else a search for training waits for it
        yield made


# One library


async def test_a_skill_that_is_added_is_in_use_in_all_parts_at_once(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    holdout, followed = service.learning.proofs.holdout, list[int]()
    in_use = service.shared.in_use
    monkeypatch.setattr(holdout, "follow", lambda: followed.append(in_use.library.generation))
    generation = (await service.skills.changes.apply(ADD))["generation"]
    assert service.shared.in_use.library.skills.keys() == {SOUP}
    assert service.skills.index.lexical("a menu, please", client=ANYBODY).keys() == {SOUP}
    assert holdout.measures().keys() == {SOUP}
    assert followed == [generation]  # what is measured of it is looked up anew
    service.shared.stores.database.flush()
    told = EventLog(service.shared.stores.database).after(0)
    *_, last = [one for one in told if one.kind == EventKind.GENERATION]
    assert last.fields["generation"] == generation


async def test_what_is_in_use_at_the_end_is_so_from_the_next_start(paths: Paths) -> None:
    async with started(Settings(), paths, AccessRules(port=0)) as first:
        await first.skills.changes.apply(ADD)
    async with started(Settings(), paths, AccessRules(port=0)) as again:
        assert again.shared.in_use.library.skills.keys() == {SOUP}
        assert again.skills.index.lexical("a menu, please", client=ANYBODY).keys() == {SOUP}


# Settings that change while it runs


async def test_the_trainer_asks_for_the_model_that_the_settings_name_now(service: Service) -> None:
    apply, job = service.choices.following.apply, service.slow_loop.job
    settings = service.settings
    apply(replace(settings, training=replace(settings.training, model="llama9")))
    assert "llama9" in (await job.search_now()).text
    apply(replace(settings, training=replace(settings.training, enabled=False)))
    assert (await job.search_now()).text == "Training is switched off in the settings."


async def test_auto_stands_for_the_model_that_lull_chose(service: Service) -> None:
    settings, auto = service.choices.in_force.settings, service.choices.auto
    apply = service.choices.following.apply
    apply(replace(settings, training=replace(settings.training, model="auto")))
    assert service.settings.training.model == auto.choice.model
    auto.choice = replace(auto.choice, model="another")
    assert service.settings.training.model == "another"
    assert "another" in (await service.slow_loop.job.search_now()).text


async def test_whether_it_is_a_lull_is_decided_by_the_settings_of_now(service: Service) -> None:
    settings, watch = service.settings, service.lulls.watch
    before = await watch.check_now()
    service.choices.following.apply(replace(settings, idle=replace(settings.idle, enabled=False)))
    after = await watch.check_now()
    assert before.because != after.because and after.state is WindowState.OFF


# The end, and a start that fails


async def test_all_is_closed_from_the_last_to_the_first(paths: Paths) -> None:
    running = started(Settings(), paths, AccessRules(port=0))
    database = (await running.__aenter__()).shared.stores.database
    with noted_ends() as ended:
        await running.__aexit__(None, None, None)
    assert [one for one in ended if one in LAST_TO_FIRST] == LAST_TO_FIRST
    with pytest.raises(StoreError):
        await database.write(lambda connection: connection.execute("SELECT 1"))


@contextmanager
def noted_ends() -> Iterator[list[str]]:
    """Note in which order files of the app are entered to end something, in threads, too."""
    package, ended = str(Path(lull.__file__).parent) + "/", list[str]()

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_name in ("close", "stop"):
            name = code.co_filename.removeprefix(package).removesuffix(".py")
            ended.extend([] if name in ended else [name])

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield ended
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


async def test_a_start_that_fails_leaves_nothing_open(paths: Paths) -> None:
    before = set(threading.enumerate())
    with pytest.raises(AttributeError):
        async with started(Settings(), paths, cast(AccessRules, None)):
            raise AssertionError("it started")
    left = [one.name for one in threading.enumerate() if one not in before]
    assert not [name for name in left if not name.startswith("asyncio")], left
    async with started(Settings(), paths, AccessRules(port=0)) as service:
        assert service.shared.stores.database.kept_aside is None
