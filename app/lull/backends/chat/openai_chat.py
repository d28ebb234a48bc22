"""A chat model behind any endpoint that speaks OpenAI's `/v1/chat/completions`.

Endpoints differ in structured output: some take a JSON schema, some only `json_object`, some
neither. A form refused with 400 or 422 is replaced by the next weaker one, and the accepted form is
remembered; callers parse answers strictly anyway.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

import aiohttp

from lull.backends.chat.endpoint import (
    CONNECT_S,
    MOST_ANSWER_BYTES,
    NO_END,
    LinkedMessage,
    build_completion,
    checked_address,
    error_body,
    link_tool_calls,
    no_chat_answer,
    refusal,
    request_time_limit,
    too_long,
    unreachable_error,
)
from lull.core.chat.messages import Completion, Finish, Message, Role, Sampling, ToolCall
from lull.core.errors import RequestError

_FORMS: Final = ("json_schema", "json_object", "")
"""Types of `response_format`, strictest first; "" sends none."""
_UNSUPPORTED: Final = (400, 422)
"""HTTP statuses for an unsupported request field."""
_FINISHES: Final = {
    "stop": Finish.STOP,
    "length": Finish.LENGTH,
    "tool_calls": Finish.TOOL_CALLS,
    "function_call": Finish.TOOL_CALLS,
}


def open_session() -> aiohttp.ClientSession:
    """Open an HTTP session for requests to model servers.

    It has no cookies and takes no proxies or passwords from the environment.
    """
    return aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar(), trust_env=False)


class _Reply(NamedTuple):
    status: int
    body: bytes | None
    """The reply's body; None if it is too long."""


class OpenAIChat:
    """A chat model behind an OpenAI-compatible endpoint; implements the `ChatModel` port."""

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        session: aiohttp.ClientSession,
        timeout_s: float,
        api_key: str = "",
        allow_remote: bool = False,
    ) -> None:
        """Configure an endpoint; `base_url` may end at the host, at `/v1` or at the route.

        `session` is from `open_session`. Raises SettingsError for a remote address or model that is
        not allowed.
        """
        self.name = model
        self._address = checked_address(base_url, model, allow_remote=allow_remote)
        self._url = _route(self._address)
        self._session = session
        self._timeout_s = timeout_s
        self._key = api_key
        self._form = 0
        """Index in `_FORMS` of the strictest form not refused yet."""
        self._limit = "max_tokens"

    async def chat(
        self,
        messages: Sequence[Message],
        *,
        sampling: Sampling,
        format: str = "",  # noqa: A002
        tools: str = "",
        adapter: str | None = None,
    ) -> Completion:
        """Send one chat request to the OpenAI-compatible server. Raises UpstreamDown,
        RequestError.
        """
        if adapter is not None:
            raise RequestError(f"{self.name} at {self._address} serves no adapters.", status=400)
        body: dict[str, Any] = {
            "model": self.name,
            "messages": [_message(one) for one in link_tool_calls(messages)],
            "stream": False,
            **_drawn(sampling),
            **({"tools": json.loads(tools)} if tools else {}),
        }
        async with request_time_limit(self._timeout_s, self.name, self._address):
            reply = await self._held_to(body, format, sampling.max_tokens)
        return self._completion(reply)

    async def _held_to(self, body: dict[str, Any], wanted: str, limit: int | None) -> _Reply:
        """Send the request in the strictest output format that the endpoint accepts; return the
        reply.
        """
        forms = list(_forms(wanted, self._form))
        first: _Reply | None = None
        for number, form in forms:
            reply = await self._limited(body | form, limit)
            if reply.status not in _UNSUPPORTED:
                if reply.status < 300 and wanted:
                    self._form = max(self._form, number)
                return reply
            first = first or reply
        assert first is not None, "there is always a form"
        return first

    async def _limited(self, body: dict[str, Any], limit: int | None) -> _Reply:
        """Send the request, switching to `max_completion_tokens` if the endpoint asks for it."""
        if limit is None:
            return await self._post(body)
        reply = await self._post({**body, self._limit: limit})
        newer = "max_completion_tokens"
        if (
            reply.status in _UNSUPPORTED
            and self._limit != newer
            and newer.encode() in (reply.body or b"")
        ):
            self._limit = newer
            reply = await self._post({**body, newer: limit})
        return reply

    async def _post(self, body: dict[str, Any]) -> _Reply:
        headers = {"Accept-Encoding": "identity"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        try:
            async with self._session.post(
                self._url,
                json=body,
                headers=headers,
                allow_redirects=False,
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_S),
            ) as answer:
                return _Reply(answer.status, await _bounded(answer.content))
        except (aiohttp.ClientError, OSError) as error:
            raise unreachable_error(self.name, self._address, error) from error

    def _completion(self, reply: _Reply) -> Completion:
        if reply.body is None:
            return too_long()
        if reply.status != 200:
            raise self._refused(reply.status, reply.body)
        try:
            answer = json.loads(reply.body)
            if error := error_body(answer):
                raise self._refused(500, error)
            choice = answer["choices"][0]
            said = choice["message"]
            finish = _FINISHES.get(choice.get("finish_reason") or "", Finish.ERROR)
            usage = answer.get("usage") or {}
            return build_completion(
                text=_text(said.get("content")) or _text(said.get("refusal")),
                thinking=_text(said.get("reasoning") or said.get("reasoning_content")),
                calls=tuple(_calls(said.get("tool_calls"))),
                finish=finish,
                prompt_tokens=usage.get("prompt_tokens"),
                completion_tokens=usage.get("completion_tokens"),
                error="" if finish is not Finish.ERROR else _why(choice.get("finish_reason")),
            )
        except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
            raise no_chat_answer(self._address) from None

    def _refused(self, status: int, body: bytes) -> Exception:
        return refusal(status, body, name=self.name, address=self._address, key=self._key)


async def _bounded(content: aiohttp.StreamReader) -> bytes | None:
    body = bytearray()
    async for piece in content.iter_any():
        body += piece
        if len(body) > MOST_ANSWER_BYTES:
            return None
    return bytes(body)


def _route(address: str) -> str:
    path = urlsplit(address).path
    if path.endswith("/chat/completions"):
        return address
    return f"{address}/chat/completions" if path else f"{address}/v1/chat/completions"


def _forms(wanted: str, at_least: int) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the request fields for a format, from index `at_least` on, strictest first."""
    if not wanted:
        yield 0, {}
        return
    schema = json.loads(wanted)
    for number, form in enumerate(_FORMS):
        if number < at_least or (form == "json_schema" and not isinstance(schema, dict)):
            continue
        held: dict[str, Any] = {"type": form}
        if form == "json_schema":
            held["json_schema"] = {"name": "answer", "schema": schema}
        yield number, {"response_format": held} if form else {}


def _drawn(sampling: Sampling) -> dict[str, Any]:
    """Return the request's sampling fields; OpenAI's protocol has no `top_k` and no
    `repeat_penalty`.
    """
    fields = {
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "seed": sampling.seed,
        "stop": list(sampling.stop) or None,
        "presence_penalty": sampling.presence_penalty,
        "frequency_penalty": sampling.frequency_penalty,
    }
    return {key: value for key, value in fields.items() if value is not None}


def _message(one: LinkedMessage) -> dict[str, Any]:
    message = one.message
    parts = [{"type": "text", "text": text} for text in one.texts]
    content: object = parts if len(parts) > 1 else "".join(one.texts)
    said: dict[str, Any] = {"role": message.role.value, "content": content}
    if message.tool_calls:
        said["tool_calls"] = [
            {
                "id": call_id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments or "{}"},
            }
            for call_id, call in zip(one.call_ids, message.tool_calls, strict=True)
        ]
    if message.role is Role.TOOL:
        said["tool_call_id"] = one.answers_id
    return said


def _calls(value: object) -> Iterator[ToolCall]:
    for call in value if isinstance(value, list) else ():
        function = call["function"]
        arguments = function.get("arguments") or "{}"
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        yield ToolCall(name=_text(function.get("name")), arguments=text, id=_text(call.get("id")))


def _text(value: object) -> str:
    """Return a message's content as text; the content may be a list of parts."""
    if isinstance(value, list):
        return "".join(_text(part.get("text")) for part in value if isinstance(part, dict))
    return value if isinstance(value, str) else ""


def _why(reason: object) -> str:
    return f"The endpoint ended it: {reason}." if isinstance(reason, str) and reason else NO_END
