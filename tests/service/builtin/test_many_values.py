"""Tests of requests with very many JSON values for a model of Lull's own engine: refused before the
service parses them, which would hold up its other clients.
"""

from __future__ import annotations

import json

import pytest

from lull.core.chat.messages import MOST_VALUES, ChatRequest, Outline, Role, text_message
from lull.service.builtin.model import EngineModels
from lull.service.builtin.routes import AnsweredByEngine, ServedModel
from lull.service.proxy.long.child import FEW_VALUES, many_values
from tests.doubles.fake_engine import FakeEngine
from tests.doubles.fakes import FakeClock
from tests.running import Lull
from tests.service.builtin.scripted import pocket


def _asks(**more: object) -> dict[str, object]:
    said = [{"role": "user", "content": "write a menu for apple"}]
    return {"model": "pocket", "stream": False, "messages": said, **more}


@pytest.mark.slow
@pytest.mark.parametrize(
    "where",
    [
        lambda many: {"extra": many},
        lambda many: {"options": many},
        lambda many: many,
    ],
    ids=["unknown field", "options", "top level"],
)
def test_they_are_refused_in_one_line(lull: Lull, where: object) -> None:
    service = lull.serve()
    many = {f"k{number}": 1 for number in range(MOST_VALUES + 1)}
    told = service.post("/api/chat", _asks(**where(many)))  # type: ignore[operator]
    assert told.status == 400
    assert told.json == {"error": "a request of so many values is not read"}
    assert service.post("/api/chat", _asks()).status == 200


def test_values_are_counted_outside_of_texts() -> None:
    texts = [r"a, b \", c, d \\", "," * 7]
    body = json.dumps({"texts": texts * FEW_VALUES}).encode()
    assert many_values(body) == 2 * FEW_VALUES - 1
    assert many_values(json.dumps({"text": ", " * FEW_VALUES}).encode()) == 0
    assert many_values(json.dumps([1] * FEW_VALUES).encode()) == 0


@pytest.mark.parametrize(("values", "by_lull"), [(MOST_VALUES, True), (MOST_VALUES + 1, False)])
def test_what_ollama_can_answer_goes_to_ollama(values: int, by_lull: bool) -> None:
    outline = Outline(
        plain=2, others=0, pieces=1, images=0, opaque=0, links=("link",), values=values
    )
    chat = ChatRequest(
        model="pocket",
        messages=(text_message(Role.USER, "hi"),),
        stream=False,
        outline=outline,
    )
    for how, answers in ((AnsweredByEngine.WHAT_IT_CAN, by_lull), (AnsweredByEngine.ALL, True)):
        models = EngineModels(clock=FakeClock())
        models.publish(ServedModel(model=pocket(), engine=FakeEngine(), answers=how))
        assert models.answers(chat) is answers
