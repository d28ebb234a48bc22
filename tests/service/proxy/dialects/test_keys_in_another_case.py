"""Tests of JSON keys in another case and of very long numbers: read as Go reads them, or refused.

That Ollama 0.24.0 takes the keys of its structs in any case, and of its options in none but their
own, is measured in tests/ollama.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from lull.core.errors import RequestError
from lull.core.skills.prompt_block import Injection
from lull.service.proxy.dialects import CHAT_ROUTES
from tests.service.proxy.dialects.small_requests import (
    ANTHROPIC,
    CHAT,
    COMPLETIONS,
    GENERATE,
    OPENAI,
    RESPONSES,
    user,
)

BLOCK = Injection(system="BLOCK", model_system="OWN")
ENDLESS = "9" * 5000


def sent(**fields: Any) -> bytes:
    return json.dumps(fields, ensure_ascii=False).encode()


@pytest.mark.parametrize("messages", ["Messages", "MESSAGES", "me\u017f\u017fages"])
def test_a_native_chat_is_read_and_grown_in_any_case(messages: str) -> None:
    said = {"Role": "user", "CONTENT": "hi"}
    body = sent(Model="m", Stream=False, **{messages: [said]}, OPTIONS={"num_ctx": 512})
    asked = CHAT.read_request(body)
    assert (asked.model, asked.stream, asked.window_tokens) == ("m", False, 512)
    assert asked.newest_user_text == "hi"
    assert CHAT.injectable(body)
    grown = json.loads(CHAT.inject(body, BLOCK))
    assert grown[messages] == [{"role": "system", "content": "OWN\n\nBLOCK"}, said]
    assert "messages" not in grown


def test_a_native_system_text_is_grown_in_any_case() -> None:
    body = sent(Model="m", PROMPT="hi", System="S")
    assert GENERATE.injectable(body)
    assert json.loads(GENERATE.inject(body, BLOCK))["System"] == "S\n\nBLOCK"
    grown = json.loads(GENERATE.inject(sent(model="m", prompt="hi", System=None), BLOCK))
    assert grown == {"model": "m", "prompt": "hi", "System": "OWN\n\nBLOCK"}
    assert not GENERATE.injectable(sent(model="m", prompt="hi", Raw=True))
    assert GENERATE.read_engine_options(sent(model="m", prompt="hi", RAW=True)).raw


def test_an_option_in_another_case_is_none_of_ours() -> None:
    body = sent(model="m", messages=[user()], options={"NUM_PREDICT": 3, "Temperature": "hot"})
    assert CHAT.read_request(body).sampling.max_tokens is None


@pytest.mark.parametrize(
    "twice",
    [
        {"messages": [user()], "Messages": []},
        {"messages": [user()], "stream": False, "Stream": True},
        {"messages": [{"role": "user", "content": "a", "Content": "b"}]},
        {"Messages": [user()], "MESSAGES": []},
    ],
)
def test_two_spellings_of_one_key_are_not_read(twice: dict[str, Any]) -> None:
    with pytest.raises(RequestError, match=r"is spelled .*; write '.*' once"):
        CHAT.read_request(sent(model="m", **twice))


@pytest.mark.parametrize(
    ("dialect", "fields"),
    [
        (OPENAI, {"Model": "m", "messages": [user()]}),
        (OPENAI, {"model": "m", "messages": [{"role": "user", "Content": "hi"}]}),
        (OPENAI, {"model": "m", "messages": [user()], "Stream": True}),
        (COMPLETIONS, {"model": "m", "Prompt": "hi"}),
        (RESPONSES, {"model": "m", "INPUT": "hi"}),
        (RESPONSES, {"model": "m", "input": "hi", "Instructions": "S"}),
        (ANTHROPIC, {"model": "m", "Max_Tokens": 5, "messages": [user()]}),
        (ANTHROPIC, {"model": "m", "max_tokens": 5, "messages": [user()], "System": "S"}),
    ],
)
def test_the_other_dialects_do_not_read_around_them(dialect: Any, fields: dict[str, Any]) -> None:
    with pytest.raises(RequestError, match="is spelled") as caught:
        dialect.read_request(sent(**fields))
    assert caught.value.status == 400


@pytest.mark.parametrize("dialect", CHAT_ROUTES.values(), ids=CHAT_ROUTES)
def test_unknown_keys_may_have_any_case(dialect: Any) -> None:
    said: dict[str, Any] = {"messages": [user()], "prompt": "hi", "input": "hi", "max_tokens": 5}
    body = sent(model="m", **said, promptCacheKey=1, PromptCacheKey=2, **{"": 3, "ſ": 4})
    assert dialect.read_request(body).model == "m"


@pytest.mark.parametrize("dialect", CHAT_ROUTES.values(), ids=CHAT_ROUTES)
def test_a_number_without_end_is_passed_over_where_nobody_reads_it(dialect: Any) -> None:
    said: dict[str, Any] = {"messages": [user()], "prompt": "hi", "input": "hi", "max_tokens": 5}
    body = sent(model="m", **said)[:-1] + f', "x": {ENDLESS}, "y": [-{ENDLESS}]}}'.encode()
    assert dialect.read_request(body).newest_user_text == "hi"


@pytest.mark.parametrize(
    ("dialect", "key"),
    [
        (CHAT, "options"),
        (CHAT, "stream"),
        (CHAT, "model"),
        (GENERATE, "prompt"),
        (OPENAI, "max_tokens"),
        (OPENAI, "temperature"),
        (RESPONSES, "max_output_tokens"),
        (ANTHROPIC, "max_tokens"),
        (ANTHROPIC, "top_p"),
    ],
)
def test_a_number_without_end_is_refused_in_gos_words(dialect: Any, key: str) -> None:
    fields = {"model": "m", "messages": [user()], "prompt": "hi", "input": "hi", "max_tokens": 5}
    text = json.dumps({**fields, key: "N"}).replace('"N"', ENDLESS)
    with pytest.raises(RequestError, match="json: cannot unmarshal number") as caught:
        dialect.read_request(text.encode())
    assert caught.value.status == 400 and len(caught.value.detail) < 200


@pytest.mark.parametrize("option", ["num_predict", "seed", "temperature", "num_ctx"])
def test_an_option_without_end_is_refused_too(option: str) -> None:
    text = f'{{"model": "m", "messages": [], "options": {{"{option}": {ENDLESS}}}}}'
    with pytest.raises(RequestError, match="json: cannot unmarshal number"):
        CHAT.read_request(text.encode())
