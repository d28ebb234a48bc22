"""Tests of a real training of the reader of a few steps on a tiny model.

It learns, goes on where it was cut off, and MLX hears the same with what it leaves.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from bench.reader.items import Item
from bench.reader.training import asking
from bench.reader.training.plan import Plan, plan_of
from bench.reader.training.teach import teach
from lull.backends.reader.files import FACTS, VERSION, WEIGHTS, read_files
from lull.core.feedback.exchange import Exchange
from lull.engine.reader.loading import load_reader
from lull.engine.reader.reading import logits_of

pytestmark = [pytest.mark.full, pytest.mark.filterwarnings("ignore:The .grad attribute")]


def item(said: str, *, lasting: bool, person: str = "cook") -> Item:
    return Item(
        person=person,
        exchange=Exchange(asked="Hello", answer="world", said=said),
        correction=not lasting,
        lasting=lasting,
        scope="all" if lasting else None,
        quote=(said,) if lasting else (),
        kind_of_rule="preference" if lasting else None,
        check="bullets" if lasting else None,
        trap=False,
    )


ITEMS = [
    item(said, lasting=lasting, person=person)
    for person in ("cook", "clerk")
    for said, lasting in (("Hello cat. 123", True), ("ing", False), (" and the world", True))
]
PLAN = Plan(epochs=8, frozen=1, layers=2, rank=4, warm_up=1, learning_rate=2e-2, average=0.5)


@pytest.mark.parametrize("both_ways", [False, True])
def test_mlx_says_the_same_with_what_was_trained(
    tiny_base: Path, tmp_path: Path, both_ways: bool
) -> None:
    plan = replace(PLAN, both_ways=both_ways)
    teach(plan, tiny_base, tmp_path, ITEMS)
    (tmp_path / FACTS).write_text(json.dumps(facts(plan)))
    reader = load_reader(tiny_base, read_files(tmp_path))
    exchanges = [one.exchange for one in ITEMS[:3]]

    weights = tmp_path / WEIGHTS
    mine = asking.logits_of(plan, tiny_base, weights, exchanges, dtype=torch.float32)
    for said, one in zip(logits_of(reader, exchanges), mine, strict=True):
        assert np.allclose(said.labels, one.labels, atol=1e-3)
        assert np.allclose(said.classes, one.classes, atol=1e-3)
        assert np.allclose(np.array(said.sentences), np.array(one.sentences), atol=1e-3)


def test_what_is_taught_is_heard(
    tiny_base: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    teach(PLAN, tiny_base, tmp_path, ITEMS)
    assert "lower layers: 100%" in capsys.readouterr().out
    (tmp_path / FACTS).write_text(json.dumps(facts(PLAN)))
    reader = load_reader(tiny_base, read_files(tmp_path))
    said = logits_of(reader, [one.exchange for one in ITEMS])
    for one, heard in zip(ITEMS, said, strict=True):
        assert (heard.labels[1] > 0) is bool(one.lasting)
        assert (heard.labels[0] > 0) is bool(one.correction)


def test_a_training_that_is_cut_off_ends_as_one_that_was_not(
    tiny_base: Path, tmp_path: Path
) -> None:
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    teach(PLAN, tiny_base, whole, ITEMS)
    while not teach(PLAN, tiny_base, cut, ITEMS, at_most=3):
        assert not (cut / WEIGHTS).exists()
    mine, other = load_file(cut / WEIGHTS), load_file(whole / WEIGHTS)
    assert all(torch.equal(mine[name], one) for name, one in other.items())
    assert plan_of(cut) == PLAN

    with pytest.raises(ValueError, match="another training"):
        teach(PLAN, tiny_base, cut, ITEMS[1:])


def test_a_training_can_start_from_earlier_weights(tiny_base: Path, tmp_path: Path) -> None:
    teach(PLAN, tiny_base, tmp_path / "first", ITEMS)
    slow = replace(PLAN, learning_rate=1e-9, epochs=1, weight_decay=0.0)
    teach(slow, tiny_base, tmp_path / "second", ITEMS, tmp_path / "first" / WEIGHTS)
    before, after = (load_file(tmp_path / name / WEIGHTS) for name in ("first", "second"))
    assert all(torch.allclose(after[name], one, atol=1e-2) for name, one in before.items())


def facts(plan: Plan) -> dict[str, object]:
    return {
        "version": VERSION,
        "base": {"name": "tiny", "sha256": ""},
        "shape": plan.shape(),
        "calibration": dict.fromkeys((*plan.shape()["labels"], "sentence"), (1.0, 0.0)),
        "temperature": 1.0,
        "thresholds": {"sentence": 0.5},
    }
