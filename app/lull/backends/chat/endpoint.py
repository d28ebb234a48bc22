"""Rules for all model servers to which Lull itself sends requests: allowed addresses, limits,
errors.

Failures become one of two errors: UpstreamDown if a later retry may help, RequestError if someone
must change something first. A server's error text is untrusted, so it is sanitized and quoted
briefly.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from lull.config.addresses import is_address
from lull.core.chat.messages import (
    Completion,
    Finish,
    Message,
    MessagePart,
    PartKind,
    Role,
    ToolCall,
    Usage,
)
from lull.core.chat.model_name import runs_elsewhere
from lull.core.errors import LullError, RequestError, SettingsError, UpstreamDown

MOST_ANSWER_BYTES: Final = 1_000_000
"""Most bytes of one answer from a model server. Bounds memory; no real answer comes near it."""
CONNECT_S: Final = 10.0
"""Timeout in seconds for connecting to a model server."""
TOO_LONG: Final = f"The answer is longer than {MOST_ANSWER_BYTES} bytes."
NO_END: Final = "The answer ended without its end mark."
_QUOTED_CHARACTERS: Final = 200
"""Most characters quoted from a server's error."""
_THOUGHT: Final = re.compile(r"\s*<think(?:ing)?>(.*?)(?:</think(?:ing)?>\s*|\Z)", re.DOTALL)
_LATER: Final = "Lull tries again later."
_BUSY: Final = (408, 425, 429)


def is_remote(address: str) -> bool:
    """Return whether a model server's address is on another machine.

    A host name counts as remote, except a literal name of this machine.
    """
    host = urlsplit(address).hostname or ""
    if host in ("localhost", "localhost."):
        return False
    try:
        ip = ipaddress.ip_address(host)
    except ValueError:
        return True
    mapped = ip.ipv4_mapped if isinstance(ip, ipaddress.IPv6Address) else None
    return not (ip.is_loopback or ip.is_unspecified or (mapped is not None and mapped.is_loopback))


def checked_address(
    address: str, model: str, *, allow_remote: bool, own_upstream: bool = False
) -> str:
    """Validate a model server's address and return it without its trailing slash.

    Raises SettingsError if the address is not allowed. A remote address needs `allow_remote`,
    unless `own_upstream` says that the user's own chats go to this server anyway. A model that the
    server itself forwards to another machine always needs `allow_remote`.
    """
    if not address or not is_address(address):
        raise SettingsError(
            f"{address!r} is not the address of a chat server.",
            hint='Write it like "http://127.0.0.1:11434".',
        )
    far = is_remote(address) and not own_upstream
    if not allow_remote and (far or runs_elsewhere(model)):
        what = f"{address} is another machine" if far else f"{model} runs elsewhere"
        raise SettingsError(
            f"{what}, and Lull would send it your conversations.",
            hint="Choose a model on this computer, or allow another computer for this in the "
            "settings.",
        )
    return address.rstrip("/")


@asynccontextmanager
async def request_time_limit(timeout_s: float, name: str, address: str) -> AsyncIterator[None]:
    """Context manager that raises UpstreamDown (a retry may help) if its block takes longer than
    `timeout_s`.
    """
    try:
        async with asyncio.timeout(timeout_s):
            yield
    except TimeoutError as error:
        raise UpstreamDown(
            f"{name} at {address} did not answer within {timeout_s:g} s.",
            hint="A smaller model or a longer time limit in the settings helps.",
        ) from error


def unreachable_error(name: str, address: str, error: BaseException) -> UpstreamDown:
    """Return the error for a failed or broken connection to a model server."""
    return UpstreamDown(
        f"{name} at {address} cannot be reached: nothing answers there, or the connection was "
        f"lost ({type(error).__name__}).",
        hint=f"Make sure that the server is running. {_LATER}",
    )


def refusal(status: int, body: bytes, *, name: str, address: str, key: str = "") -> LullError:
    """Return the error for an HTTP status with which a model server refused a request."""
    said = _said(body, key)
    if status in (401, 403):
        return RequestError(
            f"{address} does not let Lull in (HTTP {status}){said}",
            status=status,
            hint="Check its key in the settings.",
        )
    if status == 404:
        return RequestError(
            f"{address} does not know {name} (HTTP 404){said}",
            status=status,
            hint=f"Check name and address; on Ollama `ollama pull {name}` fetches it.",
        )
    if status in _BUSY:
        return UpstreamDown(f"{address} is busy (HTTP {status}){said}", hint=_LATER)
    if status >= 500:
        return UpstreamDown(f"{address} has failed (HTTP {status}){said}", hint=_LATER)
    if 300 <= status < 400:
        return RequestError(
            f"{address} redirects to another address (HTTP {status}), and Lull does not follow.",
            status=502,
            hint="Enter the address of the server itself.",
        )
    return RequestError(
        f"{address} refuses the request to {name} (HTTP {status}){said}",
        status=status,
        hint="Its message says why.",
    )


def no_chat_answer(address: str) -> RequestError:
    """Return the error for a reply that is not a chat answer."""
    return RequestError(
        f"What {address} sent is not a chat answer.",
        status=502,
        hint="Check the address: is there a chat server?",
    )


def _said(body: bytes, key: str) -> str:
    """Return the end of an error message: ": " and the server's sanitized text, or "." without
    one."""
    try:
        value = json.loads(body.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        value = None
    words = _sentence(value)
    if value is None:
        words = body[: 4 * _QUOTED_CHARACTERS].decode("utf-8", "replace")
    if words.lstrip().startswith("<"):
        words = ""  # a web page
    words = words.replace(key, "…") if key else words
    words = " ".join("".join(c if c.isprintable() else " " for c in words[:2000]).split())
    return f": {words[:_QUOTED_CHARACTERS]}" if words else "."


def _sentence(value: object) -> str:
    """Return the text of a server's error object, from any of the usual fields."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        for key in ("error", "message", "detail"):
            if words := _sentence(value.get(key)):
                return words
    return ""


def error_body(answer: dict[str, object]) -> bytes:
    """Return the error that a model server reported in an HTTP 200 answer, as the JSON body of an
    error response; b"" if it reported none.
    """
    return json.dumps({"error": answer["error"]}).encode() if answer.get("error") else b""


# -- messages ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedMessage:
    """A chat message prepared for sending: tool calls and their results refer to each other by
    their ids.
    """

    message: Message
    texts: tuple[str, ...]
    """Text of each part of the message, without lone surrogates."""
    call_ids: tuple[str, ...] = ()
    answers_id: str = ""
    answers_name: str = ""


def link_tool_calls(messages: Sequence[Message]) -> Iterator[LinkedMessage]:
    """Yield a chat request's messages with an id on every tool call, and the same id on its result.

    Raises RequestError (400) for a message that cannot be sent again as it was, such as one with an
    image.
    """
    names: dict[str, str] = {}
    """Tool names by call id; the newest call is last."""
    for message in messages:
        _refuse_lost(message)
        start = len(names)
        ids = [call.id or f"call_{start + at}" for at, call in enumerate(message.tool_calls)]
        names.update(zip(ids, (call.name for call in message.tool_calls), strict=True))
        answers = _answered(message.tool_call_id, names) if message.role is Role.TOOL else ""
        yield LinkedMessage(
            message=message,
            texts=tuple(
                replace_surrogates(p.text) for p in message.parts if p.kind in _SPOKEN and p.text
            ),
            call_ids=tuple(ids),
            answers_id=answers,
            answers_name=names.get(answers, message.tool_call_id),
        )


_SPOKEN: Final = (PartKind.TEXT, PartKind.TOOL_RESULT)


def _answered(said: str, names: dict[str, str]) -> str:
    """Return the id of the tool call that a result answers; the result may name only the tool."""
    if said in names:
        return said
    return next((i for i, name in names.items() if name == said), said or next(iter(names), ""))


def _refuse_lost(message: Message) -> None:
    if any(part.kind in (PartKind.IMAGE, PartKind.OPAQUE) for part in message.parts):
        raise RequestError(
            "A message has an image or another part that Lull does not keep.",
            status=400,
            hint="Such a request cannot be repeated.",
        )


def replace_surrogates(text: str) -> str:
    """Replace lone surrogates in a text, which cannot be encoded as UTF-8."""
    return text.encode("utf-8", "replace").decode("utf-8")


def build_completion(
    *,
    text: str,
    thinking: str = "",
    calls: tuple[ToolCall, ...] = (),
    finish: Finish,
    prompt_tokens: object = None,
    completion_tokens: object = None,
    error: str = "",
) -> Completion:
    """Build a Completion from the fields of a chat model's answer; thinking (`<think>…`) that the
    model mixed into the text becomes a separate part.
    """
    thought = _THOUGHT.match(text)
    if thought:
        text, thinking = text[thought.end() :], (thinking + thought.group(1).strip())
    said = ((PartKind.THINKING, thinking), (PartKind.TEXT, text))
    parts = tuple(
        MessagePart(kind=kind, text=replace_surrogates(words)) for kind, words in said if words
    )
    usage = Usage(prompt_tokens=_count(prompt_tokens), completion_tokens=_count(completion_tokens))
    message = Message(role=Role.ASSISTANT, parts=parts, tool_calls=calls)
    called = bool(calls) and finish is Finish.STOP
    finish = Finish.TOOL_CALLS if called else finish
    return Completion(message=message, finish=finish, usage=usage, error=error)


def too_long() -> Completion:
    """Return the failed completion for an answer that is longer than Lull reads."""
    return build_completion(text="", finish=Finish.ERROR, error=TOO_LONG)


def _count(value: object) -> int | None:
    return value if type(value) is int and value >= 0 else None
