"""Tests of which model reads, judges and writes for Lull: by its name, by an exam, or none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import cast

import aiohttp
import pytest

from lull.config.learning import JudgeSettings, ReaderSettings, WriterSettings
from lull.config.reading import parse_settings
from lull.config.settings import Settings
from lull.config.training import TrainingSettings
from lull.core.adapters.model_facts import ModelFacts
from lull.core.feedback.exchange import Exchange
from lull.core.feedback.feedback import MessageFindings
from lull.core.models.candidates import is_auto, is_off
from lull.core.models.exam import ModelRole
from lull.service.builtin.model import EngineModels
from lull.service.models.aux_models import AuxModels, TrainingJudge
from lull.service.models.replay_targets import ReplayTargets
from lull.service.models.role_settings import models_to_examine
from lull.service.wiring.learning.asking import ModelsByBackends
from tests.building import FACTS
from tests.doubles.fakes import FakeClock, ToldProblems


class SmallReader:
    name = "small 1"
    light = False

    async def read(self, exchanges: Sequence[Exchange]) -> list[MessageFindings | None]:
        return [None for _ in exchanges]


MAKE = ModelsByBackends("http://127.0.0.1:1", cast(aiohttp.ClientSession, None))


class ByName:
    """A stand-in for Ollama that knows two models and fails the test if it is asked for facts."""

    def facts(self, name: str) -> ModelFacts:
        raise AssertionError(name)

    def known(self, name: str) -> ModelFacts | None:
        return FACTS if name in {"far:1b", "near:1b"} else None

    def digests(self) -> dict[str, str]:
        return {"near:1b": FACTS.digest}


def stages(judge: Callable[[], str] = str) -> ReplayTargets:
    local = EngineModels(clock=FakeClock())
    return ReplayTargets(MAKE, Settings, local=local, ollama=ByName(), places={}, judge=judge)


SMALL = SmallReader()


def asked(settings: Settings, **admitted: str) -> AuxModels:
    def who(role: ModelRole) -> str | None:
        return admitted.get(role.value)

    return AuxModels(
        MAKE,
        lambda: settings,
        problems=ToldProblems(),
        own_writers=(),
        reader=SMALL,
        admitted=who,
    )


def writers(made: AuxModels) -> list[str]:
    return [one.evolver.name for one in made.writers() if " evolve-" in one.evolver.name]


def test_by_default_nobody_helps_before_a_model_has_passed() -> None:
    made = asked(Settings())
    assert made.judge() is None and writers(made) == []
    assert made.reader() is SMALL
    assert [made.model_name(role) for role in ModelRole] == [""] * 3


def test_by_default_whoever_has_passed_helps() -> None:
    made = asked(Settings(), reader="r:4b", judge="j:8b", writer="w:8b")
    reader, judge = made.reader(), made.judge()
    assert reader is not None and reader.name.startswith("chat:r:4b read-")
    assert judge is not None and judge.version.startswith("j:8b judge-")
    assert writers(made)[0].startswith("w:8b evolve-")
    assert made.reader() is reader and made.judge() is judge  # and stays the same one


def test_a_name_is_used_whatever_the_exams_say() -> None:
    settings = Settings(
        reader=ReaderSettings(model="mine:1b"),
        judge=JudgeSettings(model="mine:1b"),
        writer=WriterSettings(model="mine:1b"),
    )
    made = asked(settings, reader="r", judge="j", writer="w")
    assert [made.model_name(role) for role in ModelRole] == ["mine:1b"] * 3
    judge = made.judge()
    assert judge is not None and judge.version.startswith("mine:1b")


@pytest.mark.parametrize("off", ["", "none", "None"])
def test_what_is_switched_off_stays_off(off: str) -> None:
    settings = Settings(
        reader=ReaderSettings(model=off),
        judge=JudgeSettings(model=off),
        writer=WriterSettings(model=off),
    )
    made = asked(settings, reader="r", judge="j", writer="w")
    assert made.judge() is None and writers(made) == [] and made.reader() is SMALL
    assert all(is_off(one) for one in models_to_examine(settings).values())


def test_a_server_of_ones_own_is_asked_by_name_and_never_examined() -> None:
    address = "http://127.0.0.1:1234/v1"
    settings = Settings(judge=JudgeSettings(address=address))
    assert asked(settings, judge="j").model_name(ModelRole.JUDGE) == ""
    assert models_to_examine(settings)[ModelRole.JUDGE] == "" and is_auto(
        models_to_examine(settings)[ModelRole.WRITER]
    )


def test_a_reader_never_runs_elsewhere() -> None:
    made = asked(Settings(reader=ReaderSettings(model="big:120b-cloud")))
    assert made.reader() is SMALL


def test_work_in_a_lull_unloads_the_judge_that_was_admitted() -> None:
    made = asked(Settings(), judge="j:8b")
    assert stages(judge=lambda: made.model_name(ModelRole.JUDGE)).asked_models() == {"j:8b"}
    assert stages().asked_models() == set()


def test_only_a_model_of_this_machine_is_measured() -> None:
    assert stages().facts_here("near:1b") == stages().facts("far:1b") == FACTS
    assert stages().facts_here("far:1b") is None


def test_a_model_that_learns_never_judges_its_own_training() -> None:
    settings = Settings(training=TrainingSettings(model="j:8b"))
    made = asked(settings, judge="j:8b")
    assert made.judge() is not None and TrainingJudge(made, lambda: settings).judge() is None
    other = replace(settings, training=TrainingSettings(model="other:1b"))
    made = asked(other, judge="j:8b")
    assert TrainingJudge(made, lambda: other).judge() is not None


OLD = """\
[judge]

# Empty asks nobody: then only tools, your ratings and your own words count.
#model = ""

[training]
#model = "pocket"
"""


def test_an_older_file_that_says_nothing_follows_the_new_default() -> None:
    settings = parse_settings(OLD, "settings.toml")
    assert (settings.judge.model, settings.training.model) == ("auto", "auto")


def test_what_an_older_file_does_say_holds() -> None:
    said = OLD.replace("#model", "model")
    settings = parse_settings(said, "settings.toml")
    assert (settings.judge.model, settings.training.model) == ("", "pocket")
    assert asked(settings, judge="j").judge() is None
