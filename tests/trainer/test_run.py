"""Tests of the trainer's own process on a run folder: what it produces, and what it refuses."""

from __future__ import annotations

import errno
import hashlib
import json
import random
import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import mlx.core as mx
import pytest

from lull.core.errors import TrainingError
from lull.core.training.events import (
    RunBegan,
    RunEvent,
    RunFailed,
    RunFinished,
    RunRefused,
    StepDone,
)
from lull.core.training.examples import Example, GraduationExample
from lull.core.training.run_format import (
    ADAPTER,
    BATCH,
    CHECKPOINTS,
    CONFIG,
    SPEC,
    WEIGHTS,
    spec_text,
)
from lull.core.training.spec import Lora, RunKind, RunSpec
from lull.store.adapters.adapter_files import fingerprint
from lull.trainer.adapter_files import AdapterShape
from lull.trainer.checkpoints import Checkpoint, Checkpoints
from tests.trainer.making import (
    adapter_bytes,
    adapter_weights,
    begin,
    examples,
    group,
    kept,
    largest_difference,
    model_folder,
    replays,
    run_folder,
    spec,
    trained,
)

Make = Callable[..., Path]


@pytest.fixture
def make(model: Path, tmp_path: Path) -> Make:
    def made(name: str, kind: RunKind = RunKind.GRPO, **changes: object) -> Path:
        return run_folder(tmp_path / name, *asked_of(kind, model, **changes))

    return made


Finished = Callable[[RunKind], tuple[Path, list[RunEvent]]]


@pytest.fixture(scope="session")
def finished(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Finished:
    """A function that returns the folder of a run that is done, and what it said. For each kind one
    is trained, by a trainer that starts as Lull starts one; it must stay as it is.
    """

    @cache
    def run(kind: RunKind) -> tuple[Path, list[RunEvent]]:
        folder = run_folder(tmp_path_factory.mktemp("finished") / "run", *asked_of(kind, model))
        return folder, trained(folder, anew=True)

    return run


@pytest.fixture
def done(finished: Finished, tmp_path: Path) -> Path:
    """A run of a test's own that is done."""
    folder, _ = finished(RunKind.GRPO)
    return shutil.copytree(folder, tmp_path / "run")


def asked_of(kind: RunKind, base: Path, **changes: object) -> tuple[RunSpec, list[Example]]:
    asked = replace(spec(kind, base), **changes)  # type: ignore[arg-type]
    return asked, [*examples(kind, 10), *replays(6)]


def steps_of(said: list[RunEvent]) -> list[StepDone]:
    return [event for event in said if isinstance(event, StepDone)]


def failure(folder: Path) -> RunFailed:
    (event,) = trained(folder)
    assert isinstance(event, RunFailed)
    return event


@pytest.mark.full
@pytest.mark.parametrize("kind", list(RunKind))
def test_a_run_trains_says_what_it_does_and_leaves_an_adapter(
    finished: Finished, kind: RunKind
) -> None:
    folder, said = finished(kind)
    first, last = said[0], said[-1]
    assert isinstance(first, RunBegan)
    assert isinstance(last, RunFinished)
    assert (first.steps, first.examples, first.replays) == (6, 10, 6)
    assert first.peak_mb > 0
    assert [(step.step, step.of) for step in steps_of(said)] == [(n, 6) for n in range(1, 7)]
    assert all(step.tokens_s > 0 and step.peak_mb > 0 for step in steps_of(said))
    for step in steps_of(said):  # however fast the machine is
        took_s = step.tokens / step.tokens_s
        assert step.left_s == pytest.approx(took_s * (6 - step.step), rel=0.01, abs=0.01)
    assert kept(folder) == said
    config = json.loads((folder / ADAPTER / CONFIG).read_text())
    assert config["lora_parameters"] == {"rank": 4, "scale": 2.0, "dropout": 0.0}
    assert max(mx.abs(a).max().item() for a in adapter_weights(folder).values()) > 0


@pytest.mark.full
@pytest.mark.parametrize("kind", list(RunKind))
def test_the_same_folder_gives_the_same_bytes_again_and_another_seed_does_not(
    make: Make, finished: Finished, kind: RunKind
) -> None:
    (one, _), again, other = finished(kind), make("again", kind), make("other", kind, seed=4)
    for folder in (again, other):
        trained(folder)
    assert adapter_bytes(one) == adapter_bytes(again)
    assert adapter_bytes(one) != adapter_bytes(other)


@pytest.mark.full
def test_a_run_that_is_done_says_so_and_stays_as_it_is(done: Path) -> None:
    before = adapter_bytes(done)
    (event,) = trained(done)
    assert isinstance(event, RunFinished)
    assert event.steps == 6
    assert event.adapter_sha256 == fingerprint(done / ADAPTER)
    assert adapter_bytes(done) == before


@pytest.mark.full
def test_where_nothing_teaches_anything_no_weight_changes(make: Make) -> None:
    folder = make("run")
    rng = random.Random(0)
    flat: list[Example] = [group(rng, f"flat-{n}", [1.0] * 4) for n in range(3)]
    shutil.rmtree(folder)
    asked = spec(RunKind.GRPO, folder.parent / "none")
    assert asked.steps == 6
    run_folder(folder, replace(asked, model=str(model_folder(folder.parent / "none"))), flat)
    began, finished = trained(folder)
    assert isinstance(began, RunBegan)
    assert isinstance(finished, RunFinished)
    assert (began.steps, began.skipped_groups, finished.steps) == (0, 3, 0)
    pulls = [a for name, a in adapter_weights(folder).items() if name.endswith("lora_b")]
    assert pulls
    assert all(mx.abs(a).max().item() == 0.0 for a in pulls)


@pytest.mark.full
def test_a_run_goes_on_from_its_parent(make: Make, finished: Finished) -> None:
    first, _ = finished(RunKind.GRPO)
    parent = str(first / ADAPTER)
    child = make("child", parent=parent, steps=1, learning_rate=1e-9, lora=Lora(rank=7))
    began = trained(child)[0]
    assert isinstance(began, RunBegan)
    assert largest_difference(first, child) < 1e-7
    assert json.loads((child / ADAPTER / CONFIG).read_text())["lora_parameters"]["rank"] == 4


@pytest.mark.full
def test_graduation_moves_the_student_towards_its_teacher(model: Path, tmp_path: Path) -> None:
    asked = spec(RunKind.GRADUATION, model, steps=60, replay_share=0.0)
    folder = run_folder(tmp_path / "run", asked, examples(RunKind.GRADUATION, 2))
    kl = [step.kl for step in steps_of(trained(folder))]
    assert sum(kl[-10:]) < 0.7 * sum(kl[:10])


@pytest.mark.full
def test_graduation_on_the_teachers_answers_samples_nothing_and_learns_them(
    model: Path, tmp_path: Path
) -> None:
    asked = spec(RunKind.GRADUATION, model, steps=30, replay_share=0.0)
    batch = [
        replace(one, sample_ids=(5, 6, 7, 2))
        for one in examples(RunKind.GRADUATION, 2)
        if isinstance(one, GraduationExample)
    ]
    kl = [step.kl for step in steps_of(trained(run_folder(tmp_path / "run", asked, batch)))]
    assert sum(kl[-5:]) < 0.7 * sum(kl[:5])


@pytest.mark.full
def test_kto_widens_the_margin_between_good_and_bad(make: Make) -> None:
    folder = make("run", RunKind.KTO, steps=20, replay_share=0.0)
    margins = [step.reward for step in steps_of(trained(folder))]
    assert margins[0] == pytest.approx(0.0, abs=1e-4)
    assert margins[-1] > margins[0] + 0.1


@pytest.mark.full
@pytest.mark.parametrize("bits", [4, 8])
def test_a_quantised_base_learns_too_and_its_weights_stay(tmp_path: Path, bits: int) -> None:
    base = model_folder(tmp_path / "base", bits=bits)
    weights = (base / "model.safetensors").read_bytes()
    folder = run_folder(
        tmp_path / "run",
        spec(RunKind.GRADUATION, base, steps=60, replay_share=0.0),
        examples(RunKind.GRADUATION, 2),
    )
    said = trained(folder)
    kl = [step.kl for step in steps_of(said)]
    assert sum(kl[-10:]) < 0.7 * sum(kl[:10])
    assert isinstance(said[0], RunBegan)
    assert said[0].parameters > 15_000, "packed words were counted, not parameters"
    assert (base / "model.safetensors").read_bytes() == weights


@pytest.mark.full
def test_a_run_that_does_not_fit_is_refused_and_told_what_would(make: Make) -> None:
    folder = make("run", memory_share=1e-5)
    (refused,) = trained(folder)
    assert isinstance(refused, RunRefused)
    assert refused.needs_mb > refused.limit_mb
    assert refused.would_fit
    assert not (folder / ADAPTER).exists()
    assert not list((folder / CHECKPOINTS).glob("*"))


@pytest.mark.full
def test_checkpoints_go_on_only_from_the_inputs_they_were_made_of(done: Path, model: Path) -> None:
    shutil.rmtree(done / ADAPTER)
    (done / SPEC).write_text(spec_text(replace(spec(RunKind.GRPO, model), learning_rate=0.5)))
    assert "have changed" in failure(done).detail


@pytest.mark.full
def test_a_checkpoint_that_an_older_lull_made_goes_on(done: Path) -> None:
    shutil.rmtree(done / ADAPTER)
    texts = [(done / name).read_text() for name in (SPEC, BATCH)]
    for state in (done / CHECKPOINTS).glob("*/state.json"):
        digest = hashlib.sha256("\0".join(texts).encode()).hexdigest()
        state.write_text(json.dumps({**json.loads(state.read_text()), "inputs": digest}))
    began = trained(done)[0]
    assert isinstance(began, RunBegan) and began.from_step == began.steps


@pytest.mark.full
def test_a_run_made_smaller_for_want_of_memory_goes_on_from_its_checkpoint(
    done: Path, model: Path
) -> None:
    shutil.rmtree(done / ADAPTER)
    (done / SPEC).write_text(spec_text(replace(spec(RunKind.GRPO, model), micro_tokens=32)))
    began, *_, last = trained(done)
    assert isinstance(began, RunBegan) and began.from_step == began.steps
    assert isinstance(last, RunFinished)


CUT_SHORT: dict[str, Callable[[Path], object]] = {
    "weights": lambda f: (f / WEIGHTS).write_bytes((f / WEIGHTS).read_bytes()[:100]),
    "moments": lambda f: (f / "optimizer.safetensors").unlink(),
    "state": lambda f: (f / "state.json").write_text("{"),
}


@pytest.mark.full
@pytest.mark.parametrize("what", list(CUT_SHORT))
def test_a_run_whose_newest_checkpoint_is_damaged_goes_on_from_the_older_one(
    done: Path, what: str
) -> None:
    whole = adapter_bytes(done)
    shutil.rmtree(done / ADAPTER)
    older, newest = sorted((done / CHECKPOINTS).glob("step-*"))
    CUT_SHORT[what](newest)
    said = trained(done)
    assert isinstance(said[0], RunBegan) and said[0].from_step == said[0].steps - 1
    assert isinstance(said[-1], RunFinished)
    assert adapter_bytes(done) == whole
    assert sorted((done / CHECKPOINTS).iterdir()) == [older, newest]


@pytest.mark.full
def test_a_run_whose_checkpoints_are_all_damaged_begins_anew(done: Path) -> None:
    whole = adapter_bytes(done)
    shutil.rmtree(done / ADAPTER)
    for checkpoint in (done / CHECKPOINTS).glob("step-*"):
        CUT_SHORT["weights"](checkpoint)
    began = trained(done)[0]
    assert isinstance(began, RunBegan) and began.from_step == 0
    assert adapter_bytes(done) == whole


@pytest.mark.full
def test_a_checkpoint_that_cannot_be_read_now_is_kept(done: Path) -> None:
    shutil.rmtree(done / ADAPTER)
    *_, newest = sorted((done / CHECKPOINTS).glob("step-*"))
    (newest / WEIGHTS).rename(done / "aside")
    (newest / WEIGHTS).symlink_to(newest / WEIGHTS)  # a fault of the system, to root as well
    failed = failure(done)
    assert failed.for_now and str(newest) in failed.detail
    (done / "aside").rename(newest / WEIGHTS)
    began = trained(done)[0]
    assert isinstance(began, RunBegan) and began.from_step == began.steps


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file that gives EIO")
@pytest.mark.parametrize("name", [WEIGHTS, "optimizer.safetensors"])
def test_checkpoints_are_kept_where_the_disk_fails_while_reading(tmp_path: Path, name: str) -> None:
    checkpoints = Checkpoints(tmp_path, inputs=["digest"])
    checkpoints.tidy()
    some = {"a": mx.zeros(2)}
    for step in (1, 2):
        checkpoints.write(
            Checkpoint(step=step, weights=some, optimizer=some, event="", peak_mb=1.0), config="{}"
        )
    both = sorted((tmp_path / CHECKPOINTS).iterdir())
    for checkpoint in both:
        (checkpoint / name).rename(checkpoint / "aside")
        (checkpoint / name).symlink_to("/proc/self/mem")
    with pytest.raises(OSError, match="Input/output error"):
        checkpoints.last()
    assert sorted((tmp_path / CHECKPOINTS).iterdir()) == both
    for checkpoint in both:
        (checkpoint / "aside").replace(checkpoint / name)
    newest = checkpoints.last()
    assert newest is not None and newest.step == 2


@pytest.mark.full
def test_a_run_whose_batch_cannot_be_read_now_goes_on_later(make: Make) -> None:
    folder = make("run")
    batch = (folder / BATCH).rename(folder / "aside")
    (folder / BATCH).symlink_to(folder / BATCH)
    assert failure(folder).for_now
    batch.replace(folder / BATCH)
    assert isinstance(trained(folder)[-1], RunFinished)


@pytest.mark.parametrize("at", [".", "..", SPEC, BATCH])
def test_a_run_whose_folder_is_on_a_disk_that_is_away_goes_on_later(
    tmp_path: Path, model: Path, at: str
) -> None:
    folder = run_folder(
        tmp_path / "runs" / "run", spec(RunKind.KTO, model), examples(RunKind.KTO, 4)
    )
    place = {".": folder, "..": folder.parent}.get(at, folder / at)
    place.rename(tmp_path / "aside")
    place.symlink_to(tmp_path / "disk" / "runs")
    assert failure(folder).for_now


@pytest.mark.full
@pytest.mark.parametrize(
    "what", ["config.json", "model.safetensors", "a link", "a link above", "a fault"]
)
def test_a_run_whose_model_cannot_be_read_now_goes_on_later(
    make: Make, tmp_path: Path, what: str
) -> None:
    models = tmp_path / "models"
    models.mkdir()
    model = model_folder(models / "model")
    folder = make("run", model=str(model))
    place = model / (what if what in ("config.json", "model.safetensors") else "model.safetensors")
    place = models if what == "a link above" else place
    aside = place.rename(tmp_path / "aside")
    if what == "a fault":
        if not Path("/proc/self/mem").exists():
            pytest.skip("needs a file that gives EIO")
        place.symlink_to("/proc/self/mem")
    else:
        place.symlink_to(tmp_path / "away" / "file" if "a link" in what else place)
    failed = failure(folder)
    assert failed.for_now and failed.counts
    assert f"The model in {model} cannot be read now" in failed.detail
    place.unlink(missing_ok=True)
    aside.rename(place)
    assert isinstance(trained(folder)[-1], RunFinished)


@pytest.mark.full
@pytest.mark.parametrize("name", ["config.json", "model.safetensors"])
def test_a_run_whose_model_is_damaged_has_failed(make: Make, tmp_path: Path, name: str) -> None:
    model = model_folder(tmp_path / "model")
    folder = make("run", model=str(model))
    (model / name).write_bytes(b"others")
    failed = failure(folder)
    assert not failed.for_now and "cannot be loaded" in failed.detail


def test_an_adapter_to_start_from_that_cannot_be_read_now_is_not_called_damaged(
    tmp_path: Path,
) -> None:
    (tmp_path / CONFIG).write_text('{"lora_parameters": {"rank": 4, "scale": 1.0}}')
    (tmp_path / WEIGHTS).symlink_to(tmp_path / WEIGHTS)  # a link of the user's that went round
    with pytest.raises(OSError, match="levels of symbolic links") as caught:
        AdapterShape.read(tmp_path)
    assert caught.value.errno == errno.ELOOP
    (tmp_path / WEIGHTS).unlink()
    mx.save_safetensors(str(tmp_path / WEIGHTS), {"a": mx.zeros(2)})
    assert set(AdapterShape.read(tmp_path).weights) == {"a"}


@pytest.mark.parametrize("at", [CONFIG, WEIGHTS, ".", ".."])
def test_an_adapter_behind_a_link_to_a_disk_that_is_away_is_not_called_damaged(
    tmp_path: Path, at: str
) -> None:
    folder = tmp_path / "adapters" / "a"
    folder.mkdir(parents=True)
    (folder / CONFIG).write_text('{"lora_parameters": {"rank": 4, "scale": 1.0}}')
    mx.save_safetensors(str(folder / WEIGHTS), {"a": mx.zeros(2)})
    place = {".": folder, "..": folder.parent}.get(at, folder / at)
    aside = place.rename(tmp_path / "aside")
    place.symlink_to(tmp_path / "disk" / "files")
    with pytest.raises(FileNotFoundError):
        AdapterShape.read(folder)
    place.unlink()
    aside.rename(place)
    assert set(AdapterShape.read(folder).weights) == {"a"}


@pytest.mark.parametrize("what", ["gone", "a folder", "damaged"])
def test_an_adapter_to_start_from_that_is_damaged_is_one_clear_failure(
    tmp_path: Path, what: str
) -> None:
    (tmp_path / CONFIG).write_text('{"lora_parameters": {"rank": 4, "scale": 1.0}}')
    if what == "a folder":
        (tmp_path / WEIGHTS).mkdir()
    elif what == "damaged":
        (tmp_path / WEIGHTS).write_bytes(b"others")
    with pytest.raises(TrainingError, match="cannot be started from"):
        AdapterShape.read(tmp_path)


@pytest.mark.full
@pytest.mark.parametrize("leads", ["round", "to a disk that is away"])
def test_a_run_whose_parent_cannot_be_read_now_goes_on_later(
    make: Make, done: Path, leads: str
) -> None:
    parent = done / ADAPTER
    folder = make("child", parent=str(parent))
    whole = (parent / CONFIG).rename(parent / "aside")
    (parent / CONFIG).symlink_to(parent / (CONFIG if leads == "round" else "disk/file"))
    failed = failure(folder)
    assert failed.for_now and failed.counts and str(parent) in failed.detail
    whole.replace(parent / CONFIG)
    assert isinstance(trained(folder)[-1], RunFinished)


@pytest.mark.full
def test_two_trainers_do_not_share_a_folder(make: Make) -> None:
    folder = make("run", steps=10_000)
    with begin(folder) as first:
        assert first.stdout is not None
        first.stdout.readline()
        event = [e for e in trained(folder) if not isinstance(e, StepDone)][-1]
        first.kill()
    assert isinstance(event, RunFailed) and event.for_now
    assert "Another trainer" in event.detail
    assert not any(isinstance(one, RunFailed) for one in kept(folder))


BROKEN: dict[str, tuple[Callable[[Path, RunSpec], object], str]] = {
    "no batch": (lambda f, _: (f / BATCH).unlink(), "not a run folder"),
    "half a spec": (lambda f, _: (f / SPEC).write_text("{"), "not JSON"),
    "an unknown key": (lambda f, _: (f / SPEC).write_text('{"kind":"grpo","x":1}'), "'x'"),
    "a torn line": (lambda f, _: (f / BATCH).write_text('{"type":'), "line 1"),
    "no model": (
        lambda f, s: (f / SPEC).write_text(spec_text(replace(s, model="nowhere"))),
        "cannot be loaded",
    ),
    "no parent": (
        lambda f, s: (f / SPEC).write_text(spec_text(replace(s, parent="nowhere"))),
        "cannot be started from",
    ),
    "another kind's example": (
        lambda f, _: (f / BATCH).write_text(
            '{"type":"answer","id":"a","prompt_ids":[1],"ids":[2],"good":true}'
        ),
        "learns from",
    ),
    "a token that the model lacks": (
        lambda f, _: (f / BATCH).write_text(
            '{"type":"replay","id":"turn-9","prompt_ids":[1],"ids":[64]}'
        ),
        "turn-9",
    ),
}


@pytest.mark.full
@pytest.mark.parametrize("name", list(BROKEN))
def test_what_cannot_be_trained_is_one_clear_failure(make: Make, model: Path, name: str) -> None:
    folder = make("run")
    spoil, expected = BROKEN[name]
    spoil(folder, spec(RunKind.GRPO, model))
    failed = failure(folder)
    assert expected in failed.detail
    assert failed.title == "The run cannot be trained"
    assert failed.hint
    assert not (folder / ADAPTER / WEIGHTS).exists()


@pytest.mark.full
def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    assert "no folder" in failure(tmp_path / "nowhere").detail
