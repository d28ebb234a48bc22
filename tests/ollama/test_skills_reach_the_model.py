"""Tests that a skill in force reaches the model through every API, beside its other prompt text."""

from __future__ import annotations

from typing import Any

import pytest

from lull.core.skills.prompt_block import skills_block
from tests.eventually import eventually
from tests.ollama.conftest import SYSTEM, RealOllama
from tests.service.lulls import Before
from tests.service.wire import Reply

pytestmark = pytest.mark.slow

BLOCK = skills_block(["Answer in one word."])
USER = {"role": "user", "content": "list apple"}
FEW = {"options": {"num_predict": 2}}


def turn(role: str, text: str) -> str:
    return f"<|im_start|>{role}\n{text}<|im_end|>\n"


def rendered(lull: Before, path: str, **body: Any) -> str:
    """Return the prompt that the model would read, as Ollama renders it."""
    asked = {"model": "pocket-gguf", "stream": False, "_debug_render_only": True, **body}
    reply = lull.ask("POST", path, asked)
    assert reply.status == 200, reply
    prompt: str = reply.json["_debug_info"]["rendered_template"]
    return prompt


ASKED = turn("user", "list apple") + "<|im_start|>assistant\n"


@pytest.mark.parametrize(
    ("model", "messages", "prompt"),
    [
        ("pocket-gguf", [USER], turn("system", BLOCK) + ASKED),
        ("pocket-system", [USER], turn("system", f"{SYSTEM}\n\n{BLOCK}") + ASKED),
        ("pocket-bare", [USER], turn("system", BLOCK) + ASKED),
        (
            "pocket-system",
            [{"role": "system", "content": "Be kind."}, USER],
            turn("system", f"Be kind.\n\n{BLOCK}") + ASKED,
        ),
        (
            "pocket-system",
            [USER, {"role": "system", "content": "LATE"}, USER],
            turn("system", SYSTEM)
            + turn("user", "list apple")
            + turn("system", f"LATE\n\n{BLOCK}")
            + ASKED,
        ),
    ],
    ids=["none", "the model's own", "no template", "the client's", "late"],
)
def test_a_chat_is_rendered_with_the_skill(
    skilled: Before, model: str, messages: list[Any], prompt: str
) -> None:
    assert rendered(skilled, "/api/chat", model=model, messages=messages) == prompt


def test_keys_in_another_case_reach_the_model_like_any(skilled: Before) -> None:
    said = {"Model": "pocket-gguf", "Messages": [{"ROLE": "user", "Content": "list apple"}]}
    reply = skilled.ask("POST", "/api/chat", {**said, "Stream": False, "_Debug_Render_Only": True})
    assert reply.json["_debug_info"]["rendered_template"] == turn("system", BLOCK) + ASKED


def test_a_key_in_two_cases_is_the_models_server_s_to_judge(skilled: Before) -> None:
    """Tests a key in two spellings: Ollama reads the last one, Lull passes both on unchanged."""
    said = {"model": "pocket-gguf", "messages": [], "Messages": [USER], "stream": False}
    reply = skilled.ask("POST", "/api/chat", {**said, "_debug_render_only": True})
    assert reply.json["_debug_info"]["rendered_template"] == ASKED


def test_without_skills_the_same_chat_is_rendered_without(before: Before) -> None:
    prompt = rendered(before, "/api/chat", model="pocket-system", messages=[USER])
    assert prompt == turn("system", SYSTEM) + ASKED


@pytest.mark.parametrize(
    ("more", "prompt"),
    [
        ({}, turn("system", BLOCK) + ASKED),
        ({"system": "Be kind."}, turn("system", f"Be kind.\n\n{BLOCK}") + ASKED),
        ({"system": ""}, turn("system", BLOCK) + ASKED),
        ({"model": "pocket-system"}, turn("system", f"{SYSTEM}\n\n{BLOCK}") + ASKED),
        ({"template": "{{ .System }}|{{ .Prompt }}"}, f"{BLOCK}|list apple"),
    ],
    ids=["none", "the client's", "empty", "the model's own", "a template of its own"],
)
def test_a_prompt_is_rendered_with_the_skill(
    skilled: Before, more: dict[str, Any], prompt: str
) -> None:
    assert rendered(skilled, "/api/generate", **{"prompt": "list apple", **more}) == prompt


def test_a_raw_prompt_stays_raw(skilled: Before, before: Before) -> None:
    asked = {"model": "pocket-gguf", "prompt": "list apple", "raw": True, "stream": False, **FEW}
    counts = [lull.ask("POST", "/api/generate", asked).json for lull in (skilled, before)]
    assert counts[0]["prompt_eval_count"] == counts[1]["prompt_eval_count"]


def _native(reply: Reply) -> int:
    return int(reply.json["prompt_eval_count"])


def _openai(reply: Reply) -> int:
    return int(reply.json["usage"]["prompt_tokens"])


def _input(reply: Reply) -> int:
    return int(reply.json["usage"]["input_tokens"])


V1 = {"model": "pocket-gguf", "temperature": 0, "max_tokens": 2}
ITEM = {"role": "user", "content": [{"type": "input_text", "text": "list apple"}]}
MORE = pytest.mark.full  # the same dialect once more
PARTS = {"role": "user", "content": [{"type": "text", "text": "list apple"}]}


@pytest.mark.parametrize(
    ("path", "body", "tokens"),
    [
        (
            "/api/chat",
            {"model": "pocket-gguf", "messages": [USER], "stream": False, **FEW},
            _native,
        ),
        ("/v1/chat/completions", {**V1, "messages": [USER]}, _openai),
        pytest.param("/v1/chat/completions", {**V1, "messages": [PARTS]}, _openai, marks=MORE),
        ("/v1/completions", {**V1, "prompt": "list apple"}, _openai),
        ("/v1/responses", {**V1, "input": "list apple", "max_output_tokens": 2}, _input),
        pytest.param(
            "/v1/responses",
            {**V1, "input": [ITEM], "instructions": "I", "max_output_tokens": 2},
            _input,
            marks=MORE,
        ),
        pytest.param("/v1/messages", {**V1, "messages": [USER]}, _input, marks=MORE),
        ("/v1/messages", {**V1, "messages": [PARTS], "system": "S"}, _input),
        pytest.param(
            "/v1/messages",
            {**V1, "messages": [USER], "system": [{"type": "text", "text": "S"}]},
            _input,
            marks=MORE,
        ),
    ],
    ids=lambda value: getattr(value, "__name__", None) or str(value),
)
def test_in_every_dialect_the_model_reads_more(
    skilled: Before, before: Before, path: str, body: dict[str, Any], tokens: Any
) -> None:
    with_skill, without = (tokens(lull.ask("POST", path, body)) for lull in (skilled, before))
    assert with_skill > without + 5


def test_tools_go_through_beside_a_skill(skilled: Before) -> None:
    function = {"name": "find_it", "description": "d", "parameters": {"type": "object"}}
    tools = [{"type": "function", "function": function}]
    prompt = rendered(skilled, "/api/chat", model="pocket-tools", messages=[USER], tools=tools)
    assert "find_it" in prompt
    assert BLOCK in prompt


def test_the_turn_tells_which_skill_was_in_it(skilled: Before) -> None:
    count = len(skilled.turns())
    body = {"model": "pocket-gguf", "messages": [USER], "stream": False, **FEW}
    assert skilled.ask("POST", "/api/chat", body).status == 200
    (row,) = skilled.new_turns(count)
    assert "brief" in row["skills"]
    assert row["prompt_tokens"] > 20


def test_a_model_made_through_lull_is_met_with_its_own_system(
    skilled: Before, ollama: RealOllama
) -> None:
    made = {"model": "made-here", "from": "pocket-gguf", "system": "First.", "stream": False}
    assert skilled.ask("POST", "/api/create", made).status == 200

    def is_rendered(system: str) -> bool:
        prompt = rendered(skilled, "/api/chat", model="made-here", messages=[USER])
        return prompt == turn("system", f"{system}\n\n{BLOCK}") + ASKED

    eventually(lambda: is_rendered("First."))
    assert skilled.ask("POST", "/api/create", {**made, "system": "Second."}).status == 200
    eventually(lambda: is_rendered("Second."))
    assert skilled.ask("DELETE", "/api/delete", {"model": "made-here"}).status == 200
