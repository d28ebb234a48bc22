"""Tests of `lull model list` and `choose` without a service and without an Ollama."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from lull.resources import pocket_dir
from tests.cli.conftest import Here


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with somebody's MLX weights: a copy of the toy model's."""
    return Path(shutil.copytree(pocket_dir(), tmp_path / "My Weights"))


def test_without_an_ollama_the_built_in_model_is_listed_and_the_rest_is_said(here: Here) -> None:
    ran = here("model", "list", "--json")
    assert ran.code == 0
    (mini,) = ran.json["models"]
    assert mini == {
        "name": "lull-mini",
        "architecture": "llama",
        "can_learn": True,
        "why_not": "",
        "needs_gb": mini["needs_gb"],
        "chosen": True,
    }
    assert 1 < mini["needs_gb"] < 3
    assert "does not answer" in ran.json["problem"]["detail"]
    words = here("model").out
    assert "* lull-mini" in words
    assert "training.model = auto means lull-mini: No other model that you talk to" in words
    assert "Ollama's models are not shown" in words


def test_a_folder_of_mlx_weights_is_chosen_under_a_name_of_its_own(
    here: Here, folder: Path
) -> None:
    ran = here("model", "choose", str(folder), "--json")
    assert ran.code == 0, ran
    assert ran.json["chosen"] == "my-weights-mlx"
    assert ran.json["folder"] == str(folder)
    assert ran.json["model"]["can_learn"] is True
    shown = here("settings", "show", "--json").json["settings"]
    assert next(one["value"] for one in shown if one["key"] == "training.model") == "my-weights-mlx"
    assert here("model", "choose", "pocket", "--json").json["chosen"] == "pocket"
    # The toy is listed while it is the chosen one, and else left out.
    listed = here("model", "list", "--json").json["models"]
    assert [(one["name"], one["chosen"]) for one in listed] == [
        ("lull-mini", False),
        ("pocket", True),
    ]


def test_an_unknown_model_cannot_be_looked_for_without_an_ollama(here: Here) -> None:
    ran = here("model", "choose", "qwen3:4b", "--json")
    assert ran.code == 1
    assert "does not answer" in ran.json["error"]["detail"]
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        ("config", "not JSON"),
        ("weights", "cut short"),
        ("header", "missing or damaged"),
        ("no weights", "no weights"),
        ("no tokenizer", "tokenizer.json"),
        ("hybrid", "hybrid attention, qwen3_5"),
        ("another kind", "type whisper cannot learn"),
    ],
)
def test_a_folder_that_is_no_use_is_one_clear_error(
    harm: str, words: str, here: Here, folder: Path
) -> None:
    weights, config = folder / "model.safetensors", folder / "config.json"
    match harm:
        case "config":
            config.write_text("{")
        case "weights":
            weights.write_bytes(weights.read_bytes()[:-1000])
        case "header":
            weights.write_bytes(b"\xff" * 200)
        case "no weights":
            weights.unlink()
        case "no tokenizer":
            (folder / "tokenizer.json").unlink()
        case _:
            kind = "qwen3_5" if harm == "hybrid" else "whisper"
            config.write_text(json.dumps(json.loads(config.read_text()) | {"model_type": kind}))
    ran = here("model", "choose", str(folder), "--json")
    assert ran.code == 1
    assert words in ran.json["error"]["detail"]
    shown = here("settings", "show", "--json").json["settings"]
    assert next(one["value"] for one in shown if one["key"] == "training.model") == "auto"


def test_a_folder_that_is_not_there_is_said(here: Here, tmp_path: Path) -> None:
    ran = here("model", "choose", str(tmp_path / "nothing"), "--json")
    assert ran.code == 1
    assert "There is no folder" in ran.json["error"]["detail"]


def test_the_choice_is_left_to_lull_again(here: Here, folder: Path) -> None:
    here("model", "choose", str(folder))
    assert here("model", "choose", "auto", "--json").json["chosen"] == "auto"
    page = here("model", "list", "--json").json
    assert (page["chosen"], page["auto"]["model"]) == ("lull-mini", "lull-mini")


def test_without_a_service_the_stored_exams_are_shown_and_none_is_taken(here: Here) -> None:
    assert here("model", "exams", "--json").json["exams"] == []
    assert "No model has been tested yet" in here("model", "exams").out
    ran = here("model", "exams", "--now", "--json")
    assert ran.code == 3 and "lull serve" in ran.json["error"]["hint"]
