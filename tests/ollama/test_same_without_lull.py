"""Tests that each route answers the same through Lull as without it, apart from times and ids.

Each case goes to a real Ollama directly and through a Lull that has no skills.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
import zstandard

from tests.ollama.conftest import RealOllama
from tests.service.lulls import Before
from tests.service.wire import Chunked, Headers, Reply, as_bytes, ask

pytestmark = pytest.mark.full

USER = [{"role": "user", "content": "list apple river"}]
FEW = {"options": {"num_predict": 6}}
CHAT = {"model": "pocket-gguf", "messages": USER, **FEW}
WHOLE = {"stream": False}
V1 = {"model": "pocket-gguf", "messages": USER, "max_tokens": 6, "temperature": 0, "seed": 1}
COMPLETE = {"model": "pocket-gguf", "prompt": "list", "max_tokens": 6, "temperature": 0, "seed": 1}
RESPOND = {"model": "pocket-gguf", "input": "list apple", "max_output_tokens": 6, "temperature": 0}
GENERATE = {"model": "pocket-gguf", "prompt": "list apple", **FEW}
MESSAGES = {"model": "pocket-gguf", "max_tokens": 6, "temperature": 0, "messages": USER}
TOOL = {
    "type": "function",
    "function": {"name": "f", "description": "d", "parameters": {"type": "object"}},
}
TORN = b'{"model": "pocket-gguf", "messages": [{"role": "us'
STREAM = {"stream": True}
DIGEST = "sha256:" + "0" * 64
CHAT_ROUTES = (
    "/api/chat",
    "/api/generate",
    "/v1/chat/completions",
    "/v1/completions",
    "/v1/responses",
    "/v1/messages",
)


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    method: str
    path: str
    body: bytes | object | None = None
    headers: Headers = ()
    first: tuple[tuple[str, str, Any], ...] = field(default=())
    """Requests sent to Ollama itself before each of the two, so that both meet the same state."""


def _cases() -> Iterator[Case]:  # noqa: PLR0912  a table
    def get(path: str, headers: Headers = (), *, method: str = "GET") -> Case:
        shown = ",".join(f"{k}={v}" for k, v in dict(headers).items())
        return Case(f"{method} {path} {shown}".strip(), method, path, None, headers)

    def post(path: str, what: str, body: bytes | object, headers: Headers = ()) -> Case:
        return Case(f"POST {path} {what}", "POST", path, body, headers)

    # What clients probe, and what is wrong about a path
    for path in ("/", "/api/version", "/api/tags"):
        yield get(path)
        yield get(path, method="HEAD")
    for path in (
        "/api/version?x=1&y=%20",
        "/api/version?",
        "/api/tags/",
        "//api/tags",
        "/api//tags",
        "/api/%74ags",
        "/api/./tags",
        "/api/v1/../tags",
        "/API/tags",
        "/api/tags;x=1",
        "/api/tags%2F",
        "/nothing",
        "/api/nothing",
        "/v1/nothing",
        "/api/chat/",
        "//api/chat",
        "/v1/audio/transcriptions",
        "/api/%C3%A9%FF",
        "/api/status",
        "/v1/models",
        "/v1/models/pocket-gguf",
        "/v1/models/pocket-gguf:latest",
        "/v1/models/nobody",
        "/v1/models/a%2Fb",
    ):
        yield get(path)
    for method, path in (
        ("HEAD", "/api/ps"),
        ("POST", "/api/tags"),
        ("DELETE", "/api/version"),
        ("GET", "/api/show"),
        ("PUT", "/api/show"),
        ("HEAD", "/v1/models"),
        ("HEAD", "/nothing"),
        ("PATCH", "/nothing"),
        ("PROPFIND", "/api/chat"),
        ("OPTIONS", "/"),
        ("OPTIONS", "/api/tags"),
        *((method, path) for method in ("GET", "PUT", "HEAD") for path in CHAT_ROUTES[::2]),
    ):
        yield get(path, method=method)
    origin = (("Origin", "http://localhost:3000"),)
    asks = (("Access-Control-Request-Method", "POST"),)
    wants = (("Access-Control-Request-Headers", "content-type,authorization,x-foo"),)
    for path in ("/api/chat", "/v1/chat/completions", "/v1/messages", "/nothing"):
        yield get(path, (*origin, *asks, *wants), method="OPTIONS")
    yield get("/api/tags", origin)
    yield get("/api/tags", (("Origin", "app://obsidian.md"),))
    yield get("/api/tags", (("Origin", "http://{here}"),))
    yield get("/api/version", (("Accept-Encoding", "gzip, br"),))
    yield get("/api/version", (("Connection", "close"),))
    yield get("/api/version", (("Authorization", "Bearer " + "x" * 20_000), ("Cookie", "a=b")))
    yield post("/nothing", "with a body", {"a": 1})

    # Facts
    for body in (
        {"model": "pocket-gguf"},
        {"name": "pocket-system"},
        {"model": "POCKET-bare:latest"},
        {"model": "pocket-gguf", "verbose": True},
        {"model": "nobody"},
        {"model": "bad name!"},
        {"model": 1},
        {},
        [],
        b"",
        TORN,
        b"\xff\xfe",
    ):
        yield post("/api/show", repr(body)[:50], body)
    yield post("/api/show", "in chunks", Chunked([b'{"model":', b'"pocket-gguf"}']))

    # Native chats
    yield post("/api/chat", "streamed", CHAT)
    yield post("/api/chat", "whole", {**CHAT, **WHOLE})
    yield post("/api/chat", "in chunks", Chunked([as_bytes(CHAT) or b""]))
    yield post("/api/chat", "text/plain", CHAT, {"Content-Type": "text/plain"})
    yield post("/api/chat", "expects 100", CHAT, {"Expect": "100-continue"})
    yield post("/api/chat?x=1", "query", {**CHAT, **WHOLE})
    yield post("/api/chat", "trailing data", (as_bytes({**CHAT, **WHOLE}) or b"") + b" x")
    for what, more in (
        ("own system", {"model": "pocket-system"}),
        ("bare", {"model": "pocket-bare"}),
        ("named in capitals", {"model": "Pocket-GGUF:Latest"}),
        ("unknown model", {"model": "nobody"}),
        ("unknown model, whole", {"model": "nobody", **WHOLE}),
        ("bad name", {"model": "bad name!"}),
        ("no model", {"model": ""}),
        ("model is a number", {"model": 7}),
        ("messages is text", {"messages": "hi"}),
        ("content in parts", {"messages": [{"role": "user", "content": [{"type": "text"}]}]}),
        ("content null", {"messages": [{"role": "user", "content": None}]}),
        ("bad role", {"messages": [{"role": "wizard", "content": "x"}]}),
        ("late system", {"messages": [*USER, {"role": "system", "content": "S"}]}),
        ("system", {"messages": [{"role": "system", "content": "S"}, *USER], **WHOLE}),
        ("tools", {"tools": [TOOL]}),
        ("think", {"think": True}),
        ("bad think", {"think": "hard"}),
        ("format json", {"format": "json", **WHOLE}),
        ("bad format", {"format": "yaml"}),
        ("option of a wrong type", {"options": {"temperature": "hot"}}),
        ("unknown option", {"options": {"nothing": 1, "num_predict": 2}}),
        ("keep alive", {"keep_alive": "5m", **WHOLE}),
        ("bad keep alive", {"keep_alive": "soon"}),
        ("logprobs", {"logprobs": True, "top_logprobs": 2, **WHOLE}),
        ("too many logprobs", {"logprobs": True, "top_logprobs": 99}),
        ("image that is not base64", {"messages": [{**USER[0], "images": ["!"]}]}),
        ("unknown key", {"nobody_knows": [1, {"a": None}], **WHOLE}),
        ("tool arguments as text", {"messages": [_calls("{}")]}),
        ("load", {"messages": []}),
        ("load, whole", {"messages": [], **WHOLE}),
        ("rendered only", {"_debug_render_only": True, **WHOLE}),
    ):
        yield post("/api/chat", what, {**CHAT, **more})
    upper = {key.title(): value for key, value in {**CHAT, **WHOLE}.items()}
    yield post("/api/chat", "keys in another case", upper)
    yield post("/api/chat", "keys in two cases", {**CHAT, **WHOLE, "Stream": True})
    yield post("/api/chat", "options in another case", {**CHAT, "options": {"NUM_PREDICT": 1}})
    endless = b', "x": ' + b"9" * 5000 + b"}"
    yield post("/api/chat", "endless number", (as_bytes({**CHAT, **WHOLE}) or b"")[:-1] + endless)
    yield post("/api/generate", "streamed", GENERATE)
    yield post("/api/generate", "whole", {**GENERATE, **WHOLE})
    for what, more in (
        ("raw", {"raw": True, **WHOLE}),
        ("system and template", {"system": "S", "template": "{{ .System }}{{ .Prompt }}", **WHOLE}),
        ("suffix", {"suffix": "end"}),
        ("context", {"context": [1, 2, 3], **WHOLE}),
        ("unknown model", {"model": "nobody"}),
        ("no model", {"model": ""}),
        ("prompt is a list", {"prompt": ["a"]}),
        ("load", {"prompt": ""}),
        ("unload", {"prompt": "", "keep_alive": 0}),
    ):
        yield post("/api/generate", what, {**GENERATE, **more})

    # OpenAI
    yield post("/v1/chat/completions", "whole", V1)
    for what, more in (
        ("streamed", STREAM),
        ("streamed with usage", {**STREAM, "stream_options": {"include_usage": True}}),
        ("parts", {"messages": [_parts("list apple")]}),
        ("developer", {"messages": [{"role": "developer", "content": "D"}, *USER]}),
        ("second system", {"messages": [*USER, {"role": "system", "content": "S"}]}),
        ("unknown model", {"model": "nobody"}),
        ("unknown model, streamed", {"model": "nobody", **STREAM}),
        ("no messages", {"messages": []}),
        ("no model", {"model": ""}),
        ("wrong type", {"messages": "hi"}),
        ("wrong content", {"messages": [{"role": "user", "content": 5}]}),
        ("tools", {"tools": [TOOL]}),
        ("image by address", {"messages": [_image("http://x.example/i.png")]}),
        ("bad effort", {"reasoning_effort": "huge"}),
        ("json", {"response_format": {"type": "json_object"}}),
        ("logprobs", {"logprobs": True, "top_logprobs": 1}),
    ):
        yield post("/v1/chat/completions", what, {**V1, **more})
    yield post("/v1/chat/completions", "another case", {k.upper(): v for k, v in V1.items()})
    yield post("/v1/completions", "whole", COMPLETE)
    for what, more in (
        ("streamed", STREAM),
        ("usage", {**STREAM, "stream_options": {"include_usage": True}}),
        ("list of prompts", {"prompt": ["a", "b"]}),
        ("suffix", {"suffix": "end"}),
        ("unknown model", {"model": "nobody"}),
    ):
        yield post("/v1/completions", what, {**COMPLETE, **more})
    yield post("/v1/responses", "whole", RESPOND)
    packed = zstandard.ZstdCompressor().compress(as_bytes(RESPOND) or b"")
    yield post("/v1/responses", "zstd", packed, {"Content-Encoding": "zstd"})
    yield post("/v1/responses", "torn zstd", packed[:-7], {"Content-Encoding": "zstd"})
    yield post("/v1/responses", "not zstd", RESPOND, {"Content-Encoding": "zstd"})
    for what, more in (
        ("streamed", STREAM),
        ("instructions", {"instructions": "Be brief."}),
        ("items", {"input": [{"role": "user", "content": [_text("list")]}]}),
        ("no input", {"input": None}),
        ("unknown model", {"model": "nobody"}),
        ("tools", {"tools": [{"type": "function", "name": "f", "parameters": {}}]}),
    ):
        yield post("/v1/responses", what, {**RESPOND, **more})

    # Anthropic
    yield post("/v1/messages", "whole", MESSAGES, {"anthropic-version": "2023-06-01"})
    for what, more in (
        ("streamed", STREAM),
        ("system", {"system": "S"}),
        ("system in blocks", {"system": [{"type": "text", "text": "S"}]}),
        ("no limit", {"max_tokens": 0}),
        ("no messages", {"messages": []}),
        ("unknown model", {"model": "nobody"}),
        ("unknown model, streamed", {"model": "nobody", **STREAM}),
        ("thinking", {"thinking": {"type": "enabled", "budget_tokens": 1024}}),
        ("tools", {"tools": [{"name": "f", "input_schema": {"type": "object"}}]}),
    ):
        yield post("/v1/messages", what, {**MESSAGES, **more})
    yield post("/v1/messages", "another case", {k.title(): v for k, v in MESSAGES.items()})
    yield post("/v1/messages?beta=true", "query", MESSAGES)
    yield post("/v1/messages/count_tokens", "counting", MESSAGES)

    # Invalid bodies, on every chat route
    for path in CHAT_ROUTES:
        for what, body in (
            ("empty", b""),
            ("torn", TORN),
            ("array", b"[]"),
            ("null", b"null"),
            ("text", b'"hi"'),
            ("not UTF-8", b'{"model": "\xff"}'),
            ("NaN", b'{"model": NaN}'),
            ("deep", b"[" * 100_000),
            ("gzip", b"\x1f\x8b\x08"),
        ):
            encoding = {"Content-Encoding": "gzip"} if what == "gzip" else {}
            yield post(path, what, body, encoding)

    # Embeddings
    for path, body in (
        ("/api/embed", {"model": "pocket-gguf", "input": "list apple"}),
        ("/api/embed", {"model": "pocket-gguf", "input": ["a", "b"]}),
        ("/api/embed", {"model": "pocket-gguf", "input": 5}),
        ("/api/embed", {"model": "nobody", "input": "x"}),
        ("/api/embeddings", {"model": "pocket-gguf", "prompt": "list"}),
        ("/v1/embeddings", {"model": "pocket-gguf", "input": "list"}),
        ("/v1/embeddings", {"model": "nobody", "input": "list"}),
    ):
        yield post(path, repr(body)[:60], body)

    # Making and deleting models
    made = {"model": "made", "from": "pocket-gguf", "system": "S"}
    layers = (("POST", "/api/create", made),)
    yield Case("POST /api/create streamed", "POST", "/api/create", made, (), layers)
    yield post("/api/create", "whole", {**made, **WHOLE})
    yield post("/api/create", "from nobody", {"model": "made", "from": "nobody"})
    yield post("/api/create", "no model", {})
    yield post("/api/create", "torn", TORN)
    yield post("/api/create", "missing blob", {"model": "made", "files": {"x.gguf": DIGEST}})
    copy = {"source": "pocket-gguf", "destination": "copied"}
    yield post("/api/copy", "good", copy)
    yield post("/api/copy", "of nobody", {"source": "nobody", "destination": "copied"})
    yield post("/api/copy", "bad name", {"source": "pocket-gguf", "destination": "!"})
    before = (("POST", "/api/copy", copy),)
    yield Case("DELETE", "DELETE", "/api/delete", {"model": "copied"}, (), before)
    yield Case("DELETE nobody", "DELETE", "/api/delete", {"model": "nobody"})
    yield Case("DELETE without a body", "DELETE", "/api/delete")
    yield post("/api/pull", "bad name", {"model": "bad name!", **WHOLE})
    yield post("/api/push", "unknown", {"model": "nobody/nothing", **WHOLE})
    yield Case("blob missing", "HEAD", f"/api/blobs/{DIGEST}")
    yield Case("blob there", "HEAD", "/api/blobs/{digest}")
    yield Case("blob of a bad name", "HEAD", "/api/blobs/sha256:xyz")
    yield Case("blob again", "POST", "/api/blobs/{digest}", b"whatever")
    yield Case("blob of a wrong digest", "POST", f"/api/blobs/{DIGEST}", b"whatever")
    yield Case("blob in chunks", "POST", f"/api/blobs/{DIGEST}", Chunked([b"what", b"ever"]))
    yield Case("blob fetched", "GET", "/api/blobs/{digest}")
    yield get("/api/ps")


def _calls(arguments: object) -> dict[str, object]:
    call = {"function": {"name": "f", "arguments": arguments}}
    return {"role": "assistant", "content": "", "tool_calls": [call]}


def _parts(text: str) -> dict[str, object]:
    return {"role": "user", "content": [{"type": "text", "text": text}]}


def _text(text: str) -> dict[str, str]:
    return {"type": "input_text", "text": text}


def _image(url: str) -> dict[str, object]:
    return {"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]}


_TIMES = (
    (rb'"(created_at|modified_at|expires_at)":"[^"]*"', rb'"\1":"AT"'),
    (rb'"(created|created_at|completed_at)":\d+', rb'"\1":0'),
    (rb'"(total|load|prompt_eval|eval)_duration":\d+,?', b""),
    (rb",\}", b"}"),
    (rb"(chatcmpl|cmpl|resp|req|msg|rs|fc|call|item)([-_])[A-Za-z0-9]+", rb"\1\2ID"),
)


def without_times(body: bytes) -> bytes:
    for pattern, instead in _TIMES:
        body = re.sub(pattern, instead, body)
    return body


def comparable(reply: Reply, method: str) -> tuple[object, ...]:
    """Return what of a reply must be the same with and without Lull: status, headers and body.

    The length of a body that holds a time may differ, but not whether there is a length.
    `Connection` is between two neighbours only.
    """
    told = sorted(
        (name, "…" if name == "Content-Length" and method != "HEAD" else value)
        for name, value in reply.headers
        if name not in ("Date", "Connection")
    )
    return reply.status, told, in_one_order(without_times(reply.body))


def in_one_order(body: bytes) -> object:
    """Sort models, tensors and layers in a body, which Ollama lists in a new order each time."""
    if b'"writing manifest"' in body:
        return sorted(body.split(b"\n"))
    try:
        listed = json.loads(body)
    except ValueError:
        return body
    ours = listed if isinstance(listed, dict) else {}
    key = next((key for key in ("models", "data", "tensors") if ours.get(key)), None)
    return {**ours, key: sorted(map(json.dumps, ours[key]))} if key else body


CASES = list(_cases())


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_the_answer_is_the_same_without_lull(
    case: Case, ollama: RealOllama, before: Before
) -> None:
    answers = [_asked(case, address, ollama) for address in (ollama.address, before.address)]
    direct, through = (comparable(answer, case.method) for answer in answers)
    assert through == direct


def _asked(case: Case, address: str, ollama: RealOllama) -> Reply:
    for method, path, body in case.first:
        assert ollama.ask(method, path, body).status == 200
    path = case.path.replace("{digest}", ollama.digest)
    here = address.removeprefix("http://")
    headers = [(k, v.replace("{here}", here)) for k, v in dict(case.headers).items()]
    if isinstance(case.body, Chunked):
        return ask(address, case.method, path, case.body.data, [*case.body.headers, *headers])
    return ask(address, case.method, path, case.body, headers)
