"""Fetches a calendar's address without ever being led astray.

The address is a password: it stands in no error, no log and no traceback. HTTPS alone; plain HTTP
only to a private address that the feed's owner ticked. No user info, at most three redirects, each
judged like the first; never from encrypted to plain, never from the open network into a private
one. A name is resolved once, all its addresses are judged (`core.feed_address`), and the connection
goes to exactly those, so that a name which answers something else a moment later gains nothing;
the certificate is still checked against the name. What comes is bounded in size, before and after
unpacking, and in time.
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
from lull.backends.ics_address import CHECK_IT, follow, not_encrypted, read_address
from lull.backends.ics_answer import LATER, body_of, broken, marks_of, refused, untrusted
from lull.core.feed_address import IpAddress, Standing, may_connect, standing
from lull.core.feeds import FeedError, FeedUnreachable, Marks

MOST_REDIRECTS = 3
WITHIN_S = 6.0

Resolve = Callable[[str, int], Awaitable[list[str]]]
"""Host and port → addresses as text. Raises OSError."""
Judge = Callable[[IpAddress], Standing]

_TURNS_TO_CLOSE: Final = 4
"""Of the loop, until a transport has seen that its connection is gone."""
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    body: bytes
    marks: Marks


@dataclass(frozen=True, slots=True)
class _Hop:
    """One address that was judged, and where it may be connected to."""

    url: URL
    addresses: tuple[str, ...]
    private: bool


async def look_up(host: str, port: int) -> list[str]:
    """What the system says. Raises OSError."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(one[4][0]) for one in found))


class FeedFetch:
    """`get` is the only door. Safe to use for several feeds at a time."""

    def __init__(
        self,
        *,
        tls: ssl.SSLContext | None = None,
        resolve: Resolve = look_up,
        judge: Judge = standing,
    ) -> None:
        """`tls` verifies certificates; by default as the system's own are."""
        self._tls = tls
        self._resolve = resolve
        self._judge = judge

    async def get(
        self, address: str, *, private: bool, marks: Marks, within_s: float = WITHIN_S
    ) -> Fetched | None:
        """The calendar's bytes; None when it is as it was when `marks` were given.

        Raises FeedUnreachable for what may pass, FeedError for the rest; neither holds the address.
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
            raise untrusted(error) from None
        except aiohttp.ClientConnectorCertificateError as error:
            raise untrusted(error.certificate_error) from None
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise broken(error) from None

    async def _follow(self, url: URL, *, private: bool, marks: Marks) -> Fetched | None:
        before: _Hop | None = None
        for _ in range(MOST_REDIRECTS + 1):
            hop = await self._judged(url, private=private, before=before)
            answer = await self._ask(hop, marks)
            if not isinstance(answer, URL):
                return answer
            url, before = answer, hop
        raise FeedError(f"It redirects more than {MOST_REDIRECTS} times.", hint=CHECK_IT)

    async def _judged(self, url: URL, *, private: bool, before: _Hop | None) -> _Hop:
        """Where this address may be connected to. Raises FeedError."""
        host = url.host or ""
        try:
            found = await self._resolve(host, url.port or 443)
        except OSError:
            raise FeedUnreachable(
                "The name of its server is not known now.", hint="Are you online? Else check it."
            ) from None
        at_home = private and (before is None or before.private)
        standings = [self._judge(ipaddress.ip_address(one)) for one in found]
        if not may_connect(standings, private=at_home):
            raise _not_there(standings, private=private, redirected=before is not None)
        is_private = all(one is Standing.PRIVATE for one in standings)
        if url.scheme == "http" and not (
            is_private and (before is None or before.url.scheme == "http")
        ):
            raise not_encrypted(redirected=before is not None)
        return _Hop(url, tuple(found), is_private)

    async def _ask(self, hop: _Hop, marks: Marks) -> Fetched | URL | None:
        """The calendar, None, or where it has gone."""
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
            # A handshake that is given up would be waited for, and its socket kept, for a while.
            for one in sockets:
                with contextlib.suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)
            for _ in range(_TURNS_TO_CLOSE):
                await asyncio.sleep(0)

    async def _over(
        self, connector: aiohttp.TCPConnector, hop: _Hop, marks: Marks
    ) -> Fetched | URL | None:
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
                return follow(hop.url, response.headers.get("Location", ""))
            if response.status == 304 and marks:
                return None
            if response.status != 200:
                raise refused(response)
            body = await body_of(response)
            return Fetched(body=body, marks=marks_of(response))


class _Judged(AbstractResolver):
    """Knows the addresses that were judged, and no others."""

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


def _headers(marks: Marks) -> dict[str, str]:
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


def _not_there(standings: list[Standing], *, private: bool, redirected: bool) -> FeedError:
    where = "It redirects to a server that" if redirected else "Its server"
    if not standings or Standing.FORBIDDEN in standings or private:
        return FeedError(
            f"{where} lies where no calendar may be fetched from.", hint="Check the address."
        )
    return FeedError(
        f"{where} lies on this machine or on a private network.",
        hint="If it is yours, add it with --private.",
    )
