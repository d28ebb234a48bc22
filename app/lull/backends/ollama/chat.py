"""A chat model on an Ollama server, for requests of Lull's own, such as replaying past requests,
judging answers and writing skills.

The connection is opened by the first request.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from lull.backends.chat.endpoint import (
    CONNECT_S,
    NO_END,
    LinkedMessage,
    build_completion,
    checked_address,
    error_body,
    link_tool_calls,
    no_chat_answer,
    refusal,
    replace_surrogates,
    request_time_limit,
    too_long,
    unreachable_error,
)
from lull.backends.ollama.errors import OllamaAway, OllamaRefused, OllamaUnreadable, TooLong
from lull.core.chat.messages import Completion, Finish, Message, PartKind, Role, Sampling, ToolCall
from lull.core.errors import RequestError

if TYPE_CHECKING:
    from lull.backends.ollama.client import OllamaConnection


class OllamaChat:
    """A chat model on an Ollama server; implements the `ChatModel` port.

    It belongs to one event loop; `close` it there.
    """

    def __init__(
        self,
        address: str,
        model: str,
        *,
        timeout_s: float,
        allow_remote: bool = False,
        own_upstream: bool = False,
    ) -> None:
        """Configure the model; `timeout_s` covers a whole answer, including loading the model.

        `own_upstream` says that the user's own chats go to this address. Raises SettingsError for a
        remote address or model that is not allowed.
        """
        self.name = model
        self._address = checked_address(
            address, model, allow_remote=allow_remote, own_upstream=own_upstream
        )
        self._timeout_s = timeout_s
        self._allow_remote = allow_remote
        self._is_here = allow_remote
        self._door: OllamaConnection | None = None

    async def close(self) -> None:
        """Close the connection to Ollama."""
        if self._door is not None:
            await self._door.close()

    async def chat(
        self,
        messages: Sequence[Message],
        *,
        sampling: Sampling,
        format: str = "",  # noqa: A002
        tools: str = "",
        adapter: str | None = None,
    ) -> Completion:
        """Send one chat request to Ollama. Raises UpstreamDown, RequestError."""
        if adapter is not None:
            raise RequestError(f"{self.name} on Ollama serves no adapters.", status=400)
        body = {
            "model": self.name,
            "messages": [_message(one) for one in link_tool_calls(messages)],
            "stream": False,
            "options": _options(sampling),
            **({"format": json.loads(format)} if format else {}),
            **({"tools": json.loads(tools)} if tools else {}),
        }
        async with request_time_limit(self._timeout_s, self.name, self._address):
            try:
                await self._see_that_it_is_here()
                answer = await self._post("/api/chat", body)
            except TooLong:
                return too_long()
        return self._completion(answer)

    async def _see_that_it_is_here(self) -> None:
        """Raise an error if Ollama would run the model on another machine."""
        if not self._is_here:
            shown = await self._post("/api/show", {"model": self.name})
            self._refuse_elsewhere(shown)
            self._is_here = True

    def _refuse_elsewhere(self, answer: dict[str, Any]) -> None:
        if answer.get("remote_host") and not self._allow_remote:
            self._is_here = False
            raise RequestError(
                f"{self.name} runs on another machine, and Lull would send it your conversations.",
                status=403,
                hint="Choose a model on this computer, or allow another computer for this in the "
                "settings.",
            )

    async def _post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        if self._door is None:
            # In a thread, because importing the package takes a third of a second.
            self._door = await asyncio.to_thread(_open, self._address, self._timeout_s)
        try:
            answer = await self._door.ask(path, body)
        except OllamaRefused as error:
            said = json.dumps({"error": error.said}).encode()
            raise refusal(error.status, said, name=self.name, address=self._address) from None
        except OllamaUnreadable:
            raise no_chat_answer(self._address) from None
        except OllamaAway as error:
            raise unreachable_error(self.name, self._address, error.why) from error.why
        if found := error_body(answer):
            raise refusal(500, found, name=self.name, address=self._address)
        return answer

    def _completion(self, answer: dict[str, Any]) -> Completion:
        self._refuse_elsewhere(answer)
        said = answer.get("message")
        if not isinstance(said, dict):
            raise no_chat_answer(self._address)
        ended = answer.get("done") is True
        whole = Finish.LENGTH if answer.get("done_reason") == "length" else Finish.STOP
        return build_completion(
            text=_text(said.get("content")),
            thinking=_text(said.get("thinking")),
            calls=tuple(_calls(said.get("tool_calls"))),
            finish=whole if ended else Finish.ERROR,
            prompt_tokens=answer.get("prompt_eval_count"),
            completion_tokens=answer.get("eval_count"),
            error="" if ended else NO_END,
        )


def _open(address: str, timeout_s: float) -> OllamaConnection:
    from lull.backends.ollama.client import OllamaConnection

    return OllamaConnection(address, connect_s=min(CONNECT_S, timeout_s))


def _options(sampling: Sampling) -> dict[str, Any]:
    """Return Ollama's options, never `num_ctx`, which would reload the model."""
    options = {
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "top_k": sampling.top_k,
        "seed": sampling.seed,
        "num_predict": sampling.max_tokens,
        "stop": list(sampling.stop) or None,
        "repeat_penalty": sampling.repeat_penalty,
        "repeat_last_n": sampling.repeat_last_n,
        "presence_penalty": sampling.presence_penalty,
        "frequency_penalty": sampling.frequency_penalty,
    }
    return {key: value for key, value in options.items() if value is not None}


def _message(one: LinkedMessage) -> dict[str, Any]:
    message = one.message
    said: dict[str, Any] = {"role": message.role.value, "content": "".join(one.texts)}
    if thought := "".join(p.text for p in message.parts if p.kind is PartKind.THINKING):
        said["thinking"] = replace_surrogates(thought)
    if message.tool_calls:
        said["tool_calls"] = [
            {"id": call_id, "function": {"name": call.name, "arguments": _object(call.arguments)}}
            for call_id, call in zip(one.call_ids, message.tool_calls, strict=True)
        ]
    if message.role is Role.TOOL:
        said |= {"tool_name": one.answers_name, "tool_call_id": one.answers_id}
    return said


def _object(arguments: str) -> dict[str, Any]:
    """Parse a tool call's arguments; Ollama accepts only objects, so other text is wrapped in
    one."""
    try:
        value = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        value = None
    return value if isinstance(value, dict) else {"arguments": replace_surrogates(arguments)}


def _calls(value: object) -> list[ToolCall]:
    calls = []
    for call in value if isinstance(value, list) else ():
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict):
            arguments = function.get("arguments") or {}
            text = arguments if isinstance(arguments, str) else json.dumps(arguments)
            calls.append(
                ToolCall(name=_text(function.get("name")), arguments=text, id=_text(call.get("id")))
            )
    return calls


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
