"""Contract tests that every `Engine` passes: the fake used in other tests, and the one of MLX."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import pytest

from lull.backends.mlx.engine import MlxEngine
from lull.core.chat.messages import Finish, Role, Sampling, text_message
from lull.core.errors import EngineDown, EngineError, RequestError
from lull.core.models.engine import Chunk, Engine, GenerateRequest
from tests.doubles.fake_engine import FakeEngine
from tests.engine.conftest import Tiny, engine, tiny  # noqa: F401  (fixtures)

pytestmark = pytest.mark.asyncio(loop_scope="session")

MESSAGES = (
    text_message(Role.SYSTEM, "answer in words"),
    text_message(Role.USER, "the cat sat on the mat, and what did the hat do then?"),
)


@dataclass(frozen=True)
class Case:
    engine: Engine
    adapter_folder: str


@pytest.fixture(params=["fake", pytest.param("mlx", marks=pytest.mark.slow)])
def case(request: pytest.FixtureRequest) -> Case:
    if request.param == "fake":
        return Case(FakeEngine(), "/fake/adapter")
    known: Tiny = request.getfixturevalue("tiny")
    running: MlxEngine = request.getfixturevalue("engine")
    return Case(running, known.adapter("a"))


def ask(
    *, adapter: str | None = None, logprobs: int | None = None, **sampling: object
) -> GenerateRequest:
    return GenerateRequest(
        messages=MESSAGES,
        adapter=adapter,
        logprobs=logprobs,
        sampling=Sampling(**sampling),  # type: ignore[arg-type]
    )


async def chunks(engine_: Engine, request: GenerateRequest) -> list[Chunk]:
    return [chunk async for chunk in engine_.generate(request)]


def text(answer: list[Chunk]) -> str:
    return "".join(chunk.text for chunk in answer)


async def test_only_the_last_chunk_ends_and_counts(case: Case) -> None:
    answer = await chunks(case.engine, ask(seed=1, max_tokens=5))
    assert [chunk.finish for chunk in answer[:-1]] == [None] * (len(answer) - 1)
    assert answer[-1].finish in (Finish.LENGTH, Finish.STOP)
    assert 1 <= answer[-1].completion_tokens <= 5
    assert answer[-1].prompt_tokens == len(await case.engine.tokenize(ask()))


async def test_length_is_kept_to(case: Case) -> None:
    answer = await chunks(case.engine, ask(temperature=0.0, max_tokens=2))
    assert (answer[-1].finish, answer[-1].completion_tokens) == (Finish.LENGTH, 2)


async def test_a_seed_repeats_itself(case: Case) -> None:
    first, second = [await chunks(case.engine, ask(seed=7, max_tokens=9)) for _ in range(2)]
    assert text(first) == text(second)


async def test_nothing_is_away_from_itself(case: Case) -> None:
    await case.engine.load_adapter("away", case.adapter_folder)
    ids = await case.engine.tokenize(ask())
    for version in (None, "away"):
        nats = await case.engine.divergence(ids, ids[:9], adapter=version, against=version)
        assert nats == pytest.approx((0.0,) * 9, abs=1e-5)
    with pytest.raises(RequestError, match=r"empty|no answer"):
        await case.engine.divergence(ids, (), adapter="away")
    with pytest.raises(RequestError, match="not loaded"):
        await case.engine.divergence(ids, ids, adapter="nowhere")
    await case.engine.drop_adapter("away")


async def test_an_answer_that_is_there_is_weighed_token_by_token(case: Case) -> None:
    await case.engine.load_adapter("heavy", case.adapter_folder)
    ids = await case.engine.tokenize(ask())
    for version in (None, "heavy"):
        logs = await case.engine.answer_logprobs(ids, ids[:9], adapter=version)
        assert len(logs) == 9 and max(logs) <= 0.0
    with pytest.raises(RequestError, match=r"empty|no answer"):
        await case.engine.answer_logprobs(ids, (), adapter=None)
    with pytest.raises(RequestError, match="not loaded"):
        await case.engine.answer_logprobs(ids, ids, adapter="nowhere")
    await case.engine.drop_adapter("heavy")


async def test_token_details_come_only_when_asked_for(case: Case) -> None:
    plain = await chunks(case.engine, ask(temperature=0.0, max_tokens=4))
    assert not any(chunk.tokens for chunk in plain)
    detailed = await chunks(case.engine, ask(temperature=0.0, max_tokens=4, logprobs=3))
    tokens = [token for chunk in detailed for token in chunk.tokens]
    assert len(tokens) == detailed[-1].completion_tokens
    for token in tokens:
        assert token.logprob <= 0
        assert len(token.top) == 3
        assert token.top[0][0] == token.id  # at temperature 0
        assert [best[1] for best in token.top] == sorted((b[1] for b in token.top), reverse=True)


async def test_a_stop_string_is_not_said(case: Case) -> None:
    whole = text(await chunks(case.engine, ask(temperature=0.0, max_tokens=8)))
    stop = whole[3:6]
    answer = await chunks(case.engine, ask(temperature=0.0, max_tokens=8, stop=(stop,)))
    assert text(answer) == whole[: whole.index(stop)]
    assert answer[-1].finish is Finish.STOP


async def test_adapters_are_served_while_they_are_loaded(case: Case) -> None:
    request = ask(adapter="v1", temperature=0.0, max_tokens=6)
    with pytest.raises(RequestError):
        await chunks(case.engine, request)
    await case.engine.load_adapter("v1", case.adapter_folder)
    assert "v1" in (await case.engine.status()).adapters
    tuned = text(await chunks(case.engine, request))
    assert tuned != text(await chunks(case.engine, ask(temperature=0.0, max_tokens=6)))
    await case.engine.drop_adapter("v1")
    assert "v1" not in (await case.engine.status()).adapters
    with pytest.raises(RequestError):
        await chunks(case.engine, request)


async def test_dropping_what_is_not_there_is_no_fault(case: Case) -> None:
    await case.engine.drop_adapter("never loaded")


async def test_a_prompt_beyond_the_window_is_refused_with_both_numbers(case: Case) -> None:
    window = (await case.engine.status()).window_tokens
    request = GenerateRequest(prompt_ids=(5,) * window)
    with pytest.raises(RequestError, match=rf"{window} tokens.*window is {window}") as caught:
        await chunks(case.engine, request)
    assert caught.value.status == 400


async def test_leaving_early_frees_the_place(case: Case) -> None:
    answer = case.engine.generate(ask(seed=2))
    await anext(answer)
    await answer.aclose()  # type: ignore[attr-defined]  # both are generators
    assert (await case.engine.status()).in_flight == 0


async def test_many_are_answered_side_by_side(case: Case) -> None:
    requests = [ask(seed=seed, max_tokens=6) for seed in range(12)]
    together = await asyncio.gather(*(chunks(case.engine, request) for request in requests))
    assert all(answer[-1].finish is not None for answer in together)


async def test_an_engine_that_falls_says_so_to_those_in_flight_and_to_the_next() -> None:
    """Tests the fake's crash only; that of the real process is tested in engine/test_process.py."""
    fake = FakeEngine()
    answer = fake.generate(ask())
    await anext(answer)
    fake.knock_down()
    with pytest.raises(EngineDown):
        await anext(answer)
    with pytest.raises(EngineError):
        await fake.tokenize(ask())
    assert not (await fake.status()).loaded
