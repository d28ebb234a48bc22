"""A tiny model for the English bench, and which of its tests need PyTorch."""

from __future__ import annotations

import asyncio
import hashlib
from importlib.util import find_spec
from pathlib import Path

import pytest

from lull.backends.mlx.weights_process import WeightsProcess
from lull.backends.shipped.small_model import SmallFile, SmallModel
from tests.backends.gguf.tiny import Tiny, write

# Only who makes the adapter anew needs PyTorch, which is five gigabytes; Lull has nothing of it.
collect_ignore = [] if find_spec("torch") else ["test_team.py", "test_training.py"]


@pytest.fixture(scope="module")
def tiny_base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("english")
    file = place / "tiny.gguf"
    write(file, Tiny(tied=True, cut="smollm", specials_first=True))
    sha256 = hashlib.sha256(file.read_bytes()).hexdigest()
    model = SmallModel(place / "models", WeightsProcess(), SmallFile(file=file, sha256=sha256))
    return asyncio.run(model.folder())
