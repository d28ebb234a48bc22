"""Patterns of codes in groups of letters or digits: a key to install or to redeem something with, a
number to pay with, a backup's long passphrase of digits; and of a licence in its frame.

Their names are endless. What other codes are called, which many may see, is a short list: of an
order, a parcel, an error, a town.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from lull.core.secrets.values.judging import count_changes
from lull.core.secrets.values.pattern import QUOTE, Pattern, PatternPlace

_NAME: Final = r"(?i:codes?|keys?|pins?|passphrase|schlüssel|kode|kod|código|clave|clé|codice|chiave|nøgle|nyckel|sleutel)"
_STATED: Final = rf"(?:[ ](?:for|für|of|de|du|pour|para|per|vom|von)(?:[ ][\w'’-]{{1,16}}){{1,3}}?)?\s?(?:[:=#]|[ ](?i:is|ist|lautet|est|es|è)(?=[ ]))\s{{0,2}}\*{{0,2}}{QUOTE}?"
_DIGITS: Final = "|".join(
    rf"\d{{{size}}}(?:{sign}\d{{{size}}}){{2,16}}" for size in (4, 5, 6) for sign in (" ", "-")
)
_LETTERS: Final = r"[A-Z0-9]{4,6}(?:-[A-Z0-9]{4,6}){2,7}"
_OF_OTHERS: Final = re.compile(
    r"(?i)(?:track|order|error|status|zip|post|country|area|promo|discount|rabatt|customer|invoice|referen|ref|case|ticket|booking|part|item|colou?r|model|article|swift|bank|sort|"
    r"public|source|qr|bar|bestell|sendung|kunden|fehler|artikel|länder|vorgang|suivi|commande|client|erreur|pedido|seguimiento|cliente|primary|foreign|cache|product|test|dialling|dial|"
    r"phone|hs|tariff|exit|hex|airport|language|locale|iso|currency)[\w-]{0,8}[ _-]{0,2}(?:number and )?$"
)


def _is_drawn(code: str) -> bool:
    plain = re.sub("[ -]", "", code)
    if plain.isdigit():
        return len(set(plain)) >= _DIFFERENT
    digits = sum(c.isdigit() for c in plain)
    return digits >= 2 and count_changes(plain) >= _CHANGES


_DIFFERENT: Final = 5
_CHANGES: Final = 3


def _single(code: str) -> bool:
    return any(c.isdigit() for c in code) and sum(c.isalpha() for c in code) >= 2


_FARTHEST_END: Final = 4_000
_ROW: Final = re.compile(r"[0-9A-Fa-f]{8}(?:[ ][0-9A-Fa-f]{8}){3}")
_FRAME: Final = re.compile(r"[—–-]{1,5}[ ]?$")


_LICENCE_BEGINS: Final = re.compile(r"begin licen")
_LICENCE_ENDS: Final = re.compile(r"end licen")


def _licences(text: str, low: str, names: list[int]) -> Iterator[tuple[int, int]]:
    begins = _LICENCE_BEGINS.search(low)
    while begins is not None:
        at = begins.start()
        ends = _LICENCE_ENDS.search(low, at, at + _FARTHEST_END)
        end = ends.start() if ends else at + 1
        first = _ROW.search(text, at, end) if ends else None
        if first is not None:
            frame = _FRAME.search(text, max(at, end - 8), end)
            yield first.start(), (frame.start() if frame else end)
        begins = _LICENCE_BEGINS.search(low, end)


CODE_GROUPS: Final = (
    Pattern(
        kind="recovery-code",
        regex=re.compile(rf"{_NAME}{_STATED}((?:{_DIGITS}|{_LETTERS})(?![\w-]|[ ]\d))"),
        hints=(
            *("code", "key", "pin", "passphrase", "schlüssel", "kod", "código", "clave", "clé"),
            *("codice", "chiave", "nøgle", "nyckel", "sleutel"),
        ),
        where=PatternPlace.ANYWHERE,
        check=_is_drawn,
        not_before=_OF_OTHERS,
        holds="console code: «032H-KO0S-QNMD»",
        spares="console code: THIS-FOUR-WORD",
    ),
    Pattern(
        kind="recovery-code",
        # One short code that is somebody's own.
        regex=re.compile(
            r"(?i:my|our|mein|unser|mon|notre|mi|nuestro|il mio)(?:[ ](?!(?:zip|post|order|error|promo|discount|booking|area|country|referral|customer|source|dress|qr|bar|tracking)\w{0,6}[ ])[\w-]{2,16}){1,3}[ ](?i:code|código|codice)[ ]?(?:[:=]|(?i:is|ist|lautet|est|es|è)[ ])[ ]?"
            rf"{QUOTE}?((?=[A-Z]{{0,11}}\d)(?=\d{{0,11}}[A-Z])[A-Z0-9]{{5,12}})(?![\w-])"
        ),
        hints=("my", "our", "mein", "unser", "mon", "notre", "mi", "nuestro", "il mio"),
        check=_single,
        holds="my grid code is «EFMKR5»",
        spares="my zip code is SW1A1AA",
    ),
    Pattern(
        kind="secret",
        find=_licences,
        hints=("begin licen",),
        has_digits=True,
        holds="BEGIN LICENSE\n«F49EE0D3 F461382C B137F7A9 2CEE1B08\n»END LICENSE",
        spares="BEGIN LICENSE\nMIT, 2025\nEND LICENSE",
    ),
)
