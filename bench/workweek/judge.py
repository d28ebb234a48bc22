"""A simulated judge: an OpenAI-compatible endpoint that knows what the person wants and errs at
random.

It stands for a chat model that is asked whether an answer was good. What it sees is what Lull shows
it; what it says is right with a probability that is printed with the results.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from bench.workweek.person import CLIENTS, EVERYBODY, Person
from lull.pocket import language as pocket
from lull.pocket import parsing

MODEL: Final = "simulated-judge"
RIGHT: Final = 0.9
"""Share of the simulated judge's votes that are right."""
_BLOCK: Final = re.compile(
    r"<<<(?P<label>[^<>]+) (?P<code>[0-9a-f]{12,})>>>\n(?P<text>.*?)\n"
    r"<<<end of (?P=label) (?P=code)>>>",
    re.DOTALL,
)


class Judge:
    """The judge's state; the week sets `day`, because the person's habits change."""

    def __init__(self, person: Person) -> None:
        self._person = person
        self.day = 1
        self.asked = 0

    def says(self, body: Mapping[str, Any]) -> str:
        self.asked += 1
        shown = str(body["messages"][-1]["content"])
        seen = {found["label"]: found["text"] for found in _BLOCK.finditer(shown)}
        if "answer A" in seen:
            return json.dumps({"reason": "Both will do.", "better": "same"})
        good = self._good(seen)
        if good is None:
            return json.dumps({"reason": "I cannot tell.", "score": 0})
        told = good is (_toss(shown) < RIGHT)
        reason = "As it was wanted." if told else "Not as it was wanted."
        return json.dumps({"reason": reason, "score": 1 if told else -1})

    def _good(self, seen: Mapping[str, str]) -> bool | None:
        """Return whether the answer is what the person wants; None if there is no request in the
        toy language.
        """
        answer = seen.get("the answer", "").strip()
        asked = _newest_request(seen.get("the conversation", ""))
        if asked is None:
            return None
        kind, words = asked
        styles = {self._person.style(who, kind, self.day) for who in (EVERYBODY, *CLIENTS)}
        if len(styles) > 1:
            styles -= {pocket.DEFAULT_STYLE}
        return any(answer == pocket.render(kind, words, style) for style in styles)


def _newest_request(conversation: str) -> tuple[pocket.Kind, tuple[str, ...]] | None:
    for line in reversed(conversation.splitlines()):
        _, _, said = line.partition(": ")
        for text in (line.strip(), said.strip()):
            if (found := parsing.parse_request(text)) is not None:
                return found
    return None


def _toss(shown: str) -> float:
    """Return a number in [0, 1) that depends only on the question, so that every run gets the same;
    the random marks around blocks are removed.
    """
    plain = _BLOCK.sub(lambda found: found["text"], shown)
    drawn = hashlib.sha256(plain.encode()).digest()
    return int.from_bytes(drawn[:6], "big") / 2**48


@contextmanager
def serving(judge: Judge) -> Iterator[str]:
    """Serve the judge as an endpoint and yield its base address."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            message = {"role": "assistant", "content": judge.says(body)}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            done = {"id": "1", "object": "chat.completion", "model": MODEL, "choices": [choice]}
            with suppress(ConnectionError):  # a chat came, and Lull took its question back
                self._answer(json.dumps(done).encode())

        def _answer(self, data: bytes) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
