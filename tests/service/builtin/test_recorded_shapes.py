"""Tests that the built-in model's answers have the same fields in the same order as Ollama's."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lull.core.chat.messages import Finish
from lull.service.builtin.model import EngineModels, ServedModel
from lull.service.proxy.dialects import CHAT_ROUTES
from lull.service.proxy.forward import ProxyAnswer
from tests.paths import HANDOUT
from tests.service.builtin.scripted import ScriptedEngine, StoppedClock, pocket
from tests.service.builtin.shapes import KEPT_HEADERS, SHAPES, dumped, shapes_of

RECORDED: dict[str, dict[str, Any]] = json.loads(SHAPES.read_text(encoding="utf-8"))
RECORDINGS = HANDOUT / "data" / "ollama-wire" / "0.24.0"
LISTINGS = ("model_info", "tensors")
SAME_WORDS = [
    case
    for case, facts in RECORDED.items()
    if facts["status"] >= 400 and not case.startswith("wrong-method")
]


async def ask(case: str) -> ProxyAnswer:
    facts = RECORDED[case]
    cut = '"length"' in dumped(facts) or "length" in case
    engine = ScriptedEngine(finish=Finish.LENGTH if cut else Finish.STOP)
    models = EngineModels(clock=StoppedClock())
    models.publish(ServedModel(model=pocket("bare" if "bare" in case else "pocket"), engine=engine))
    body = (facts["request"] or "").encode()
    dialect = CHAT_ROUTES.get(facts["path"])
    if dialect is not None and facts["method"] == "POST":
        return await models.answer(dialect, body)
    answer = await models.answer_non_chat(facts["method"], facts["path"], body, alone=True)
    assert answer is not None
    return answer


async def text_of(answer: ProxyAnswer) -> str:
    return b"".join([chunk async for chunk in answer.chunks]).decode()


@pytest.mark.parametrize("case", RECORDED)
async def test_an_answer_has_the_recorded_fields(case: str) -> None:
    facts = RECORDED[case]
    answer = await ask(case)
    assert answer.status == facts["status"]
    ours = {key: answer.headers[key] for key in KEPT_HEADERS if key in answer.headers}
    theirs = dict(facts["headers"])
    if answer.status >= 400:  # who noticed decides whether Ollama names the character set
        ours["Content-Type"] = ours["Content-Type"].partition(";")[0]
        theirs["Content-Type"] = theirs["Content-Type"].partition(";")[0]
    assert ours == theirs
    shapes = shapes_of(await text_of(answer))
    assert list(map(dumped, map(outline, shapes))) == list(
        map(dumped, map(outline, facts["shapes"]))
    )


def outline(entry: Any) -> Any:
    """Return a shape with `model_info` and `tensors` emptied: they differ from model to model."""
    if isinstance(entry, dict) and "model_info" in entry:
        return {key: None if key in LISTINGS else inner for key, inner in entry.items()}
    return entry


@pytest.mark.parametrize("case", SAME_WORDS)
async def test_a_refusal_says_what_a_real_server_says(case: str) -> None:
    path = RECORDINGS / f"{case}.json"
    if not path.is_file():
        pytest.skip("the recordings are not here")
    record = json.loads(path.read_text(encoding="utf-8"))
    theirs = json.loads("".join(chunk["text"] for chunk in record["response"]["body_chunks"]))
    ours = json.loads(await text_of(await ask(case)))
    for said in (ours, theirs):
        said.pop("request_id", None)
    assert ours == theirs
