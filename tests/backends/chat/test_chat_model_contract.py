"""Contract tests that every `ChatModel` passes: the fake used in other tests, and the real ones."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass

import pytest
import pytest_asyncio

from lull.backends.chat.engine_chat import EngineChat
from lull.backends.chat.openai_chat import OpenAIChat, open_session
from lull.backends.ollama.chat import OllamaChat
from lull.core.chat.messages import Completion, Finish, Role, Sampling, text_message
from lull.core.chat.ports import ChatModel
from lull.core.errors import EngineError, LullError, RequestError, UpstreamDown
from lull.core.models.engine import GenerateRequest
from tests.doubles.fake_chat_model import FakeChatModel
from tests.doubles.fake_engine import FakeEngine
from tests.doubles.scripted_endpoint import ScriptedEndpoint, hangs
from tests.eventually import until
from tests.service.scripted_upstream import PATIENCE_S

MESSAGES = (
    text_message(Role.SYSTEM, "answer in words"),
    text_message(Role.USER, "the cat sat on the mat, and what did the hat do then?"),
)


@dataclass(frozen=True)
class Case:
    model: ChatModel
    hang: Callable[[], None]
    """Makes the model answer nothing from now on."""
    was_asked: Callable[[], bool]
    was_left: Callable[[], Awaitable[bool]]
    stop: Callable[[], None]


@pytest_asyncio.fixture(params=["fake", "ollama", "openai", "engine"])
async def case(request: pytest.FixtureRequest) -> AsyncIterator[Case]:
    if request.param == "fake":
        yield _fake()
    elif request.param == "engine":
        yield _engine()
    else:
        with ScriptedEndpoint() as endpoint:
            if request.param == "ollama":
                model = OllamaChat(endpoint.address, "scripted", timeout_s=PATIENCE_S)
                yield _scripted(endpoint, model)
                await model.close()
                return
            async with open_session() as session:
                asking = OpenAIChat(
                    endpoint.address, "scripted", session=session, timeout_s=PATIENCE_S
                )
                yield _scripted(endpoint, asking)


def _fake() -> Case:
    model = FakeChatModel()

    async def left() -> bool:
        return model.hangups == 1

    def hang() -> None:
        model.hanging = True

    def stop() -> None:
        model.failure = UpstreamDown("It is gone.", hint="Start it.")

    return Case(model, hang, lambda: bool(model.asked), left, stop)


def _engine() -> Case:
    waiting: list[GenerateRequest] = []
    engine = _HangingEngine(waiting)

    async def left() -> bool:
        return engine.hangups == 1

    def hang() -> None:
        engine.hanging = True

    model = EngineChat(engine, "pocket", timeout_s=PATIENCE_S)
    return Case(model, hang, lambda: bool(engine.requests), left, engine.knock_down)


class _HangingEngine(FakeEngine):
    def __init__(self, waiting: list[GenerateRequest]) -> None:
        super().__init__()
        self.hanging = False

    async def generate(self, request: GenerateRequest):  # type: ignore[no-untyped-def]
        async for chunk in super().generate(request):
            if self.hanging:
                try:
                    await asyncio.Event().wait()
                finally:
                    self.hangups += 1
            yield chunk


def _scripted(endpoint: ScriptedEndpoint, model: ChatModel) -> Case:
    async def left() -> bool:
        return await asyncio.to_thread(endpoint.heard_hang_up)

    return Case(
        model,
        lambda: endpoint.answers(hangs),
        lambda: bool(endpoint.chats),
        left,
        endpoint.stop,
    )


async def ask(model: ChatModel, *, adapter: str | None = None, **sampling: object) -> Completion:
    wanted = Sampling(**sampling)  # type: ignore[arg-type]
    return await model.chat(MESSAGES, sampling=wanted, adapter=adapter)


async def test_one_whole_answer_of_the_assistant_with_its_counts(case: Case) -> None:
    answer = await ask(case.model, temperature=0.0)
    assert answer.message.role is Role.ASSISTANT
    assert MESSAGES[-1].text in answer.message.text
    assert (answer.finish, answer.complete, answer.error) == (Finish.STOP, True, "")
    assert answer.usage.prompt_tokens and answer.usage.completion_tokens


async def test_a_seed_repeats_itself_and_another_one_does_not(case: Case) -> None:
    said = [(await ask(case.model, seed=seed)).message.text for seed in (7, 7, 8)]
    assert said[0] == said[1] != said[2]


async def test_an_answer_is_cut_at_its_length(case: Case) -> None:
    answer = await ask(case.model, temperature=0.0, max_tokens=2)
    assert answer.finish is Finish.LENGTH
    assert answer.usage.completion_tokens == 2
    assert len(answer.message.text.split()) == 2


async def test_cancelling_stops_the_model(case: Case) -> None:
    case.hang()
    asking = asyncio.create_task(ask(case.model))
    await until(case.was_asked)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert await case.was_left()


async def test_an_adapter_that_is_not_there_is_refused(case: Case) -> None:
    with pytest.raises(RequestError) as caught:
        await ask(case.model, adapter="v9")
    assert caught.value.status == 400


async def test_who_is_gone_is_down_in_words(case: Case) -> None:
    case.stop()
    with pytest.raises(LullError) as caught:
        await ask(case.model)
    assert isinstance(caught.value, UpstreamDown | EngineError)
    assert caught.value.detail and caught.value.hint
