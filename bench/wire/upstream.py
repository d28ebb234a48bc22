"""A very fast mock Ollama in a process of its own, which answers what it was told to.

It keeps the last chat body, so that what a proxy made of a prompt can be read back at `/last`.
"""

import asyncio
import json
import sys
from typing import Any

PIECES = 20
WORD = "word "
WINDOW_TOKENS = 4096
COUNT_PLACEHOLDER = 10_000_000
"""Placeholder in the prepared answers for the prompt's token count, with as many digits."""


def _json(status: str, body: Any, kind: str = "application/json; charset=utf-8") -> bytes:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(data)}\r\n\r\n"
    return head.encode() + data


def _line(text: str, *, done: bool = False) -> dict[str, Any]:
    line: dict[str, Any] = {
        "model": "mock",
        "created_at": "2026-11-21T00:00:00.000000000Z",
        "message": {"role": "assistant", "content": text},
        "done": done,
    }
    if done:
        line |= {"done_reason": "stop", "total_duration": 1, "prompt_eval_count": COUNT_PLACEHOLDER}
        line |= {"eval_count": PIECES}
    return line


def _stream() -> bytes:
    head = (
        b"HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n"
    )
    lines = [_line(WORD) for _ in range(PIECES)] + [_line("", done=True)]
    chunks = [json.dumps(line).encode() + b"\n" for line in lines]
    body = b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks)
    return head + body + b"0\r\n\r\n"


WHOLE = _json("200 OK", _line(WORD * PIECES, done=True))
STREAM = _stream()
MODEL = {"name": "mock:latest", "model": "mock:latest", "digest": "d" * 64, "size": 1}
LISTINGS = {
    b"/api/tags": _json("200 OK", {"models": [MODEL]}),
    b"/api/version": _json("200 OK", {"version": "0.24.0"}),
    b"/api/show": _json("200 OK", {"template": "", "model_info": {"m.context_length": 8192}}),
    b"/api/ps": _json("200 OK", {"models": [{**MODEL, "context_length": WINDOW_TOKENS}]}),
}


class Mock(asyncio.Protocol):
    last = b"{}"
    paused_s = 0.0

    def __init__(self) -> None:
        self.buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport: Any = transport

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        while (end := self.buffer.find(b"\r\n\r\n")) >= 0:
            head = self.buffer[:end]
            length = _length(head)
            if len(self.buffer) < end + 4 + length:
                return
            body = self.buffer[end + 4 : end + 4 + length]
            self.buffer = self.buffer[end + 4 + length :]
            self._answer(head.split(b" ", 2)[1].partition(b"?")[0], body)

    def _answer(self, path: bytes, body: bytes) -> None:
        if path in LISTINGS:
            self.transport.write(LISTINGS[path])
        elif path == b"/last":
            self.transport.write(_json("200 OK", Mock.last))
        elif path == b"/slow":
            Mock.paused_s = float(body)
            self.transport.write(_json("200 OK", {}))
        else:
            Mock.last = body
            count = b"%8d" % min(WINDOW_TOKENS, len(body) // 4)
            streamed = b'"stream": false' not in body and b'"stream":false' not in body
            if streamed and Mock.paused_s:
                head, _, rest = STREAM.replace(b"%d" % COUNT_PLACEHOLDER, count).partition(
                    b"\r\n\r\n"
                )
                self.transport.write(head + b"\r\n\r\n")
                asyncio.get_running_loop().call_later(Mock.paused_s, self.transport.write, rest)
            else:
                said = STREAM if streamed else WHOLE
                self.transport.write(said.replace(b"%d" % COUNT_PLACEHOLDER, count))


def _length(head: bytes) -> int:
    for line in head.split(b"\r\n"):
        if line[:15].lower() == b"content-length:":
            return int(line[15:])
    return 0


async def main() -> None:
    server = await asyncio.get_running_loop().create_server(Mock, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main())
