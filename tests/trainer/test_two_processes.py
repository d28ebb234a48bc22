"""Tests that two training processes on one run do what one does with twice the examples a step."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from lull.core.training.events import RunFinished, RunRefused, StepDone, parse_event
from lull.core.training.run_format import ADAPTER, CHECKPOINTS
from lull.core.training.spec import RunKind, RunSpec
from tests.running import free_port
from tests.trainer.making import (
    adapter_bytes,
    begin,
    examples,
    kept,
    largest_difference,
    replays,
    run_folder,
    spec,
    trained,
)

pytestmark = pytest.mark.full


def as_two(folders: list[Path], hosts: Path) -> list[str]:
    """Run two trainers as mlx.launch starts them; return what each printed."""
    codes, said = begun_as_two(folders, hosts)
    assert codes == [0, 0], said
    return said


def begun_as_two(folders: list[Path], hosts: Path) -> tuple[list[int], list[str]]:
    hosts.write_text(json.dumps([[f"127.0.0.1:{port}"] for port in (free_port(), free_port())]))
    with ExitStack() as stack:
        running = []
        for rank, folder in enumerate(folders):
            environ = {"MLX_RANK": str(rank), "MLX_HOSTFILE": str(hosts)}
            running.append(stack.enter_context(begin(folder, environ=environ)))
            stack.callback(running[-1].kill)
        said = [process.communicate()[0].decode() for process in running]
        return [process.returncode for process in running], said


def asked(kind: RunKind, model: Path, a_step: int) -> RunSpec:
    # 13 examples: the last step of an epoch is short, and may leave a process without any
    return spec(kind, model, steps=None, epochs=2, examples_a_step=a_step, learning_rate=1e-3)


@pytest.mark.parametrize("kind", list(RunKind))
def test_two_processes_give_what_one_gives_with_the_doubled_batch(
    model: Path, tmp_path: Path, kind: RunKind
) -> None:
    batch = [*examples(kind, 13), *replays(7)]
    one = run_folder(tmp_path / "one", asked(kind, model, 6), batch)
    two = run_folder(tmp_path / "two", asked(kind, model, 3), batch)
    alone = [event for event in trained(one) if isinstance(event, StepDone)]
    said, silent = as_two([two, two], tmp_path / "hosts.json")
    assert silent == ""
    assert isinstance(parse_event(said.splitlines()[-1]), RunFinished)
    assert largest_difference(one, two) < 1e-5
    together = [event for event in kept(two) if isinstance(event, StepDone)]
    assert len(together) == len(alone) == 6
    for ours, theirs in zip(together, alone, strict=True):
        assert ours.loss == pytest.approx(theirs.loss, abs=1e-4)
        assert ours.reward == pytest.approx(theirs.reward, abs=1e-4)
        assert ours.kl == pytest.approx(theirs.kl, abs=1e-4)
        assert ours.tokens == theirs.tokens


def test_a_machine_that_has_only_the_inputs_takes_over_where_the_first_one_stands(
    model: Path, tmp_path: Path
) -> None:
    batch = [*examples(RunKind.GRADUATION, 13), *replays(7)]
    whole = asked(RunKind.GRADUATION, model, 3)
    undisturbed = run_folder(tmp_path / "undisturbed", whole, batch)
    as_two([undisturbed, undisturbed], tmp_path / "hosts.json")
    first = run_folder(tmp_path / "first", whole, batch)
    as_two([first, first], tmp_path / "hosts.json")
    # as if a kill had come after the last but one step
    shutil.rmtree(first / ADAPTER)
    shutil.rmtree(sorted((first / CHECKPOINTS).glob("step-*"))[-1])
    elsewhere = run_folder(tmp_path / "elsewhere", whole, batch)
    as_two([first, elsewhere], tmp_path / "hosts.json")
    assert adapter_bytes(first) == adapter_bytes(undisturbed)
    assert not (elsewhere / ADAPTER).exists()


def test_mlx_launch_starts_it(model: Path, tmp_path: Path) -> None:
    kind = RunKind.GRPO
    folder = run_folder(tmp_path / "run", asked(kind, model, 3), examples(kind, 6))
    launch = Path(sys.executable).with_name("mlx.launch")
    port = free_port()
    ring = ["-n", "2", "--backend", "ring", "--starting-port", str(port)]
    done = subprocess.run(
        [launch, *ring, "--", sys.executable, "-m", "lull.trainer.main", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (folder / ADAPTER).is_dir()


def test_all_refuse_together(model: Path, tmp_path: Path) -> None:
    kind = RunKind.KTO
    small = replace(asked(kind, model, 3), memory_share=1e-6)
    folder = run_folder(tmp_path / "run", small, examples(kind, 6))
    codes, said = begun_as_two([folder, folder], tmp_path / "hosts.json")
    assert isinstance(parse_event(said[0].splitlines()[-1]), RunRefused)
    assert codes == [1, 1]
