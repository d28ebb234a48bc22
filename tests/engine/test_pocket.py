"""Tests that the engine runs `pocket`, a built-in model that ships with Lull."""

from __future__ import annotations

from pathlib import Path

import pytest

from lull.backends.mlx.engine import MlxEngine
from lull.core.chat.messages import Role, Sampling, text_message
from lull.core.models.engine import GenerateRequest
from tests.engine.conftest import collect

POCKET = Path(__file__).parents[2] / "resources" / "pocket"

pytestmark = [
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.slow,
    pytest.mark.skipif(
        not list(POCKET.rglob("config.json")), reason="the pocket model is not made"
    ),
]


async def test_the_built_in_model_answers_and_ends(tmp_path: Path) -> None:
    (config,) = POCKET.rglob("config.json")
    engine = MlxEngine(config.parent)
    request = GenerateRequest(
        messages=(text_message(Role.USER, "list three colours"),),
        sampling=Sampling(temperature=0.0, max_tokens=64),
        logprobs=0,
    )
    first, second = await collect(engine, request), await collect(engine, request)
    assert first.tokens == second.tokens
    assert first.text
    assert "�" not in first.text
    await engine.close()
