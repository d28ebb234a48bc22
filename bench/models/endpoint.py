"""Client for the model under test, on any server with OpenAI's or Ollama's chat API, without
streaming.

One kind of message inside, two on the wire. A server that fails is asked again a few times; then it
is `Down`, and the round counts as asked and lost.
"""

from __future__ import annotations

import http.client
import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Protocol = Literal["openai", "ollama"]
Message = dict[str, Any]
TRIES = 3
WAIT_S = 2.0


class Down(Exception):
    """Raised when the model does not answer, or not readably."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    id: str
    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    text: str
    calls: tuple[Call, ...]
    message: Message
    """The answer as a message to append to the history."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    address: str
    """The server's address, `http://host:port`, without /v1 or /api."""
    model: str
    protocol: Protocol = "openai"
    key: str = field(default="", repr=False)
    temperature: float = 0.0
    seed: int = 0
    timeout_s: float = 600.0
    wait: Callable[[float], None] = time.sleep
    before_user: Callable[[], None] | None = None
    """Callback before each request whose newest message is from a person."""

    def ask(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]]) -> Answer:
        """Ask the model for one answer. Raises Down."""
        if self.before_user is not None and messages[-1]["role"] == "user":
            self.before_user()
        body: dict[str, Any] = {"model": self.model, "messages": list(messages), "stream": False}
        body |= {"tools": list(tools)} if tools else {}
        if self.protocol == "openai":
            body |= {"temperature": self.temperature, "seed": self.seed}
            said = self._posted("/v1/chat/completions", body)
        else:
            body |= {"options": {"temperature": self.temperature, "seed": self.seed}}
            said = self._posted("/api/chat", body)
        try:
            message = (
                said["choices"][0]["message"] if self.protocol == "openai" else said["message"]
            )
            return _answer(message)
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise Down(f"the answer cannot be read: {error!r}") from None

    def result(self, call: Call, text: str) -> Message:
        """Return a tool's result as a message for the history."""
        named = {"tool_call_id": call.id} if self.protocol == "openai" else {"tool_name": call.name}
        return {"role": "tool", "content": text, **named}

    def _posted(self, path: str, body: object) -> Any:
        why = ""
        for number in range(TRIES):
            if number:
                self.wait(WAIT_S * number)
            try:
                return self._once(path, body)
            except urllib.error.HTTPError as error:
                with error:
                    why = f"HTTP {error.code}: {error.read(300).decode(errors='replace')}"
                if error.code < 500 and error.code != 429:
                    break
            except (OSError, http.client.HTTPException, ValueError) as error:
                why = f"{type(error).__name__}: {error}"
        raise Down(why)

    def _once(self, path: str, body: object) -> Any:
        headers = {"Content-Type": "application/json", "User-Agent": "lull-bench/1"}
        headers |= {"Authorization": f"Bearer {self.key}"} if self.key else {}
        request = urllib.request.Request(
            self.address.rstrip("/") + path, json.dumps(body).encode(), headers
        )
        with urllib.request.urlopen(request, timeout=self.timeout_s) as answer:
            return json.loads(answer.read())


def _answer(message: Mapping[str, Any]) -> Answer:
    calls = tuple(_call(one, n) for n, one in enumerate(message.get("tool_calls") or ()))
    kept = {k: message[k] for k in ("role", "content", "tool_calls") if message.get(k) is not None}
    text = message.get("content") or ""
    if not isinstance(text, str):
        raise ValueError("the content is no text")
    return Answer(text=text, calls=calls, message={"role": "assistant", "content": "", **kept})


def _call(one: Mapping[str, Any], number: int) -> Call:
    given = one["function"].get("arguments") or {}
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except ValueError:
            given = {}
    return Call(
        id=str(one.get("id") or f"call_{number}"),
        name=str(one["function"]["name"]),
        arguments=given if isinstance(given, dict) else {},
    )
