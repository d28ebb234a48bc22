"""Tests of Lull's own engine as a chat model: what it is asked, and which requests it refuses."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import pytest

from lull.backends.chat.engine_chat import EngineChat
from lull.core.chat.messages import (
    Finish,
    Message,
    MessagePart,
    PartKind,
    Role,
    Sampling,
    text_message,
)
from lull.core.errors import EngineDown, RequestError
from lull.core.models.engine import Chunk, GenerateRequest
from tests.doubles.fake_engine import FakeEngine
from tests.service.scripted_upstream import PATIENCE_S

HELLO = (text_message(Role.USER, "hello there"),)


def chat(engine: FakeEngine, **more: object) -> EngineChat:
    return EngineChat(engine, "pocket", **{"timeout_s": PATIENCE_S, **more})  # type: ignore[arg-type]


async def test_the_models_own_sampling_holds_where_the_request_says_nothing() -> None:
    engine = FakeEngine()
    model = chat(engine, own_sampling=Sampling(temperature=0.0, top_k=40, stop=("END",)))
    await model.chat(HELLO, sampling=Sampling(seed=3))
    await model.chat(HELLO, sampling=Sampling(temperature=0.7, stop=("X",), max_tokens=2))
    assert [request.sampling for request in engine.requests] == [
        Sampling(temperature=0.0, top_k=40, seed=3, stop=("END",)),
        Sampling(temperature=0.7, top_k=40, max_tokens=2, stop=("X",)),
    ]


async def test_the_adapter_that_was_asked_for_answers() -> None:
    engine = FakeEngine()
    await engine.load_adapter("v1", "/somewhere")
    answer = await chat(engine).chat(HELLO, sampling=Sampling(temperature=0.0), adapter="v1")
    assert answer.message.text == "v1 hears: hello there"


async def test_a_message_is_read_as_one_text_and_images_are_passed_over() -> None:
    engine = FakeEngine()
    parts = (
        MessagePart(kind=PartKind.THINKING, text="hm"),
        MessagePart(kind=PartKind.TEXT, text="one "),
        MessagePart(kind=PartKind.IMAGE, text="sha256:1"),
        MessagePart(kind=PartKind.TEXT, text="two"),
    )
    await chat(engine).chat((Message(role=Role.USER, parts=parts),), sampling=Sampling())
    assert engine.requests[0].messages == (text_message(Role.USER, "one two"),)


@pytest.mark.parametrize("wanted", [{"format": '"json"'}, {"tools": "[{}]"}])
async def test_what_the_engine_cannot_do_is_refused_before_it_is_asked(
    wanted: dict[str, str],
) -> None:
    engine = FakeEngine()
    with pytest.raises(RequestError, match="does not support") as caught:
        await chat(engine).chat(HELLO, sampling=Sampling(), **wanted)
    assert caught.value.status == 400
    assert engine.requests == []


async def test_an_engine_that_dies_meanwhile_is_down() -> None:
    engine = FakeEngine()
    asked = chat(engine).chat(HELLO, sampling=Sampling())
    engine.knock_down()
    with pytest.raises(EngineDown):
        await asked


class _Odd(FakeEngine):
    """An engine that breaks its port's promises, for example by an answer that has no end."""

    def __init__(self, *chunks: Chunk, waits: bool = False) -> None:
        super().__init__()
        self.chunks = chunks
        self.waits = waits
        self.closed = False

    async def generate(self, request: GenerateRequest) -> AsyncGenerator[Chunk, None]:
        try:
            for chunk in self.chunks:
                yield chunk
            if self.waits:
                await asyncio.Event().wait()
        finally:
            self.closed = True


async def test_who_is_too_slow_is_down_and_stopped() -> None:
    engine = _Odd(Chunk(text="and"), waits=True)
    with pytest.raises(EngineDown, match=r"did not answer within 0\.05 s"):
        await chat(engine, timeout_s=0.05).chat(HELLO, sampling=Sampling())
    assert engine.closed


async def test_an_answer_without_an_end_is_no_whole_one() -> None:
    answer = await chat(_Odd(Chunk(text="half"))).chat(HELLO, sampling=Sampling())
    assert (answer.finish, answer.complete) == (Finish.ERROR, False)
    assert answer.error


async def test_an_answer_of_any_size_is_bounded() -> None:
    engine = _Odd(*[Chunk(text="x" * 300_000)] * 4)
    answer = await chat(engine).chat(HELLO, sampling=Sampling())
    assert "longer than" in answer.error
    assert engine.closed


async def test_an_answer_ends_as_soon_as_enough_is_known_of_it() -> None:
    chunks = [Chunk(text=word) for word in ("Ahoy ", "there, ", "matey")]
    engine = _Odd(*chunks, Chunk(text="!", finish=Finish.STOP))
    model = chat(engine)
    early = await model.chat_until(
        HELLO, sampling=Sampling(), adapter=None, enough=lambda said: "there" in said
    )
    assert (early.message.text, early.settled, early.complete) == ("Ahoy there, ", True, True)
    whole = await model.chat_until(
        HELLO, sampling=Sampling(), adapter=None, enough=lambda said: "matey!" in said
    )
    assert (whole.message.text, whole.settled) == ("Ahoy there, matey!", False)
