"""A closed-loop load client on raw sockets: each connection sends its next request after an
answer.
"""

import asyncio
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(slots=True)
class Times:
    """Seconds from each request to the first and to the last byte of its answer."""

    first_s: list[float] = field(default_factory=list)
    whole_s: list[float] = field(default_factory=list)
    took_s: float = 0.0
    wrong: int = 0

    def ms(self, which: str, quantile: float) -> float:
        values = self.first_s if which == "first" else self.whole_s
        return float(np.quantile(values, quantile) * 1000)

    @property
    def per_s(self) -> float:
        return len(self.whole_s) / self.took_s


class Connection(asyncio.Protocol):
    """One connection; sends `request(n)` as long as requests are left."""

    def __init__(self, load: "Load") -> None:
        self.load = load
        self.began = 0.0
        self.first = 0.0
        self.buffer = bytearray()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport: Any = transport
        self._ask()

    def _ask(self) -> None:
        number = self.load.take()
        if number is None:
            self.transport.close()
            return
        self.buffer.clear()
        self.first = 0.0
        self.began = time.perf_counter()
        self.transport.write(self.load.request(number))

    def data_received(self, data: bytes) -> None:
        self.first = self.first or time.perf_counter()
        self.buffer += data
        if not _complete(self.buffer):
            return
        now = time.perf_counter()
        times = self.load.times
        times.first_s.append(self.first - self.began)
        times.whole_s.append(now - self.began)
        times.wrong += not self.buffer.startswith(b"HTTP/1.1 200")
        self._ask()

    def connection_lost(self, _: Exception | None) -> None:
        self.load.closed()


def _complete(buffer: bytearray) -> bool:
    end = buffer.find(b"\r\n\r\n")
    if end < 0:
        return False
    head = bytes(buffer[:end]).lower()
    if b"transfer-encoding: chunked" in head:
        return buffer.endswith(b"0\r\n\r\n")
    at = head.find(b"content-length:")
    return at >= 0 and len(buffer) >= end + 4 + int(head[at + 15 :].split(b"\r\n", 1)[0])


class Load:
    def __init__(self, requests: int, request: Callable[[int], bytes]) -> None:
        self.left = requests
        self.total = requests
        self.request = request
        self.times = Times()
        self._open = 0
        self._done = asyncio.Event()

    def take(self) -> int | None:
        if self.left == 0:
            return None
        self.left -= 1
        return self.total - self.left

    def closed(self) -> None:
        self._open -= 1
        if self._open == 0:
            self._done.set()

    async def run(self, port: int, connections: int) -> Times:
        loop = asyncio.get_running_loop()
        self._open = connections
        began = time.perf_counter()
        for _ in range(connections):
            await loop.create_connection(lambda: Connection(self), "127.0.0.1", port)
        await self._done.wait()
        self.times.took_s = time.perf_counter() - began
        return self.times


def chat_request(port: int, text: str, *, stream: bool) -> bytes:
    body = {"model": "mock", "messages": [{"role": "user", "content": text}], "stream": stream}
    data = json.dumps(body).encode()
    head = (
        f"POST /api/chat HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUser-Agent: bench/1\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n"
    )
    return head.encode() + data


def drive(port: int, requests: int, connections: int, request: Callable[[int], bytes]) -> Times:
    """Run one load to its end and return the times."""
    return asyncio.run(Load(requests, request).run(port, connections))
