"""Sends one short test request to Lull, in the API format that a chat app uses."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Mapping
from contextlib import closing
from typing import Final
from urllib.parse import urlsplit

from lull import __version__
from lull.backends.clients import answers
from lull.contract.chat_headers import RECORD_HEADER
from lull.contract.json_object import Json
from lull.core.clients.client import ApiProtocol
from lull.core.text.coded_text import coded, coded_text

_SAID: Final = "Say hello in one short sentence."
_MOST_BYTES: Final = 1_000_000
_MOST_TOKENS: Final = 64


def send_test_request(address: str, speech: ApiProtocol, client: str, model: str) -> Json:
    """Send a short test request to Lull and return the outcome; `speech` is the API in whose format
    it is sent.

    Returns `{"ok", "model", "answered_by", "route", "answer", "why", "took_s"}`: `model` is the one
    that was asked, `answered_by` the one that the answer names ("" if it names none), `route` the
    API path that was called, and `why` says what failed. There is no time limit, because a large
    model may take minutes to load; Ctrl-C ends it.
    """
    where = urlsplit(address)
    # What Lull asks itself is no conversation of the user's, and teaches nothing.
    headers = {
        "Content-Type": "application/json",
        RECORD_HEADER: "no",
        "User-Agent": f"lull-connect/{__version__} ({client})",
    }
    start_s = time.monotonic()
    answer, answered_by, why = "", "", ""
    try:
        with closing(http.client.HTTPConnection(where.hostname or "", where.port)) as connection:
            body = json.dumps(_body(speech, model)).encode()
            connection.request("POST", speech.value, body, headers)
            got = connection.getresponse()
            data = got.read(_MOST_BYTES)
        if got.status >= 400:
            said = _printable(_error_in(data.decode("utf-8", "replace")))[:300]
            words = "The request was refused (HTTP %1): “%2”."
            why = coded_text("trial-refused", words, str(got.status), said)
        else:
            document = json.loads(data)
            answer = _printable(answers.text_of(speech, document))
            answered_by = _printable(str(document.get("model") or ""))
            why = "" if answer.strip() else coded_text("trial-empty", "The answer has no text.")
    except (OSError, http.client.HTTPException, ValueError) as error:
        fault = getattr(error, "strerror", None) or str(error) or type(error).__name__
        why = coded_text("trial-silent", "%1 does not answer: %2.", address, fault)
    return {
        "ok": not why,
        "model": model,
        "answered_by": answered_by,
        "route": speech.value,
        "answer": answer,
        "why": why,
        **coded(why, "why_"),
        "took_s": round(time.monotonic() - start_s, 2),
    }


def _error_in(text: str) -> str:
    """The message in an API's JSON of an error; else the whole text."""
    try:
        error = json.loads(text)["error"]
        return str(error["message"] if isinstance(error, dict) else error)
    except (ValueError, KeyError, TypeError):
        return " ".join(text.split())


def _printable(text: str) -> str:
    """The text without characters that could control a terminal or a window."""
    return "".join(
        c if c in "\n\t" or c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text
    )


def _body(speech: ApiProtocol, model: str) -> Mapping[str, object]:
    if speech is ApiProtocol.RESPONSES:
        return {
            "model": model,
            "input": _SAID,
            "stream": False,
            "max_output_tokens": _MOST_TOKENS,
        }
    asked = {"model": model, "messages": [{"role": "user", "content": _SAID}], "stream": False}
    if speech is ApiProtocol.OLLAMA:
        return {**asked, "options": {"num_predict": _MOST_TOKENS}}
    return {**asked, "max_tokens": _MOST_TOKENS}
