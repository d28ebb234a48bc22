"""Who reads, judges and writes for Lull: by name, by exam, or nobody."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from lull.config.learning import JudgeSettings, ReaderSettings, WriterSettings
from lull.config.reading import parsed
from lull.config.settings import Settings
from lull.core.feedback.exchange import Exchange
from lull.core.feedback.feedback import Heard
from lull.core.models.candidates import is_auto, is_off
from lull.core.models.exam import ModelRole
from lull.service.wiring.learning.asking import AuxModels, Stages
from lull.service.wiring.learning.exams import wanted
from lull.service.wiring.shared import SharedParts


class SmallReader:
    name = "small 1"
    light = False

    async def read(self, exchanges: Sequence[Exchange]) -> list[Heard | None]:
        return [None for _ in exchanges]


class Problems:
    def report(self, *_: object) -> None: ...

    def clear(self, *_: object) -> None: ...


@dataclass
class Ollama:
    address: str = "http://127.0.0.1:1"


@dataclass
class Models:
    ollama: Ollama = field(default_factory=Ollama)


@dataclass
class Part:
    """Of `SharedParts`, what is asked here."""

    problems: Problems = field(default_factory=Problems)
    models: Models = field(default_factory=Models)
    asking: Any = None


SMALL = SmallReader()


def asked(settings: Settings, **admitted: str) -> AuxModels:
    def who(role: ModelRole) -> str | None:
        return admitted.get(role.value)

    return AuxModels(cast(SharedParts, Part()), lambda: settings, SMALL, who)


def writers(made: AuxModels) -> list[str]:
    return [one.evolver.name for one in made.writers() if " evolve-" in one.evolver.name]


def test_by_default_nobody_helps_before_a_model_has_passed() -> None:
    made = asked(Settings())
    assert made.judge() is None and writers(made) == []
    assert made.reader() is SMALL
    assert [made.named(role) for role in ModelRole] == [""] * 3


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
    assert [made.named(role) for role in ModelRole] == ["mine:1b"] * 3
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
    assert all(is_off(one) for one in wanted(settings).values())


def test_a_server_of_ones_own_is_asked_by_name_and_never_examined() -> None:
    address = "http://127.0.0.1:1234/v1"
    settings = Settings(judge=JudgeSettings(address=address))
    assert asked(settings, judge="j").named(ModelRole.JUDGE) == ""
    assert wanted(settings)[ModelRole.JUDGE] == "" and is_auto(wanted(settings)[ModelRole.WRITER])


def test_a_reader_never_runs_elsewhere() -> None:
    made = asked(Settings(reader=ReaderSettings(model="big:120b-cloud")))
    assert made.reader() is SMALL


def test_work_in_a_lull_unloads_the_judge_that_was_admitted() -> None:
    made = asked(Settings(), judge="j:8b")
    stages = Stages(cast(SharedParts, Part()), Settings, judge=lambda: made.named(ModelRole.JUDGE))
    assert stages.asked() == {"j:8b"}
    assert Stages(cast(SharedParts, Part()), Settings).asked() == set()


OLD = """\
[judge]

# Empty asks nobody: then only tools, your ratings and your own words count.
#model = ""

[training]
#model = "pocket"
"""


def test_an_older_file_that_says_nothing_follows_the_new_default() -> None:
    settings = parsed(OLD, "settings.toml")
    assert (settings.judge.model, settings.training.model) == ("auto", "auto")


def test_what_an_older_file_does_say_holds() -> None:
    said = OLD.replace("#model", "model")
    settings = parsed(said, "settings.toml")
    assert (settings.judge.model, settings.training.model) == ("", "pocket")
    assert asked(settings, judge="j").judge() is None
