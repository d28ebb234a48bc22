"""Tests of Lull switched off, when chat apps still reach Ollama, and of listing failed chats."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.eventually import eventually
from tests.service.conftest import SKILL
from tests.service.lulls import Before
from tests.service.routes import CHATS, asking
from tests.service.scripted_upstream import ScriptedUpstream, last_line

pytestmark = pytest.mark.slow


@contextmanager
def off(lull: Before) -> Iterator[None]:
    lull.control("POST", "/v1/settings", {"key": "service.enabled", "value": "false"})
    try:
        yield
    finally:
        lull.control("POST", "/v1/settings", {"key": "service.enabled", "value": "true"})


def test_off_a_chat_reaches_ollama_as_it_came_and_is_not_recorded(
    skilled: Before, upstream: ScriptedUpstream
) -> None:
    upstream.script = lambda asked: asked.answer(200, last_line())
    before = len(skilled.turns())
    body = b' {"model":"any", "messages":[{"role":"user","content":"off\\u00e9"}]}'
    with off(skilled):
        assert skilled.ask("POST", "/api/chat", body).status == 200
        assert upstream.last("/api/chat").body == body
        assert len(skilled.turns()) == before
    skilled.ask("POST", "/api/chat", body)
    assert SKILL.encode() in upstream.last("/api/chat").body
    skilled.new_turns(before)


@pytest.mark.parametrize("path", CHATS)
def test_off_every_dialect_and_client_is_passed_on(
    skilled: Before, upstream: ScriptedUpstream, path: str
) -> None:
    upstream.script = lambda asked: asked.answer(200, last_line())
    body = json.dumps(asking(path)).encode()
    with off(skilled):
        assert skilled.ask("POST", f"/c/work{path}", body).status == 200
    assert upstream.last(path).body == body


def test_off_the_built_in_model_is_not_lent_to_ollama(
    plain: Before, upstream: ScriptedUpstream
) -> None:
    upstream.script = lambda asked: asked.answer(404, b'{"error":"model \'pocket\' not found"}')
    with off(plain):
        assert plain.ask("POST", "/api/chat", asking("/api/chat", model="pocket")).status == 404
    assert upstream.count("/api/chat") == 1


def test_off_nothing_is_learned_and_the_status_says_so(plain: Before) -> None:
    with off(plain):
        eventually(lambda: plain.control("GET", "/v1/status")["learning"]["state"] == "off")
        assert plain.control("GET", "/v1/status")["enabled"] is False
        assert "Lull is off" in plain.lull.run("status").out
    assert plain.control("GET", "/v1/status")["enabled"] is True


def test_a_request_that_asks_for_no_record_leaves_none(
    skilled: Before, upstream: ScriptedUpstream
) -> None:
    before = len(skilled.turns())
    headers = {"X-Lull-Record": "no"}
    assert skilled.ask("POST", "/api/chat", asking("/api/chat"), headers).status == 200
    asked = upstream.last("/api/chat")
    assert SKILL.encode() in asked.body
    assert "x-lull-record" not in asked.names
    assert len(skilled.turns()) == before


def test_a_chat_that_failed_is_listed_with_its_reason(
    plain: Before, upstream: ScriptedUpstream
) -> None:
    upstream.script = lambda asked: asked.answer(400, b'{"error":"the input is too long"}')
    body = asking("/api/chat", messages=[{"role": "user", "content": "a private sentence"}])
    assert plain.ask("POST", "/c/work/api/chat", body).status == 400
    newest = plain.control("GET", "/v1/status")["failed"][0]
    assert (newest["client"], newest["path"]) == ("/c/work", "/api/chat")
    assert (newest["status"], newest["why"]) == (400, "the input is too long")
    assert "/api/chat was answered with 400" in plain.log()
    assert "a private sentence" not in plain.log()


@pytest.mark.parametrize("around", ["", "no-such-model-", "a/b_c:"])
def test_a_secret_in_the_reason_of_a_failed_chat_is_blacked_out(
    plain: Before, upstream: ScriptedUpstream, around: str
) -> None:
    key = "sk-proj-Zq8vT2mKp4Xw7Lr9Nc3Hb6Jd1Fs5Gy0A"
    error = json.dumps({"error": f"model '{around}{key}' not found"}).encode()
    upstream.script = lambda asked: asked.answer(404, error)
    assert plain.ask("POST", "/api/chat", asking("/api/chat")).status == 404
    newest = plain.control("GET", "/v1/status")["failed"][0]
    assert newest["why"].startswith("model ") and key[8:20] not in newest["why"]


@pytest.mark.parametrize("said", [b"[" * 4000, b'{"error":"' + b"_" * 4000 + b'"}', b"\xff" * 100])
def test_any_error_of_the_upstream_is_passed_on_as_it_is(
    plain: Before, upstream: ScriptedUpstream, said: bytes
) -> None:
    upstream.script = lambda asked: asked.answer(500, said)
    reply = plain.ask("POST", "/api/chat", asking("/api/chat"))
    assert (reply.status, reply.body) == (500, said)
    assert plain.control("GET", "/v1/status")["failed"][0]["status"] == 500


def test_a_prompt_longer_than_the_built_in_window_is_listed(plain: Before) -> None:
    long = [{"role": "user", "content": "apple " * 5000}]
    asked = asking("/api/chat", model="pocket", messages=long, stream=False)
    answer = plain.ask("POST", "/api/chat", asked)
    assert answer.status == 400
    newest = plain.control("GET", "/v1/status")["failed"][0]
    assert newest["status"] == 400
    assert newest["why"]
