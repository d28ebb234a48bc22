"""Training batches for measuring steps: random tokens, of one shape for every kind of run and every
peer.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Final

from lull.core.training.examples import (
    Example,
    GraduationExample,
    Group,
    RecordedAnswer,
    ReplayExample,
    SampledAnswer,
)
from lull.core.training.run_format import example_line, spec_text
from lull.core.training.spec import TERMS, GraduationTerms, Lora, RunKind, RunSpec

VOCABULARY: Final = 1024
GROUPS: Final = 8
SAMPLES: Final = 4
PROMPT_TOKENS: Final = 64
ANSWER_TOKENS: Final = 32
SKILL_TOKENS: Final = 24
ROWS_PER_STEP: Final = GROUPS * SAMPLES
"""Sequences per step; the same for every kind of run, all of the same length."""


def ids(rng: random.Random, count: int) -> tuple[int, ...]:
    return tuple(rng.randrange(10, VOCABULARY) for _ in range(count))


def batch(kind: RunKind, seed: int, steps: int = 1) -> list[Example]:
    rng = random.Random(seed)
    out: list[Example] = []
    for number in range(steps * (GROUPS if kind is RunKind.GRPO else ROWS_PER_STEP)):
        prompt = ids(rng, PROMPT_TOKENS)
        match kind:
            case RunKind.GRPO:
                samples = tuple(_sample(rng, place) for place in range(SAMPLES))
                out.append(Group(id=str(number), prompt_ids=prompt, samples=samples))
            case RunKind.KTO:
                answer, good = ids(rng, ANSWER_TOKENS), number % 2 == 0
                out.append(RecordedAnswer(id=str(number), prompt_ids=prompt, ids=answer, good=good))
            case RunKind.GRADUATION:
                taught = (*ids(rng, SKILL_TOKENS), *prompt)
                out.append(GraduationExample(id=str(number), prompt_ids=prompt, teacher_ids=taught))
    return out


def _sample(rng: random.Random, place: int) -> SampledAnswer:
    answer = ids(rng, ANSWER_TOKENS)
    return SampledAnswer(ids=answer, logprobs=(-6.9,) * len(answer), reward=float(place % 2))


def replays(seed: int, count: int = ROWS_PER_STEP) -> list[ReplayExample]:
    rng = random.Random(seed)
    return [
        ReplayExample(id=f"r{n}", prompt_ids=ids(rng, PROMPT_TOKENS), ids=ids(rng, ANSWER_TOKENS))
        for n in range(count)
    ]


def spec(kind: RunKind, model: Path, *, steps: int, seed: int) -> RunSpec:
    terms = GraduationTerms(sample_tokens=ANSWER_TOKENS)
    return RunSpec(
        id=f"bench-{kind.value}",
        kind=kind,
        model=str(model),
        seed=seed,
        lora=Lora(rank=8),
        learning_rate=1e-3,
        steps=steps,
        examples_a_step=GROUPS if kind is RunKind.GRPO else ROWS_PER_STEP,
        micro_tokens=4096,
        replay_share=0.0,
        terms=terms if kind is RunKind.GRADUATION else TERMS[kind](),
    )


def run_folder(folder: Path, asked: RunSpec, examples: list[Example]) -> Path:
    folder.mkdir(parents=True)
    (folder / "spec.json").write_text(spec_text(asked))
    (folder / "batch.jsonl").write_text("".join(f"{example_line(e)}\n" for e in examples))
    return folder
