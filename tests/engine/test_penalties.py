"""Tests of answers with repetition penalties: equal to a plain loop with llama.cpp's penalties."""

from __future__ import annotations

import asyncio
from math import inf, nan

import pytest

from lull.backends.mlx.engine import MlxEngine
from lull.core.chat.messages import Sampling
from lull.core.models.engine import GenerateRequest
from lull.engine.penalties import MOST_TOKENS, NONE, USUAL_TOKENS, penalties_of
from tests.engine.conftest import Tiny, asking, collect

PROMPT = [10, 20, 30]
COUNT = 48
ASKED = [
    {"repeat_penalty": 1.3},
    {"repeat_penalty": 1.1, "repeat_last_n": 3},
    {"presence_penalty": 1.5},
    {"frequency_penalty": 0.4, "repeat_last_n": 20},
    {"repeat_penalty": 1.2, "presence_penalty": -0.5, "frequency_penalty": 0.3},
    {"repeat_penalty": 0.8, "repeat_last_n": -1},
]


def expected(tiny: Tiny, asked: dict[str, float]) -> list[int]:
    last = int(asked.get("repeat_last_n", USUAL_TOKENS))
    return tiny.penalised(
        PROMPT,
        COUNT,
        repeat=asked.get("repeat_penalty", 1.0),
        presence=asked.get("presence_penalty", 0.0),
        frequency=asked.get("frequency_penalty", 0.0),
        last=COUNT if last < 0 else last,
    )


def request(asked: dict[str, float], **more: float) -> GenerateRequest:
    return asking(PROMPT, **{"temperature": 0.0, "max_tokens": COUNT, **asked, **more})


@pytest.mark.slow
@pytest.mark.asyncio(loop_scope="session")
async def test_a_penalised_answer_is_that_of_a_plain_loop(engine: MlxEngine, tiny: Tiny) -> None:
    plain = tiny.greedy(PROMPT, COUNT)
    wanted = [expected(tiny, asked) for asked in ASKED]
    assert any(ids != plain for ids in wanted)
    alone = [(await collect(engine, request(asked))).ids for asked in ASKED]
    assert alone == wanted


@pytest.mark.full
@pytest.mark.slow
@pytest.mark.asyncio(loop_scope="session")
async def test_neighbours_change_nothing_whether_they_have_penalties_or_none(
    engine: MlxEngine, tiny: Tiny
) -> None:
    every = [{}, *ASKED, {}]
    told = await asyncio.gather(
        *(
            collect(engine, request(asked, max_tokens=COUNT - 5 * i))
            for i, asked in enumerate(every)
        )
    )
    plain = tiny.greedy(PROMPT, COUNT)
    whole = [plain, *(expected(tiny, asked) for asked in ASKED), plain]
    assert [one.ids for one in told] == [ids[: COUNT - 5 * i] for i, ids in enumerate(whole)]


@pytest.mark.slow
@pytest.mark.asyncio(loop_scope="session")
async def test_the_models_own_log_probabilities_are_told(engine: MlxEngine, tiny: Tiny) -> None:
    answer = await collect(engine, request({"repeat_penalty": 1.3}))
    forced = tiny.logprobs(PROMPT, answer.ids)
    assert [token.logprob for token in answer.tokens] == pytest.approx(forced, abs=1e-4)


@pytest.mark.parametrize("asked", [{}, {"repeat_penalty": 1.0}, {"repeat_last_n": 8}])
def test_what_penalises_nothing_costs_nothing(asked: dict[str, float]) -> None:
    assert penalties_of(Sampling(**asked)) is NONE  # type: ignore[arg-type]


@pytest.mark.parametrize("factor", [0.0, -1.0, nan, inf])
def test_a_factor_that_makes_no_sense_changes_nothing(factor: float) -> None:
    assert penalties_of(Sampling(repeat_penalty=factor)).repeat == 1.0


def test_amounts_and_numbers_of_tokens_have_bounds() -> None:
    found = penalties_of(Sampling(frequency_penalty=1e300, repeat_last_n=10**9))
    assert found.frequency == 100 and found.tokens == MOST_TOKENS
    assert penalties_of(Sampling(presence_penalty=nan)) is NONE
    assert penalties_of(Sampling(presence_penalty=1.0, repeat_last_n=0)).tokens == 0
