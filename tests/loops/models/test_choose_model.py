"""Tests of choosing the model that learns: the list, early refusals, and reports of progress."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from lull.backends.mlx.weight_folders import ModelFolders
from lull.core.errors import CannotLearn, NotFound, UpstreamDown, WeightsError
from lull.core.models.learnable import Machine, ModelSize
from lull.core.models.ollama_model import ListedModel, ShownModel, shown_model
from lull.core.models.weight_form import WeightForm
from lull.core.models.weight_work import MergedFile, NextToken, Report, WeightsFound
from lull.loops.models.choose_model import (
    BuiltInModel,
    ChooseModel,
    ChoosingProgress,
    ChoosingStage,
)
from tests.core.models.test_learnable import shown
from tests.doubles.fakes import FakeClock


@dataclass
class FakeOllama:
    models: dict[str, dict[str, Any]]
    down: bool = False

    async def listed(self) -> tuple[ListedModel, ...]:
        if self.down:
            raise UpstreamDown("Nobody is there.")
        return tuple(
            ListedModel(name=name, digest="d", size_bytes=1, remote=name.endswith(":cloud"))
            for name in self.models
        )

    async def show(self, name: str) -> ShownModel:
        return shown_model(name, self.models[name if name in self.models else f"{name}:latest"])

    async def has_blob(self, digest: str) -> bool:
        raise AssertionError("nothing is uploaded")

    async def upload(self, digest: str, path: str, report: Report) -> None:
        raise AssertionError("nothing is uploaded")

    async def create(self, body: Mapping[str, object]) -> None:
        raise AssertionError("nothing is created")

    async def delete(self, name: str) -> None:
        raise AssertionError("nothing is deleted")

    async def next_token(self, name: str, prompt: str, *, most: int) -> NextToken | None:
        raise AssertionError("nothing is asked")


@dataclass
class FakeWork:
    clock: FakeClock
    made: list[Mapping[str, object]] = field(default_factory=list)

    async def inspect(self, blob: str, form: WeightForm) -> WeightsFound:
        return WeightsFound(architecture="qwen3", n_bytes=1000)

    async def make_folder(
        self, blob: str, folder: str, form: WeightForm, facts: Mapping[str, object], report: Report
    ) -> None:
        self.made.append(facts)
        for done in (200, 400, 1000):  # 200 were there from an earlier try
            report(done, 1000)
            self.clock.advance(10)

    async def merge(self, blob: str, adapter: str, out: str, report: Report) -> MergedFile:
        raise AssertionError("nothing is merged")


class FakeFiles:
    """Implements WeightFiles: a model's weights are where Ollama says, unless that is nowhere."""

    def readable_blob(self, model: ShownModel) -> Path:
        if "nowhere" in model.blobs[0]:
            raise WeightsError("They are not there.", hint="Look for them.")
        return Path(model.blobs[0])


@dataclass
class Desk:
    story: ChooseModel
    work: FakeWork
    ollama: FakeOllama


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    clock = FakeClock()
    ollama = FakeOllama(
        {
            "good:4b": shown(system="Be good.", parameters="temperature 0.5"),
            "hybrid:latest": shown(architecture="qwen35"),
            "far:cloud": {},
            "odd:latest": {},
            "lost:latest": shown(modelfile="FROM /nowhere/sha256-" + "0" * 64),
        }
    )
    work = FakeWork(clock)

    story = ChooseModel(
        store=ollama,
        work=work,
        folders=ModelFolders(tmp_path),
        files=FakeFiles(),
        machine=Machine(memory_bytes=64_000_000_000, share=0.6, form=WeightForm.FOUR_BIT),
        built_in=(),
        clock=clock,
    )
    return Desk(story, work, ollama)


async def test_every_model_is_listed_with_its_reason(desk: Desk) -> None:
    found = {one.name: one for one in (await desk.story.list()).models}
    assert found["good:4b"].can_learn
    assert "hybrid attention" in found["hybrid:latest"].why_not
    assert "somebody else's machine" in found["far:cloud"].why_not
    assert "gives no information" in found["odd:latest"].why_not
    assert found["lost:latest"].why_not == "They are not there. Look for them."


async def test_a_model_that_ships_is_made_ready_and_a_quiet_one_is_listed_when_chosen(
    desk: Desk,
) -> None:
    made: list[str] = []

    async def prepare() -> None:
        made.append("mini")

    size = ModelSize(weights=1e8, hidden=576, layers=30, inner=1536, vocabulary=49152)
    mini = BuiltInModel(name="mini", folder="/m", size=size, architecture="llama", prepare=prepare)
    toy = replace(mini, name="toy", folder="/t", is_listed=False)
    desk.story._built_in = (mini, toy)
    desk.ollama.down = True
    assert [one.name for one in (await desk.story.list()).models] == ["mini"]
    assert [one.name for one in (await desk.story.list("toy:latest")).models] == ["mini", "toy"]
    chosen = await desk.story.choose("mini:latest")
    assert (chosen.name, chosen.folder, made) == ("mini", "/m", ["mini"])
    assert chosen.learnable.architecture == "llama"


async def test_without_an_ollama_that_is_the_answer(desk: Desk) -> None:
    desk.ollama.down = True
    there = await desk.story.list()
    assert there.models == ()
    assert there.problem is not None
    assert there.problem.detail == "Nobody is there."


@pytest.mark.parametrize(
    ("name", "kind"),
    [("hybrid", CannotLearn), ("far:cloud", WeightsError), ("lost", WeightsError), ("x", NotFound)],
)
async def test_what_cannot_learn_is_refused_before_any_work(
    name: str, kind: type[Exception], desk: Desk
) -> None:
    with pytest.raises(kind):
        await desk.story.choose(name)
    assert desk.work.made == []


@pytest.mark.parametrize(
    "name",
    [
        "mlx-community/Qwen3-4B-4bit",
        "hf.co/mlx-community/Qwen3-4B-4bit:Q4_K_M",
        "https://huggingface.co/mlx-community/Qwen3-4B-4bit/tree/main",
    ],
)
async def test_of_a_hub_s_name_it_is_said_how_its_weights_can_be_had(name: str, desk: Desk) -> None:
    with pytest.raises(NotFound) as told:
        await desk.story.choose(name)
    assert "`ollama pull hf.co/mlx-community/Qwen3-4B-4bit`" in told.value.hint
    assert "./FOLDER" in told.value.hint
    assert desk.work.made == []


async def test_a_name_that_is_no_hub_s_gets_no_such_advice(desk: Desk) -> None:
    for name in ("x", "x:4b", "a/b/c/d/", "../x"):
        with pytest.raises(NotFound) as told:
            await desk.story.choose(name)
        assert ("ollama pull" in told.value.hint) is (name == "a/b/c/d/"), name


async def test_the_need_of_disk_comes_first_and_then_the_time_left(desk: Desk) -> None:
    heard: list[ChoosingProgress] = []
    chosen = await desk.story.choose("GOOD:4b", report=heard.append)
    assert chosen.name == "good:4b"
    assert [one.stage for one in heard] == [
        ChoosingStage.LOOKING,
        *[ChoosingStage.MAKING] * 4,
        ChoosingStage.READY,
    ]
    making = [(one.done_bytes, one.of_bytes, one.left_s) for one in heard[1:-1]]
    assert making == [(0, 1000, None), (200, 1000, None), (400, 1000, 30.0), (1000, 1000, 0.0)]


async def test_what_is_around_the_weights_is_kept_with_them(desk: Desk) -> None:
    await desk.story.choose("good:4b")
    (facts,) = desk.work.made
    assert facts["name"] == "good:4b"
    assert facts["system"] == "Be good."
    assert facts["parameters"] == {"temperature": 0.5}
    assert facts["sha256"] == "ab" * 32
