"""Tests of training runs killed at any moment: run again, they give an undisturbed run's bytes."""

from __future__ import annotations

import random
import shutil
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from lull.core.training.events import (
    RunBegan,
    RunEvent,
    RunFailed,
    RunFinished,
    StepDone,
    parse_event,
)
from lull.core.training.run_format import ADAPTER, BATCH, CHECKPOINTS, EVENTS
from lull.core.training.spec import RunKind
from tests.eventually import eventually
from tests.trainer.making import (
    adapter_bytes,
    begin,
    examples,
    kept,
    replays,
    run_folder,
    spec,
    trained,
)

pytestmark = pytest.mark.full
STEPS = 8
MANY = 40
"""Steps of a run that is to be killed before its end, even if the kill comes late."""
STANDS = (psutil.STATUS_STOPPED, psutil.STATUS_ZOMBIE)


def folder_of(place: Path, kind: RunKind, model: Path, steps: int = STEPS) -> Path:
    asked = spec(kind, model, steps=steps, last_rate_share=0.1)
    return run_folder(place, asked, [*examples(kind, 10), *replays(6)])


@contextmanager
def killed_after(folder: Path, words: int, delay_s: float) -> Iterator[bool]:
    """Start a run, kill it `delay_s` after this many lines; yields whether it still ran."""
    with begin(folder) as process:
        assert process.stdout is not None
        for _ in range(words):
            process.stdout.readline()
        # the kill may come at any moment: that is the point
        threading.Event().wait(delay_s)
        running = process.poll() is None
        process.send_signal(signal.SIGKILL)
        process.communicate()
    yield running


def killed_again_and_again(folder: Path, chance: random.Random, kills: int) -> int:
    """Start a run and kill it, several times; return how many kills came before its end."""
    found = 0
    for _ in range(kills):
        words = chance.choice([0, 1, 2, 3])
        with killed_after(folder, words, chance.uniform(0.0, 0.08 if words else 0.8)) as running:
            found += running
        if (folder / ADAPTER).exists():
            break
    return found


def steps_of(said: list[RunEvent]) -> list[int]:
    return [event.step for event in said if isinstance(event, StepDone)]


@pytest.mark.parametrize("kind", list(RunKind))
def test_killed_at_random_moments_it_gives_the_same_bytes(
    model: Path, tmp_path: Path, kind: RunKind
) -> None:
    undisturbed = folder_of(tmp_path / "undisturbed", kind, model, MANY)
    trained(undisturbed)
    killed, chance = folder_of(tmp_path / "killed", kind, model, MANY), random.Random(kind.value)
    while not killed_again_and_again(killed, chance, 4):  # every kill came only after its end
        shutil.rmtree(killed)
        folder_of(killed, kind, model, MANY)
    said = trained(killed)
    assert isinstance(said[-1], RunFinished)
    assert adapter_bytes(killed) == adapter_bytes(undisturbed)
    assert steps_of(kept(killed)) == list(range(1, MANY + 1))
    left = {path.name for path in (killed, killed / CHECKPOINTS) for path in path.iterdir()}
    assert not any(name.startswith(".unfinished") for name in left)


def test_where_nothing_can_be_written_it_says_so_and_goes_on_later(
    model: Path, tmp_path: Path
) -> None:
    undisturbed = folder_of(tmp_path / "undisturbed", RunKind.KTO, model)
    trained(undisturbed)
    folder = folder_of(tmp_path / "run", RunKind.KTO, model)
    no_large_files = ("sh", "-c", 'ulimit -f 8 && exec "$@"', "sh")
    with begin(folder, command=no_large_files) as process:
        said, _ = process.communicate()
    last = parse_event(said.decode().splitlines()[-1])
    assert isinstance(last, RunFailed) and last.for_now
    assert str(folder) in last.detail
    assert not any(isinstance(event, RunFailed) for event in kept(folder))
    trained(folder)
    assert adapter_bytes(folder) == adapter_bytes(undisturbed)


def test_it_goes_on_from_its_last_checkpoint_and_loses_no_event(
    model: Path, tmp_path: Path
) -> None:
    folder, running = tmp_path / "run", False
    while not running:  # it had ended before the kill
        shutil.rmtree(folder, ignore_errors=True)
        folder_of(folder, RunKind.GRPO, model, MANY)
        with killed_after(folder, 4, 0.0) as running:
            pass
    # As if the kill had come between the checkpoint and its event, within a line.
    lines = (folder / EVENTS).read_text().splitlines(keepends=True)
    done = max(int(path.name.split("-")[1]) for path in (folder / CHECKPOINTS).glob("step-*"))
    kept_lines = [line for line in lines if f'"step": {done},' not in line]
    (folder / EVENTS).write_text("".join(kept_lines) + '{"event": "st')
    said = trained(folder)
    assert isinstance(said[0], RunBegan)
    assert said[0].from_step == done >= 3
    assert steps_of(said) == list(range(done + 1, MANY + 1))
    assert steps_of(kept(folder)) == list(range(1, MANY + 1))


def test_what_a_kill_left_half_written_is_cleared_away(model: Path, tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "run", RunKind.KTO, model)
    for half in (folder / CHECKPOINTS / ".unfinished-step-000003", folder / ".unfinished-adapter"):
        half.mkdir(parents=True)
        (half / "adapters.safetensors").write_bytes(b"half")
    undisturbed = folder_of(tmp_path / "undisturbed", RunKind.KTO, model)
    trained(undisturbed)
    trained(folder)
    assert adapter_bytes(folder) == adapter_bytes(undisturbed)


def test_suspended_in_the_midst_it_gives_the_same_bytes(model: Path, tmp_path: Path) -> None:
    undisturbed = folder_of(tmp_path / "undisturbed", RunKind.GRADUATION, model)
    trained(undisturbed)
    folder = folder_of(tmp_path / "run", RunKind.GRADUATION, model)
    with begin(folder) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGSTOP)
        eventually(lambda: psutil.Process(process.pid).status() in STANDS)
        process.send_signal(signal.SIGCONT)
        out, _ = process.communicate()
    assert isinstance(parse_event(out.decode().splitlines()[-1]), RunFinished)
    assert adapter_bytes(folder) == adapter_bytes(undisturbed)


def test_the_batch_is_never_written_to(model: Path, tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "run", RunKind.GRPO, model)
    before = (folder / BATCH).read_bytes()
    trained(folder)
    assert (folder / BATCH).read_bytes() == before
