"""Tests of a missing upstream: each dialect gets an error of its own that says how to start one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.eventually import eventually
from tests.service.lulls import Before, lull_before
from tests.service.routes import CHATS, asking, error_words
from tests.service.scripted_upstream import ScriptedUpstream


@pytest.fixture(scope="module")
def gone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Before]:
    """Lull whose upstream was there and went away."""
    with (
        ScriptedUpstream() as upstream,
        lull_before(upstream.address, tmp_path_factory.mktemp("gone") / "home") as made,
    ):
        upstream.stop()
        eventually(lambda: not made.control("GET", "/v1/status")["upstream"]["ok"])
        yield made


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("path", CHATS)
def test_a_chat_with_an_upstream_that_went_away_is_a_503(
    gone: Before, path: str, stream: bool
) -> None:
    before = len(gone.turns())
    reply = gone.ask("POST", path, asking(path, stream=stream))
    assert (reply.status, reply.header("Content-Type")) == (503, "application/json")
    assert "Start it with `ollama serve`" in error_words(path, reply.json)
    assert len(gone.turns()) == before


@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", "/api/pull"), ("POST", "/api/create"), ("GET", "/nothing")],
)
def test_what_only_an_ollama_can_do_is_a_503_too(gone: Before, method: str, path: str) -> None:
    reply = gone.ask(method, path)
    assert reply.status == 503
    assert "ollama serve" in error_words(path, reply.json)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/api/show"),
        ("POST", "/api/embed"),
        ("POST", "/v1/embeddings"),
        ("GET", "/v1/models/llama"),
    ],
)
def test_a_model_that_cannot_be_asked_about_is_not_called_unknown(
    gone: Before, method: str, path: str
) -> None:
    reply = gone.ask(method, path, {"model": "llama", "input": "hi"} if method == "POST" else None)
    assert reply.status == 503
    assert "ollama serve" in error_words(path, reply.json)


@pytest.mark.parametrize(("path", "key"), [("/api/tags", "models"), ("/v1/models", "data")])
def test_the_listings_name_the_built_in_model_that_is_left(
    gone: Before, path: str, key: str
) -> None:
    reply = gone.ask("GET", path)
    assert reply.status == 200
    assert len(reply.json[key]) == 1
    assert "lull-mini" in str(reply.json[key])


def test_a_head_request_gets_no_body(gone: Before) -> None:
    assert gone.ask("HEAD", "/api/tags").body == b""
    reply = gone.ask("HEAD", "/nothing")
    assert (reply.status, reply.body) == (503, b"")


@pytest.mark.full
@pytest.mark.slow
def test_the_built_in_model_goes_on(gone: Before) -> None:
    body = asking("/api/chat", model="pocket", stream=False, options={"num_predict": 4})
    assert gone.ask("POST", "/api/chat", body).status == 200


@pytest.mark.parametrize("path", CHATS)
def test_an_unknown_model_without_any_upstream_is_a_404(alone: Before, path: str) -> None:
    reply = alone.ask("POST", path, asking(path, model="llama3.2"))
    assert reply.status == 404
    words = error_words(path, reply.json)
    assert "model 'llama3.2' not found" in words
    assert "ollama serve" in words


@pytest.mark.parametrize("path", ["/api/pull", "/api/create", "/api/push", "/api/copy"])
def test_what_only_an_ollama_can_do_says_so(alone: Before, path: str) -> None:
    reply = alone.ask("POST", path, {"model": "x"})
    assert (reply.status, "ollama serve" in reply.json["error"]) == (503, True)


@pytest.mark.slow
def test_an_upstream_that_comes_later_is_used(tmp_path_factory: pytest.TempPathFactory) -> None:
    with ScriptedUpstream() as upstream:
        upstream.stop()
        home = tmp_path_factory.mktemp("later") / "home"
        # Probed once a minute: it is found because somebody asked for its model.
        settings = "[upstream]\nprobe_every_s = 60.0\n"
        with lull_before(upstream.address, home, settings) as lull:
            body = asking("/api/chat", stream=False)
            assert lull.ask("POST", "/api/chat", body).status == 404
            upstream.restart()
            eventually(lambda: lull.ask("POST", "/api/chat", body).status == 200)
        upstream.stop()
