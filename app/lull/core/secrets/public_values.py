"""Recognises values that are named like secrets but are public, such as cache keys."""

from __future__ import annotations

import re
from typing import Final

from lull.core.secrets.values.public_names import NAMED_PUBLIC

_KNOWN_BY_NAME: Final = frozenset({"password", "secret", "token", "recovery-code"})
"""Kinds of secrets that are known by the name before them, most of them whatever they look like."""
_PUBLIC_NAME: Final = re.compile(
    r"(?i)(?:(?<![a-z])(?<!encryption )(?<!secret )(?:cache|idempotency|partition|sort)[ _.-]?key|"
    r"public[ _.-]?key[ _.-]?token)[\"'`]{0,2}[ \t]{0,2}[:=][ \t]{0,2}[\"'`]?$"
)
_NO_ISSUERS: Final = re.compile(
    r"(?:[a-z]{2,12}-){0,3}[0-9a-f]{7,64}|[A-Za-z0-9]{8,32}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
)
"""Matches digests, ids and short runs of letters and digits: nothing that an issuer of keys draws in
a form of its own.
"""
_PUBLIC_BEHIND: Final = re.compile(
    r"(?i)[\"'`]{0,3}[ ](?:as|is|for|als|ist)[ ](?:[^\W\d_]{1,8}[ ])?(?:cache|public|publishable|partition|sort|primary|foreign|idempotency)(?:[ _-][a-z]{2,12})?[ _-]?key"
)
_PUBLISHED: Final = re.compile(r"(?i)publishable|publicable")
_PIN_NAME: Final = re.compile(r"(?i)(?<![a-z])pin[\"'`]?\s{0,2}[:=]\s{0,2}[\"'`]?$")
_PIN_OF_A_BOARD: Final = re.compile(r"(?i)(?:GPIO|IO|D|A|P[A-K])_?\d{1,2}")
_SESSION: Final = re.compile(
    r"(?i)(?<!cookie )session[ _-]?id[\"'`]{0,2}[ \t]{0,2}[:=]?[ \t]{0,2}[\"'`]?$"
)
"""A session of a program or a shell; what signs in at a site is named as a cookie."""
_UUID: Final = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_NAME_LENGTH: Final = 40


def is_public(kind: str, text: str, begin: int, end: int) -> bool:
    """Whether a value that looks like a secret of this kind is public, to judge by the name before
    it: a cache key, the public key token of a .NET assembly, a pin of a circuit board.
    """
    before = text[max(0, begin - _NAME_LENGTH) : begin]
    if kind not in _KNOWN_BY_NAME:
        return kind == "stripe-key" and text.startswith("pk", begin) and _is_published(before)
    if _PIN_NAME.search(before):
        return _PIN_OF_A_BOARD.fullmatch(text[begin:end].strip()) is not None
    if _SESSION.search(before) is not None and _UUID.fullmatch(text[begin:end].strip()):
        return True
    if NAMED_PUBLIC.search(text, max(0, begin - _FARTHEST), begin) is not None:
        return True
    if _PUBLIC_BEHIND.match(text, end) is not None:
        return True
    if _PUBLIC_NAME.search(before) is None:
        return False
    return _NO_ISSUERS.fullmatch(text[begin:end].strip()) is not None


def _is_published(before: str) -> bool:
    """Whether the name before a key says that it may stand in a page."""
    return _PUBLISHED.search(before) is not None


_FARTHEST: Final = 130
