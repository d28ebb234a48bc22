"""Tests of the engine's answers: they are the plain model's, however the request is made."""

from __future__ import annotations

import asyncio
import math

import pytest

from lull.backends.mlx.engine import MlxEngine
from lull.core.chat.messages import Finish, Role, text_message
from lull.core.errors import RequestError
from lull.core.models.engine import GenerateRequest
from tests.engine.conftest import Tiny, asking, collect

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]

SHORT = [10, 20, 30]
LONG = [(7 * i) % 250 + 3 for i in range(75)]


@pytest.mark.parametrize("prompt", [SHORT, LONG[:17], LONG[:32], LONG[:33], LONG])
async def test_greedy_is_the_plain_argmax_of_the_model(
    engine: MlxEngine, tiny: Tiny, prompt: list[int]
) -> None:
    answer = await collect(engine, asking(prompt, temperature=0.0, max_tokens=24))
    assert answer.ids == tiny.greedy(prompt, 24)


async def test_the_pieces_joined_are_the_tokens_decoded(engine: MlxEngine, tiny: Tiny) -> None:
    for seed in range(3):
        answer = await collect(engine, asking(SHORT, seed=seed, max_tokens=150))
        ids = answer.ids[:-1] if answer.finish is Finish.STOP else answer.ids
        assert answer.text == tiny.ask("decode", ids=ids)
        assert len(answer.pieces) > 1


async def test_logprobs_are_the_models_own_before_temperature(
    engine: MlxEngine, tiny: Tiny
) -> None:
    request = asking(LONG, seed=3, temperature=0.7, top_p=0.8, top_k=50, max_tokens=40, logprobs=4)
    answer = await collect(engine, request)
    forced = tiny.logprobs(LONG, answer.ids)
    for token, expected in zip(answer.tokens, forced, strict=True):
        assert token.logprob == pytest.approx(expected, abs=1e-4)
        logprobs = [logprob for _, logprob, _ in token.top]
        assert len(logprobs) == 4
        assert logprobs == sorted(logprobs, reverse=True)
        assert logprobs[0] >= token.logprob


async def test_a_seed_gives_the_same_answer_alone_and_in_company(engine: MlxEngine) -> None:
    requests = [
        asking(
            LONG[: 3 + 5 * i], seed=i, temperature=0.5 + 0.2 * i, top_p=1 - 0.1 * i, max_tokens=30
        )
        for i in range(6)
    ]
    alone = [await collect(engine, request) for request in requests]
    company = await asyncio.gather(*(collect(engine, request) for request in requests))
    assert [answer.ids for answer in company] == [answer.ids for answer in alone]


async def test_without_a_seed_answers_differ(engine: MlxEngine) -> None:
    first, second = [
        [(await collect(engine, asking(SHORT, max_tokens=20))).ids for _ in range(4)]
        for _ in range(2)
    ]
    assert first != second  # four, as one may end with its first token


async def test_drawing_follows_the_models_distribution(engine: MlxEngine) -> None:
    count = 250
    answers = await asyncio.gather(
        *(
            collect(engine, asking(SHORT, seed=seed, max_tokens=1, logprobs=3))
            for seed in range(count)
        )
    )
    for number, logprob, _ in answers[0].tokens[0].top:
        p = math.exp(logprob)
        drawn = sum(answer.ids[0] == number for answer in answers) / count
        assert abs(drawn - p) < 4 * math.sqrt(p * (1 - p) / count) + 1e-9


async def test_top_k_one_and_top_p_zero_are_greedy(engine: MlxEngine, tiny: Tiny) -> None:
    expected = tiny.greedy(SHORT, 12)
    by_k = await collect(engine, asking(SHORT, top_k=1, temperature=2.0, max_tokens=12))
    by_p = await collect(engine, asking(SHORT, top_p=0.0, temperature=2.0, max_tokens=12))
    assert by_k.ids == expected
    assert by_p.ids == expected


async def test_top_p_keeps_to_the_nucleus(engine: MlxEngine) -> None:
    request = asking(SHORT, max_tokens=1, logprobs=320)
    ranked = (await collect(engine, request)).tokens[0].top
    nucleus, mass = set(), 0.0
    for number, logprob, _ in ranked:
        if mass >= 0.3:
            break
        nucleus.add(number)
        mass += math.exp(logprob)
    answers = await asyncio.gather(
        *(collect(engine, asking(SHORT, seed=s, top_p=0.3, max_tokens=1)) for s in range(60))
    )
    assert {answer.ids[0] for answer in answers} <= nucleus


async def test_the_end_token_ends_counts_and_says_nothing(engine: MlxEngine, tiny: Tiny) -> None:
    answers = await asyncio.gather(
        *(collect(engine, asking(SHORT, seed=seed, max_tokens=400)) for seed in range(8))
    )
    ended = [answer for answer in answers if answer.ids[-1] == 2]
    assert ended, "some of eight long random answers meet the end token"
    for answer in ended:
        assert answer.finish is Finish.STOP
        assert answer.last.completion_tokens == len(answer.ids)
        assert answer.tokens[-1].text == ""
        assert "<|im_end|>" not in answer.text


async def test_a_stop_string_across_tokens_ends_the_answer_before_it(engine: MlxEngine) -> None:
    whole = await collect(engine, asking(SHORT, temperature=0.0, max_tokens=60))
    for start, size in ((3, 4), (11, 2), (6, 9)):
        stop = whole.text[start : start + size]
        request = asking(
            SHORT, temperature=0.0, max_tokens=60, stop=(stop, "never said"), logprobs=None
        )
        answer = await collect(engine, request)
        assert answer.text == whole.text[: whole.text.index(stop)]
        assert answer.finish is Finish.STOP


async def test_length_ends_at_the_number_asked_for(engine: MlxEngine) -> None:
    answer = await collect(engine, asking(SHORT, temperature=0.0, max_tokens=7))
    assert answer.finish is Finish.LENGTH
    assert answer.last.completion_tokens == len(answer.ids) == 7
    assert answer.last.prompt_tokens == 3


async def test_without_a_length_the_window_is_the_end(engine: MlxEngine) -> None:
    prompt = (LONG * 7)[:500]
    answer = await collect(engine, asking(prompt, seed=1))
    assert answer.finish is Finish.STOP or answer.last.completion_tokens == 12


async def test_messages_go_through_the_models_template(engine: MlxEngine, tiny: Tiny) -> None:
    messages = (text_message(Role.SYSTEM, "be brief"), text_message(Role.USER, "the cat"))
    ids = await engine.tokenize(GenerateRequest(messages=messages))
    assert tiny.ask("decode", ids=list(ids)) == (
        "<|im_start|>system\nbe brief<|im_end|>\n<|im_start|>user\nthe cat<|im_end|>\n"
        "<|im_start|>assistant\n"
    )
    answer = await collect(engine, GenerateRequest(messages=messages, logprobs=0))
    assert answer.last.prompt_tokens == len(ids)


async def test_a_template_that_refuses_says_why(engine: MlxEngine) -> None:
    request = GenerateRequest(messages=(text_message(Role.TOOL, "42"),))
    with pytest.raises(RequestError, match="no tools here") as caught:
        await collect(engine, request)
    assert caught.value.status == 400


@pytest.mark.parametrize(
    ("request_", "why"),
    [
        (asking([5] * 512), "512 tokens"),
        (asking(SHORT, adapter="nobody"), "nobody"),
        (asking(SHORT, temperature=-1.0), "temperature"),
        (asking(SHORT, max_tokens=0), "max_tokens"),
        (asking([5, 999_999]), "token ids"),
        (asking(""), "empty"),
        (asking("half a \ud83d character"), "Unicode"),
    ],
)
async def test_a_request_that_cannot_be_served_is_told_so(
    engine: MlxEngine, request_: GenerateRequest, why: str
) -> None:
    with pytest.raises(RequestError, match=why) as caught:
        await collect(engine, request_)
    assert caught.value.status == 400


async def test_a_known_beginning_changes_no_bit(engine: MlxEngine) -> None:
    prompt = [(11 * i) % 250 + 3 for i in range(90)]
    branch = [*prompt[:50], 9, 9, 9]
    fresh = await collect(engine, asking(prompt, seed=1, max_tokens=10, logprobs=5))
    again = await collect(engine, asking(prompt, seed=1, max_tokens=10, logprobs=5))
    assert again.tokens == fresh.tokens
    branched = await collect(engine, asking(branch, seed=1, max_tokens=10, logprobs=5))
    await engine.drop_adapter("none")  # forgets all beginnings
    assert (await collect(engine, asking(branch, seed=1, max_tokens=10, logprobs=5))).tokens == (
        branched.tokens
    )


async def test_twenty_at_once_all_end(engine: MlxEngine) -> None:
    requests = [asking(LONG[: 1 + 3 * i], seed=i, max_tokens=20 + 5 * i) for i in range(20)]
    answers = await asyncio.gather(*(collect(engine, request) for request in requests))
    for i, answer in enumerate(answers):
        assert answer.finish is Finish.STOP or len(answer.ids) == 20 + 5 * i
    assert (await engine.status()).in_flight == 0


async def test_a_hangup_stops_the_decoding_at_once(engine: MlxEngine) -> None:
    # Longer than the socket holds, or it may end before the client hangs up.
    long = asking(SHORT, temperature=0.0, max_tokens=480, logprobs=250)
    short = asking(SHORT, temperature=0.0, max_tokens=5)
    before = await engine.status()
    answers = engine.generate(long)
    async for _ in answers:
        break
    await answers.aclose()
    at_hangup = await engine.status()
    assert at_hangup.in_flight == 0
    assert at_hangup.decoded_tokens - before.decoded_tokens < 480
    assert len((await collect(engine, short)).ids) == 5
    later = await engine.status()
    assert later.decoded_tokens - at_hangup.decoded_tokens <= 5


async def test_a_hangup_while_the_prompt_is_read_or_waits_in_line_is_heard(
    engine: MlxEngine,
) -> None:
    asked = [asking((LONG * 7)[: 400 + i], seed=i, max_tokens=50) for i in range(40)]
    tasks = [asyncio.create_task(collect(engine, request)) for request in asked]
    await asyncio.sleep(0)  # they are sent
    assert (await engine.status()).in_flight > 0
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert (await engine.status()).in_flight == 0
