"""Makes run folders over tiny random models, and runs the trainer's own process on them."""

from __future__ import annotations

import importlib
import json
import os
import random
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import mlx.core as mx
from mlx import nn
from mlx.utils import tree_flatten

import lull
from lull.core.training.events import RunEvent, parse_event
from lull.core.training.examples import (
    Example,
    GraduationExample,
    Group,
    RecordedAnswer,
    ReplayExample,
    SampledAnswer,
)
from lull.core.training.run_format import (
    ADAPTER,
    BATCH,
    EVENTS,
    SPEC,
    WEIGHTS,
    example_line,
    spec_text,
)
from lull.core.training.spec import TERMS, GraduationTerms, Lora, RunKind, RunSpec
from tests.zygote import TRAINER, started

_APP = str(Path(lull.__file__).parent.parent)
VOCABULARY = 64
END = 2
SHAPE: dict[str, Any] = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "intermediate_size": 64,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "rms_norm_eps": 1e-6,
    "vocab_size": VOCABULARY,
    "rope_theta": 1e4,
    "max_position_embeddings": 512,
    "tie_word_embeddings": True,
    "eos_token_id": END,
}


def model_folder(
    folder: Path, family: str = "qwen3", *, bits: int | None = None, **changes: Any
) -> Path:
    """Write a model with random weights as mlx-lm keeps it, quantised if `bits` says so."""
    config = {**SHAPE, "model_type": family, **changes}
    module = importlib.import_module(f"mlx_lm.models.{family}")
    model = module.Model(module.ModelArgs.from_dict(config))
    mx.random.seed(1)
    own: Any = tree_flatten(model.parameters())
    drawn = [(k, mx.random.normal(v.shape) * 0.2 if v.ndim >= 2 else v) for k, v in own]
    model.load_weights(drawn)
    if bits is not None:
        nn.quantize(model, group_size=32, bits=bits)
        config["quantization"] = {"group_size": 32, "bits": bits}
    folder.mkdir(parents=True)
    weights: Any = tree_flatten(model.parameters())
    mx.save_safetensors(str(folder / "model.safetensors"), dict(weights))
    (folder / "config.json").write_text(json.dumps(config))
    return folder


def ids(rng: random.Random, low: int, high: int) -> tuple[int, ...]:
    return tuple(rng.randrange(3, VOCABULARY) for _ in range(rng.randint(low, high)))


def group(rng: random.Random, name: str, rewards: Sequence[float]) -> Group:
    samples = []
    for reward in rewards:
        answer = (*ids(rng, 2, 7), END)
        logprobs = tuple(-4.0 + rng.uniform(-0.5, 0.5) for _ in answer)
        samples.append(SampledAnswer(ids=answer, logprobs=logprobs, reward=reward))
    return Group(id=name, prompt_ids=ids(rng, 3, 9), samples=tuple(samples))


def examples(kind: RunKind, count: int, *, seed: int = 0) -> list[Example]:
    rng = random.Random(seed)
    out: list[Example] = []
    for number in range(count):
        name, prompt = f"turn-{number}", ids(rng, 3, 9)
        match kind:
            case RunKind.GRPO:
                out.append(group(rng, name, [rng.choice((-1.0, 0.0, 1.0)), 1.0, -1.0, 0.0]))
            case RunKind.KTO:
                good = number % 3 == 0
                out.append(
                    RecordedAnswer(
                        id=name, prompt_ids=prompt, ids=(*ids(rng, 2, 7), END), good=good
                    )
                )
            case RunKind.GRADUATION:
                taught = ids(rng, 4, 8) + prompt
                out.append(GraduationExample(id=name, prompt_ids=prompt, teacher_ids=taught))
    return out


def replays(count: int, *, seed: int = 5) -> list[Example]:
    rng = random.Random(seed)
    return [
        ReplayExample(id=f"past-{n}", prompt_ids=ids(rng, 3, 9), ids=(*ids(rng, 2, 7), END))
        for n in range(count)
    ]


def spec(kind: RunKind, model: Path, **changes: Any) -> RunSpec:
    """Return the settings of a fast run of small steps; `changes` replaces some of them."""
    plain = RunSpec(
        id="run",
        kind=kind,
        model=str(model),
        seed=3,
        lora=Lora(rank=4),
        learning_rate=1e-2,
        steps=6,
        examples_a_step=4,
        micro_tokens=64,
        logit_chunk_tokens=16,
        terms=GraduationTerms(sample_tokens=6) if kind is RunKind.GRADUATION else TERMS[kind](),
    )
    return replace(plain, **changes)


def run_folder(folder: Path, asked: RunSpec, batch: Sequence[Example]) -> Path:
    folder.mkdir(parents=True)
    (folder / SPEC).write_text(spec_text(asked))
    (folder / BATCH).write_text("".join(f"{example_line(example)}\n" for example in batch))
    return folder


def begin(
    folder: Path, *, environ: Mapping[str, str] | None = None, command: Sequence[str] = ()
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*command, sys.executable, "-m", "lull.trainer.main", str(folder)],
        cwd=_APP,
        env={**os.environ, **(environ or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def trained(folder: Path, *, anew: bool = False) -> list[RunEvent]:
    """Run the trainer to its end; return the events that it printed. `anew` starts an interpreter
    as Lull does, instead of a fork of a process that has loaded MLX already.
    """
    with started(
        [str(folder)],
        program=TRAINER,
        anew=anew,
        env=os.environ,
        cwd=_APP,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        out, errors = process.communicate()
    said = [event for line in out.splitlines() if (event := parse_event(line))]
    assert said, f"the trainer said nothing: {errors}"
    return said


def kept(folder: Path) -> list[RunEvent]:
    """Return the events in events.jsonl; every line of it must be an event."""
    lines = (folder / EVENTS).read_text().splitlines()
    read = [parse_event(line) for line in lines]
    assert None not in read
    return [event for event in read if event is not None]


def adapter_bytes(folder: Path) -> bytes:
    return (folder / ADAPTER / WEIGHTS).read_bytes()


def adapter_weights(folder: Path) -> dict[str, Any]:
    weights: Any = mx.load(str(folder / ADAPTER / WEIGHTS))
    return dict(weights)


def largest_difference(one: Path, other: Path) -> float:
    a, b = adapter_weights(one), adapter_weights(other)
    assert a.keys() == b.keys()
    return max(float(mx.abs(a[name] - b[name]).max().item()) for name in a)
