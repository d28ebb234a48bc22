"""Tests of finding a model's weights: where Ollama says, in another store, or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from lull.backends.ollama.blobs import OllamaBlobs
from lull.core.errors import WeightsError
from lull.core.models.ollama_model import ShownModel

NAME = "sha256-" + "cd" * 32


def model(*blobs: str) -> ShownModel:
    return ShownModel(
        name="tiny",
        architecture="llama",
        parameters=1,
        format="gguf",
        capabilities=(),
        blobs=blobs,
        adapters=(),
        remote=False,
    )


def blob_in(store: Path) -> Path:
    (store / "blobs").mkdir(parents=True)
    (store / "blobs" / NAME).write_bytes(b"GGUF")
    return store / "blobs" / NAME


def test_the_named_place_comes_first(tmp_path: Path) -> None:
    here = blob_in(tmp_path / "here")
    blob_in(tmp_path / "there")
    assert (
        OllamaBlobs({"OLLAMA_MODELS": str(tmp_path / "there")}).readable_blob(model(str(here)))
        == here
    )


def test_a_store_that_is_elsewhere_here_is_found_by_the_digest(tmp_path: Path) -> None:
    named = model(str(tmp_path / "in-a-container" / "blobs" / NAME))
    moved = blob_in(tmp_path / "mounted")
    assert OllamaBlobs({"OLLAMA_MODELS": str(tmp_path / "mounted")}).readable_blob(named) == moved
    usual = blob_in(tmp_path / "home" / ".ollama" / "models")
    assert OllamaBlobs({"HOME": str(tmp_path / "home")}).readable_blob(named) == usual


def test_weights_that_are_nowhere_are_one_error_with_a_way_out(tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match="not on this machine") as refused:
        OllamaBlobs({}).readable_blob(model(str(tmp_path / NAME)))
    assert "OLLAMA_MODELS" in refused.value.hint


def test_weights_that_may_not_be_read_are_one_error_with_a_way_out(tmp_path: Path) -> None:
    blob = blob_in(tmp_path / "store")
    with pytest.raises(WeightsError, match="has no access to the weights") as refused:
        OllamaBlobs({}, may_read=lambda _: False).readable_blob(model(str(blob)))
    assert str(tmp_path / "store") in refused.value.hint


def test_a_model_without_weights_is_said() -> None:
    with pytest.raises(WeightsError, match="does not say"):
        OllamaBlobs({}).readable_blob(model())
