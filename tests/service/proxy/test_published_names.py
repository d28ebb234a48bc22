"""Tests of a model's public name in front of a published version: each is put for the other."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from multidict import CIMultiDict

from lull.core.adapters.adapter import BASE, Arm, Shadow
from lull.core.adapters.model_facts import ModelFacts
from lull.core.adapters.published import PublishedStatus, PublishedVersion
from lull.service.proxy.forward import ProxyAnswer
from lull.service.proxy.published_names import (
    PublishedNames,
    replace_in_stream,
    with_model_name,
    with_requested_name,
)

OLD, NEW = b'"model":"tiny-lull-v1"', b'"model":"Tiny:latest"'
FACTS = ModelFacts(digest="base", window_tokens=100, system="", template_sha256="")
VERSION = PublishedVersion(
    model="tiny:latest",
    number=1,
    name="tiny-lull-v1",
    adapter="aa",
    base="bb",
    status=PublishedStatus.READY,
    at=datetime(2026, 1, 1, tzinfo=UTC),
)


async def pieces(*data: bytes) -> AsyncIterator[bytes]:
    for one in data:
        yield one


async def collected(*data: bytes) -> list[bytes]:
    return [one async for one in replace_in_stream(pieces(*data), OLD, NEW)]


STREAM = b'{"model":"tiny-lull-v1","response":"a"}\n{"model":"tiny-lull-v1","done":true}\n'


@pytest.mark.parametrize("size", [1, 2, 3, 7, 20, 22, 23, 40, 200])
async def test_the_name_is_changed_wherever_a_stream_is_cut(size: int) -> None:
    cut = [STREAM[at : at + size] for at in range(0, len(STREAM), size)]
    assert b"".join(await collected(*cut)) == STREAM.replace(OLD, NEW)


async def test_nothing_is_held_back_that_cannot_be_the_name() -> None:
    lines = [b'{"model":"tiny-lull-v1","response":"a"}\n', b"data: {}\n\n"]
    assert await collected(*lines) == [line.replace(OLD, NEW) for line in lines]
    assert (await collected(b"say mod", b"ern"))[0] == b"say mod"


async def test_what_a_model_says_about_the_name_stays() -> None:
    said = json.dumps({"response": 'it is {"model":"tiny-lull-v1"}'}, separators=(",", ":"))
    assert b"".join(await collected(said.encode())) == said.encode()


async def test_a_whole_answer_has_its_new_length() -> None:
    body = b'{"model":"tiny-lull-v1","response":"a"}'
    headers = CIMultiDict({"Content-Length": str(len(body))})
    answer = await with_requested_name(
        ProxyAnswer(200, headers, pieces(body)), "tiny-lull-v1", "Tiny:latest"
    )
    said = b"".join([one async for one in answer.chunks])
    assert json.loads(said)["model"] == "Tiny:latest"
    assert answer.headers["Content-Length"] == str(len(said))


async def test_an_errors_words_name_what_was_asked_for() -> None:
    body = b'{"error":"\\"tiny-lull-v1\\" does not support tools"}'
    answer = await with_requested_name(
        ProxyAnswer(400, CIMultiDict(), pieces(body)), "tiny-lull-v1", "tiny"
    )
    said = json.loads(b"".join([one async for one in answer.chunks]))
    assert said["error"] == '"tiny" does not support tools'


def test_only_the_name_of_a_request_is_changed() -> None:
    body = b'{ "messages": [{"role":"user","content":"\\u00e4 model"}],  "model" : "Tiny" }'
    changed = with_model_name(body, "tiny-lull-v1")
    assert changed == body.replace(b'"Tiny"', b'"tiny-lull-v1"')


@pytest.mark.parametrize("body", [b"[]", b"{}", b"", b'{"model": 3}', b'{"model": "a"', b"\xff"])
def test_a_request_without_a_name_is_left_to_ollama(body: bytes) -> None:
    assert with_model_name(body, "x") is None


def test_every_spelling_that_ollama_reads_is_changed() -> None:
    assert json.loads(with_model_name(b'{"Model": "a", "model": "b"}', "x") or b"") == {
        "Model": "x",
        "model": "x",
    }


@pytest.fixture
def names() -> PublishedNames:
    made = PublishedNames()
    made.set_versions([VERSION])
    return made


def test_without_a_route_nothing_changes(names: PublishedNames) -> None:
    assert names.with_adapter("tiny", FACTS) is FACTS


def test_the_stamp_says_what_is_in_force(names: PublishedNames) -> None:
    names.route("tiny", Arm(version="aa", learned=frozenset({"s"})), None)
    found = names.with_adapter("TINY:latest", FACTS)
    assert found == replace(FACTS, adapter="aa", learned=frozenset({"s"}))
    assert names.version("Tiny", "aa") == VERSION
    assert names.version("Tiny", None) is None
    assert names.version("other", "aa") is None


async def test_facts_that_come_later_say_it_too(names: PublishedNames) -> None:
    names.route("tiny", Arm(version="aa"), None)

    async def later() -> ModelFacts:
        await asyncio.sleep(0)
        return FACTS

    found = names.with_adapter("tiny", later())
    assert not isinstance(found, ModelFacts)
    assert (await found).adapter == "aa"


def test_what_is_not_in_ollama_is_not_stamped(names: PublishedNames) -> None:
    shadow = Shadow(id="adapter_2", arm=Arm(version="cc"), share=0.5)
    names.route("tiny", Arm(version="dd"), shadow)
    assert names.with_adapter("tiny", FACTS) == FACTS
    names.route("tiny", BASE, replace(shadow, arm=Arm(version="aa")))
    found = names.with_adapter("tiny", FACTS)
    assert isinstance(found, ModelFacts)
    assert found.shadow is not None


@pytest.mark.logs("is not in Ollama any more")
def test_a_lost_version_answers_no_longer(names: PublishedNames) -> None:
    names.route("tiny", Arm(version="aa"), None)
    names.mark_gone(VERSION)
    names.mark_gone(VERSION)
    assert names.with_adapter("tiny", FACTS) == FACTS


def test_versions_that_are_not_ready_do_not_answer() -> None:
    made = PublishedNames()
    made.set_versions(replace(VERSION, status=one) for one in PublishedStatus if one != "ready")
    assert made.version("tiny", "aa") is None
