"""Tests that a skill goes into the one place its dialect has for it, and all other bytes stay.

In each body « marks where the upstream must find something new.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
import zstandard

from lull.core.skills.prompt_block import skills_block
from tests.service.conftest import OWN_SYSTEM, SKILL
from tests.service.lulls import Before
from tests.service.scripted_upstream import ScriptedUpstream

BLOCK = json.dumps(skills_block([SKILL]))[1:-1]
OWN = json.dumps(f"{OWN_SYSTEM}\n\n")[1:-1] + BLOCK
"""The model's own system text goes in front of the skill where the client sent none."""
BEHIND = f"\\n\\n{BLOCK}"
FIRST = f'{{"role": "system", "content": "{OWN}"}}, '

NATIVE = "/api/chat"
GENERATE = "/api/generate"
OPENAI = "/v1/chat/completions"
COMPLETE = "/v1/completions"
RESPOND = "/v1/responses"
ANTHROPIC = "/v1/messages"

PLACES = [
    (
        NATIVE,
        '{"model":"any","messages": [« {"role":"user","content":"h\\u00e9"}],"x":1.0e2}',
        FIRST,
    ),
    (
        NATIVE,
        '{"messages":[{"role":"system","content":"Be \\u0041«"},{"role":"user","content":"x"}],'
        '"model":"any"}\n',
        BEHIND,
    ),
    (
        NATIVE,
        '{"model":"any","messages":[{"role":"user","content":"a"},{"content":"late«","role":"system"}'
        ',{"role":"user","content":"b"}]}',
        BEHIND,
    ),
    (
        NATIVE,
        '{"model":"any","messages":[{"role":"system","content":"S«"},{"role":"user","content":"a"},'
        '{"role":"system","content":"second"},{"role":"user","content":"b"}]}',
        BEHIND,
    ),
    (
        NATIVE,
        '{"model":"any","model":"any","tools":[{"type":"function","function":{"name":"f"}}],'
        '"messages":[«{"role":"user","content":"x","images":["aGk="]}],"options":{"num_ctx":4096}}',
        FIRST,
    ),
    (GENERATE, '{«"model":"any","prompt":"x" , "stream":false}', f'"system": "{OWN}", '),
    (GENERATE, '{"system":"S«","prompt":"x","model":"any"}', BEHIND),
    (GENERATE, '{"system":"«","prompt":"x","model":"any"}', OWN),
    (
        OPENAI,
        '{"model":"any","messages":[«{"role":"user","content":[{"type":"text","text":"x"}]}]}',
        FIRST,
    ),
    (
        OPENAI,
        '{"model":"any","messages":[{"role":"developer","content":[{"type":"text","text":"D«"}]},'
        '{"role":"user","content":"x"}],"temperature":0.10}',
        BEHIND,
    ),
    (COMPLETE, '{"model":"any","prompt":"«x"}', f"{BLOCK}\\n\\n"),
    (RESPOND, '{«"model":"any","input":"x"}', f'"instructions": "{OWN}", '),
    (RESPOND, '{"model":"any","instructions":"I«","input":"x"}', BEHIND),
    (
        RESPOND,
        '{"model":"any","input":[{"role":"system","content":[{"type":"input_text","text":"S«"}]},'
        '{"type":"message","role":"user","content":[{"type":"input_text","text":"x"}]}]}',
        BEHIND,
    ),
    (
        ANTHROPIC,
        '{«"model":"any","max_tokens":9,"messages":[{"role":"user","content":"x"}]}',
        f'"system": "{OWN}", ',
    ),
    (
        ANTHROPIC,
        '{"model":"any","max_tokens":9,"system":"S«","messages":[{"role":"user","content":"x"}]}',
        BEHIND,
    ),
    (
        ANTHROPIC,
        '{"model":"any","max_tokens":9,"system":[{"type":"text","text":"S«","cache_control":'
        '{"type":"ephemeral"}}],"messages":[{"role":"user","content":"x"}]}',
        BEHIND,
    ),
]

UNTOUCHED = [
    (GENERATE, '{"model":"any","prompt":"x","raw":true}'),
    (GENERATE, '{"model":"any","prompt":"x","suffix":"y"}'),
    (GENERATE, '{"model":"any","prompt":""}'),
    (GENERATE, '{"model":"any"}'),
    (NATIVE, '{"model":"any","messages":[]}'),
    (NATIVE, '{"model":"any"}'),
    (COMPLETE, '{"model":"any","prompt":"x","suffix":"y"}'),
    (RESPOND, '{"model":"any"}'),
    (NATIVE, '{"model":"far","messages":[{"role":"user","content":"x"}]}'),
    (NATIVE, '{"model":"any:cloud","messages":[{"role":"user","content":"x"}]}'),
    (NATIVE, '{"model":"any","messages":[{"role":"user","content":["parts"]}]}'),
    (NATIVE, '{"model":"any","messages":{"role":"user"}}'),
    (NATIVE, '["any"]'),
    (ANTHROPIC, '{"model":"any","messages":[{"role":"user","content":"x"}]}'),
]


@pytest.mark.parametrize(("path", "marked", "new"), PLACES, ids=range(len(PLACES)))
def test_a_skill_is_spliced_in_and_nothing_else_moves(
    skilled: Before, upstream: ScriptedUpstream, path: str, marked: str, new: str
) -> None:
    upstream.script = lambda asked: asked.answer()
    skilled.ask("POST", path, marked.replace("«", "").encode())
    asked = upstream.last(path)
    assert asked.body.decode() == marked.replace("«", new)
    assert asked.header("Content-Length") == str(len(asked.body))


@pytest.mark.parametrize(("path", "body"), UNTOUCHED, ids=range(len(UNTOUCHED)))
def test_where_no_skill_belongs_every_byte_stays(
    skilled: Before, upstream: ScriptedUpstream, path: str, body: str
) -> None:
    upstream.script = lambda asked: asked.answer()
    skilled.ask("POST", path, body.encode())
    assert upstream.last(path).body.decode() == body


def test_a_packed_body_with_a_skill_in_it_goes_on_unpacked(
    skilled: Before, upstream: ScriptedUpstream
) -> None:
    upstream.script = lambda asked: asked.answer()
    packed = zstandard.ZstdCompressor().compress(b'{"model":"any","input":"x"}')
    skilled.ask("POST", RESPOND, packed, {"Content-Encoding": "zstd"})
    asked = upstream.last(RESPOND)
    assert asked.json == {
        "instructions": f"{OWN_SYSTEM}\n\n{skills_block([SKILL])}",
        "model": "any",
        "input": "x",
    }
    assert asked.header("Content-Encoding") is None


def test_the_prefix_is_the_same_in_each_turn_of_a_conversation(
    skilled: Before, upstream: ScriptedUpstream
) -> None:
    def chat(*messages: dict[str, Any]) -> bytes:
        body = {"model": "any", "stream": False, "messages": list(messages)}
        skilled.ask("POST", NATIVE, json.dumps(body, separators=(",", ":")).encode())
        return upstream.last(NATIVE).body.removesuffix(b"]}")

    first = {"role": "user", "content": "tell me"}
    answer = {"role": "assistant", "content": "well said"}
    one = chat(first)
    two = chat(first, answer, {"role": "user", "content": "more"})
    assert two.startswith(one)


def test_a_name_in_other_letters_is_the_same_model(
    skilled: Before, upstream: ScriptedUpstream
) -> None:
    upstream.script = lambda asked: asked.answer()
    body = {"model": "ANY:Latest", "messages": [{"role": "user", "content": "x"}]}
    skilled.ask("POST", NATIVE, body)
    assert upstream.last(NATIVE).json["model"] == "ANY:Latest"
    assert skills_block([SKILL]) in upstream.last(NATIVE).json["messages"][0]["content"]
