"""Detects the language of a short text by its most common small words.

Only enough to see that an adapter still answers in the language it was asked in.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

_TEXTS: Final[Mapping[str, str]] = {
    "en": (
        "the and is are of to in that it was for on with as be this which from by at have an you"
        " they their its or when while because into"
    ),
    "de": (
        "der die das und ist sind ein eine einen einem nicht mit von zu den dem des im auf für sich"
        " es wird wenn weil auch als aber bei nach oder sie er man durch"
    ),
    "fr": (
        "le la les et est sont un une des de du que qui dans pour sur avec il elle au aux en ce"
        " cette se pas ne par plus ou car lorsque quand leur"
    ),
    "es": (
        "el la los las y es son un una de del que en por para con se no su al lo como más o cuando"
        " porque este esta muy también está"
    ),
}
_SMALL_WORDS: Final = {code: frozenset(text.split()) for code, text in _TEXTS.items()}
FEWEST_SMALL_WORDS: Final = 2
"""Fewest common small words in a text from which its language can be named."""


def language_of(text: str) -> str:
    """Return the language of a text as `en`, `de`, `fr` or `es`; "" if too few common small words
    of one language occur in it.
    """
    words = re.findall(r"[^\W\d_]+", text.lower())
    counts = {code: sum(word in small for word in words) for code, small in _SMALL_WORDS.items()}
    best, second = sorted(counts, key=lambda code: -counts[code])[:2]
    return best if counts[best] >= FEWEST_SMALL_WORDS and counts[best] > counts[second] else ""
