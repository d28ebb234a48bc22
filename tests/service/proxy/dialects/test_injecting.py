"""Tests of where a text is put into a request, and that nothing else of the request changes."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lull.core.chat.messages import Role
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
    body,
    system,
    user,
)

BLOCK = Injection(system="BLOCK", model_system="OWN")


def injected(dialect: Any, injection: Injection = BLOCK, **fields: Any) -> Any:
    sent = body(**fields)
    assert dialect.injectable(sent)
    return json.loads(dialect.inject(sent, injection))


@pytest.mark.parametrize("dialect", [CHAT, OPENAI])
def test_a_system_message_grows_where_it_stands(dialect: Any) -> None:
    grown = system("S\n\nBLOCK")
    assert injected(dialect, messages=[system(), user()])["messages"] == [grown, user()]
    late = injected(dialect, messages=[user(), system(), system("T")])
    assert late["messages"] == [user(), grown, system("T")]


@pytest.mark.parametrize("dialect", [CHAT, OPENAI])
def test_without_one_it_comes_first_with_the_models_own(dialect: Any) -> None:
    found = injected(dialect, messages=[user()])["messages"]
    assert found == [system("OWN\n\nBLOCK"), user()]


def test_a_developer_message_is_a_system_message() -> None:
    developer = {"role": "developer", "content": "S"}
    found = injected(OPENAI, messages=[developer, user()])["messages"]
    assert found == [developer | {"content": "S\n\nBLOCK"}, user()]


def test_a_list_of_parts_stays_a_list() -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b", "x": 1}, {"type": "y"}]
    (found, _) = injected(OPENAI, messages=[system(parts), user()])["messages"]
    assert found["content"] == [
        {"type": "text", "text": "a"},
        {"type": "text", "text": "b\n\nBLOCK", "x": 1},
        {"type": "y"},
    ]


@pytest.mark.parametrize("content", [None, ""])
def test_an_empty_system_message_becomes_the_block(content: Any) -> None:
    (found, _) = injected(CHAT, messages=[system(content), user()])["messages"]
    assert found == system("BLOCK")


ABSENT = object()


@pytest.mark.parametrize(
    ("sent", "found"),
    [(ABSENT, "OWN\n\nBLOCK"), (None, "OWN\n\nBLOCK"), ("", "OWN\n\nBLOCK"), ("S", "S\n\nBLOCK")],
)
@pytest.mark.parametrize("route", ["/api/generate", "/v1/responses", "/v1/messages"])
def test_a_system_text_beside_the_messages(route: str, sent: Any, found: str) -> None:
    key = "instructions" if route == "/v1/responses" else "system"
    fields = {"prompt": "p", "input": "i", "messages": [user()], "max_tokens": 5}
    if sent is not ABSENT:
        fields[key] = sent
    assert injected(CHAT_ROUTES[route], **fields)[key] == found


def test_anthropic_blocks_keep_their_cache_marks() -> None:
    marked = {"type": "text", "text": "S", "cache_control": {"type": "ephemeral"}}
    found = injected(ANTHROPIC, max_tokens=5, messages=[user()], system=[{"type": "z"}, marked])
    assert found["system"] == [{"type": "z"}, marked | {"text": "S\n\nBLOCK"}]
    empty = injected(ANTHROPIC, max_tokens=5, messages=[user()], system=[])
    assert empty["system"] == [{"type": "text", "text": "OWN\n\nBLOCK"}]


def test_a_system_item_among_responses_items_takes_the_block() -> None:
    item = {"type": "message", "role": "developer", "content": "S"}
    found = injected(RESPONSES, input=[item, user()])
    assert found["input"][0]["content"] == "S\n\nBLOCK"
    assert "instructions" not in found


def test_a_plain_completion_gets_the_block_in_front() -> None:
    assert injected(COMPLETIONS, prompt="p")["prompt"] == "BLOCK\n\np"


@pytest.mark.parametrize(
    ("dialect", "fields"),
    [
        (CHAT, {"messages": []}),
        (CHAT, {}),
        (GENERATE, {}),
        (GENERATE, {"prompt": "p", "raw": True}),
        (GENERATE, {"prompt": "p", "suffix": "s"}),
        (COMPLETIONS, {"prompt": ["p"]}),
        (COMPLETIONS, {"prompt": "p", "suffix": "s"}),
        (RESPONSES, {"input": []}),
        (ANTHROPIC, {"messages": []}),
    ],
)
def test_where_no_text_may_be_added(dialect: Any, fields: Any) -> None:
    assert not dialect.injectable(body(**fields))


def test_rubbish_is_never_injectable(subtests: pytest.Subtests) -> None:
    for route, data in product(CHAT_ROUTES, [b"", b"{", b"[]", b"[" * 99_999, b"\xff"]):
        with subtests.test(route=route, data=data):
            dialect = CHAT_ROUTES[route]
            assert not dialect.injectable(data)
            with pytest.raises(RequestError):
                dialect.read_request(data)
            with pytest.raises(ValueError):
                dialect.inject(data, BLOCK)


# Suffixes


@pytest.mark.parametrize(
    ("dialect", "index", "fields", "place"),
    [
        (CHAT, 1, {"messages": [system(), user()]}, ("messages", 1, "content")),
        (OPENAI, 0, {"messages": [user()]}, ("messages", 0, "content")),
        (GENERATE, 0, {"prompt": "hi"}, ("prompt",)),
        (GENERATE, 1, {"prompt": "hi", "system": "S"}, ("prompt",)),
        (RESPONSES, 0, {"input": "hi"}, ("input",)),
        (RESPONSES, 2, {"input": [user(), user()], "instructions": "S"}, ("input", 1, "content")),
        (ANTHROPIC, 1, {"messages": [user()], "system": "S"}, ("messages", 0, "content")),
        (ANTHROPIC, 0, {"messages": [user()], "system": []}, ("messages", 0, "content")),
    ],
)
def test_a_suffix_goes_behind_its_user_message(
    dialect: Any, index: int, fields: Any, place: tuple[Any, ...]
) -> None:
    sent = body(max_tokens=5, **fields)
    assert dialect.read_request(sent).messages[index].role is Role.USER
    found = json.loads(dialect.inject(sent, Injection(system="", suffixes=((index, "NEW"),))))
    for step in place:
        found = found[step]
    assert found == "hi\n\nNEW"
    with pytest.raises(ValueError, match="no user message"):
        dialect.inject(sent, Injection(system="", suffixes=((9, "NEW"),)))
    found = json.loads(dialect.inject(sent, Injection(system="", prefixes=((index, "NEW"),))))
    for step in place:
        found = found[step]
    assert found == "NEW\n\nhi"
    with pytest.raises(ValueError, match="no user message"):
        dialect.inject(sent, Injection(system="", prefixes=((9, "NEW"),)))


def test_a_prefix_goes_into_the_first_text_part_or_a_new_one() -> None:
    image = {"type": "image_url", "image_url": {"url": "http://x/y.png"}}
    two = [image, {"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    prefix = Injection(system="", prefixes=((0, "NEW"),))
    found = injected(OPENAI, prefix, messages=[user(two)])["messages"][0]["content"]
    assert found == [image, {"type": "text", "text": "NEW\n\na"}, two[2]]
    found = injected(OPENAI, prefix, messages=[user([image])])["messages"][0]["content"]
    assert found == [{"type": "text", "text": "NEW"}, image]
    both = Injection(system="", prefixes=((0, "NEW"),), suffixes=((0, "OLD"),))
    found = injected(OPENAI, both, messages=[user()])["messages"][0]["content"]
    assert found == "NEW\n\nhi\n\nOLD"


def test_a_suffix_goes_into_the_last_text_part_or_a_new_one() -> None:
    image = {"type": "image_url", "image_url": {"url": "http://x/y.png"}}
    two = [{"type": "text", "text": "a"}, image]
    suffix = Injection(system="", suffixes=((0, "NEW"),))
    found = injected(OPENAI, suffix, messages=[user(two)])["messages"][0]["content"]
    assert found == [{"type": "text", "text": "a\n\nNEW"}, image]
    found = injected(OPENAI, suffix, messages=[user([image])])["messages"][0]["content"]
    assert found == [image, {"type": "text", "text": "NEW"}]


SOMETHING = st.text() | st.integers() | st.none() | st.lists(st.integers())


@pytest.mark.slow
@given(
    st.sampled_from(sorted(CHAT_ROUTES)),
    st.dictionaries(st.text(), SOMETHING),
    st.text(min_size=1).filter(lambda text: text.isprintable()),
    st.sampled_from([None, 1]),
)
def test_only_the_one_text_grows(
    route: str, extra: dict[str, Any], block: str, indent: int | None
) -> None:
    fields = extra | {"model": "m", "prompt": "p", "input": "i", "max_tokens": 5, "raw": False}
    fields |= {"system": "S", "instructions": "S", "messages": [system(), user()], "suffix": ""}
    original = json.dumps(fields, indent=indent, ensure_ascii=False).encode("utf-8", "replace")
    edited = CHAT_ROUTES[route].inject(original, Injection(system=block))
    grown = len(edited) - len(original)
    at = next(i for i, (a, b) in enumerate(zip(original, edited, strict=False)) if a != b)
    assert edited[at + grown :] == original[at:]
