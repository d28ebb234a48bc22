"""The scripted student's server: OpenAI's and Ollama's chat over HTTP, real tool calls (simulated).

It greps every prompt that reaches it for what stands under `eval` alone.
"""

from __future__ import annotations

import json
import threading

from bench.metaclaw_bench.data import Bench
from bench.metaclaw_bench.doors import Door, Json, Server, listed, natively, shown
from bench.metaclaw_bench.student_mind import JUDGE, STUDENT, WRITER, Mind, Said

WINDOW_TOKENS = 131_072


class Student(Server):
    """A context: `with Student(bench) as student: student.address`."""

    def __init__(self, bench: Bench) -> None:
        self.mind = Mind.of(bench)
        self.chats = 0
        self.leaks: list[str] = []
        """What of `eval` stood in a prompt."""
        self._secrets = [(text, json.dumps(text)[1:-1]) for text in sorted(bench.secrets)]
        self._lock = threading.Lock()
        student = self

        class Own(_StudentDoor):
            owner = student

        super().__init__(Own)

    def heard(self, body: bytes) -> None:
        text = body.decode("utf-8", errors="replace")
        found = [plain for plain, quoted in self._secrets if plain in text or quoted in text]
        with self._lock:
            self.chats += 1
            self.leaks += found


class _StudentDoor(Door):
    owner: Student

    def got(self) -> None:
        known: dict[str, Json] = {
            "/api/tags": listed(f"{name}:latest" for name in (STUDENT, JUDGE, WRITER)),
            "/api/version": {"version": "0.24.0"},
            "/api/ps": {"models": []},
            "/v1/models": {"object": "list", "data": [{"id": STUDENT, "object": "model"}]},
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
        said = self.owner.mind.answers(body)
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
