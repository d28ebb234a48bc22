"""Downloads a calendar from its URL, which stays secret, with limits on redirects, size and time.

The URL is a password: it appears in no error, log or traceback. Only HTTPS; plain HTTP only to a
private address the user allowed. At most three redirects, each checked like the first: never from
HTTPS to HTTP, never from a public to a private network. A name is resolved once, all its addresses
are checked, and the connection uses exactly those, which defeats DNS rebinding; the certificate is
still verified against the name. Size (before and after unpacking) and time are bounded.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import socket
import ssl
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from lull import __version__
from lull.backends.calendars.address import CHECK_IT, not_encrypted, read_address, redirect_target
from lull.backends.calendars.answer import (
    LATER,
    body_of,
    cache_validators,
    certificate_error,
    connection_error,
    status_error,
)
from lull.core.calendars.feed_address import AddressKind, IpAddress, classify_address, may_connect
from lull.core.calendars.feeds import FeedError, FeedUnreachable, Validators

MOST_REDIRECTS = 3
FETCH_TIMEOUT_S = 6.0
"""Default timeout in seconds for downloading a calendar."""

Resolve = Callable[[str, int], Awaitable[list[str]]]
"""Type of functions that resolve a host and port to IP addresses as text. Raises OSError."""
Classify = Callable[[IpAddress], AddressKind]
"""Type of functions that decide which kind of network an IP address belongs to."""

_TURNS_TO_CLOSE: Final = 4
"""Event loop iterations until a transport notices its closed connection."""
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True, slots=True, kw_only=True)
class DownloadedFeed:
    """A downloaded calendar: its bytes and HTTP cache validators."""

    body: bytes
    marks: Validators


@dataclass(frozen=True, slots=True)
class _Hop:
    """An address that passed the checks, with the IP addresses to connect to."""

    url: URL
    addresses: tuple[str, ...]
    private: bool


async def look_up(host: str, port: int) -> list[str]:
    """Resolve a host name to its IP addresses with the system's resolver. Raises OSError."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(one[4][0]) for one in found))


class FeedFetch:
    """Downloads calendar feeds; one object may serve several downloads at once."""

    def __init__(
        self,
        *,
        tls: ssl.SSLContext | None = None,
        resolve: Resolve = look_up,
        judge: Classify = classify_address,
    ) -> None:
        """Create the downloader; `tls` is the TLS context that verifies certificates.

        The default uses the system's certificate store.
        """
        self._tls = tls
        self._resolve = resolve
        self._judge = judge

    async def get(
        self, address: str, *, private: bool, marks: Validators, within_s: float = FETCH_TIMEOUT_S
    ) -> DownloadedFeed | None:
        """Download a calendar; return None if the server says that it has not changed since the
        last download.

        `private` allows a server in a private network. `marks` are the cache validators (ETag,
        Last-Modified) of the copy downloaded before.

        Raises FeedUnreachable for temporary failures, otherwise FeedError; neither contains the
        secret URL.
        """
        try:
            async with asyncio.timeout(within_s):
                return await self._follow(read_address(address), private=private, marks=marks)
        except TimeoutError:
            raise FeedUnreachable(
                f"Its server did not send it within {within_s:g} s.",
                hint=LATER,
            ) from None
        except ssl.SSLCertVerificationError as error:
            raise certificate_error(error) from None
        except aiohttp.ClientConnectorCertificateError as error:
            raise certificate_error(error.certificate_error) from None
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise connection_error(error) from None

    async def _follow(self, url: URL, *, private: bool, marks: Validators) -> DownloadedFeed | None:
        before: _Hop | None = None
        for _ in range(MOST_REDIRECTS + 1):
            hop = await self._judged(url, private=private, before=before)
            answer = await self._ask(hop, marks)
            if not isinstance(answer, URL):
                return answer
            url, before = answer, hop
        raise FeedError(f"It redirects more than {MOST_REDIRECTS} times.", hint=CHECK_IT)

    async def _judged(self, url: URL, *, private: bool, before: _Hop | None) -> _Hop:
        """Resolve and check an address before connecting to it. Raises FeedError."""
        host = url.host or ""
        try:
            found = await self._resolve(host, url.port or 443)
        except OSError:
            raise FeedUnreachable(
                "Its server's name could not be looked up.",
                hint="Check your internet connection, then the address.",
            ) from None
        at_home = private and (before is None or before.private)
        standings = [self._judge(ipaddress.ip_address(one)) for one in found]
        if not may_connect(standings, private=at_home):
            raise _not_there(standings, private=private, redirected=before is not None)
        is_private = all(one is AddressKind.PRIVATE for one in standings)
        if url.scheme == "http" and not (
            is_private and (before is None or before.url.scheme == "http")
        ):
            raise not_encrypted(redirected=before is not None)
        return _Hop(url, tuple(found), is_private)

    async def _ask(self, hop: _Hop, marks: Validators) -> DownloadedFeed | URL | None:
        """Request the address once; return the calendar, None if unchanged, or the redirect's
        target.
        """
        if self._tls is None:
            self._tls = await asyncio.to_thread(ssl.create_default_context)
        sockets: list[socket.socket] = []

        def opened(where: tuple[Any, ...]) -> socket.socket:
            sockets.append(socket.socket(*where[:3]))
            return sockets[-1]

        connector = aiohttp.TCPConnector(
            resolver=_Judged(hop.addresses),
            use_dns_cache=False,
            ssl=self._tls,
            force_close=True,
            socket_factory=opened,
        )
        try:
            return await self._over(connector, hop, marks)
        finally:
            # Shut sockets down: an abandoned TLS handshake would keep its socket open for a while.
            for one in sockets:
                with contextlib.suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)
            for _ in range(_TURNS_TO_CLOSE):
                await asyncio.sleep(0)

    async def _over(
        self, connector: aiohttp.TCPConnector, hop: _Hop, marks: Validators
    ) -> DownloadedFeed | URL | None:
        async with (
            aiohttp.ClientSession(
                connector=connector,
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,
                trust_env=False,
                timeout=aiohttp.ClientTimeout(total=None),
                headers=_headers(marks),
                skip_auto_headers=("Accept-Encoding",),
            ) as session,
            session.get(hop.url, allow_redirects=False) as response,
        ):
            if response.status in _REDIRECTS:
                return redirect_target(hop.url, response.headers.get("Location", ""))
            if response.status == 304 and marks:
                return None
            if response.status != 200:
                raise status_error(response)
            body = await body_of(response)
            return DownloadedFeed(body=body, marks=cache_validators(response))


class _Judged(AbstractResolver):
    """Resolver that returns only the checked addresses."""

    def __init__(self, addresses: tuple[str, ...]) -> None:
        self._addresses = addresses

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=socket.AF_INET6 if ":" in address else socket.AF_INET,
                proto=0,
                flags=socket.AI_NUMERICHOST,
            )
            for address in self._addresses
        ]

    async def close(self) -> None:
        pass


def _headers(marks: Validators) -> dict[str, str]:
    headers = {
        "Accept": "text/calendar, */*;q=0.1",
        "Accept-Encoding": "gzip",
        "User-Agent": f"Lull/{__version__}",
    }
    if marks.etag:
        headers["If-None-Match"] = marks.etag
    if marks.last_modified:
        headers["If-Modified-Since"] = marks.last_modified
    return headers


def _not_there(standings: list[AddressKind], *, private: bool, redirected: bool) -> FeedError:
    """Return the error for a server that Lull refuses to connect to."""
    if not standings or AddressKind.FORBIDDEN in standings or private:
        why = "Its server is at an address that Lull reads no calendars from."
        if redirected:
            why = "It redirects to a server at an address that Lull reads no calendars from."
        return FeedError(why, hint="Check the address.")
    why = "Its server is on this machine or a private network."
    if redirected:
        why = "It redirects to a server that is on this machine or a private network."
    return FeedError(why, hint="If it is yours, add it with --private.")
