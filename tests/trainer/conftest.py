"""Fixture of one tiny random model that all tests of the trainer share."""

from __future__ import annotations

from pathlib import Path

import pytest

from lull.trainer.blas import prepare

prepare()

from tests.trainer.making import model_folder  # noqa: E402 - MLX picks its BLAS when it is loaded


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return model_folder(tmp_path_factory.mktemp("tiny") / "model")
