"""Decides from a request's headers whether it may use the proxy.

The listener is on loopback, so the threat is a web page in the user's own browser: Host must be a
loopback name with Lull's port (against DNS rebinding), Origin absent or allowed, and cross-site
fetches are refused. A bind beyond loopback also needs a token.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache

from multidict import MultiMapping

from lull.core.chat.client import Client
from lull.core.secrets.finding import secrets_in

_HEADER_ENCODING = ("utf-8", "surrogateescape")
"""Encoding for header bytes that keeps bytes that are not UTF-8 comparable."""
LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})
"""Host names that mean this machine."""
# Ollama's own list of allowed origins.
ORIGINS = (
    *(
        f"{scheme}://{host}{port}"
        for host in ("localhost", "127.0.0.1", "0.0.0.0")
        for scheme in ("http", "https")
        for port in ("", ":*")
    ),
    "app://*",
    "file://*",
    "tauri://*",
    "vscode-webview://*",
    "vscode-file://*",
)

# An origin as a browser sends it. This keeps a pattern's `*` from matching beyond the port.
_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://(\[[0-9a-f:.]+\]|[^/:@\s\[\]]*)(:\d{1,5})?")
_AUTHORITY = re.compile(r"https?://[^/?#]*", re.IGNORECASE)
_PREFIX = re.compile(r"/c/([A-Za-z0-9][A-Za-z0-9._-]{0,63})(/.*|$)")
_FAMILY = re.compile(r"[A-Za-z0-9._-]{1,64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessRules:
    """The rules for which requests may use the proxy: by its port, an access token and the origin
    of a web page. The token is needed only if other machines can connect.
    """

    port: int
    loopback: bool = True
    token: str = ""
    origins: Sequence[str] = ()
    """Origins of web pages that are allowed in addition to Ollama's defaults."""


def refusal(headers: Mapping[str, str], rules: AccessRules) -> str:
    """Return the reason why a request to the proxy is refused; "" if it is allowed."""
    for host in _said(headers, "Host") or [""]:
        if not _host_allowed(host, rules):
            return f"Host {host[:100]!r} is not this machine. Use http://127.0.0.1:{rules.port}."
    origins = _said(headers, "Origin")
    for origin in origins:
        if not _origin_allowed(origin, rules.origins):
            return (
                f"Origin {origin[:100]!r} is not allowed."
                " Add it to service.allow_origins in the settings if it is yours."
            )
    sites = [site.lower() for site in _said(headers, "Sec-Fetch-Site")]
    if "cross-site" in sites and not origins:
        return "A web page of another site may not use this address."
    if not rules.loopback and not _token_given(headers, rules.token):
        return "This address needs Lull's token: Authorization: Bearer …"
    return ""


def _said(headers: Mapping[str, str], name: str) -> list[str]:
    """Return all values of a repeated header: a valid one must not hide an invalid one."""
    if isinstance(headers, MultiMapping):
        return list(headers.getall(name, []))
    return [headers[name]] if name in headers else []


def _host_allowed(host: str, door: AccessRules) -> bool:
    name, colon, port = host.rpartition(":")
    if not colon or port.endswith("]"):
        name, port = host, "80"
    if port != str(door.port):
        return False
    # On other binds the machine's names are unknown; the token protects them.
    return name.lower() in LOOPBACK or not door.loopback


def _origin_allowed(origin: str, more: Sequence[str]) -> bool:
    plain = origin.lower()
    if not _ORIGIN.fullmatch(plain):
        return False
    return any(fnmatchcase(plain, pattern.lower()) for pattern in (*ORIGINS, *more))


def _token_given(headers: Mapping[str, str], token: str) -> bool:
    given = headers.get("X-Lull-Token", "")
    authorization = headers.get("Authorization", "")
    if authorization.lower().startswith("bearer "):
        given = given or authorization[7:].strip()
    return bool(token) and hmac.compare_digest(given.encode(*_HEADER_ENCODING), token.encode())


def origin_form(target: str) -> str:
    """Return the path of a request's target, which may also be a whole URL.

    The host in a URL, as clients send it to HTTP proxies, is dropped: the client never chooses
    where a request goes.
    """
    whole = _AUTHORITY.match(target)
    path = target[whole.end() :] if whole else target
    return path if path.startswith("/") else f"/{path}"


def split_client(raw_path: str, headers: Mapping[str, str]) -> tuple[Client, str]:
    """Return the client that sent a request, named by a `/c/NAME` prefix of the path or else by its
    User-Agent, and the path without that prefix.
    """
    found = _PREFIX.fullmatch(raw_path)
    if found:
        return Client(name=_without_secret(found.group(1)), apart=True), found.group(2) or "/"
    return Client(name=program_name(headers.get("User-Agent", ""))), raw_path


def program_name(user_agent: str) -> str:
    """Return the name of the program in a User-Agent header, without its version, such as
    `ollama-python`; "unknown" if there is none.
    """
    first = user_agent.strip().split("/", 1)[0].split(" ", 1)[0]
    return _without_secret(first).lower() if _FAMILY.fullmatch(first) else "unknown"


# Every request names its program, and few programs ask.
@lru_cache(maxsize=64)
def _without_secret(name: str) -> str:
    """Return the name, or a hash of it if it contains a token, which must not be stored."""
    if not secrets_in(name):
        return name
    return f"secret-{hashlib.blake2b(name.encode(), digest_size=16).hexdigest()}"
