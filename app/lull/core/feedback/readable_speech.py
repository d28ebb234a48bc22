"""Is a message speech that the small reader can know at all? Told by its letters alone.

The reader has learned English, German, French and Spanish. Of other scripts it has seen next to
nothing, and a message of signs, emoji or code says nothing in words: such messages are unsure, and
no model is asked. Another language in Latin letters is found by letters that those four have not;
where it has no such letters, it is the reader's own to be unsure.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

MOST_OTHER_SCRIPT: Final = 0.5
"""Of the letters. A Latin sentence may well name a word of another script."""
MOST_FOREIGN_WORDS: Final = 0.25
"""With letters that none of the known languages has; a name or two is no other language."""
LEAST_FOREIGN_WORDS: Final = 3
MOST_SIGNS: Final = 0.25
"""Of what is no space: brackets, operators and the like, where code stands without a fence."""
_LOOKED_AT: Final = 4_000
"""Characters of the beginning, and as many of the end."""
_KNOWN: Final = frozenset("äöüßàâæçéèêëîïôœùûüÿñáíóúºªſ")
_SIGNS: Final = frozenset("{}[]()<>=;_/\\|&*#$@^~`+%")
_FENCED: Final = re.compile(r"^(```|~~~).*?(?:^\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_WORD: Final = re.compile(r"[^\W\d_]+")


def is_readable_speech(said: str) -> bool:
    """Whether the reader can be asked what this says. Linear in the length of the message."""
    text = _FENCED.sub(" ", _ends(said))
    letters = [sign for sign in text if sign.isalpha()]
    if not letters:
        return False
    latin = sum(map(_is_latin, letters))
    if latin < (1.0 - MOST_OTHER_SCRIPT) * len(letters):
        return False
    return not _is_code(text) and not _is_foreign(text)


def _ends(said: str) -> str:
    if len(said) <= 2 * _LOOKED_AT:
        return said
    return f"{said[:_LOOKED_AT]}\n{said[-_LOOKED_AT:]}"


def _is_code(text: str) -> bool:
    solid = [sign for sign in text if not sign.isspace()]
    return len(solid) > 12 and sum(sign in _SIGNS for sign in solid) > MOST_SIGNS * len(solid)


def _is_foreign(text: str) -> bool:
    words = _WORD.findall(unicodedata.normalize("NFC", text))
    foreign = sum(any(_is_unknown(sign) for sign in word.lower()) for word in words)
    return foreign >= LEAST_FOREIGN_WORDS and foreign > MOST_FOREIGN_WORDS * len(words)


def _is_unknown(sign: str) -> bool:
    return sign > "\x7f" and sign.isalpha() and sign not in _KNOWN


def _is_latin(sign: str) -> bool:
    """By the Unicode blocks of Latin letters, with the full-width ones."""
    at = ord(sign)
    return (
        at < 0x0250
        or 0x1E00 <= at < 0x1F00
        or 0x2C60 <= at < 0x2C80
        or 0xA720 <= at < 0xA800
        or 0xAB30 <= at < 0xAB70
        or 0xFB00 <= at < 0xFB07
        or 0xFF21 <= at < 0xFF5B
    )
