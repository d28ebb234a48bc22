"""Makes a server that speaks only OpenAI's protocol look like an Ollama.

Lull stands before an Ollama: it lists models, asks for their facts, and replays over /api/chat.
`/v1/…` goes through unchanged; the rest is answered or translated here. Counts of tokens are not
known here and are made up, so no figure may be made of them.
"""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bench.json_object import Json
from bench.models.doors import Door, Server, listed, natively, shown
from bench.models.endpoint import Endpoint


class OllamaFace(Server):
    """Server with Ollama's API in front of an endpoint, a context manager: `with
    OllamaFace(endpoint, names, …) as face: face.address`.
    """

    def __init__(self, endpoint: Endpoint, names: Sequence[str], *, window_tokens: int) -> None:
        class Own(_FaceDoor):
            behind = endpoint
            models = tuple(dict.fromkeys(names))
            window = window_tokens

        super().__init__(Own)


class _FaceDoor(Door):
    behind: Endpoint
    models: tuple[str, ...]
    window: int

    def got(self) -> None:
        known: dict[str, Json] = {
            "/api/tags": listed(self.models),
            "/api/version": {"version": "0.24.0"},
            "/api/ps": {"models": []},
        }
        if self.path in known:
            self.sends(known[self.path])
        else:
            self._through(None)

    def posted(self) -> None:
        data = self.body()
        if self.path == "/api/show":
            self.sends(shown(self.window))
        elif self.path == "/api/chat":
            self._chat(json.loads(data))
        else:
            self._through(data)

    def _chat(self, body: Json) -> None:
        status, _, data = self._asked("/v1/chat/completions", json.dumps(to_openai(body)).encode())
        if status != 200:
            self.sends({"error": data[:300].decode(errors="replace")}, status)
            return
        choice = json.loads(data)["choices"][0]
        document = natively(body["model"], from_openai(choice["message"]), reason=_reason(choice))
        if body.get("stream", True):
            self.streams([json.dumps(document).encode() + b"\n"], "application/x-ndjson")
        else:
            self.sends(document)

    def _through(self, data: bytes | None) -> None:
        status, kind, answer = self._asked(self.path, data)
        self.answers(answer, kind, status)

    def _asked(self, path: str, data: bytes | None) -> tuple[int, str, bytes]:
        headers = {"Content-Type": "application/json"}
        headers |= {"Authorization": f"Bearer {self.behind.key}"} if self.behind.key else {}
        request = urllib.request.Request(self.behind.address + path, data, headers)
        try:
            with urllib.request.urlopen(request, timeout=self.behind.timeout_s) as answer:
                kind = answer.headers.get("Content-Type", "application/json")
                return answer.status, kind, answer.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, "application/json", error.read()
        except OSError as error:
            return 502, "application/json", json.dumps({"error": str(error)}).encode()


def to_openai(body: Mapping[str, Any]) -> Json:
    """Convert an /api/chat body to /v1/chat/completions; tool calls and results are linked by new
    ids.
    """
    options = body.get("options") or {}
    asked: Json = {
        "model": body["model"],
        "messages": list(_messages(body["messages"])),
        "stream": False,
    }
    for ours, theirs in (("temperature",) * 2, ("seed",) * 2, ("num_predict", "max_tokens")):
        if options.get(ours) is not None and not (ours == "num_predict" and options[ours] < 0):
            asked[theirs] = options[ours]
    if body.get("tools"):
        asked["tools"] = body["tools"]
    wanted = body.get("format")
    if wanted == "json":
        asked["response_format"] = {"type": "json_object"}
    elif isinstance(wanted, dict):
        schema = {"name": "answer", "schema": wanted}
        asked["response_format"] = {"type": "json_schema", "json_schema": schema}
    return asked


def _messages(messages: Sequence[Mapping[str, Any]]) -> Iterator[Json]:
    open_ids: list[str] = []
    count = 0
    for message in messages:
        said: Json = {"role": message["role"], "content": message.get("content") or ""}
        calls = []
        for call in message.get("tool_calls") or ():
            count += 1
            given = call["function"].get("arguments") or {}
            arguments = given if isinstance(given, str) else json.dumps(given)
            id_ = str(call.get("id") or f"call_{count}")
            open_ids.append(id_)
            function = {"name": call["function"]["name"], "arguments": arguments}
            calls.append({"id": id_, "type": "function", "function": function})
        if calls:
            said["tool_calls"] = calls
        if message["role"] == "tool":
            first = open_ids.pop(0) if open_ids else "call_0"
            said["tool_call_id"] = str(message.get("tool_call_id") or first)
        yield said


def from_openai(message: Mapping[str, Any]) -> Json:
    said: Json = {"role": "assistant", "content": message.get("content") or ""}
    calls = []
    for call in message.get("tool_calls") or ():
        given = call["function"].get("arguments") or "{}"
        try:
            arguments = json.loads(given) if isinstance(given, str) else given
        except ValueError:
            arguments = {}
        function = {"name": call["function"]["name"], "arguments": arguments}
        calls.append({"id": call.get("id", ""), "function": function})
    return {**said, "tool_calls": calls} if calls else said


def _reason(choice: Mapping[str, Any]) -> str:
    return "length" if choice.get("finish_reason") == "length" else "stop"
