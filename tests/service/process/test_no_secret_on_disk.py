"""Tests that hardly any secret sent through a real service is in any file of its home.

Secrets of every kind in the exam are sent, each in one field of one protocol; the log is at debug
level. Secrets and requests are drawn anew in each run; a failure names the seed.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from lull.contract.json_object import Json
from tests.building import bytes_below
from tests.eventually import eventually
from tests.running import Lull, RunningLull
from tests.secret_corpus.shapes import Made, lines, make, place, read
from tests.service.scripted_upstream import DONE, Asked, ScriptedUpstream

pytestmark = pytest.mark.full

SHORTEST = 10
"""Least length of a secret: a shorter one is found in a database by chance."""
LONG = "words " * 60_000
"""A text that is long enough for the reader of long bodies."""
PLAIN = "write a menu for apple"


@dataclass(frozen=True, slots=True)
class Wire:
    """One request, and the upstream's answer to it."""

    path: str
    body: Json = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    said: str = "well said"
    status: int = 200


Field = Callable[[str], Wire]


def user(text: Any, *more: Json) -> Json:
    return {"messages": [{"role": "user", "content": text}, *more]}


def call(arguments: Any) -> Json:
    return {"role": "assistant", "content": "", "tool_calls": [function(arguments)]}


def function(arguments: Any) -> Json:
    said = {"name": "write", "arguments": arguments}
    return {"id": "call_1", "type": "function", "function": said}


def tool(text: str) -> Json:
    schema = {"type": "object", "properties": {"a": {"type": "string", "default": text}}}
    return {
        "type": "function",
        "function": {"name": "write", "description": text, "parameters": schema},
    }


CHAT, GENERATE, OPENAI = "/api/chat", "/api/generate", "/v1/chat/completions"
COMPLETIONS, RESPONSES, ANTHROPIC = "/v1/completions", "/v1/responses", "/v1/messages"
ASK = user(PLAIN)
FIELDS: dict[str, Field] = {
    "user": lambda t: Wire(CHAT, user(t)),
    "system": lambda t: Wire(
        CHAT, {"messages": [{"role": "system", "content": t}, *ASK["messages"]]}
    ),
    "assistant": lambda t: Wire(
        CHAT, user("hi", {"role": "assistant", "content": t}, *ASK["messages"])
    ),
    "thinking": lambda t: Wire(
        CHAT, user("hi", {"role": "assistant", "content": "ho", "thinking": t}, *ASK["messages"])
    ),
    "tool result": lambda t: Wire(CHAT, user("hi", call({"a": 1}), {"role": "tool", "content": t})),
    "arguments": lambda t: Wire(CHAT, user("hi", call({"a": {"b": [t]}}), *ASK["messages"])),
    "tools": lambda t: Wire(CHAT, {**ASK, "tools": [tool(t)]}),
    "stop": lambda t: Wire(CHAT, {**ASK, "options": {"stop": ["END", t]}}),
    "format": lambda t: Wire(CHAT, {**ASK, "format": {"type": "object", "title": t}}),
    "model": lambda t: Wire(CHAT, {**ASK, "model": f"any:{t}"}),
    "answer": lambda t: Wire(CHAT, ASK, said=t),
    "error": lambda t: Wire(CHAT, ASK, said=t, status=500),
    "long": lambda t: Wire(CHAT, user(f"{LONG} {t} {LONG}")),
    "prompt": lambda t: Wire(GENERATE, {"prompt": t}),
    "generate system": lambda t: Wire(GENERATE, {"prompt": PLAIN, "system": t}),
    "suffix": lambda t: Wire(GENERATE, {"prompt": PLAIN, "suffix": t}),
    "openai parts": lambda t: Wire(OPENAI, user([{"type": "text", "text": t}])),
    "developer": lambda t: Wire(
        OPENAI, {"messages": [{"role": "developer", "content": t}, *ASK["messages"]]}
    ),
    "openai arguments": lambda t: Wire(
        OPENAI, user("hi", call(json.dumps({"a": json.dumps({"b": t})})), *ASK["messages"])
    ),
    "openai stop": lambda t: Wire(OPENAI, {**ASK, "stop": [t]}),
    "openai user": lambda t: Wire(OPENAI, {**ASK, "user": t, "metadata": {"a": t}}),
    "openai format": lambda t: Wire(
        OPENAI,
        {
            **ASK,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "a", "schema": {"title": t}},
            },
        },
    ),
    "completions": lambda t: Wire(COMPLETIONS, {"prompt": t, "stop": [t]}),
    "responses": lambda t: Wire(RESPONSES, {"input": PLAIN, "instructions": t}),
    "responses input": lambda t: Wire(
        RESPONSES, {"input": [{"role": "user", "content": [{"type": "input_text", "text": t}]}]}
    ),
    "anthropic system": lambda t: Wire(
        ANTHROPIC, {**ASK, "max_tokens": 4, "system": [{"type": "text", "text": t}]}
    ),
    "anthropic tool": lambda t: Wire(
        ANTHROPIC,
        {
            "max_tokens": 4,
            "messages": [
                {"role": "user", "content": "hi"},
                {
                    "role": "assistant",
                    "content": [
                        {"type": "tool_use", "id": "t1", "name": "write", "input": {"a": t}}
                    ],
                },
                {
                    "role": "user",
                    "content": [{"type": "tool_result", "tool_use_id": "t1", "content": t}],
                },
            ],
        },
    ),
    "anthropic stop": lambda t: Wire(
        ANTHROPIC, {**ASK, "max_tokens": 4, "stop_sequences": [t], "metadata": {"user_id": t}}
    ),
    "session": lambda t: Wire(CHAT, ASK, {"X-Lull-Session": t}),
    "user agent": lambda t: Wire(CHAT, ASK, {"User-Agent": t}),
    "authorization": lambda t: Wire(CHAT, ASK, {"Authorization": f"Bearer {t}"}),
}
OF_ONE_LINE = frozenset({"session", "user agent", "authorization", "model"})


class Echo(ScriptedUpstream):
    """A fake upstream that gives the answer it is told to, in each protocol."""

    def __init__(self) -> None:
        super().__init__()
        self.now = Wire("")
        self.script = self._answers

    def _answers(self, asked: Asked) -> None:
        said = self.now.said
        if self.now.status != 200:
            asked.answer(self.now.status, {"error": f"cannot load it: {said}"})
            return
        message = {"role": "assistant", "content": said}
        blocks = [{"type": "text", "text": said}]
        asked.answer(
            200,
            {
                CHAT: {**DONE, "message": message},
                GENERATE: {**DONE, "response": said},
                OPENAI: {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]},
                COMPLETIONS: {"choices": [{"index": 0, "text": said, "finish_reason": "stop"}]},
                RESPONSES: {
                    "status": "completed",
                    "output": [
                        {
                            "type": "message",
                            "role": "assistant",
                            "content": [{"type": "output_text", "text": said}],
                        }
                    ],
                },
                ANTHROPIC: {
                    "type": "message",
                    "role": "assistant",
                    "content": blocks,
                    "stop_reason": "end_turn",
                },
            }[asked.path.partition("?")[0]],
        )


@pytest.fixture
def echo() -> Iterator[Echo]:
    with Echo() as made:
        yield made


def ask(running: RunningLull, echo: Echo, wire: Wire) -> None:
    echo.now = wire
    body = {"model": "any", "stream": False, **wire.body}
    headers = {name: value for name, value in wire.headers.items() if value.isascii()}
    assert running.post(wire.path, body, headers).status in (200, wire.status)


def forms(secret: str) -> set[bytes]:
    """Return the bytes as which the secret, or half of it, would lie in a file."""
    half = len(secret) // 2 + 1
    pieces = {secret, secret[:half], secret[-half:]} if half >= SHORTEST else {secret}
    pieces |= {json.dumps(piece)[1:-1] for piece in pieces}
    pieces |= {json.dumps(piece)[1:-1] for piece in pieces}
    return {piece.encode(code) for piece in pieces for code in ("utf-8", "utf-16-le")}


@pytest.mark.parametrize("rounds", [1, pytest.param(8, marks=pytest.mark.soak)])
def test_hardly_a_secret_of_the_exam_reaches_the_disk(lull: Lull, echo: Echo, rounds: int) -> None:
    chance = random.Random(5)
    lull.upstream = echo.address
    lull.home.mkdir()
    (lull.home / "settings.toml").write_text('[log]\nlevel = "debug"\n')
    running = lull.serve()
    eventually(lambda: lull.ask("status")["upstream"]["ok"])
    around, said = lines("exam_places.txt"), []
    for _ in range(rounds):
        names = sorted(FIELDS)
        for number, (kind, template) in enumerate(read("exam_kinds.txt")):
            made = make(kind, template, chance)
            name = names[number % len(names)]
            if len(made.secret) < SHORTEST:
                continue
            whole = place(chance.choice(around), made.text)
            text = made.text.replace("\n", " ") if name in OF_ONE_LINE else whole
            ask(running, echo, FIELDS[name](text))
            said.append(Made(f"{kind} in {name}", text, made.secret))
        names = chance.sample(names, len(names))
    asked = len(said)
    eventually(lambda: lull.ask("status")["turns"] >= asked // 2)
    assert lull.run("conversations", "--json").code == 0
    running.stop()
    files = [(str(path.relative_to(lull.home)), data) for path, data in bytes_below(lull.home)]
    assert any(PLAIN.encode() in data for _, data in files)  # what is no secret is there
    leaks = Counter[str]()
    for one in said:
        if held := [
            name for name, data in files if any(form in data for form in forms(one.secret))
        ]:
            leaks[f"{one.kind}: {held} {one.text[:200]!r}"] += 1
    assert 1 - leaks.total() / asked >= 0.98, leaks
