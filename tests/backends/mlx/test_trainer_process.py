"""Tests of a trainer that crashes or cannot start: the error tells its end and its last output."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from lull.backends.mlx.trainer_process import TrainerProcesses
from lull.core.errors import TrainingError


async def fall(code: str, folder: Path) -> TrainingError:
    process = await TrainerProcesses([sys.executable, "-c", code]).start(str(folder))
    with pytest.raises(TrainingError) as caught:
        async for _ in process.events():
            pass
    return caught.value


async def test_its_last_words_are_in_the_error(tmp_path: Path) -> None:
    error = await fall("import sys; sys.exit('libc++abi: out of memory')", tmp_path)
    assert "with code 1" in error.detail
    assert "out of memory" in error.detail
    assert error.hint


async def test_the_signal_that_ended_it_is_named(tmp_path: Path) -> None:
    code = f"import os; os.kill(os.getpid(), {int(signal.SIGABRT)})"
    assert "SIGABRT" in (await fall(code, tmp_path)).detail


async def test_a_command_that_is_not_there_is_said_and_leaves_no_pipe_open(tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd")) if sys.platform == "linux" else 0  # noqa: PTH208
    with pytest.raises(TrainingError, match="cannot be started"):
        await TrainerProcesses([str(tmp_path / "nowhere")]).start(str(tmp_path))
    after = len(os.listdir("/proc/self/fd")) if sys.platform == "linux" else 0  # noqa: PTH208
    assert after <= before
