"""Tests of who may talk to Lull: foreign pages in the user's browser are refused on every route."""

from __future__ import annotations

import pytest
from multidict import CIMultiDict

from lull.core.chat.client import APART
from lull.service.proxy.auth import AccessRules, origin_form, program_name, refusal, split_client
from tests.service.lulls import Before
from tests.service.routes import CHATS, asking, error_words
from tests.service.scripted_upstream import ScriptedUpstream

ROUTES = [
    ("GET", "/"),
    ("HEAD", "/api/tags"),
    ("GET", "/api/tags"),
    ("GET", "/v1/models/pocket"),
    ("POST", "/api/show"),
    ("OPTIONS", "/api/chat"),
    ("DELETE", "/api/delete"),
    ("GET", "/c/work/api/tags"),
    *(("POST", path) for path in CHATS),
]
FOREIGN: list[dict[str, str]] = [
    {"Host": "evil.example"},
    {"Host": "evil.example:PORT"},
    {"Host": "127.0.0.1.evil.example:PORT"},
    {"Host": "127.0.0.1:1"},
    {"Host": "127.0.0.1"},
    {"Host": "127.0.0.2:PORT"},
    {"Host": "0.0.0.0:PORT"},
    {"Host": "[::2]:PORT"},
    {"Host": "::1:PORT"},
    {"Host": "localhost.:PORT"},
    {"Host": "user@localhost:PORT"},
    {"Host": ""},
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": ""},
    {"Origin": "http://localhost.evil.example"},
    {"Origin": "http://localhost:3000.evil.example"},
    {"Origin": "http://evil.example/http://localhost"},
    {"Origin": "chrome-extension://abc"},
    {"Origin": "https://evil.example", "Sec-Fetch-Site": "same-origin"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "Cross-Site", "Sec-Fetch-Mode": "no-cors"},
]
FRIENDLY: list[dict[str, str]] = [
    {},
    {"Host": "localhost:PORT"},
    {"Host": "LocalHost:PORT"},
    {"Host": "[::1]:PORT"},
    {"Origin": "http://localhost"},
    {"Origin": "HTTP://LocalHost:3000"},
    {"Origin": "https://127.0.0.1:8443"},
    {"Origin": "http://0.0.0.0:8080"},
    {"Origin": "app://obsidian.md"},
    {"Origin": "file://"},
    {"Origin": "tauri://localhost"},
    {"Origin": "vscode-webview://x1"},
    {"Origin": "vscode-file://vscode-app"},
    {"Origin": "http://localhost:3000", "Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "none"},
    {"Sec-Fetch-Site": "same-origin"},
    {"Sec-Fetch-Site": "same-site"},
]


def _with_port(headers: dict[str, str], lull: Before) -> dict[str, str]:
    port = lull.address.rpartition(":")[2]
    return {name: value.replace("PORT", port) for name, value in headers.items()}


@pytest.mark.slow
@pytest.mark.parametrize("headers", FOREIGN, ids=str)
def test_a_foreign_page_is_refused_on_every_route(
    plain: Before, upstream: ScriptedUpstream, headers: dict[str, str]
) -> None:
    for method, path in ROUTES:
        reply = plain.ask(method, path, headers=_with_port(headers, plain))
        assert (method, path, reply.status) == (method, path, 403)
        told = {name.lower() for name, _ in reply.headers}
        assert not {name for name in told if name.startswith("access-control")}
        if method != "HEAD":
            assert error_words(path.removeprefix("/c/work"), reply.json)
    probes = {"/api/tags", "/api/version", "/api/ps", "/api/show"}
    assert {asked.path for asked in upstream.asked} <= probes
    assert not any(asked.header("Origin") for asked in upstream.asked)


@pytest.mark.parametrize("headers", FRIENDLY, ids=str)
def test_what_ollama_lets_in_passes(
    plain: Before, upstream: ScriptedUpstream, headers: dict[str, str]
) -> None:
    upstream.script = lambda asked: asked.answer()
    for method, path in (("GET", "/api/tags"), ("OPTIONS", "/api/chat"), ("POST", "/api/chat")):
        reply = plain.ask(method, path, asking("/api/chat"), _with_port(headers, plain))
        assert (method, reply.status) == (method, 200)


def test_a_request_without_a_host_is_refused(plain: Before) -> None:
    assert plain.ask("GET", "/api/tags", headers={"host": ""}).status == 403
    assert refusal({}, AccessRules(port=11435))


def test_a_refusal_says_which_setting_lets_it_in(plain: Before) -> None:
    reply = plain.ask("GET", "/api/tags", headers={"Origin": "https://chat.example.org"})
    assert "service.allow_origins" in reply.json["error"]


def test_no_headers_of_ours_open_anything(plain: Before) -> None:
    for method in ("GET", "OPTIONS"):
        reply = plain.ask(method, "/api/tags", headers={"Origin": "http://localhost:3000"})
        assert not [name for name, _ in reply.headers if name.lower().startswith("access-control")]


HOME = {"Host": "127.0.0.1:11435"}
BAD_ORIGIN = ("Origin", "https://evil.example")
GOOD_ORIGIN = ("Origin", "http://localhost:3000")


@pytest.mark.parametrize("twice", [(GOOD_ORIGIN, BAD_ORIGIN), (BAD_ORIGIN, GOOD_ORIGIN)])
def test_a_good_header_does_not_hide_a_bad_one_of_its_name(
    plain: Before, upstream: ScriptedUpstream, twice: tuple[tuple[str, str], ...]
) -> None:
    assert plain.ask("GET", "/twice", headers=list(twice)).status == 403
    assert upstream.count("/twice") == 0
    both = CIMultiDict(
        [*HOME.items(), ("Sec-Fetch-Site", "none"), ("Sec-Fetch-Site", "cross-site")]
    )
    assert refusal(both, AccessRules(port=11435))


@pytest.mark.parametrize(
    ("headers", "passes"),
    [
        ({}, True),
        ({"Origin": "https://chat.example.org"}, True),
        ({"Origin": "https://other.example.org"}, False),
        ({"Origin": "https://chat.example.org.evil.example"}, False),
    ],
)
def test_the_user_may_let_more_origins_in(headers: dict[str, str], passes: bool) -> None:
    door = AccessRules(port=11435, origins=("https://chat.example.org",))
    assert (refusal({**HOME, **headers}, door) == "") is passes


@pytest.mark.parametrize(
    ("headers", "passes"),
    [
        ({"X-Lull-Token": "secret"}, True),
        ({"Authorization": "Bearer secret"}, True),
        ({"Authorization": "bearer secret"}, True),
        ({"Authorization": "Basic secret"}, False),
        ({"X-Lull-Token": "secre"}, False),
        ({"X-Lull-Token": "sécret"}, False),
        ({"X-Lull-Token": "secret\udcff"}, False),
        ({"Authorization": "Bearer \udcff"}, False),
        ({}, False),
    ],
)
def test_beyond_loopback_only_the_token_lets_in(headers: dict[str, str], passes: bool) -> None:
    door = AccessRules(port=11435, loopback=False, token="secret")
    for host in ("192.168.1.5:11435", "mybox.local:11435", "127.0.0.1:11435"):
        assert (refusal({"Host": host, **headers}, door) == "") is passes
    assert refusal({"Host": "mybox.local:80", **headers}, door)


def test_without_a_token_nobody_comes_in_from_outside() -> None:
    door = AccessRules(port=11435, loopback=False)
    assert refusal({**HOME, "Authorization": "Bearer "}, door)
    assert refusal({**HOME, "X-Lull-Token": ""}, door)


@pytest.mark.parametrize(
    ("path", "name", "apart", "rest"),
    [
        ("/c/work/v1/models", "work", True, "/v1/models"),
        ("/c/work", "work", True, "/"),
        ("/c/work/", "work", True, "/"),
        ("/c/work?x=1", "curl", False, "/c/work?x=1"),
        ("/c/../api/tags", "curl", False, "/c/../api/tags"),
        ("/c/-x/api/tags", "curl", False, "/c/-x/api/tags"),
        ("/c//api/tags", "curl", False, "/c//api/tags"),
        (f"/c/{'x' * 65}/api/tags", "curl", False, f"/c/{'x' * 65}/api/tags"),
        ("/api/tags", "curl", False, "/api/tags"),
    ],
)
def test_a_client_is_named_by_its_path_or_its_program(
    path: str, name: str, apart: bool, rest: str
) -> None:
    client, left = split_client(path, {"User-Agent": "curl/8.5"})
    assert (client.name, client.apart, left) == (name, apart, rest)


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        ("ollama-python/0.6 (x)", "ollama-python"),
        ("OpenAI/Python 3", "openai"),
        ("", "unknown"),
        ("é/1", "unknown"),
        ("x" * 65, "unknown"),
        ("Mozilla/5.0 (Macintosh)", "mozilla"),
    ],
)
def test_a_program_is_known_by_its_first_word(agent: str, name: str) -> None:
    assert program_name(agent) == name


@pytest.mark.parametrize("agent", ["/c/anna", "/c/anna/1.0", "/c/anna (x)", " /c/anna", "c/anna"])
def test_no_program_can_call_itself_like_a_client_kept_apart(agent: str) -> None:
    apart, _ = split_client("/c/anna/api/tags", {})
    program, _ = split_client("/api/tags", {"User-Agent": agent})
    assert program.identity != apart.identity
    assert not program.identity.startswith(APART)


@pytest.mark.parametrize(
    ("target", "path"),
    [
        ("/api/tags?x", "/api/tags?x"),
        ("http://a.test:1/api?x", "/api?x"),
        ("https://a.test", "/"),
        ("https://a.test?x", "/?x"),
        ("*", "/*"),
        ("", "/"),
        ("//a.test/x", "//a.test/x"),
    ],
)
def test_a_target_is_only_ever_a_path(target: str, path: str) -> None:
    assert origin_form(target) == path


def test_a_token_in_a_client_s_name_goes_no_further_than_the_door() -> None:
    one, other = ("ghp_" + run * 4 for run in ("Ab1Cd2Ef3", "Gh4Ij5Kl6"))
    named, _ = split_client(f"/c/{one}/api/chat", {})
    assert named.apart
    assert one not in named.name
    assert named == split_client(f"/c/{one}/api/chat", {})[0]
    assert named.name != split_client(f"/c/{other}/api/chat", {})[0].name
    by_program, _ = split_client("/api/chat", {"User-Agent": f"{one}/1.0"})
    assert one.lower() not in by_program.name
