"""A small JSON-over-HTTP server on loopback, shared by the benchmarks' own servers."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self

from bench.json_object import Json

AT = "2026-11-21T02:41:30Z"


class Door(BaseHTTPRequestHandler):
    """Handles one HTTP connection; subclasses answer GET and POST."""

    protocol_version = "HTTP/1.1"
    # Head and body are written apart: without this the body waits for the head's receipt, 40 ms.
    disable_nagle_algorithm = True

    def do_HEAD(self) -> None:
        self.got()

    def do_GET(self) -> None:
        self.got()

    def do_POST(self) -> None:
        self.posted()

    def got(self) -> None:
        raise NotImplementedError

    def posted(self) -> None:
        raise NotImplementedError

    def body(self) -> bytes:
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def sends(self, document: object, status: int = 200) -> None:
        self.answers(json.dumps(document).encode(), "application/json", status)

    def streams(self, pieces: Iterable[bytes], kind: str) -> None:
        """Send a streamed answer all at once."""
        self.answers(b"".join(pieces), kind, 200)

    def answers(self, data: bytes, kind: str, status: int) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the parent's name
        """Log nothing; the benchmark's runner prints what matters."""


class Server:
    """A loopback HTTP server as a context manager; it accepts connections once constructed."""

    def __init__(self, door: type[Door]) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), door)
        self._server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def listed(names: Iterable[str]) -> Json:
    """Return a model list in the format of Ollama's /api/tags."""
    return {"models": [{"name": n, "model": n, "digest": f"d-{n}", "details": {}} for n in names]}


def shown(window_tokens: int) -> Json:
    """Return a model's description in the format of Ollama's /api/show, with an unknown
    template.
    """
    facts = {"general.architecture": "remote", "remote.context_length": window_tokens}
    known = {"template": "{{ .Prompt }}", "system": "", "model_info": facts, "details": {}}
    return {**known, "capabilities": ["completion", "tools"]}


def natively(model: str, message: Json, *, reason: str = "stop") -> Json:
    """Return a complete answer in the format of Ollama's /api/chat."""
    ended = {"done": True, "done_reason": reason, "prompt_eval_count": 100, "eval_count": 20}
    return {"model": model, "created_at": AT, "message": message, **ended}
