"""Who may talk to the data plane, and as whom: pure rules over a request's headers.

The listener is on loopback, so the danger is a web page in the user's own browser: Host must be a
loopback name with our port (DNS rebinding), Origin absent or on the list, and a cross-site fetch
is refused. A bind beyond loopback also needs a token.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from lull.core.policy import Client

LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})
# The list that Ollama itself allows.
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

# What a browser can send. A pattern's star must not reach from a port into another host.
_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://(\[[0-9a-f:.]+\]|[^/:@\s\[\]]*)(:\d{1,5})?")
_AUTHORITY = re.compile(r"https?://[^/?#]*", re.IGNORECASE)
_PREFIX = re.compile(r"/c/([A-Za-z0-9][A-Za-z0-9._-]{0,63})(/.*|$)")
_FAMILY = re.compile(r"[A-Za-z0-9._-]{1,64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """What the listener checks. `token` is needed only where the bind is not loopback."""

    port: int
    loopback: bool = True
    token: str = ""
    origins: Sequence[str] = ()


def refusal(headers: Mapping[str, str], door: Door) -> str:
    """Why the request is refused, in words; "" when it may pass."""
    host = headers.get("Host", "")
    if not _host_allowed(host, door):
        return f"Host {host[:100]!r} is not this machine. Use http://127.0.0.1:{door.port}."
    origin = headers.get("Origin")
    if origin is not None and not _origin_allowed(origin, door.origins):
        return (
            f"Origin {origin[:100]!r} is not allowed."
            " Add it to service.allow_origins in the settings if it is yours."
        )
    if headers.get("Sec-Fetch-Site", "").lower() == "cross-site" and origin is None:
        return "A web page of another site may not use this address."
    if not door.loopback and not _token_given(headers, door.token):
        return "This address needs Lull's token: Authorization: Bearer …"
    return ""


def _host_allowed(host: str, door: Door) -> bool:
    name, colon, port = host.rpartition(":")
    if not colon or port.endswith("]"):
        name, port = host, "80"
    if port != str(door.port):
        return False
    # Beyond loopback a machine has names that we do not know; there the token keeps strangers out.
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
    return bool(token) and hmac.compare_digest(given.encode(), token.encode())


def origin_form(target: str) -> str:
    """A request's target as a path. A whole address (as proxies are asked) loses its host: where
    a request goes is never the client's choice."""
    whole = _AUTHORITY.match(target)
    path = target[whole.end() :] if whole else target
    return path if path.startswith("/") else f"/{path}"


def split_client(raw_path: str, headers: Mapping[str, str]) -> tuple[Client, str]:
    """Who asks, and the path without the client's prefix."""
    found = _PREFIX.fullmatch(raw_path)
    if found:
        return Client(name=found.group(1), apart=True), found.group(2) or "/"
    return Client(name=family(headers.get("User-Agent", ""))), raw_path


def family(user_agent: str) -> str:
    """The program behind a User-Agent, without its version: `curl`, `ollama-python`."""
    first = user_agent.strip().split("/", 1)[0].split(" ", 1)[0].lower()
    return first if _FAMILY.fullmatch(first) else "unknown"
