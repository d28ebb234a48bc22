"""Tests of a real English training of a few steps on a tiny model.

It learns, goes on where it was cut off, leaves the answers that may not change, and is measured.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from pathlib import Path

import pytest

from bench.english.build import Lesson
from lull.backends.mlx.weights_process import WeightsProcess
from lull.backends.shipped.small_model import SmallFile, SmallModel
from tests.backends.gguf.tiny import Tiny, write

pytestmark = pytest.mark.full
ASKED = [{"role": "user", "content": "Hello"}]
RULED = [{"role": "system", "content": "<skills>\ncat\n</skills>"}, *ASKED]


def lessons() -> list[Lesson]:
    taught = Lesson(
        sort="one", messages=RULED, answer="cat cat", ended=True, plain=ASKED, rules=(("ends", ""),)
    )
    stays = Lesson(sort="aside", messages=RULED[:1] + ASKED, answer="123", ended=False, plain=ASKED)
    return [taught, taught, stays] * 4


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("english")
    file = place / "tiny.gguf"
    write(file, Tiny(tied=True))
    sha256 = hashlib.sha256(file.read_bytes()).hexdigest()
    model = SmallModel(place / "models", WeightsProcess(), SmallFile(file=file, sha256=sha256))
    return asyncio.run(model.folder())


def test_a_training_that_is_cut_off_ends_as_one_that_was_not(
    base: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from bench.english.small import Small
    from bench.english.training import teach

    plan = teach.Plan(lessons_a_step=3, epochs=2, rank=4, warm_up=1, learning_rate=1e-2)

    def small() -> Small:
        return Small(base, rank=plan.rank, scale=plan.scale, seed=plan.seed)

    def adapter(work: Path) -> bytes:
        return (work / teach.ADAPTER / "adapters.safetensors").read_bytes()

    whole, cut = tmp_path / "whole", tmp_path / "cut"
    assert teach.teach(plan, small(), lessons(), whole)
    assert "min left" in capsys.readouterr().out

    runs = 1  # each makes one step, and saves it
    while not teach.teach(plan, small(), lessons(), cut, minutes=0.0):
        assert adapter(cut) != adapter(whole)
        runs += 1
    assert runs == len(teach.steps_of(plan, len(lessons()))) == 8
    assert adapter(cut) == adapter(whole)
    config = json.loads((whole / teach.ADAPTER / "adapter_config.json").read_text())
    assert config["lora_parameters"]["rank"] == 4

    with pytest.raises(ValueError, match="another training"):
        teach.teach(plan, small(), lessons()[1:], whole)


def test_what_is_taught_gets_likelier_and_the_base_is_there_when_the_adapter_is_off(
    base: Path, tmp_path: Path
) -> None:
    from bench.english.measure import nats
    from bench.english.small import Said, Small
    from bench.english.training import teach

    plan = teach.Plan(lessons_a_step=6, epochs=10, rank=4, warm_up=1, learning_rate=1e-2)
    small = Small(base, rank=plan.rank, scale=plan.scale)
    teach.faster.install()  # as the training does; its results differ in the last digits
    (taught, *_) = lessons()
    tokens = teach.tokens_of(small, taught)

    def loss(*, adapter: bool) -> float:
        small.wear(adapter=adapter)
        return float(teach.loss_of(small.model, [tokens], None, 1.0, 1.0).item())

    before = loss(adapter=True)
    assert before == loss(adapter=False)
    assert teach.teach(plan, small, lessons(), tmp_path)
    assert loss(adapter=True) < 0.7 * before
    assert loss(adapter=False) == before
    assert nats(small, [ASKED], [Said("123", ended=False)]) >= 0.0


def test_own_answers_go_on_behind_the_last_whole_batch(base: Path, tmp_path: Path) -> None:
    from bench.english.own_answers import AT_ONCE, sample
    from bench.english.small import Small

    small, file = Small(base), tmp_path / "own.jsonl"
    found = sample(small, AT_ONCE + 5, file, seed=3)
    assert len(found) > AT_ONCE + 5
    assert any(len(one.asked) == 3 for one in found)
    lines = file.read_text("utf-8").splitlines(keepends=True)
    file.write_text("".join(lines[: AT_ONCE + 2]) + lines[AT_ONCE + 2][:9], "utf-8")
    assert sample(small, AT_ONCE + 5, file, seed=3) == found
    with pytest.raises(ValueError, match="another seed"):
        sample(small, AT_ONCE + 5, file, seed=4)


def test_everything_is_measured_and_an_answer_is_asked_for_once(
    base: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from bench.english import measure as measuring
    from bench.english.cases import GROUPS
    from bench.english.small import Small

    small = Small(base, rank=4)
    document = measuring.measure(small, tmp_path, count=4, seed=0)
    assert "min left" in capsys.readouterr().out
    told = {row["what"] for row in document["rows"]}
    assert {*GROUPS, "canaries", "divergence from the base"} <= told
    assert len(document["goals"]) == len(GROUPS) + 3
    (far,) = (row for row in document["rows"] if row["what"] == "divergence from the base")
    assert abs(far["nats"]) < 1e-6  # an adapter that has learned nothing is the base

    again = measuring.measure(small, tmp_path, count=4, seed=0)
    assert again["rows"] == document["rows"]
    assert "min left" not in capsys.readouterr().out
