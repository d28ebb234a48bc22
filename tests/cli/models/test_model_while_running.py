"""Tests of `lull model choose` beside a running service: it takes effect at once."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from lull.resources import pocket_dir
from tests.eventually import eventually
from tests.running import Lull, RunningLull


@pytest.mark.full
@pytest.mark.slow
def test_a_chosen_model_answers_and_learns_at_once_and_goes_at_once(
    lull: Lull, tmp_path: Path
) -> None:
    folder = shutil.copytree(pocket_dir(), tmp_path / "Other")
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"\x3c")  # others, by a hair
    service = lull.serve()
    assert service.chat("write a menu for green happy mouse") == "green and happy and mouse"

    done = lull.ask("model", "choose", str(folder))
    assert (done["chosen"], done["restart_needed"]) == ("other-mlx", False)
    assert service.chat("write a menu for green happy mouse", model="other-mlx")
    assert "other-mlx:latest" in listed(service)
    assert "cannot learn" not in eventually(lambda: lull.ask("train", "list")["text"])

    assert lull.ask("model", "choose", "pocket")["restart_needed"] is False
    assert listed(service) == ["lull-mini:latest"]
    assert service.chat("write a menu for green happy mouse") == "green and happy and mouse"

    # For a name without weights, `lull train list` says what to do.
    assert lull.ask("settings", "set", "training.model", "qwen3:4b")["restart_needed"] is False
    text = eventually(lambda: _about(lull, "qwen3:4b"))
    assert "lull model choose qwen3:4b" in text


@pytest.mark.full
@pytest.mark.slow
def test_the_model_that_ships_and_is_talked_to_learns_by_itself(lull: Lull) -> None:
    service = lull.serve()
    assert lull.ask("model", "list")["auto"]["model"] == "lull-mini"
    service.chat("write a menu for green happy mouse")
    eventually(lambda: lull.ask("model", "list")["auto"]["model"] == "pocket")


def listed(service: RunningLull) -> list[str]:
    return [one["name"] for one in service.get("/api/tags").json["models"]]


def _about(lull: Lull, name: str) -> str:
    text = str(lull.ask("train", "list")["text"])
    return text if name in text else ""
