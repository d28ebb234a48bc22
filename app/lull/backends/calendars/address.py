"""Validates the URLs of calendar feeds, which are secret, and extracts the host and port, which may
be shown.

A feed's URL is a password. No error contains it, and errors are raised `from None`, because library
errors quote it. Whether Lull may connect to the URL's server is decided elsewhere, when the feed is
fetched.
"""

from __future__ import annotations

import ipaddress
import re
from typing import Final

from yarl import URL

from lull.core.calendars.feeds import FeedError

LONGEST_ADDRESS = 4096
"""Most characters of a calendar's URL."""
CHECK_IT: Final = "Check it where you copied it, and add the calendar again."

_WEBCAL: Final = re.compile(r"webcals?://", re.IGNORECASE)
_NUMBER: Final = re.compile(r"\d+|0x[0-9a-f]*", re.IGNORECASE)


def is_address(location: str) -> bool:
    """Return whether a calendar's location is a URL rather than a file path."""
    return re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", location.strip()) is not None


def read_address(address: str) -> URL:
    """Parse a calendar's http or https URL, which must contain no user name or password;
    `webcal://` means https.

    Raises FeedError, which never quotes the URL.
    """
    text = _WEBCAL.sub("https://", address.strip(), count=1)
    # Some programs read a backslash as a slash, and so see another host.
    if len(text) > LONGEST_ADDRESS or not text.isprintable() or " " in text or "\\" in text:
        raise FeedError("That is not the address of a calendar.", hint=CHECK_IT)
    try:
        url = URL(text)
        scheme, host, port = url.scheme, url.host, url.port
    except (ValueError, UnicodeError):
        raise FeedError("That is not the address of a calendar.", hint=CHECK_IT) from None
    if scheme not in {"https", "http"}:
        raise FeedError(
            "Only https:// and webcal:// are fetched.", hint="For a file, give its path."
        )
    if not host or port == 0 or _is_strange_number(host):
        raise FeedError("The address names no server.", hint=CHECK_IT)
    if "@" in re.split(r"[/?#]", text.partition("://")[2], maxsplit=1)[0]:
        raise FeedError(
            "The address holds a name or a password before its @.",
            hint="Use the calendar's secret address instead.",
        )
    return url.with_fragment(None)


def redirect_target(url: URL, location: str) -> URL:
    """Return the URL to which a calendar's server redirects; it must be valid and not lead from
    https to http. Raises FeedError.
    """
    try:
        target = str(url.join(URL(location))) if location else ""
    except (ValueError, UnicodeError):
        target = ""
    if not target:
        raise FeedError("It redirects, but does not say where to.", hint=CHECK_IT)
    try:
        read = read_address(target)
    except FeedError as error:
        raise FeedError(
            f"It redirects to an address that cannot be used: {error.detail}", hint=CHECK_IT
        ) from None
    if url.scheme == "https" and read.scheme == "http":
        raise not_encrypted(redirected=True)
    return read


def host_of(address: str) -> str:
    """Return a calendar URL's host and port, which may be shown and stored, unlike the secret rest.
    Raises FeedError.
    """
    url = read_address(address)
    host = url.host or ""
    shown = f"[{host}]" if ":" in host else host
    return shown if url.is_default_port() else f"{shown}:{url.port}"


def not_encrypted(*, redirected: bool) -> FeedError:
    """Return the error for a calendar address, or a redirect of one, that would be fetched without
    encryption.
    """
    why = "The address is not encrypted (http://), so others could read it and change it."
    if redirected:
        why = (
            "It redirects to an address that is not encrypted (http://), so others could read it"
            " and change it."
        )
    return FeedError(
        why,
        hint="Use https://; http:// is for private addresses, with --private.",
    )


def _is_strange_number(host: str) -> bool:
    """Return whether the host is a number like `127.1` or `0x7f.1`, which programs read
    differently."""
    if not _NUMBER.fullmatch(host.rstrip(".").rpartition(".")[2]):
        return False
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return True
    return False
