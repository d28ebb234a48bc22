"""A small fake Ollama that ends an answer only when told to, so a stop comes in its middle."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(slots=True)
class Slow:
    address: str = ""
    begun: threading.Event = field(default_factory=threading.Event)
    """Set once the first of an answer's ten pieces was sent."""
    go_on: threading.Event = field(default_factory=threading.Event)
    """Set by the test to let the other pieces follow."""


@contextmanager
def slow_ollama() -> Iterator[Slow]:
    slow = Slow()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            told = {
                "/api/tags": {"models": [{"name": "slow:latest", "digest": "d" * 64}]},
                "/api/version": {"version": "0.24.0"},
            }
            self._whole(told.get(self.path, {}))

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            if self.path != "/api/chat":
                self._whole({"template": "", "model_info": {}})
                return
            self.send_response(200)
            self.send_header("Content-Type", "application/x-ndjson")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            try:
                for number in range(10):
                    self._piece({"message": {"role": "assistant", "content": f"{number} "}})
                    slow.begun.set()
                    slow.go_on.wait()
                self._piece({"message": {"role": "assistant", "content": ""}, "done": True})
                self.wfile.write(b"0\r\n\r\n")
            except OSError:
                self.close_connection = True

        def _piece(self, more: dict[str, object]) -> None:
            line = json.dumps({"model": "slow", "done": False, **more}).encode() + b"\n"
            self.wfile.write(f"{len(line):x}\r\n".encode() + line + b"\r\n")
            self.wfile.flush()

        def _whole(self, value: object) -> None:
            data = json.dumps(value).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    slow.address = f"http://127.0.0.1:{server.server_port}"
    try:
        yield slow
    finally:
        slow.go_on.set()
        server.shutdown()
        server.server_close()
        thread.join()
