"""Tests of hostile pages in a real Chromium: they get nothing into a real service or out of it.

One page is from another site, one from a name that was bound again to this machine. A witness,
which is a server on another port that the same page attacks beside Lull, shows what arrives at all.
A page of this machine's own is let in, as Ollama does, and gets in what the hostile ones must not.
"""

from __future__ import annotations

import http.client
import json
import os
import queue
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.eventually import PATIENCE_S, eventually
from tests.running import Lull, RunningLull
from tests.service.control.socket_client import ControlSocket

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
pytestmark = [
    pytest.mark.soak,
    pytest.mark.skipif(CHROMIUM is None, reason="needs a Chromium, which is large"),
]

PAGE = (Path(__file__).parent / "hostile_page.html").read_bytes()
EVIL, REBOUND = "page.evil.test", "rebound.evil.test"
QUIET = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
    # The browser's own guard of local addresses would hide what Lull does.
    "--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests",
)
FROM_A_PAGE = "apple from a page"
Read = list[dict[str, str]]


class Site(ThreadingHTTPServer):
    """Serves the hostile page and takes its report; passes all else on to `behind`, if given."""

    daemon_threads = True

    def __init__(self, address: tuple[str, int], behind: str = "") -> None:
        super().__init__(address, _Handler)
        self.behind = behind
        self.reports: queue.Queue[Read] = queue.Queue()
        self.arrived: list[str] = []
        """Method and path of every request that was not for the page itself."""

    @property
    def port(self) -> int:
        return int(self.server_address[1])


class _Handler(BaseHTTPRequestHandler):
    server: Site

    def _any(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path.startswith("/page"):
            self._say(200, "text/html", PAGE)
        elif self.path == "/report":
            self.server.reports.put(json.loads(body))
            self._say(204, "text/plain", b"")
        else:
            self.server.arrived.append(f"{self.command} {self.path}")
            self._pass_on(body) if self.server.behind else self._say(404, "text/plain", b"")

    def _pass_on(self, body: bytes) -> None:
        connection = http.client.HTTPConnection(self.server.behind, timeout=PATIENCE_S)
        connection.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
        for name, value in self.headers.items():
            connection.putheader(name, value)
        connection.endheaders(body or None)
        answer = connection.getresponse()
        self._say(answer.status, answer.headers.get_content_type(), answer.read())
        connection.close()

    do_GET = do_POST = do_DELETE = do_OPTIONS = do_PUT = _any  # noqa: N815  the library's names

    def _say(self, status: int, kind: str, data: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def site(host: str = "127.0.0.1", port: int = 0, *, behind: str = "") -> Iterator[Site]:
    with Site((host, port), behind) as made:
        thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield made
        finally:
            made.shutdown()
            thread.join()


def visited(folder: Path, shown: Site, address: str, rules: Sequence[str] = ()) -> Read:
    """Open the page at this address in a fresh browser; return what the page could read."""
    words = [str(CHROMIUM), *QUIET, f"--user-data-dir={folder}"]
    words += [f"--host-resolver-rules={','.join(rules)}"] if rules else []
    browser = subprocess.Popen(
        [*words, address],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        env={**os.environ, "HOME": str(folder)},
    )
    try:
        return shown.reports.get(timeout=PATIENCE_S)
    finally:
        os.killpg(browser.pid, signal.SIGKILL)
        browser.wait()


def asking(*at: str, files: Sequence[str] = ()) -> str:
    return urlencode([*(("at", one) for one in at), *(("file", one) for one in files)])


def said(read: Read, base: str) -> dict[str, str]:
    return {one["way"]: one["got"] for one in read if one["base"] == base}


@pytest.fixture
def upstream() -> Iterator[Site]:
    """A server in the place of Ollama; whatever a page gets through Lull arrives here."""
    with site() as made:
        yield made


@pytest.fixture
def running(lull: Lull, upstream: Site) -> RunningLull:
    lull.upstream = f"http://127.0.0.1:{upstream.port}"
    return lull.serve()


def recorded(running: RunningLull) -> list[Any]:
    """Return the conversations once one is there that came after the page's requests."""
    running.chat("list: pear")

    def found() -> list[Any]:
        rows: list[Any] = running.lull.ask("conversations")["conversations"]
        return rows if "pear" in str(rows) else []

    seen: list[Any] = eventually(found)
    return seen


def untouched(running: RunningLull, upstream: Site) -> None:
    """Check that no page chatted, reached Ollama or stopped the service."""
    assert running.process.poll() is None
    assert len(recorded(running)) == 1
    assert [one for one in upstream.arrived if "?" in one or "delete" in one] == []


WAYS_IN = {
    *("GET /api/tags?get", "GET /api/tags?nocors", "POST /api/chat?text", "GET /api/tags?xhr"),
    *("POST /v1/chat/completions?nocors", "POST /v1/stop?nocors", "POST /c/page/api/chat?c"),
    *("POST /api/chat?beacon", "GET /api/chat?socket", "GET /v1/events?source"),
    *("POST /api/chat?form", "GET /api/tags?frame", "GET /api/tags?image", "GET /api/tags?script"),
    *("OPTIONS /api/chat?json", "OPTIONS /api/delete?delete", "GET /v1/snapshot?get"),
}
"""Requests of the page that arrive at a server of this machine which refuses nothing."""


def test_a_page_of_another_site_gets_nothing_in_and_reads_nothing(
    running: RunningLull, upstream: Site, tmp_path: Path
) -> None:
    port = running.address.rsplit(":", 1)[1]
    lulls = [f"http://127.0.0.1:{port}", f"http://localhost:{port}"]
    control = [f"file://{ControlSocket(running.lull.home).path}", "file:///etc/passwd"]
    with site() as shown, site() as witness:
        seen = f"http://127.0.0.1:{witness.port}"
        address = f"http://{EVIL}:{shown.port}/page?{asking(seen, *lulls, files=control)}"
        read = visited(tmp_path / "browser", shown, address, [f"MAP {EVIL} 127.0.0.1"])
        assert set(witness.arrived) >= WAYS_IN
    for base in lulls:
        ways = said(read, base)
        assert len(ways) >= 16
        # Of an answer that nobody may read a browser tells only that one came, or shows its frame
        # from outside.
        told = {way: got for way, got in ways.items() if got and not got.startswith("opaque 0")}
        assert told == {}
    assert [one["got"] for one in read if one["way"] == "file"] == ["", ""]
    untouched(running, upstream)


def test_a_name_that_is_bound_again_to_this_machine_is_refused(
    running: RunningLull, upstream: Site, tmp_path: Path
) -> None:
    port = int(running.address.rsplit(":", 1)[1])
    # The site that the name led to before; it passes all but its page on, as if bound to Lull.
    with site("127.0.0.2", port, behind=f"127.0.0.1:{port}") as shown:
        base = f"http://{REBOUND}:{port}"
        rules = [f"MAP {REBOUND} 127.0.0.2"]
        read = visited(tmp_path / "browser", shown, f"{base}/page?{asking(base)}", rules)
        assert {one for one in shown.arrived if "?" in one} >= WAYS_IN - {
            "OPTIONS /api/chat?json",
            "OPTIONS /api/delete?delete",
        }
    ways = said(read, base)
    for way, got in ways.items():
        if way in ("socket", "events", "image", "script"):
            assert got == "", way
        else:
            assert "not this machine" in got and "pocket" not in got, (way, got)
    untouched(running, upstream)


def test_a_page_of_this_machine_is_let_in_as_with_ollama(
    running: RunningLull, upstream: Site, tmp_path: Path
) -> None:
    with site() as shown:
        address = f"http://localhost:{shown.port}/page?{asking(running.address)}"
        ways = said(visited(tmp_path / "browser", shown, address), running.address)
    assert FROM_A_PAGE in str(recorded(running))
    assert ways["stop"] == "opaque 0 "  # it was answered, and is no route of this door
    assert running.process.poll() is None
    assert [one for one in upstream.arrived if "stop" in one] == []
