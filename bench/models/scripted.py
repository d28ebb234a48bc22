"""A scripted model on a server; its answer is a function of the request's body.

It speaks Ollama's and OpenAI's chat, whole and streamed, so that a client and Lull take it for any
other model. Its answers come from a script, so whatever is measured with it is *simulated*.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from bench.json_object import Json
from bench.models.doors import Door, Server, listed, natively, shown

WINDOW_TOKENS = 131_072


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    text: str = ""
    call: tuple[str, Mapping[str, str]] | None = None


class Scripted(Server):
    """Server of a scripted model, a context manager: `with Scripted(names, answers) as model:
    model.address`.
    """

    def __init__(self, names: Sequence[str], answers: Callable[[Json], Said]) -> None:
        self.names = tuple(names)
        """The first one is the model; others help Lull to learn."""
        self.says = answers
        self.chats = 0
        self._lock = threading.Lock()
        server = self

        class Own(_ScriptedDoor):
            owner = server

        super().__init__(Own)

    def heard(self, body: bytes) -> None:
        """Count a chat request that has come in."""
        with self._lock:
            self.chats += 1


class _ScriptedDoor(Door):
    owner: Scripted

    def got(self) -> None:
        mine = {"id": self.owner.names[0], "object": "model"}
        known: dict[str, Json] = {
            "/api/tags": listed(f"{name}:latest" for name in self.owner.names),
            "/api/version": {"version": "0.24.0"},
            "/api/ps": {"models": []},
            "/v1/models": {
                "object": "list",
                "data": [mine],
            },
        }
        self.sends(known.get(self.path, {"error": "not found"}), 200 if self.path in known else 404)

    def posted(self) -> None:
        data = self.body()
        if self.path == "/api/show":
            self.sends(shown(WINDOW_TOKENS))
            return
        if self.path not in ("/api/chat", "/v1/chat/completions"):
            self.sends({"error": "not found"}, 404)
            return
        self.owner.heard(data)
        body = json.loads(data)
        native = self.path == "/api/chat"
        said = self.owner.says(body)
        document = _native(body, said) if native else _openai(body, said)
        if not body.get("stream", native):
            self.sends(document)
        elif native:
            self.streams([json.dumps(document).encode() + b"\n"], "application/x-ndjson")
        else:
            self.streams(_events(document), "text/event-stream")


def _native(body: Json, said: Said) -> Json:
    message: Json = {"role": "assistant", "content": said.text}
    if said.call:
        name, given = said.call
        message["tool_calls"] = [{"function": {"name": name, "arguments": given}}]
    return natively(body["model"], message)


def _openai(body: Json, said: Said) -> Json:
    message: Json = {"role": "assistant", "content": said.text}
    if said.call:
        name, given = said.call
        function = {"name": name, "arguments": json.dumps(given)}
        # One call a message, so that its place in the history names it.
        call_id = f"call_{len(body['messages'])}"
        message["tool_calls"] = [{"id": call_id, "type": "function", "function": function}]
    reason = "tool_calls" if said.call else "stop"
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
    }


def _events(document: Json) -> list[bytes]:
    choice = document["choices"][0]
    calls = [{**call, "index": n} for n, call in enumerate(choice["message"].get("tool_calls", ()))]
    delta = {**choice["message"], **({"tool_calls": calls} if calls else {})}
    head = {**document, "object": "chat.completion.chunk"}
    head.pop("usage")
    pieces = [
        {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
        {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]},
    ]
    return [f"data: {json.dumps(piece)}\n\n".encode() for piece in pieces] + [b"data: [DONE]\n\n"]
