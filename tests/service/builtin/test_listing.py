"""Tests of model listings: when Lull adds its built-in model to those of the upstream."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from lull.service.proxy.data_plane import MOST_LISTING_BYTES
from tests.eventually import eventually
from tests.service.lulls import SETTINGS, Before, lull_before
from tests.service.routes import CHATS, asking
from tests.service.scripted_upstream import Asked, ScriptedUpstream

LISTED = SETTINGS + "[models]\nlist_pocket = true\n"
THEIRS = b'{"object":"list","data":[{"id":"any:latest","object":"model","x": 1.0}]}\n'


@pytest.fixture(scope="module")
def _listing(
    _upstream: ScriptedUpstream, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Before]:
    home = tmp_path_factory.mktemp("listing") / "home"
    with lull_before(_upstream.address, home, LISTED) as made:
        yield made


def test_the_chat_model_can_be_listed_without_the_toy(
    upstream: ScriptedUpstream, tmp_path: Path
) -> None:
    text = SETTINGS + "[models]\nlist_built_in = true\n"
    with lull_before(upstream.address, tmp_path / "home", text) as lull:
        assert names(lull) == ["any:latest", "far:latest", "lull-mini:latest"]


@pytest.fixture
def listing(_listing: Before, upstream: ScriptedUpstream) -> Before:
    """Lull that lists its own model among the upstream's."""
    return _listing


def names(lull: Before) -> list[str]:
    return [model["name"] for model in lull.ask("GET", "/api/tags").json["models"]]


def test_with_models_of_its_own_the_upstream_lists_alone(
    plain: Before, upstream: ScriptedUpstream
) -> None:
    assert names(plain) == ["any:latest", "far:latest"]
    upstream.script = lambda asked: asked.answer(200, THEIRS)
    assert plain.ask("GET", "/v1/models").body == THEIRS


def test_the_setting_lists_it_behind_the_others(
    listing: Before, upstream: ScriptedUpstream
) -> None:
    assert names(listing) == ["any:latest", "far:latest", "lull-mini:latest", "pocket:latest"]
    upstream.script = lambda asked: asked.answer(200, THEIRS)
    reply = listing.ask("GET", "/v1/models")
    assert reply.body.startswith(THEIRS[:-3])
    assert [model["id"] for model in reply.json["data"]] == [
        "any:latest",
        "lull-mini:latest",
        "pocket:latest",
    ]
    assert reply.header("Content-Length") == str(len(reply.body))
    assert listing.ask("HEAD", "/api/tags").status == 200


@pytest.mark.parametrize(
    ("status", "body"),
    [
        *((200, b"not JSON"), (200, b'{"data":{}}'), (200, b""), (500, b'{"data":[]}')),
        (200, b'{"data":[]}' + b" " * MOST_LISTING_BYTES),
    ],
    ids=["text", "object", "empty", "error", "too long"],
)
def test_a_listing_that_is_none_stays_as_it_is(
    listing: Before, upstream: ScriptedUpstream, status: int, body: bytes
) -> None:
    upstream.script = lambda asked: asked.answer(status, body)
    reply = listing.ask("GET", "/v1/models")
    assert (reply.status, reply.body) == (status, body)


@pytest.mark.slow
@pytest.mark.parametrize("models", [[], None])
def test_before_an_empty_upstream_it_is_all_there_is(
    tmp_path_factory: pytest.TempPathFactory, models: list[object] | None
) -> None:
    with ScriptedUpstream() as upstream:
        upstream.models = models  # type: ignore[assignment]
        empty = json.dumps({"object": "list", "data": models}).encode()
        upstream.script = lambda asked: asked.answer(200, empty)
        with lull_before(upstream.address, tmp_path_factory.mktemp("empty") / "home") as lull:
            assert names(lull) == ["lull-mini:latest"]
            data = lull.ask("GET", "/v1/models").json["data"]
            assert [model["id"] for model in data] == ["lull-mini:latest"]
            upstream.models = [{"name": "any:latest", "digest": "d"}]
            eventually(lambda: names(lull) == ["any:latest"])


@pytest.mark.slow
def test_it_is_shown_and_answers_before_an_upstream_that_does_not_know_it(
    plain: Before, upstream: ScriptedUpstream
) -> None:
    upstream.script = _forbidden
    for name in ("pocket", "POCKET:latest"):
        shown = plain.ask("POST", "/api/show", {"model": name}).json
        assert shown["details"]["format"] == "safetensors"
    assert plain.ask("GET", "/v1/models/pocket").json["id"] == "pocket"
    for path in CHATS:
        limit = {"options": {"num_predict": 2}} if path.startswith("/api/") else {"max_tokens": 2}
        limit |= {"max_output_tokens": 2}
        reply = plain.ask("POST", path, asking(path, model="pocket", stream=False, **limit))
        assert (path, reply.status) == (path, 200)
    assert not [asked.path for asked in upstream.asked if asked.path in CHATS]


def _forbidden(asked: Asked) -> None:
    asked.answer(500, {"error": f"{asked.path} was not for me"})


def test_what_is_loaded_is_the_upstreams_to_say(plain: Before) -> None:
    assert plain.ask("GET", "/api/ps").json == {"models": []}


@pytest.mark.full
@pytest.mark.slow
def test_alone_it_is_listed_and_shown_as_loaded(alone: Before) -> None:
    body = asking("/api/chat", model="pocket", stream=False, options={"num_predict": 2})
    assert alone.ask("POST", "/api/chat", body).status == 200
    assert names(alone) == ["lull-mini:latest"]  # the toy is on no list, but it is loaded
    (running,) = alone.ask("GET", "/api/ps").json["models"]
    assert running["name"] == "pocket:latest"
    assert running["context_length"] > 0
