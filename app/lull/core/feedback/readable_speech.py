"""Decides from a message's letters alone whether the small reader, the model that interprets users'
messages, can understand the message.

The reader was trained on English, German, French and Spanish. Other scripts are almost unknown to
it, and messages of punctuation, emoji or code contain no words: such messages count as unsure
without asking a model. Other languages in Latin script are recognised by letters that the four
languages do not have; without such letters the reader itself must notice that it is unsure.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

MOST_OTHER_SCRIPT: Final = 0.5
"""Largest share of non-Latin letters in a message that still counts as readable, since a Latin
sentence may quote a foreign word.
"""
MOST_FOREIGN_WORDS: Final = 0.25
"""Largest share of words with letters that no known language has in a message that still counts as
readable; a few foreign names are allowed.
"""
LEAST_FOREIGN_WORDS: Final = 3
MOST_SIGNS: Final = 0.25
"""Largest share of brackets, operators and the like among a message's non-space characters; a
message with more of them is taken for code.
"""
_END_CHARACTERS: Final = 4_000
"""Characters read from the beginning, and as many from the end."""
_KNOWN: Final = frozenset("äöüßàâæçéèêëîïôœùûüÿñáíóúºªſ")
_SIGNS: Final = frozenset("{}[]()<>=;_/\\|&*#$@^~`+%")
_FENCED: Final = re.compile(r"^(```|~~~).*?(?:^\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_WORD: Final = re.compile(r"[^\W\d_]+")


def is_readable_speech(said: str) -> bool:
    """Whether the small reader model may understand a user's message: it must be natural language,
    not code, in a script and a language that the model may know. Takes time linear in the message's
    length.
    """
    text = _FENCED.sub(" ", _ends(said))
    letters = [sign for sign in text if sign.isalpha()]
    if not letters:
        return False
    latin = sum(map(_is_latin, letters))
    if latin < (1.0 - MOST_OTHER_SCRIPT) * len(letters):
        return False
    return not _is_code(text) and not _is_foreign(text)


def _ends(said: str) -> str:
    if len(said) <= 2 * _END_CHARACTERS:
        return said
    return f"{said[:_END_CHARACTERS]}\n{said[-_END_CHARACTERS:]}"


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
    """Whether a character is a Latin letter, by Unicode block, full-width forms included."""
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
