"""Reads a calendar server's HTTP response: returns the decompressed body, limited in size, or an
error that is worded for users.

Errors quote only the status, because an error page may contain anything.
"""

from __future__ import annotations

import re
import zlib
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

import aiohttp

from lull.core.calendars.feeds import FeedError, FeedUnreachable, Validators

MOST_CALENDAR_BYTES = 10_000_000
"""Most bytes of a calendar, before and after decompression. Ten busy years take about 5 MB."""
LATER: Final = "This may be temporary; try again later."

_VALIDATOR: Final = re.compile(r"[\x21-\x7e][\x20-\x7e]{0,300}")
"""Header values that are safe to send back to the server."""
_STATUS_SENTENCES: Final = {
    401: "Its server asks for a password (HTTP 401).",
    403: "Its server refuses to show it (HTTP 403).",
    404: "There is no calendar at this address (HTTP 404).",
    410: "The calendar is no longer at this address (HTTP 410).",
    429: "Its server is asked too often (HTTP 429).",
}
"""Error sentences by HTTP status."""


_CERTIFICATE_FAULTS: Final = {
    9: "it is not valid yet",
    10: "it has expired",
    18: "it is signed by nobody but the server itself",
    19: "it is signed by nobody whom this computer trusts",
    20: "it is signed by nobody whom this computer trusts",
    21: "it is signed by nobody whom this computer trusts",
    23: "it was revoked",
    62: "it is for another address",
    64: "it is for another address",
}
"""What is wrong with a certificate, by OpenSSL's number of the fault (X509_V_ERR_…)."""


async def body_of(response: aiohttp.ClientResponse) -> bytes:
    """Read and decompress a calendar server's response.

    Raises FeedError if it is too large, FeedUnreachable if it was cut off.
    """
    if (response.content_length or 0) > MOST_CALENDAR_BYTES:
        raise too_big()
    packed = response.headers.get("Content-Encoding", "identity").strip().lower()
    if packed not in {"identity", "", "gzip", "x-gzip"}:
        raise FeedError(
            "Its server sent it compressed in a way that Lull did not ask for.", hint=LATER
        )
    inflate = zlib.decompressobj(31) if "gzip" in packed else None
    raw, body = 0, bytearray()
    async for piece in response.content.iter_any():
        raw += len(piece)
        body += _unpacked(inflate, piece, MOST_CALENDAR_BYTES + 1 - len(body)) if inflate else piece
        if raw > MOST_CALENDAR_BYTES or len(body) > MOST_CALENDAR_BYTES:
            raise too_big()
    if inflate is not None and not inflate.eof:
        raise FeedUnreachable("Its server stopped sending halfway.", hint=LATER)
    return bytes(body)


def _unpacked(inflate: Any, piece: bytes, most: int) -> bytes:
    """Unpack a piece to at most `most` bytes. Raises FeedError."""
    over = inflate.eof
    try:
        out: bytes = b"" if over else inflate.decompress(piece, max(1, most))
    except zlib.error:
        raise FeedError("It is compressed, and the data is damaged.", hint=LATER) from None
    if inflate.unconsumed_tail:
        raise too_big()
    if (piece if over else inflate.unused_data).strip(b"\0"):
        raise FeedError("There is extra data after the compressed part.", hint=LATER)
    return out


def too_big() -> FeedError:
    """Return the error for a calendar that is larger than Lull reads."""
    return FeedError(
        f"It is larger than {MOST_CALENDAR_BYTES // 1_000_000} MB.",
        hint="Publish fewer years of events.",
    )


def cache_validators(response: aiohttp.ClientResponse) -> Validators:
    """Return the cache validators (ETag, Last-Modified) in a calendar server's response, to be sent
    with the next request.

    Values that are unsafe to send are dropped.
    """

    def kept(name: str) -> str:
        value = response.headers.get(name, "")
        return value if _VALIDATOR.fullmatch(value) else ""

    return Validators(etag=kept("ETag"), last_modified=kept("Last-Modified"))


def status_error(response: aiohttp.ClientResponse) -> FeedError:
    """Return the error to show for a calendar server's response with a status other than 200."""
    status = response.status
    if status == 429 or status >= 500:
        return FeedUnreachable(
            _STATUS_SENTENCES.get(status, f"Its server failed (HTTP {status})."),
            hint=LATER,
            retry_after_s=_retry_after_s(response.headers.get("Retry-After", "")),
        )
    return FeedError(
        _STATUS_SENTENCES.get(status, f"Its server answers with something else (HTTP {status})."),
        hint="Its secret address may have been changed: copy it again from where it is published.",
    )


def connection_error(error: BaseException) -> FeedError:
    """Return the error to show for a failed connection to a calendar server.

    Library errors are not quoted, as they contain the secret URL.
    """
    if isinstance(error, aiohttp.ClientConnectorError):
        what = "Lull can't connect to its server."
    elif isinstance(error, (aiohttp.ClientPayloadError, aiohttp.ServerDisconnectedError)):
        what = "Its server stopped sending halfway."
    elif isinstance(error, (aiohttp.ClientResponseError, ValueError)):
        what = "Its server's answer is not valid HTTP."
    else:
        what = "The connection to its server was lost."
    return FeedUnreachable(what, hint=LATER)


def certificate_error(error: BaseException) -> FeedError:
    """Return the error to show when a calendar server's certificate failed verification."""
    why = _CERTIFICATE_FAULTS.get(getattr(error, "verify_code", 0), "it cannot be checked")
    return FeedError(
        f"Its server's certificate can't be trusted: {why}.",
        hint="Check the date of this machine and the address.",
    )


def _retry_after_s(text: str) -> float | None:
    """Parse a Retry-After header: seconds or a date (RFC 9110, 10.2.3)."""
    if text.strip().isdecimal() and len(text) < 10:
        return float(text)
    try:
        return max(0.0, (parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError, OverflowError):
        return None
