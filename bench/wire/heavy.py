"""`python -m bench.wire.heavy`: how much one heavy request delays all others.

A steady client asks little questions, one after the other; beside it come a long text, very many
messages, an image, six of the long and of the many at once, and packed bodies: that unpack to
gigabytes, to as long a text, as many objects and as many values as are read of one, six at once.
Measured are the little ones' times, also as a ratio to those beside nothing, how long a write of
somebody else waits for the store, and the memory of the service with its reader of long bodies.
"""

import argparse
import base64
import gzip
import http.client
import json
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import psutil
import zstandard

from bench.wire import processes
from bench.wire.upstream import LISTINGS, WHOLE

Row = dict[str, Any]
MIB = 1 << 20
BETWEEN_S = 0.01
SETTLE_S = 3.0
RESTED_S = 12.0
"""More than the reader of long bodies stays when it has grown."""
QUIET = "nothing"
"""The case beside which the others' p99 is given as a ratio."""


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench.wire.heavy", description=__doc__)
    parser.add_argument("--upstream", action="store_true", help="be the mock upstream")
    parser.add_argument("--only", default="", help="cases whose name holds this")
    parser.add_argument("--wait-s", type=float, default=120.0, help="for the store, at most")
    args = parser.parse_args(argv)
    if args.upstream:
        return _serve()
    with (
        tempfile.TemporaryDirectory() as folder,
        processes.started("-m", "bench.wire.heavy", "--upstream") as mock,
        processes.lull(Path(folder) / "home", int(mock.said)) as (port, service),
    ):
        time.sleep(SETTLE_S)
        control = json.loads((Path(folder) / "home" / "service.json").read_text())["control"]
        quiet_ms = 0.0
        for name, heavy in _cases().items():
            if name == QUIET or args.only in name:
                row = _measured(name, heavy, port, control, service, args.wait_s)
                quiet_ms = quiet_ms or row["p99_ms"]
                row |= {"p99_ratio": round(row["p99_ms"] / quiet_ms, 1)}
                print(json.dumps(row), flush=True)
    return 0


Heavy = Callable[[int], object]


def _cases() -> dict[str, Heavy]:
    text = _chat([{"role": "user", "content": "word and more " * (60_000_000 // 14)}])
    many = _chat([{"role": "user", "content": f"number {n}"} for n in range(200_000)])
    some = _chat([{"role": "user", "content": f"number {n}"} for n in range(20_000)])
    photo = base64.b64encode(bytes(30_000_000)).decode()
    image = _chat([{"role": "user", "content": "what is this", "images": [photo]}])
    bomb = zstandard.ZstdCompressor(level=1).compress(bytes(2000 * MIB))
    return {
        QUIET: lambda port: time.sleep(5),
        "60 MB text": lambda port: _post(port, text),
        "20,000 messages": lambda port: _post(port, some),
        "200,000 messages": lambda port: _post(port, many),
        "40 MB image": lambda port: _post(port, image),
        "6 x 60 MB text": lambda port: _at_once([text] * 6, port),
        "6 x 200,000 messages": lambda port: _at_once([many] * 6, port),
        "100 bombs": lambda port: [_post(port, bomb, "zstd") for _ in range(100)],
        "6 bombs at once": lambda port: _at_once([bomb] * 6, port, "zstd"),
        "6 packed texts at once": lambda port: _at_once([_packed(PACKED_TEXT)] * 6, port, "zstd"),
        "6 packed, many objects": lambda port: _at_once([_packed(PACKED_MANY)] * 6, port, "zstd"),
        "6 packed, many values": lambda port: _at_once([_packed(PACKED_VALUES)] * 6, port, "zstd"),
        "6 x 60 MB of gzip": lambda port: _at_once([gzip.compress(text, 1)] * 6, port, "gzip"),
    }


def _chat(messages: object) -> bytes:
    return json.dumps({"model": "mock", "stream": False, "messages": messages}).encode()


PACKED_TEXT = [{"role": "user", "content": "word and more " * (15_500_000 // 14)}]
"""Nearly as much as is read of a packed body: a quarter of the longest."""
PACKED_MANY = [{"role": "user", "content": f"number {n}"} for n in range(290_000)]
"""Nearly as many objects as are read of any body."""
PACKED_VALUES = [{"role": "user", "content": "hi", "n": [*range(1_100_000)]}]
"""Nearly as many values."""


def _packed(messages: object) -> bytes:
    return zstandard.ZstdCompressor(level=3).compress(_chat(messages))


def _at_once(bodies: Sequence[bytes], port: int, encoding: str = "") -> None:
    threads = [threading.Thread(target=_post, args=(port, body, encoding)) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _measured(
    name: str, heavy: Heavy, port: int, control: str, service: processes.Started, wait_s: float
) -> Row:
    done = threading.Event()
    times: list[float] = []
    waits: list[float] = []
    memory: list[float] = []
    watchers = [
        threading.Thread(target=_ask_little, args=(port, done, times)),
        threading.Thread(target=_write_little, args=(control, done, waits)),
        threading.Thread(target=_watch, args=(service, done, memory)),
    ]
    before = service.memory_mb
    for watcher in watchers:
        watcher.start()
    began = time.monotonic()
    heavy(port)
    took_s = time.monotonic() - began
    until = time.monotonic() + wait_s
    while _busy(service) and time.monotonic() < until:
        time.sleep(0.5)
    stored_s = time.monotonic() - began
    done.set()
    for watcher in watchers:
        watcher.join()
    times.sort()
    return {
        "case": name,
        "took_s": round(took_s, 1),
        "stored_s": round(stored_s, 1),
        "little": len(times),
        "p50_ms": round(times[len(times) // 2] * 1e3, 1),
        "p99_ms": round(times[int(len(times) * 0.99)] * 1e3, 1),
        "max_ms": round(times[-1] * 1e3, 1),
        "store_max_ms": round(max(waits, default=0) * 1e3, 1),
        "before_mb": round(before),
        "most_mb": round(max(memory)),
        "after_mb": round(service.memory_mb),
        "rested_mb": round(_rested_mb(service)),
    }


def _rested_mb(service: processes.Started) -> float:
    """Return the memory once the reader of long bodies has left, which needs no memory any more."""
    time.sleep(RESTED_S)
    return service.memory_mb


def _busy(service: processes.Started) -> bool:
    """Whether the service or one of its children is still computing."""
    all_of_it = [psutil.Process(service.process.pid), *service.children()]
    before = sum(_cpu_s(one) for one in all_of_it)
    time.sleep(1.0)
    return sum(_cpu_s(one) for one in all_of_it) - before > 0.6


def _cpu_s(process: psutil.Process) -> float:
    try:
        times = process.cpu_times()
    except psutil.NoSuchProcess:
        return 0.0
    return float(times.user + times.system)


def _watch(service: processes.Started, done: threading.Event, into: list[float]) -> None:
    while not done.wait(0.1):
        into.append(service.memory_mb)


def _ask_little(port: int, done: threading.Event, into: list[float]) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=900)
    number = 0
    while not done.wait(BETWEEN_S):
        number += 1
        body = _chat([{"role": "user", "content": f"a little question, number {number}"}])
        began = time.monotonic()
        connection.request("POST", "/api/chat", body, {"Content-Type": "application/json"})
        connection.getresponse().read()
        into.append(time.monotonic() - began)


class _Unix(http.client.HTTPConnection):
    def __init__(self, path: str) -> None:
        super().__init__("localhost", timeout=900)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.connect(self._path)


def _write_little(control: str, done: threading.Event, into: list[float]) -> None:
    """Send writes that change nothing, but wait for the database's writer, and record how long they
    take.
    """
    while not done.wait(0.1):
        began = time.monotonic()
        with closing(_Unix(control)) as connection:
            body = json.dumps({"label": "good"})
            head = {"Content-Type": "application/json"}
            connection.request("POST", "/v1/turns/none/rate", body, head)
            connection.getresponse().read()
        into.append(time.monotonic() - began)


def _post(port: int, body: bytes, encoding: str = "") -> int:
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=900)) as connection:
        head = {"Content-Type": "application/json"}
        if encoding:
            head["Content-Encoding"] = encoding
        connection.request("POST", "/api/chat", body, head)
        answer = connection.getresponse()
        answer.read()
        return answer.status


# The upstream: takes bodies of any size without copying them about


def _serve() -> int:
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)
    print(listener.getsockname()[1], flush=True)
    threading.Thread(target=_accept, args=(listener,), daemon=True).start()
    sys.stdin.read()
    return 0


def _accept(listener: socket.socket) -> None:
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=_talk, args=(connection,), daemon=True).start()


def _talk(connection: socket.socket) -> None:
    stream = connection.makefile("rb")
    while line := stream.readline():
        length = 0
        while (header := stream.readline()) not in (b"\r\n", b""):
            if header[:15].lower() == b"content-length:":
                length = int(header[15:])
        while length:
            length -= len(stream.read(min(length, MIB)))
        path = line.split(b" ")[1].partition(b"?")[0]
        connection.sendall(LISTINGS.get(path, WHOLE).replace(b"10000000", b"%8d" % 20))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
