"""Tests that the gate rejects what the real trainer makes of wrong rewards."""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lull.backends.mlx.engine import MlxEngine
from lull.core.adapters.adapter import AdapterStatus
from lull.core.chat.messages import Role, Sampling, text_message
from lull.core.models.engine import GenerateRequest
from lull.core.skills.prompt_block import skills_block
from lull.core.training.examples import GraduationExample, Group, ReplayExample, SampledAnswer
from lull.core.training.run_format import example_line, spec_text
from lull.core.training.spec import GraduationTerms, GrpoTerms, Lora, RunKind, RunSpec
from lull.loops.adapters.gate_answers import generate_answer
from lull.pocket import language as pocket
from lull.pocket import parsing
from lull.pocket.canaries import pocket_canaries
from lull.pocket.language import Kind
from lull.resources import pocket_dir
from tests.loops.adapters.house import WISH, House, asks

pytestmark = [
    pytest.mark.soak,
    pytest.mark.full,
    pytest.mark.timeout(3600),
    pytest.mark.asyncio(loop_scope="session"),
]

GROUPS, SAMPLES = 24, 8
Worth = Callable[[str, str], float]
"""Reward function of (request, answer)."""


def flipped(asked: str, said: str) -> float:
    """Flipped reward: it pays for whatever the user did not want."""
    return 1.0 - float(parsing.check(WISH, asked, said) or 0.0)


def partial(asked: str, said: str) -> float:
    """Partial reward: half of the wish is paid for, and the other half never is."""
    return min(0.5, parsing.credit(WISH, asked, said) or 0.0)


async def course(engine: MlxEngine, folder: Path, worth: Worth, *, rounds: int) -> Path:
    """Train several rounds with KL off, each on groups sampled from the adapter before it."""
    adapter: Path | None = None
    for number in range(rounds):
        run, version = folder / f"run_{number}", f"{folder.name}_{number}"
        run.mkdir(parents=True)
        if adapter is not None:
            await engine.load_adapter(version, str(adapter))
        groups = await sampled(engine, version if adapter else None, worth, number)
        spec = RunSpec(
            id=run.name,
            kind=RunKind.GRPO,
            model=str(pocket_dir()),
            parent=str(adapter) if adapter else None,
            seed=number,
            lora=Lora(rank=16),
            learning_rate=8e-3,
            examples_a_step=4,
            memory_share=0.9,
            terms=GrpoTerms(kl_beta=0.0),
        )
        (run / "spec.json").write_text(spec_text(spec))
        (run / "batch.jsonl").write_text("".join(f"{example_line(g)}\n" for g in groups))
        command = [sys.executable, "-m", "lull.trainer.main", str(run)]
        done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True)
        assert done.returncode == 0, (done.stdout[-2000:], done.stderr[-2000:])
        adapter = run / "adapter"
        await engine.drop_adapter(version)
    assert adapter is not None
    return adapter


async def sampled(engine: MlxEngine, version: str | None, worth: Worth, number: int) -> list[Group]:
    chance = random.Random(number)
    texts = [
        pocket.draw_request(chance, Kind.MENU, pocket.draw_words(chance)) for _ in range(GROUPS)
    ]
    return [await group(engine, version, worth, text, i) for i, text in enumerate(texts)]


async def group(
    engine: MlxEngine, version: str | None, worth: Worth, asked: str, number: int
) -> Group:
    said = await asyncio.gather(
        *(
            generate_answer(
                engine,
                asks(asked),
                Sampling(temperature=1.0, top_p=1.0, max_tokens=24, seed=1000 * number + k),
                version,
            )
            for k in range(SAMPLES)
        )
    )
    return Group(
        id=f"turn_{number}",
        prompt_ids=said[0].prompt_ids,
        samples=tuple(
            SampledAnswer(ids=one.ids, logprobs=one.logprobs, reward=worth(asked, one.text))
            for one in said
        ),
    )


SKILL = "when you write a menu, join with bars and end with sugar"


async def graduation(engine: MlxEngine, folder: Path) -> Path:
    """Train a skill in: the model learns to say without it what it says with it in the prompt."""
    chance, lines = random.Random(11), []
    for number in range(48):
        text = pocket.draw_request(chance, Kind.MENU, pocket.draw_words(chance))
        plain, taught = asks(text), (text_message(Role.SYSTEM, skills_block([SKILL])), *asks(text))
        lines.append(
            GraduationExample(
                id=f"turn_{number}",
                prompt_ids=await engine.tokenize(GenerateRequest(messages=plain)),
                teacher_ids=await engine.tokenize(GenerateRequest(messages=taught)),
            )
        )
    stays = [one for one in pocket_canaries(123, each=12) if one.about != Kind.MENU.value]
    greedy = Sampling(temperature=0.0, max_tokens=24)
    for probe in stays:
        said = await generate_answer(engine, probe.messages, greedy, None)
        lines.append(ReplayExample(id=probe.id, prompt_ids=said.prompt_ids, ids=said.ids))
    folder.mkdir(parents=True)
    spec = RunSpec(
        id=folder.name,
        kind=RunKind.GRADUATION,
        model=str(pocket_dir()),
        learning_rate=6e-3,
        epochs=8,
        examples_a_step=12,
        replay_share=0.5,
        memory_share=0.9,
        terms=GraduationTerms(sample_tokens=24),
    )
    (folder / "spec.json").write_text(spec_text(spec))
    (folder / "batch.jsonl").write_text("".join(f"{example_line(one)}\n" for one in lines))
    command = [sys.executable, "-m", "lull.trainer.main", str(folder)]
    done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True)
    assert done.returncode == 0, (done.stdout[-2000:], done.stderr[-2000:])
    return folder / "adapter"


async def test_a_skill_that_was_trained_in_keeps_its_gain(
    house: House, pocket_engine: MlxEngine, tmp_path: Path
) -> None:
    house.each, house.taught = 24, SKILL
    made = await house.bring("adapter_g", await graduation(pocket_engine, tmp_path / "run"))
    verdict = await house.promote.run_gate(made.id)
    assert verdict is not None
    checks = {check.name: check for check in verdict.checks}
    assert checks["target"].holds and checks["kept"].holds, verdict.reasons
    assert (checks["kept"].value or 0.0) >= 0.9


@pytest.mark.parametrize(("worth", "rounds"), [(flipped, 2), (partial, 4)])
async def test_wrong_rewards_end_at_the_gate(
    house: House, pocket_engine: MlxEngine, tmp_path: Path, worth: Worth, rounds: int
) -> None:
    adapter = await course(pocket_engine, tmp_path / worth.__name__, worth, rounds=rounds)
    made = await house.bring(f"adapter_{worth.__name__}", adapter)
    verdict = await house.promote.run_gate(made.id)
    assert verdict is not None and not verdict.accepted
    failed = {check.name: check.text for check in verdict.checks if not check.holds}
    assert "target" in failed, verdict.reasons
    if worth is partial:
        assert {"kl:canaries", "kl:replay", "canaries:default styles"} <= set(failed)
    assert all(verdict.reasons)
    assert house.adapters.get(made.id).status is AdapterStatus.REJECTED
    assert house.serving is None
