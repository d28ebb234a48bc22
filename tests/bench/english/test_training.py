"""Tests of a real English training of a few steps on a tiny model.

It learns, goes on where it was cut off, and leaves the answers that may not change.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from bench.english.build import Lesson
from bench.english.model.fast_small import FastSmall
from bench.english.model.small import Small
from bench.english.training import teach
from bench.english.training.plan import ADAPTER, Plan, steps_of

pytestmark = [pytest.mark.full, pytest.mark.filterwarnings("ignore:The .grad attribute")]
ASKED = [{"role": "user", "content": "Hello"}]
RULED = [{"role": "system", "content": "<skills>\ncat\n</skills>"}, *ASKED]


def lessons() -> list[Lesson]:
    taught = Lesson(
        sort="one", messages=RULED, answer="cat cat", ended=True, plain=ASKED, rules=(("ends", ""),)
    )
    stays = Lesson(sort="aside", messages=RULED[:1] + ASKED, answer="123", ended=False, plain=ASKED)
    return [taught, taught, stays] * 4


def weights(work: Path) -> bytes:
    return (work / ADAPTER / "adapters.safetensors").read_bytes()


def test_a_training_that_is_cut_off_ends_as_one_that_was_not(
    tiny_base: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = Plan(lessons_a_step=3, epochs=2, rank=4, warm_up=1, learning_rate=1e-2)
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    assert teach.teach(plan, teach.small_of(plan, tiny_base), lessons(), whole, minutes=1e6)
    assert "min left" in capsys.readouterr().out

    runs = 1
    small = teach.small_of
    while not teach.teach(plan, small(plan, tiny_base), lessons(), cut, minutes=1e6, at_most=1):
        assert weights(cut) != weights(whole)
        runs += 1
    assert runs == len(steps_of(plan, [5] * len(lessons()))) == 8
    assert weights(cut) == weights(whole)
    config = json.loads((whole / ADAPTER / "adapter_config.json").read_text())
    assert config["lora_parameters"]["rank"] == 4

    with pytest.raises(ValueError, match="another training"):
        teach.teach(plan, small(plan, tiny_base), lessons()[1:], whole)


def test_it_ends_with_its_minutes(tiny_base: Path, tmp_path: Path) -> None:
    plan = Plan(lessons_a_step=3, rank=4)
    assert teach.teach(plan, teach.small_of(plan, tiny_base), lessons(), tmp_path, minutes=1e-9)
    assert torch.load(tmp_path / "checkpoint.pt")["step"] == 0


def test_what_is_taught_gets_likelier_and_the_base_is_there_when_the_adapter_is_off(
    tiny_base: Path, tmp_path: Path
) -> None:
    plan = Plan(lessons_a_step=6, epochs=10, rank=4, warm_up=1, learning_rate=1e-2)
    small = teach.small_of(plan, tiny_base)
    taught, _, stays = (teach.tokens_of(small, one) for one in lessons()[:3])
    assert taught is not None and stays is not None

    def losses(*, adapter: bool) -> tuple[float, float]:
        small.wear(adapter=adapter)
        with torch.no_grad():
            told, kept = teach.losses_of(small.net, [taught, stays], plan.unlike)
        small.wear(adapter=True)
        return float(told), float(kept)

    before, _ = losses(adapter=True)
    assert before == losses(adapter=False)[0]
    assert teach.teach(plan, small, lessons(), tmp_path, minutes=1e6)
    after, far = losses(adapter=True)
    assert after < 0.7 * before
    assert far < before
    assert losses(adapter=False)[0] == before


def test_it_says_what_mlx_says_of_the_same_adapter(tiny_base: Path, tmp_path: Path) -> None:
    plan = Plan(lessons_a_step=6, epochs=2, rank=4, warm_up=1, learning_rate=1e-2)
    fast = FastSmall(tiny_base, rank=4, scale=plan.scale)
    assert teach.teach(plan, fast, lessons(), tmp_path, minutes=1e6)
    plain = Small(tiny_base, rank=4, scale=plan.scale)
    plain.model.load_weights(str(tmp_path / ADAPTER / "adapters.safetensors"), strict=False)
    prompt, answer = plain.prompt(RULED), plain.tokens("cat dog 12")
    assert prompt == fast.prompt(RULED)
    for worn in (False, True):
        fast.wear(adapter=worn)
        plain.wear(adapter=worn)
        told = fast.log_shares(prompt, answer), plain.log_shares(prompt, answer)
        assert np.abs(told[0] - told[1]).mean() < 0.02  # bfloat16 has three digits
    (said,) = fast.answers([RULED], most=8)
    assert said.text == plain.answers([RULED], most=8)[0].text


def test_answers_side_by_side_are_those_of_each_alone(tiny_base: Path) -> None:
    fast = FastSmall(tiny_base)
    asked = [[{"role": "user", "content": "a" * n}] for n in (1, 9, 30)]
    together = fast.answers(asked, most=6)
    assert together == [fast.answers([one], most=6)[0] for one in asked]
