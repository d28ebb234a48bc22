"""`lull ask`: sends one chat request to Lull and prints the answer as it arrives.

It speaks Ollama's protocol with only the standard library, so that a new user can try Lull at
once.
"""

from __future__ import annotations

import http.client
import json
import sys
from collections.abc import Iterator
from contextlib import closing
from typing import ClassVar, Final
from urllib.parse import urlsplit

from lull import __version__
from lull.cli.shared.context import Context, plain, progress
from lull.cli.shared.control import Control
from lull.contract import routes
from lull.contract.json_object import Json
from lull.core.chat.model_name import canonical
from lull.core.errors import LullError, NotFound, NotRunning, UsageError
from lull.core.skills.skill import check_client

CLIENT: Final = "lull-ask"
"""Client name under which `lull ask` talks to Lull, unless --client gives another."""
_MOST_ERROR_BYTES: Final = 100_000


class NoAnswer(LullError):
    title: ClassVar[str] = "The model did not answer"


class BrokenOff(LullError):
    title: ClassVar[str] = "The answer broke off"


def ask(context: Context) -> None:
    """Send the user's question to Lull as one chat request, and print the answer.

    Raises UsageError, NotRunning, NoAnswer (the reply is an error) and BrokenOff (the answer is cut
    off).
    """
    question = _question(context.options.question)
    check_client(context.options.client or "")
    control = Control(context.paths)
    status = control.get(routes.STATUS)
    model = context.options.model or status["policy"]["model"]
    asked = {"role": "user", "content": question}
    before = _said_before(control, context.options.client) if context.options.go_on else []
    body = {"model": model, "messages": [*before, asked], "stream": True}
    token = control.get(routes.TOKEN)["token"] if status["needs_token"] else None
    built_in = status["built_in"]
    if not built_in["ready"] and canonical(model) == canonical(built_in["name"]):
        progress(f"lull: making {model} ready, once; this takes about ten seconds")
    progress(f"lull: asking {model}")
    parts = _parts(control.discovery.address, body, context.options.client, token)
    answer, last = _shown(context, parts)
    if not last:
        raise BrokenOff(f"{model} had not come to its end.", hint="`lull logs` may say why.")
    if context.as_json:
        client = context.options.client or CLIENT
        done = {"done": True, "model": last.get("model", model), "client": client}
        print(json.dumps({**done, "answer": answer, "finish": last.get("done_reason", "")}))


def _shown(context: Context, parts: Iterator[Json]) -> tuple[str, Json]:
    """Print the answer as it arrives; return its text and the last JSON line, {} if the answer
    broke off.
    """
    whole: list[str] = []
    last: Json = {}
    thinks = False
    try:
        for part in parts:
            message = part.get("message") or {}
            if message.get("thinking") and not thinks:
                thinks = True
                progress("lull: it thinks first")
            if piece := str(message.get("content") or ""):
                whole.append(piece)
                _show(context, piece)
            last = part if part.get("done") else last
    finally:
        if not context.as_json and whole and not whole[-1].endswith("\n"):
            print(flush=True)
    return "".join(whole), last


def _show(context: Context, piece: str) -> None:
    if context.as_json:
        print(json.dumps({"piece": piece}), flush=True)
    elif sys.stdout is not None:
        # A file gets the exact text; on a terminal it must not control the screen.
        print(plain(piece) if sys.stdout.isatty() else piece, end="", flush=True)


def _question(words: list[str]) -> str:
    """The question, from the arguments or from stdin. Raises UsageError."""
    if words == ["-"]:
        try:
            given = "" if sys.stdin is None else sys.stdin.buffer.read().decode()
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is not UTF-8"
            raise UsageError(
                f"The question cannot be read from stdin: {reason}.",
                hint="`lull ask -` reads the question from it.",
            ) from error
    else:
        given = " ".join(words)
    if not given.strip():
        raise UsageError(
            "There is no question.", hint='Write `lull ask "…"`, or `lull ask -` for stdin.'
        )
    return given.rstrip("\n")


def _said_before(control: Control, client: str | None) -> list[Json]:
    """Return the messages of this chat client's last conversation. Raises NotFound."""
    name = client or CLIENT
    found = control.get(routes.CONVERSATIONS, client=name, limit=1)["conversations"]
    if not found:
        raise NotFound(f"{name} has not said anything yet.", hint="Ask without --continue first.")
    messages: list[Json] = []
    for turn in control.get(routes.CONVERSATION.format(id=found[0]["id"]))["turns"]:
        messages += [{"role": m["role"], "content": m["text"]} for m in turn["messages"]]
        messages.append({"role": "assistant", "content": turn["answer"]})
    return messages


def _parts(address: str, body: Json, client: str | None, token: str | None) -> Iterator[Json]:
    """Yield the answer's JSON lines. Raises NotRunning and NoAnswer."""
    where = urlsplit(address)
    headers = {"Content-Type": "application/json", "User-Agent": f"{CLIENT}/{__version__}"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    # No timeout: a large model may take long, and Ctrl-C ends it.
    with closing(http.client.HTTPConnection(where.hostname or "", where.port)) as connection:
        try:
            path = f"/c/{client}/api/chat" if client else "/api/chat"
            connection.request("POST", path, json.dumps(body).encode(), headers)
            answer = connection.getresponse()
        except (OSError, http.client.HTTPException) as error:
            raise NotRunning(
                f"The service does not answer at {address}.",
                hint="It may be starting or stopping; try again.",
            ) from error
        if answer.status >= 400:
            raise _no_answer(answer.read(_MOST_ERROR_BYTES), answer.status)
        try:
            for line in answer:
                part = json.loads(line) if line.strip() else {}
                if "error" in part:
                    raise _no_answer(line, answer.status)
                yield part
        except (OSError, http.client.HTTPException, ValueError):
            return  # the caller sees that the last line is missing


def _no_answer(data: bytes, status: int) -> NoAnswer:
    """Return the error for an unsuccessful reply, with its message from Ollama's JSON or plain
    text.
    """
    try:
        said = str(json.loads(data)["error"])
    except (ValueError, KeyError, TypeError):
        said = data.decode("utf-8", "replace").strip()[:200] or f"HTTP {status}, without a word"
    return NoAnswer(plain(said), hint="`lull doctor` looks at every part.")
