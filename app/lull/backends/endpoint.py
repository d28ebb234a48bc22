"""What every chat endpoint is held to: where it may stand, how long and how much it may say.

Shared by the chat models that ask a server. Whatever goes wrong there becomes one of two errors in
words for a person: UpstreamDown for what another try later may mend, RequestError for what somebody
must change first. A server's own words are quoted short and clean: they come from outside.
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
from lull.core.errors import LullError, RequestError, SettingsError, UpstreamDown
from lull.core.messages import Completion, Finish, Message, Part, PartKind, Role, ToolCall, Usage
from lull.core.model_name import runs_elsewhere

MOST_ANSWER_BYTES: Final = 1_000_000
"""Of one answer: no judge's and no skill writer's is near it, and memory is bounded."""
CONNECT_S: Final = 10.0
TOO_LONG: Final = f"The answer is longer than {MOST_ANSWER_BYTES} bytes."
NO_END: Final = "The answer ended without its end mark."
_QUOTED: Final = 200
_THOUGHT: Final = re.compile(r"\s*<think(?:ing)?>(.*?)(?:</think(?:ing)?>\s*|\Z)", re.DOTALL)
_LATER: Final = "Lull tries again later."
_BUSY: Final = (408, 425, 429)


def is_remote(address: str) -> bool:
    """False where the address surely names this machine; a name that resolves to it is not sure."""
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
    """The address without its last slash. Raises SettingsError for one that may not be asked.

    `own_upstream` says that the user's own chats go there anyway: another machine is no news
    then, but a model that its server passes on to somebody else's still is.
    """
    if not address or not is_address(address):
        raise SettingsError(
            f"{address!r} is not the address of a chat endpoint.",
            hint='Write it like "http://127.0.0.1:11434".',
        )
    far = is_remote(address) and not own_upstream
    if not allow_remote and (far or runs_elsewhere(model)):
        what = f"{address} is another machine" if far else f"{model} runs elsewhere"
        raise SettingsError(
            f"{what}, and Lull would send it your conversations.",
            hint="Choose a model on this machine, or set allow_remote beside it.",
        )
    return address.rstrip("/")


@asynccontextmanager
async def within(timeout_s: float, name: str, address: str) -> AsyncIterator[None]:
    """Raises UpstreamDown when the body takes longer."""
    try:
        async with asyncio.timeout(timeout_s):
            yield
    except TimeoutError as error:
        raise UpstreamDown(
            f"{name} at {address} did not answer within {timeout_s:g} s.",
            hint="A smaller model or a longer time limit in the settings helps.",
        ) from error


def unreachable(name: str, address: str, error: BaseException) -> UpstreamDown:
    """Nobody there, or the connection broke."""
    return UpstreamDown(
        f"{name} at {address} cannot be asked: nobody answers there, or the connection broke"
        f" ({type(error).__name__}).",
        hint=f"See that the server runs. {_LATER}",
    )


def refusal(status: int, body: bytes, *, name: str, address: str, key: str = "") -> LullError:
    """The error for an HTTP status that is no success."""
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
            f"{address} points to another place (HTTP {status}), where Lull does not go.",
            status=502,
            hint="Set the address where the endpoint really is.",
        )
    return RequestError(
        f"{address} refuses to ask {name} (HTTP {status}){said}",
        status=status,
        hint="Its words say why.",
    )


def no_chat_answer(address: str) -> RequestError:
    return RequestError(
        f"What {address} sends is no chat answer.",
        status=502,
        hint="Check the address: is a chat endpoint there?",
    )


def _said(body: bytes, key: str) -> str:
    """`: its words`, or a full stop where it said nothing that a person could use."""
    try:
        value = json.loads(body.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        value = None
    words = _sentence(value)
    if value is None:
        words = body[: 4 * _QUOTED].decode("utf-8", "replace")
    if words.lstrip().startswith("<"):
        words = ""  # a web page
    words = words.replace(key, "…") if key else words
    words = " ".join("".join(c if c.isprintable() else " " for c in words[:2000]).split())
    return f": {words[:_QUOTED]}" if words else "."


def _sentence(value: object) -> str:
    """The words of an error, wherever servers put them."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        for key in ("error", "message", "detail"):
            if words := _sentence(value.get(key)):
                return words
    return ""


def error_in(answer: dict[str, object]) -> bytes:
    """The error that came with HTTP 200, as a body; b"" for none."""
    return json.dumps({"error": answer["error"]}).encode() if answer.get("error") else b""


# -- messages ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Linked:
    """A message whose tool calls and results know each other, whatever dialect carried them."""

    message: Message
    texts: tuple[str, ...]
    """What it says, part by part, in characters that every encoder can write."""
    call_ids: tuple[str, ...] = ()
    answers_id: str = ""
    answers_name: str = ""


def linked(messages: Sequence[Message]) -> Iterator[Linked]:
    """Raises RequestError (400) for a message that cannot be said again as it was."""
    names: dict[str, str] = {}
    """Tool names by call id, the newest last."""
    for message in messages:
        _refuse_lost(message)
        start = len(names)
        ids = [call.id or f"call_{start + at}" for at, call in enumerate(message.tool_calls)]
        names.update(zip(ids, (call.name for call in message.tool_calls), strict=True))
        answers = _answered(message.tool_call_id, names) if message.role is Role.TOOL else ""
        yield Linked(
            message=message,
            texts=tuple(clean(p.text) for p in message.parts if p.kind in _SPOKEN and p.text),
            call_ids=tuple(ids),
            answers_id=answers,
            answers_name=names.get(answers, message.tool_call_id),
        )


_SPOKEN: Final = (PartKind.TEXT, PartKind.TOOL_RESULT)


def _answered(said: str, names: dict[str, str]) -> str:
    """The id of the call that a result belongs to; it may carry only the tool's name."""
    if said in names:
        return said
    return next((i for i, name in names.items() if name == said), said or next(iter(names), ""))


def _refuse_lost(message: Message) -> None:
    if any(part.kind in (PartKind.IMAGE, PartKind.OPAQUE) for part in message.parts):
        raise RequestError(
            "A message has an image or another part that Lull does not keep.",
            status=400,
            hint="Such a request cannot be asked again.",
        )


def clean(text: str) -> str:
    """Without halves of surrogate pairs, which no server could read."""
    return text.encode("utf-8", "replace").decode("utf-8")


def completion(
    *,
    text: str,
    thinking: str = "",
    calls: tuple[ToolCall, ...] = (),
    finish: Finish,
    prompt_tokens: object = None,
    completion_tokens: object = None,
    error: str = "",
) -> Completion:
    """An answer with its thinking set apart, also where the model wrote it into the text."""
    thought = _THOUGHT.match(text)
    if thought:
        text, thinking = text[thought.end() :], (thinking + thought.group(1).strip())
    said = ((PartKind.THINKING, thinking), (PartKind.TEXT, text))
    parts = tuple(Part(kind=kind, text=clean(words)) for kind, words in said if words)
    usage = Usage(prompt_tokens=_count(prompt_tokens), completion_tokens=_count(completion_tokens))
    message = Message(role=Role.ASSISTANT, parts=parts, tool_calls=calls)
    called = bool(calls) and finish is Finish.STOP
    finish = Finish.TOOL_CALLS if called else finish
    return Completion(message=message, finish=finish, usage=usage, error=error)


def too_long() -> Completion:
    return completion(text="", finish=Finish.ERROR, error=TOO_LONG)


def _count(value: object) -> int | None:
    return value if type(value) is int and value >= 0 else None
