"""Model names as Ollama reads them: `[host/][namespace/]model[:tag]`.

Two names are one model when they agree once the defaults are filled in, whatever their case. An
answer echoes the name as it was typed; only listings and a few errors spell it out.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

_HOST, _NAMESPACE, _TAG = "registry.ollama.ai", "library", "latest"
_PART = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,79}")
_HOST_PART = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:-]{0,349}")


class ModelName(NamedTuple):
    host: str
    namespace: str
    model: str
    tag: str

    @property
    def short(self) -> str:
        """As listings print it: `pocket:latest`."""
        namespace = "" if self.namespace == _NAMESPACE else f"{self.namespace}/"
        host = "" if self.host == _HOST else f"{self.host}/"
        if host and not namespace:
            namespace = f"{self.namespace}/"
        return f"{host}{namespace}{self.model}:{self.tag}"

    @property
    def full(self) -> str:
        return f"{self.host}/{self.namespace}/{self.model}:{self.tag}"


def parse_name(text: str) -> ModelName | None:
    """None for what is no name."""
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
    """Equal for two spellings of one model; "" for what is no name."""
    return _known_key(text) if len(text) <= _USUAL else _key(text)


def _key(text: str) -> str:
    name = parse_name(text)
    return name.full.lower() if name else ""


# Every request names its model, and nearly always the same one.
_USUAL = 200
_known_key = lru_cache(maxsize=256)(_key)
