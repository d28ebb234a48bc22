"""Tests of a damaged file in the built-in model: the service starts and reports it with a hint."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from lull.resources import pocket_dir
from tests.paths import ROOT
from tests.running import Lull

pytestmark = pytest.mark.slow

CHAT = {"model": "pocket", "messages": [{"role": "user", "content": "write a menu for apple"}]}


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


DAMAGES: dict[str, tuple[Callable[[Path], None], str]] = {
    "weights": (lambda pocket: cut(pocket / "model.safetensors"), "model.safetensors is cut short"),
    "tokenizer": (lambda pocket: (pocket / "tokenizer.json").unlink(), "no tokenizer.json"),
}


@pytest.mark.full
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_built_in_model_is_said_with_a_hint(
    lull: Lull, tmp_path: Path, damage: str
) -> None:
    harm, words = DAMAGES[damage]
    shutil.copytree(ROOT / "app" / "lull", tmp_path / "copy" / "app" / "lull")
    pocket = tmp_path / "copy" / "resources" / "pocket"
    shutil.copytree(pocket_dir(), pocket)
    harm(pocket)
    env = {"PYTHONPATH": str(tmp_path / "copy" / "app")}
    running = lull.serve(env=env)
    # Other resources are not in this copy, and say so beside it.
    (problem,) = [p for p in lull.ask("status")["problems"] if words in p["detail"]]
    assert words in problem["detail"] and str(pocket) in problem["detail"]
    assert "Install Lull again" in problem["hint"]
    doctor = lull.run("doctor", "--json")
    assert doctor.code == 1
    (engine,) = [one for one in doctor.json["checks"] if one["name"] == "engine"]
    assert not engine["ok"] and words in engine["text"] and engine["hint"] == problem["hint"]
    asked = running.post("/api/chat", CHAT)
    assert asked.status == 404 and words in asked.json["error"]
    assert running.get("/api/tags").json["models"] == []
