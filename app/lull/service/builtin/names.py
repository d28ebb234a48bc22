"""Model names as Ollama parses them: `[host/][namespace/]model[:tag]`.

Two names are the same model if they are equal with defaults filled in, ignoring case. An answer
echoes the name as typed; only listings and a few errors print the full form.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

_HOST, _NAMESPACE, _TAG = "registry.ollama.ai", "library", "latest"
_PART = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,79}")
_HOST_PART = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:-]{0,349}")


class ModelName(NamedTuple):
    """The parts of a model name, with defaults filled in."""

    host: str
    namespace: str
    model: str
    tag: str

    @property
    def short(self) -> str:
        """The model's short name as listings print it, such as `pocket:latest`."""
        namespace = "" if self.namespace == _NAMESPACE else f"{self.namespace}/"
        host = "" if self.host == _HOST else f"{self.host}/"
        if host and not namespace:
            namespace = f"{self.namespace}/"
        return f"{host}{namespace}{self.model}:{self.tag}"

    @property
    def full(self) -> str:
        """The model's name with host, namespace and tag."""
        return f"{self.host}/{self.namespace}/{self.model}:{self.tag}"


def parse_name(text: str) -> ModelName | None:
    """Parse a model's name; None if it is invalid."""
    rest = re.sub(r"^https?://", "", text)
    head, slash, last = rest.rpartition("/")
    model, colon, tag = last.partition(":")
    if (colon and not tag) or (slash and not head):
        return None
    host, inner, namespace = head.rpartition("/")
    if inner and not host:
        return None
    name = ModelName(host or _HOST, namespace or _NAMESPACE, model, tag or _TAG)
    parts = (name.namespace, name.model, name.tag)
    valid = all(_PART.fullmatch(part) for part in parts) and _HOST_PART.fullmatch(name.host)
    return name if valid else None


def name_key(text: str) -> str:
    """Return a key for a model that is the same for all spellings of its name.

    "" for an invalid name.
    """
    return _cached_key(text) if len(text) <= _MAX_CACHED else _key(text)


def _key(text: str) -> str:
    name = parse_name(text)
    return name.full.lower() if name else ""


# Nearly every request names the same model.
_MAX_CACHED = 200
"""Longest name whose key is cached."""
_cached_key = lru_cache(maxsize=256)(_key)
