"""Tests that what Lull need not change passes unchanged in both directions, as soon as it comes."""

from __future__ import annotations

import gzip
import threading

import pytest

from tests.service.lulls import Before
from tests.service.scripted_upstream import Asked, ScriptedUpstream, last_line, line
from tests.service.wire import PATIENCE_S, connected, written

ODD = b' {"model" :"any","messages":[ {"role":"user","content":"h\\u00e9\\/ 1.50"}],"x":1.0e2 }\n'


@pytest.mark.parametrize("path", ["/api/chat", "/v1/chat/completions", "/api/embed", "/nothing"])
def test_a_body_is_passed_on_byte_for_byte(
    plain: Before, upstream: ScriptedUpstream, path: str
) -> None:
    plain.ask("POST", path, ODD)
    assert upstream.last(path).body == ODD


def test_headers_are_passed_on_and_none_is_added(plain: Before, upstream: ScriptedUpstream) -> None:
    sent = {
        "Authorization": "Bearer the client's own",
        "User-Agent": "curl/8",
        "X-Odd": "kept  as is",
        "Accept": "*/*",
        "Connection": "keep-alive, X-Hop",
        "X-Hop": "dropped",
        "TE": "trailers",
        "X-Lull-Token": "ours",
        "X-Lull-Session": "ours",
    }
    plain.ask("GET", "/some/path", headers=sent)
    asked = upstream.last("/some/path")
    kept = ("Authorization", "User-Agent", "X-Odd", "Accept")
    assert {name: asked.header(name) for name in kept} == {name: sent[name] for name in kept}
    assert sorted(asked.names) == sorted(["host", *map(str.lower, kept)])
    assert asked.header("Host") == upstream.address.removeprefix("http://")


LATIN = b"caf\xe9 \xff".decode("utf-8", "surrogateescape")


def test_header_bytes_that_are_no_utf8_go_on_as_they_came(
    plain: Before, upstream: ScriptedUpstream
) -> None:
    heard: list[bytes] = []

    def script(asked: Asked) -> None:
        heard.append(asked.head)
        asked.send(b"HTTP/1.1 200 S\xe9\r\nX-Name: caf\xe9 \xff\r\nX-Fine: \xc3\xa9\r\n")
        asked.send(b"Content-Length: 2\r\n\r\n{}")

    upstream.script = script
    request = written(plain.address, "GET", "/odd", None, {"X-Said": LATIN, "Connection": "close"})
    with connected(plain.address) as connection:
        connection.sendall(request)
        answer = connection.makefile("rb").read()
    assert answer.startswith(b"HTTP/1.1 200 S\xe9\r\n")
    assert b"X-Name: caf\xe9 \xff\r\nX-Fine: \xc3\xa9\r\n" in answer
    assert b"X-Said: caf\xe9 \xff" in heard[0].split(b"\r\n")


@pytest.mark.parametrize(
    "path",
    ["//double", "/tail/", "/a?x=1&y=%20+", "/%C3%A9%2F%ff", "/a/./b/../c", "/a;b=c", "/~'()*!$"],
)
def test_paths_are_passed_on_as_typed(plain: Before, upstream: ScriptedUpstream, path: str) -> None:
    upstream.script = lambda asked: asked.answer()
    plain.ask("GET", path)
    assert [asked.path for asked in upstream.asked if asked.path not in _PROBED] == [path]


@pytest.mark.parametrize(
    ("target", "path"),
    [
        ("http://other.test/some/path?q", "/some/path?q"),
        ("HTTP://other.test/", "/"),
        ("http://other.test", "/"),
        ("@other.test/x", "/@other.test/x"),
        (":1@other.test/x", "/:1@other.test/x"),
    ],
)
def test_no_target_leads_anywhere_but_to_the_upstream(
    plain: Before, upstream: ScriptedUpstream, target: str, path: str
) -> None:
    upstream.script = lambda asked: asked.answer()
    reply = plain.ask("GET", target)
    assert [asked.path for asked in upstream.asked if asked.path not in _PROBED] in ([path], [])
    assert reply.status in (200, 400, 404)


_PROBED = ("/api/tags", "/api/version", "/api/ps", "/api/show")


@pytest.mark.parametrize("name", ["http://127.0.0.1:PORT", "http://localhost:3000"])
def test_an_own_page_stays_of_the_same_site(
    plain: Before, upstream: ScriptedUpstream, name: str
) -> None:
    origin = name.replace("http://127.0.0.1:PORT", plain.address)
    plain.ask("GET", "/some/path", headers={"Origin": origin})
    passed = upstream.last("/some/path").header("Origin")
    assert passed == (None if origin == plain.address else origin)


def test_answers_come_back_with_their_own_headers(
    plain: Before, upstream: ScriptedUpstream
) -> None:
    packed = gzip.compress(b"hello")
    said = {
        "Content-Encoding": "gzip",
        "Set-Cookie": "a=b",
        "X-Odd": "1",
        "Date": "Sat, 21 Nov 2026 00:00:00 GMT",
        "Location": "http://other.test/",
    }
    upstream.script = lambda asked: asked.answer(302, packed, said)
    reply = plain.ask("GET", "/some/path")
    assert (reply.status, reply.reason, reply.body) == (302, "Said", packed)
    length = {"Content-Length": str(len(packed))}
    kind = {"Content-Type": "application/json; charset=utf-8"}
    assert dict(reply.headers) == {**said, **length, **kind}


@pytest.mark.parametrize("body", [b"", b"hello", b"x" * 300_000])
@pytest.mark.parametrize("path", ["/api/chat", "/some/path"])
def test_an_answer_reads_the_same_in_one_packet_and_in_two(
    plain: Before, upstream: ScriptedUpstream, path: str, body: bytes
) -> None:
    said = [("Set-Cookie", "a=b"), ("X-Odd", "1"), ("Set-Cookie", "c=d"), ("Date", "then")]
    said.append(("Content-Length", str(len(body))))
    top = "\r\n".join(["HTTP/1.1 200 Fine", *(f"{k}: {v}" for k, v in said), "", ""]).encode()

    def in_two(asked: Asked) -> None:
        asked.send(top)
        heard.wait(PATIENCE_S)
        asked.send(body)

    upstream.script = lambda asked: asked.send(top + body)
    whole = plain.ask("POST", path, ODD)
    heard, upstream.script = threading.Event(), in_two
    with plain.calling("POST", path, ODD) as call:
        call.begin()
        heard.set()
        assert call.read() == whole
    assert (whole.status, whole.reason, whole.body) == (200, "Fine", body)
    assert sorted(whole.headers) == sorted(said)


@pytest.mark.parametrize("status", [204, 304])
def test_answers_without_a_body_stay_without(
    plain: Before, upstream: ScriptedUpstream, status: int
) -> None:
    upstream.script = lambda asked: asked.send(b"HTTP/1.1 %d X\r\nX-A: 1\r\n\r\n" % status)
    reply = plain.ask("GET", "/some/path")
    assert (reply.status, reply.body) == (status, b"")
    assert {name for name, _ in reply.headers} == {"X-A", "Date"}


def test_a_packed_request_goes_on_packed(plain: Before, upstream: ScriptedUpstream) -> None:
    packed = gzip.compress(ODD)
    plain.ask("POST", "/api/chat", packed, {"Content-Encoding": "gzip"})
    asked = upstream.last("/api/chat")
    assert (asked.body, asked.header("Content-Encoding")) == (packed, "gzip")


@pytest.mark.parametrize("path", ["/api/chat", "/api/pull"])
def test_the_first_byte_comes_before_the_last_is_made(
    plain: Before, upstream: ScriptedUpstream, path: str
) -> None:
    heard = threading.Event()

    def slowly(asked: Asked) -> None:
        asked.begin()
        asked.say(line("first"))
        assert heard.wait(PATIENCE_S)
        asked.say(last_line())
        asked.end()

    upstream.script = slowly
    with plain.calling("POST", path, ODD) as call:
        assert call.read_some() == line("first")
        heard.set()
        assert call.read_some() == last_line()
        assert call.read_some() == b""


def test_no_slow_answer_is_given_up(plain: Before, upstream: ScriptedUpstream) -> None:
    def late(asked: Asked) -> None:
        assert not asked.wait_until_left(0.5)
        asked.answer(200, last_line())

    upstream.script = late
    assert plain.ask("POST", "/api/chat", ODD).body == last_line()
