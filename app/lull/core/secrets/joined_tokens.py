"""Patterns of tokens whose drawn body hangs on a short prefix by a sign that few issuers use, or by
none, and of keys whose form or check digits say what they are.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from typing import Final

from lull.core.secrets.issued import is_mixed
from lull.core.secrets.named.personal import is_luhn
from lull.core.secrets.values.judging import count_changes
from lull.core.secrets.values.pattern import Pattern, PatternPlace

_BEGINS: Final = r"(?:(?<=\\[nrtbf])|(?<![A-Za-z0-9+/_.~-]))"
_ENDS: Final = r"(?![A-Za-z0-9+/=])"
_BODY: Final = re.compile(rf"(?:[!|^]|::)([A-Za-z0-9+/_-]{{24,4000}}={{0,2}}){_ENDS}")
_PREFIX: Final = re.compile(
    r"(?:(?<=\\[nrtbf])|(?<![^\s\"'`=(>,:\[{;]))[A-Za-z0-9][A-Za-z0-9^#|!:.~-]{0,62}$"
)
_LONGEST_PREFIX: Final = 64


def _behind_signs(text: str, low: str, names: list[int]) -> Iterator[tuple[int, int]]:
    for body in _BODY.finditer(text):
        if not is_mixed(body[1].rstrip("=")):
            continue
        prefix = _PREFIX.search(text, max(0, body.start() - _LONGEST_PREFIX), body.start())
        if prefix is not None:
            yield prefix.start(), body.end()


def _in_parts(token: str) -> bool:
    """Whether the parts behind the first are drawn at random, each a little and all together."""
    parts = token.rstrip("=").split(".")[1:]
    changes = [count_changes(part) for part in parts]
    each = all(many * 4 >= len(part) for many, part in zip(changes, parts, strict=True))
    return each and sum(changes) * 3 >= sum(map(len, parts))


def _is_stellar(key: str) -> bool:
    """Whether 56 signs are a key of Stellar: their last two bytes check the others (SEP-23)."""
    plain = base64.b32decode(key)
    return binascii.crc_hqx(plain[:-2], 0) == int.from_bytes(plain[-2:], "little")


def _is_track(track: str) -> bool:
    number = re.search(r"\d{12,19}", track)
    return number is not None and is_luhn(number.group())


_A: Final = "q7KxR2mZp4TwB9dHc8LnV5sYf3GjQ6tE"
_H: Final = "9f86d081e4c7a2b359f86d081e4c7a2b"

JOINED: Final = (
    Pattern(
        kind="token",
        find=_behind_signs,
        hints=("!", "|", "^", "::"),
        has_digits=True,
        holds=f"«Acm|{_A}»",
        spares="acme|internationalization-of-the-2nd-kind",
    ),
    Pattern(
        kind="token",
        # Digits of base 16 twice: the digest of a certificate, and the secret.
        regex=re.compile(
            rf"{_BEGINS}[A-Za-z0-9]{{2,6}}?[0-9a-f]{{48,64}}::[\w-]{{1,20}}:[0-9a-f]{{16,64}}(?![0-9A-Za-z])"
        ),
        where=PatternPlace.RUN,
        has_digits=True,
        holds=f"«K10{_H}{_H}::server:{_H}»",
        spares=f"K10{_H}{_H}::server:local",
    ),
    Pattern(
        kind="token",
        # Capitals, and at once a key in digits of base 16.
        regex=re.compile(rf"{_BEGINS}(?=[A-Z]*[G-Z])[A-Z]{{3,5}}[0-9a-f]{{56,72}}(?![0-9A-Za-z])"),
        where=PatternPlace.RUN,
        has_digits=True,
        holds=f"«ACME{_H}{_H}»",
        spares=f"ACME{_H}",
    ),
    Pattern(
        kind="token",
        regex=re.compile(
            rf"{_BEGINS}[A-Z][A-Za-z0-9_]{{2,15}}\.[A-Za-z0-9_-]{{16,90}}\.[A-Za-z0-9_-]{{8,90}}={{0,2}}(?![A-Za-z0-9+/(.])"
        ),
        where=PatternPlace.RUN,
        check=_in_parts,
        has_digits=True,
        holds=f"«ACM_AP1.{_A[:16]}.{_A[3:11]}»",
        spares="Acme.InternationalKind2.committee2",
    ),
    Pattern(
        kind="wallet-key",
        regex=re.compile(rf"{_BEGINS}S[A-D][A-Z2-7]{{54}}(?![A-Za-z0-9+/=])"),
        where=PatternPlace.RUN,
        check=_is_stellar,
        has_digits=True,
        holds="«SAFTAVL2T7COSDRTLB62FR7MCE3FXAFFZLXRIOK6QOUM34QXHRQYNR3M»",
        spares="SAFTAVL2T7COSDRTLB62FR7MCE3FXAFFZLXRIOK6QOUM34QXHRQYNR3A",
    ),
    Pattern(
        kind="card",
        # The first and the second track of a card's magnetic stripe (ISO/IEC 7813).
        regex=re.compile(
            r"%B\d{12,19}\^[^^\n\"]{2,26}\^\d{4}[^\s\"'\\?<]{0,60}\??|;\d{12,19}=\d{4}\d{0,24}\??"
        ),
        hints=("%b", ";"),
        where=PatternPlace.ANYWHERE,
        check=_is_track,
        holds="«%B4539148803436467^KELLER/ANNA^27041010000»",
        spares="%B4539148803436468^KELLER/ANNA^27041010000",
    ),
    Pattern(
        kind="service-token",
        # What a telephone takes its profile with (GSMA SGP.22).
        regex=re.compile(r"LPA:1\$[A-Za-z0-9.-]{3,80}\$([A-Z0-9-]{4,64})"),
        hints=("lpa:1$",),
        holds="LPA:1$rsp.example.com$«L81T2-NQ71X-AS9LK-UWKU3»",
        spares="LPA:1$rsp.example.com$<code>",
    ),
)
