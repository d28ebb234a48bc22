"""Validates the addresses in Lull's settings (to listen on, to call, allowed web origins) and
parses OLLAMA_HOST, the variable with the address of the user's Ollama.

OLLAMA_HOST has many forms (`0.0.0.0`, `:11434`, `gpu.local`); Lull reads it as Ollama does, so
that it finds the same Ollama as the user's other programs.
"""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import urlsplit

from lull.core.errors import SettingsError

OLLAMA = "http://127.0.0.1:11434"
_PORTS = {"": 11434, "http": 80, "https": 443}
_ANYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}
"""Wildcard addresses Ollama may listen on, each with the loopback address to call instead."""
_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://[^\s/,?#]+")


def is_bind(text: str) -> bool:
    """Return whether a text is an address at which the service can listen."""
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return text == "localhost"
    return True


def is_loopback(bind: str) -> bool:
    """Return whether only programs of this machine can reach this address."""
    return bind == "localhost" or ipaddress.ip_address(bind).is_loopback


def is_address(text: str) -> bool:
    """Whether the text is empty or an http(s) address without user, query or fragment."""
    if not text:
        return True
    try:
        parts = urlsplit(text)
        valid_port = parts.port != 0
    except ValueError:
        return False
    more = parts.username or parts.password or parts.query or parts.fragment or " " in text
    return parts.scheme in ("http", "https") and bool(parts.hostname) and valid_port and not more


def is_own(address: str, port: int) -> bool:
    """Whether an http address leads back to Lull itself: to this machine and `port`, on which
    Lull's proxy listens.
    """
    parts = urlsplit(address)
    host = parts.hostname or ""
    here = host == "localhost" or (is_bind(host) and is_loopback(host))
    return here and parts.port == port


def is_origin(text: str) -> bool:
    """Return whether a text has the form of a web page's origin, such as https://example.org."""
    return bool(_ORIGIN.fullmatch(text))


def ollama_address(ollama_host: str) -> str:
    """Return the address of the Ollama server that a value of OLLAMA_HOST names; Ollama's default
    address if the value is empty.

    Raises SettingsError if the value is no address.

    Follows `envconfig.Host` of Ollama and `_parse_host` of its Python package.
    """
    text = ollama_host.strip().strip("\"'")
    if not text:
        return OLLAMA
    scheme, found, rest = text.partition("://")
    if not found:
        scheme, rest = "", text
    address = f"{scheme or 'http'}://{rest}"
    try:
        parts = urlsplit(address)
        host = _ANYWHERE.get(parts.hostname or "", parts.hostname) or "127.0.0.1"
        port = parts.port or _PORTS[scheme]
    except (ValueError, KeyError) as error:
        raise SettingsError(
            f"OLLAMA_HOST is {ollama_host!r}, which is not an address.",
            hint="Set it to something like 127.0.0.1:11434, or set upstream.address.",
        ) from error
    path = parts.path.rstrip("/")
    return f"{parts.scheme}://{f'[{host}]' if ':' in host else host}:{port}{path}"
